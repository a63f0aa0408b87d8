import { describe, expect, it } from "vitest";
import { commandsIn, wordsOf } from "./ruleCommands.ts";

describe("a command that is understood", () => {
  it.each([
    ["git status", ["git", "status"]],
    ["npm run test:unit -- --run", ["npm", "run", "test:unit", "--", "--run"]],
    ["./node_modules/.bin/tsc -b", ["./node_modules/.bin/tsc", "-b"]],
    ["/usr/bin/git diff main..next src/a.ts", ["/usr/bin/git", "diff", "main..next", "src/a.ts"]],
    ["git log --format=oneline -n5", ["git", "log", "--format=oneline", "-n5"]],
    ["ls", ["ls"]],
  ])("%s", (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });
});

/** Each of these runs something else in some shell, or nobody here can be sure that it does not. */
const NOT_UNDERSTOOD: readonly string[] = [
  "",
  " ",
  " git status",
  "git status ",
  "git  status",
  "git\tstatus",
  "git status\n",
  "git status\r",
  "git status\nrm -rf build",
  "git status\\\nrm",
  "git status; rm -rf build",
  "git status;",
  "git status &",
  "git status && rm x",
  "git status || rm x",
  "git status | sh",
  "git status |& sh",
  "git status > /etc/passwd",
  "git status 2>x",
  "git status >| x",
  "git status < x",
  "git status <<< x",
  "cat <<E\nx\nE",
  "git status <(id)",
  "git $(id)",
  "git `id`",
  "git ${x}",
  "git $x",
  "git $((1))",
  "$GIT status",
  "git 'status'",
  'git "status"',
  "git stat'us'",
  "git $'status'",
  'git $"status"',
  "git st\\atus",
  "git *",
  "git ?",
  "git [a]",
  "git {a,b}",
  "git ~",
  "git a=~/x",
  "git !!",
  "! git status",
  "!git",
  "git ^x^y",
  "git status # and more",
  "#git",
  "(git status)",
  "{ git status; }",
  "[ -f x ]",
  "[[ -f x ]]",
  "((1))",
  "FOO=bar git status",
  "FOO+=bar git status",
  "PATH=/tmp git status",
  "a[0]=x git",
  "=git status",
  "git =ls",
  "git a==ls",
  "%1",
  "-git status",
  "--",
  ".",
  "..",
  ". ./x",
  "./",
  "/",
  "src/",
  "git status\u00a0x",
  "git st\u0430tus",
  "g\u0456t status",
  "git status\u200b",
  "git\u2028status",
  "git \u202estatus",
  "git status\0",
  "git \x1b[31mstatus",
  "git status \ufffd",
  "git\u3000status",
  `git ${"x".repeat(2_000)}`,
  "source x",
  "eval x",
  "exec ls",
  "command ls",
  "builtin ls",
  "alias git=rm",
  "unalias git",
  "trap x",
  "if x",
  "then x",
  "while x",
  "time ls",
  "coproc ls",
  "function f",
  "noglob ls",
  "nocorrect ls",
  "export A=b",
  "declare x",
  "set -x",
  "cd /tmp",
  "echo x",
  "test x",
  "repeat 2 ls",
  "foreach x",
  "true",
];

describe("what is not surely understood", () => {
  it.each(NOT_UNDERSTOOD.map((text) => [JSON.stringify(text).slice(0, 60), text]))("%s", (_name, text) => {
    expect(wordsOf(text)).toBeNull();
  });
});

describe("the loose look for what must be refused", () => {
  it.each([
    "git push --force",
    "cd x && git push --force",
    "sudo git push --force",
    "env A=b git push --force",
    "echo x | xargs git push --force",
    "bash -c 'git push --force'",
    "$(git push --force)",
    "`git push --force`",
    "git pu'sh' --force",
    "git push --for\\ce",
    "git push \\\n --force",
    "git push --fo\\\nrce",
    "if true; then git push --force; fi",
    "(git push --force)",
    "git push --force>x",
    "A=$(git push --force) ls",
    "git status\ngit push --force",
  ])("sees the words in %s", (text) => {
    const isSeen = commandsIn(text).some((words) =>
      words.join("\u0000").includes("git\u0000push\u0000--force"),
    );
    expect(isSeen).toBe(true);
  });

  it("reads a long text in one pass", () => {
    expect(commandsIn("a;".repeat(500_000)).length).toBeLessThan(40_000);
    expect(commandsIn("\\".repeat(60_000))).toEqual([]);
  });
});
