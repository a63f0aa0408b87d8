// `agtmux doc …` and `agent-doc …` as a person and an editor call them: real files, real git, the real command line.
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CLI_ENTRY } from "../testing/cliEntry.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const DOC = `---
agent_doc_session: 0b1c
---

<!-- agent:status -->
nothing yet
<!-- /agent:status -->

<!-- agent:exchange mode=append -->
Which way?
<!-- /agent:exchange -->
`;

let folder: string;
let home: string;
let env: Record<string, string>;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "agtmux-docs-")));
  home = join(folder, ".home");
  mkdirSync(home);
  mkdirSync(join(folder, ".agent-doc"));
  const { TMUX: _tmux, TMUX_PANE: _pane, ...outer } = process.env;
  env = {
    ...(outer as Record<string, string>),
    HOME: home,
    AGTMUX_HOME: join(home, "agtmux"),
    AGTMUX_NO_START: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_AUTHOR_NAME: "A",
    GIT_AUTHOR_EMAIL: "a@example.invalid",
    GIT_COMMITTER_NAME: "A",
    GIT_COMMITTER_EMAIL: "a@example.invalid",
  };
  writeFileSync(join(folder, "plan.md"), DOC);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const call = (program: string, args: readonly string[], input = "") => {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, env, input, encoding: "utf8" });
  return { status, stdout, stderr };
};
const doc = (args: readonly string[], input = "") =>
  call(process.execPath, [CLI_ENTRY, "doc", ...args], input);
const git = (...args: string[]): string => execFileSync("git", args, { cwd: folder, env, encoding: "utf8" });
const read = (name = "plan.md"): string => readFileSync(join(folder, name), "utf8");
const write = (text: string, name = "plan.md"): void => writeFileSync(join(folder, name), text);
const ok = (stdout: string) => ({ status: 0, stdout, stderr: "" });

const begin = (): void => {
  git("init", "-q", "-b", "main");
  write(".home\n", ".gitignore");
};
const commitAs = (message: string, name = "plan.md"): string => {
  git("add", "-f", name);
  git("commit", "-q", "-m", message);
  return git("rev-parse", "HEAD").trim();
};
const subjects = (): string[] => git("log", "--format=%s").trim().split("\n");

describe("a document from its beginning", () => {
  it("is begun, answered, and compared with what the agent has seen", () => {
    expect(doc(["init", "new/first.md", "The plan", "--agent", "some"])).toEqual(
      ok("Created new/first.md.\n"),
    );
    const begun = read("new/first.md");
    expect(begun).toMatch(
      /^---\nagent_doc_session: "?[0-9a-f-]{36}"?\nagent_doc_format: inline\nagent: some\n---\n\n# The plan\n\n## User\n\n$/,
    );
    const again = doc(["init", "new/first.md"]);
    expect([again.status, again.stderr]).toEqual([2, expect.stringContaining("exists already")]);
    expect(read("new/first.md")).toBe(begun);

    const asked = `${begun}Which way?\n`;
    write(asked, "new/first.md");
    expect(doc(["diff", "new/first.md"]).stdout).toBe(asked.replaceAll(/^/gm, "+").replace(/\+$/, ""));
    write(asked, "seen");
    const written = doc(["write", "new/first.md", "--baseline-file", "seen"], "This way.\n");
    expect(written).toEqual(ok("Written into new/first.md.\n"));
    expect(doc(["diff", "new/first.md"])).toEqual(ok(""));
    const answered = read("new/first.md");
    expect(answered).toBe(`${asked}\n## Assistant\n\nThis way.\n\n## User\n\n`);
    write(`${answered}Thanks. <!-- a note -->\n`, "new/first.md");
    expect(doc(["diff", "new/first.md", "--strip-comments"]).stdout.split("\n").at(-2)).toBe("+Thanks. ");
    expect(doc(["reset", "new/first.md"]).stdout).toBe("The agent begins again with new/first.md.\n");
    expect(doc(["reset", "new/first.md"]).stdout).toBe("new/first.md had nothing to forget.\n");
  });

  it("is outlined as a table and as JSON", () => {
    write("# One\n\ntext\n## Two\n");
    expect(JSON.parse(doc(["outline", "plan.md", "--json"]).stdout)).toEqual([
      { heading: "One", depth: 1, line: 1, lines: 2, tokens: 2 },
      { heading: "Two", depth: 2, line: 4, lines: 0, tokens: 0 },
    ]);
    expect(doc(["outline", "plan.md"]).stdout).toMatch(
      /^SECTION +LINE +LINES +TOKENS\nOne +1 +2 +2\n {2}Two +4 +0 +0\n$/,
    );
  });
});

describe("patches", () => {
  it("replace, append and prepend as the component says, from an argument or standard input", () => {
    expect(doc(["patch", "plan.md", "status", "3 of 5"])).toEqual(ok(""));
    expect(doc(["patch", "plan.md", "exchange"], "This way.\n")).toEqual(ok(""));
    const patched = DOC.replace("nothing yet", "3 of 5").replace("Which way?\n", "Which way?\nThis way.\n");
    expect(read()).toBe(patched);
    write('[status]\nmode = "prepend"\ntimestamp = true\nmax_entries = 1\n', ".agent-doc/components.toml");
    expect(doc(["patch", "plan.md", "status", "newest"])).toEqual(ok(""));
    expect(read()).toContain("<!-- agent:status -->\n3 of 5\n<!-- /agent:status -->");
    write('[status]\nmode = "append"\ntimestamp = true\nmax_entries = 2\n', ".agent-doc/components.toml");
    for (const text of ["one", "two"]) doc(["patch", "plan.md", "status", text]);
    expect(read()).toMatch(
      /<!-- agent:status -->\n\d{4}-\d\d-\d\dT[\d:.]+Z one\n\d{4}-\d\d-\d\dT[\d:.]+Z two\n<!--/,
    );
    expect(doc(["diff", "plan.md"]).stdout).toBe("");
  });

  it("for a component that is not there leave the file as it is", () => {
    const { status, stderr } = doc(["patch", "plan.md", "none", "x"]);
    expect([status, stderr]).toEqual([
      65,
      "agtmux: the document has no component 'none' [E_DOCUMENT_INVALID]. It has status, exchange.\n",
    ]);
    expect(read()).toBe(DOC);
  });

  it("run the project's commands only after a yes, which ends when they change", () => {
    const hooks = (command: string) =>
      write(
        `[status]\npre_patch = '${command}'\npost_patch = 'touch "$COMPONENT"'\n`,
        ".agent-doc/components.toml",
      );
    hooks("tr a-z A-Z");
    const refused = doc(["patch", "plan.md", "status", "done"]);
    expect([refused.status, refused.stderr]).toEqual([6, expect.stringContaining("'tr a-z A-Z'")]);
    expect([read(), existsSync(join(folder, "status"))]).toEqual([DOC, false]);
    expect(doc(["patch", "plan.md", "status", "done", "--yes"])).toEqual(ok(""));
    expect(doc(["patch", "plan.md", "status", "again"])).toEqual(ok(""));
    expect(read()).toContain("AGAIN\n");
    hooks("cat /etc/hostname");
    expect(doc(["patch", "plan.md", "status", "x"]).status).toBe(6);
    hooks("exit 3");
    const failed = doc(["patch", "plan.md", "status", "x", "--yes"]);
    expect([failed.status, failed.stderr]).toEqual([11, expect.stringContaining("the hook 'exit 3' failed")]);
    expect(read()).toContain("AGAIN\n");
  });
});

describe("git", () => {
  it("has the document alone in a commit, also where it is ignored, and no hook runs", () => {
    begin();
    write("*.md\n.home\n", ".gitignore");
    mkdirSync(join(folder, ".git", "hooks"), { recursive: true });
    writeFileSync(join(folder, ".git", "hooks", "pre-commit"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    write("staged\n", "other.txt");
    git("add", "other.txt");
    expect(doc(["commit", "plan.md"])).toEqual(ok("Committed plan.md.\n"));
    expect(git("log", "-1", "--format=%s")).toMatch(/^agent-doc: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n$/);
    expect(git("show", "--format=", "--name-only").trim()).toBe("plan.md");
    expect(git("diff", "--cached", "--name-only").trim()).toBe("other.txt");
    expect(doc(["commit", "plan.md"])).toEqual(ok("plan.md has nothing to commit.\n"));
  });

  it("in the middle of a merge, or outside of a repository, is refused and left alone", () => {
    expect(doc(["commit", "plan.md"]).stderr).toContain("is in no git repository [E_GIT_FAILED]");
    begin();
    const first = commitAs("first");
    git("checkout", "-q", "-b", "side");
    write(DOC.replace("nothing", "side"));
    commitAs("side");
    git("checkout", "-q", "-b", "other", first);
    write(DOC.replace("nothing", "other"));
    commitAs("other");
    spawnSync("git", ["merge", "-q", "side"], { cwd: folder, env });
    const before = [read(), git("status", "--porcelain"), git("rev-parse", "HEAD")];
    for (const verb of ["commit", "clean"]) {
      const { status, stderr } = doc([verb, "plan.md"]);
      expect([status, stderr]).toEqual([74, expect.stringContaining("in the middle of a merge")]);
    }
    expect([read(), git("status", "--porcelain"), git("rev-parse", "HEAD")]).toEqual(before);
    expect(doc(["write", "plan.md"], "x").status).toBe(0);
  });

  it.each(["a root commit", "a commit of others"])(
    "squashes its own commits down to %s; what is staged stays",
    (below) => {
      begin();
      if (below !== "a root commit") commitAs("project", ".gitignore");
      for (const count of [1, 2, 3]) {
        write(DOC.replace("nothing", String(count)));
        doc(["commit", "plan.md"]);
      }
      write("staged\n", "other.txt");
      git("add", "other.txt");
      const tree = git("rev-parse", "HEAD^{tree}");
      expect(doc(["clean", "plan.md"])).toEqual(ok("3 commits of plan.md are one now.\n"));
      expect(subjects()).toEqual([
        expect.stringMatching(/^agent-doc: /),
        ...(below === "a root commit" ? [] : ["project"]),
      ]);
      expect(git("rev-parse", "HEAD^{tree}")).toBe(tree);
      expect(git("status", "--porcelain", "-uno").trim()).toBe("A  other.txt");
      expect(doc(["clean", "plan.md"]).stdout).toBe("plan.md has no commits to put together.\n");
    },
  );

  it("does not squash across commits of others, of other documents, merges, or what is pushed", () => {
    begin();
    doc(["commit", "plan.md"]);
    write("code\n", "code.txt");
    commitAs("somebody's work", "code.txt");
    write("# Other\n", "other.md");
    doc(["commit", "other.md"]);
    git("update-ref", "refs/remotes/origin/main", "HEAD");
    write(DOC.replace("nothing", "more"));
    git("add", "plan.md");
    git("commit", "-q", "-m", "agent-doc(plan): an old form");
    const head = git("rev-parse", "HEAD");
    const { status, stderr } = doc(["clean", "plan.md"]);
    expect(status).toBe(74);
    for (const reason of [
      "somebody else's: somebody's work",
      "has other files as well",
      "is pushed already, to origin/main",
    ])
      expect(stderr).toContain(reason);
    expect(git("rev-parse", "HEAD")).toBe(head);
    expect(doc(["clean", "plan.md", "--force"]).stdout).toBe("4 commits of plan.md are one now.\n");
    expect(subjects()).toHaveLength(1);
  });

  it("lists the versions of the conversation, and puts one of them above the present one", () => {
    begin();
    doc(["commit", "plan.md"]);
    const first = git("rev-parse", "--short", "HEAD").trim();
    write(DOC.replace("Which way?", "Why?\n\u001b[31mBecause").replace("0b1c\n", "0b1c\nresume: talk-7\n"));
    doc(["commit", "plan.md"]);
    const { stdout } = doc(["history", "plan.md"]);
    expect(stdout.split("\n").map((line) => line.split(/ {2,}/).slice(2))).toEqual([
      ["CONVERSATION", "ENDS WITH"],
      ["talk-7", "Because"],
      ["-", "Which way?"],
      [],
    ]);
    expect(doc(["history", "plan.md", "--restore", first]).status).toBe(0);
    expect(read()).toContain("<!-- agent:exchange mode=append -->\nWhich way?\nWhy?\n");
    const none = doc(["history", "plan.md", "--restore", "--output=x"]);
    expect([none.status === 0, existsSync(join(folder, "x"))]).toEqual([false, false]);
    expect(doc(["history", "plan.md", "--restore", "HEAD~9"]).stderr).toContain(
      "there is no commit 'HEAD~9'",
    );
  });

  it("merges for documents that ask for its merge", () => {
    const asking = DOC.replace("0b1c\n", "0b1c\nagent_doc_write: merge\n");
    write(asking, "seen");
    write(asking.replace("nothing yet", "typed"));
    expect(doc(["write", "plan.md", "--baseline-file", "seen"], "This way.\n").status).toBe(0);
    expect(read()).toBe(
      asking.replace("nothing yet", "typed").replace("Which way?\n", "Which way?\nThis way.\n"),
    );
  });
});

describe("a project", () => {
  it("gets the instructions, current and once", () => {
    expect(doc(["skill", "check"]).status).toBe(1);
    expect(doc(["skill", "install", "--reload", "compact"]).stdout).toMatch(
      /^Wrote .*\nSKILL_RELOAD=compact\n$/,
    );
    expect(doc(["skill", "check"]).status).toBe(0);
    expect(doc(["skill", "install"]).stdout).toContain("is current");
    expect(read(".claude/skills/agent-doc/SKILL.md")).toContain("\nagent-doc-version: 0.17.14\n");
    expect(doc(["skill", "install", "--folder", ".agents/skills"]).status).toBe(0);
    expect(existsSync(join(folder, ".agents/skills/agent-doc/SKILL.md"))).toBe(true);
  });

  it("has its documents for agents checked", () => {
    write("{}", "package.json");
    write("Run `make`.\n\n```\n.\n├── src/\n└── gone/\n```\n", "README.md");
    mkdirSync(join(folder, "src"));
    expect(doc(["audit-docs"])).toEqual({
      status: 1,
      stdout: "README.md:6: the tree names './gone', which is not there\n",
      stderr: "",
    });
    mkdirSync(join(folder, "gone"));
    expect(doc(["audit-docs", "--root", folder])).toEqual(ok("1 documents, nothing found.\n"));
  });
});

describe("run", () => {
  const asked = () =>
    JSON.parse(read("asked.json")) as { argv: string[]; stdin: string; claudecode: string | null };
  /** A program that answers as the print mode of Claude Code was recorded, and writes down what it was asked. */
  const standIn = (answer: object | string, name = "claude"): void => {
    const bin = join(home, "bin");
    mkdirSync(bin, { recursive: true });
    const script = `#!${process.execPath}
import { writeFileSync } from "node:fs";
let stdin = "";
process.stdin.on("data", (text) => (stdin += text)).on("end", () => {
  const claudecode = process.env.CLAUDECODE ?? null;
  writeFileSync("asked.json", JSON.stringify({ argv: process.argv.slice(2), stdin, claudecode }));
});
process.stdout.write(${JSON.stringify(typeof answer === "string" ? answer : JSON.stringify(answer))});
`;
    writeFileSync(join(bin, name), script, { mode: 0o755 });
    env["PATH"] = `${bin}:${process.env["PATH"]}`;
    env["CLAUDECODE"] = "1";
  };

  it("asks with the document first and the diff later, goes on with the conversation, and commits on its branch", () => {
    begin();
    commitAs("project", ".gitignore");
    const result = "<!-- patch:status -->\nhalf\n<!-- /patch:status -->\nThis way.";
    standIn({ type: "result", subtype: "success", is_error: false, result, session_id: "talk-1" });
    expect(doc(["run", "plan.md", "-b", "--model", "small"])).toEqual(
      ok("Answered in plan.md.\nCommitted plan.md.\n"),
    );
    expect(asked().argv.slice(0, -1)).toEqual(
      "-p --output-format json --permission-mode acceptEdits --model small --append-system-prompt".split(" "),
    );
    expect([
      asked().stdin.includes(`<document>\n${DOC}</document>`),
      asked().stdin.includes("<diff>"),
      asked().claudecode,
    ]).toEqual([true, false, null]);
    expect(git("branch", "--show-current").trim()).toBe("agent-doc/plan");
    const answered = DOC.replace("nothing yet", "half").replace("Which way?\n", "Which way?\nThis way.\n");
    expect(read()).toBe(answered.replace("0b1c\n", "0b1c\nresume: talk-1\n"));
    expect(doc(["run", "plan.md"])).toEqual(ok("plan.md has nothing new.\n"));

    write(read().replace("This way.\n", "This way.\nAnd then?\n"));
    const { stdout } = doc(["run", "plan.md", "--dry-run"]);
    expect(stdout).toContain("<diff>\n ---\n agent_doc_session: 0b1c\n resume: talk-1\n");
    expect(stdout).toContain("\n+And then?\n");
    doc(["run", "plan.md", "--no-git"]);
    expect([asked().argv.includes("--resume"), asked().argv.includes("talk-1"), asked().stdin]).toEqual([
      true,
      true,
      stdout,
    ]);
    expect(git("status", "--porcelain", "plan.md").trim()).toBe("M plan.md");
  });

  it("asks the agent of --agent, of the document, of config.toml, and one that it does not know not at all", () => {
    mkdirSync(join(home, ".config", "agent-doc"), { recursive: true });
    const config = (text: string) => writeFileSync(join(home, ".config", "agent-doc", "config.toml"), text);
    standIn("Plain text is an answer.\n", "other-agent");
    config('default_agent = "other"\n[agents.other]\ncommand = "other-agent"\nargs = ["--ask"]\n');
    expect(doc(["run", "plan.md"]).stdout).toBe("Answered in plan.md.\n");
    expect([asked().argv, read().includes("Which way?\nPlain text is an answer.\n")]).toEqual([
      ["--ask"],
      true,
    ]);
    write(`${read()}more\n`);
    const unknown = doc(["run", "plan.md", "--agent", "nobody"]);
    expect([unknown.status, unknown.stderr]).toEqual([15, expect.stringContaining("[agents.nobody]")]);
    config("default_agent = 1\n");
    expect(doc(["run", "plan.md"])).toMatchObject({
      status: 11,
      stderr: expect.stringContaining("default_agent"),
    });
  });

  it("gives no agent what a document writes in the place of an id or a model as an option", () => {
    standIn({ result: "never", session_id: "x" });
    for (const line of ["model: --dangerously-skip-permissions", "resume: '-c'", 'model: "a b"']) {
      const text = DOC.replace("---\n", `---\n${line}\n`);
      write(text);
      const refused = doc(["run", "plan.md"]);
      expect([line, refused.status, read()]).toEqual([line, 65, text]);
    }
    expect(existsSync(join(folder, "asked.json"))).toBe(false);
  });

  it("leaves the document as it is where the agent fails", () => {
    standIn({ type: "result", is_error: true, result: "no credit", session_id: "x" });
    const failed = doc(["run", "plan.md"]);
    expect([failed.status, failed.stderr, read()]).toEqual([15, expect.stringContaining("no credit"), DOC]);
  });
});

describe("what was typed while the agent worked", () => {
  const typed = "Which way?\nTyped meanwhile.\n";
  const answer = (): void => {
    writeFileSync(join(folder, "seen"), DOC);
    write(DOC.replace("Which way?\n", typed));
    expect(doc(["write", "plan.md", "--baseline-file", "seen"], "This way.\n").status).toBe(0);
  };

  it("is in the next diff, as lines and as JSON", () => {
    answer();
    expect(doc(["diff", "plan.md"]).stdout).toContain("+Typed meanwhile.\n");
    const lines: { kind: string; text: string }[] = JSON.parse(doc(["diff", "plan.md", "--json"]).stdout);
    expect(lines.filter(({ kind }) => kind !== "same")).toEqual([
      { kind: "added", text: "Typed meanwhile." },
    ]);
    expect(lines.map(({ text }) => `${text}\n`).join("")).toBe(read());
  });

  it("is not, where the person's settings say so", () => {
    mkdirSync(join(home, ".config", "agent-doc"), { recursive: true });
    writeFileSync(join(home, ".config", "agent-doc", "config.toml"), 'snapshot = "file"\n');
    answer();
    expect(read()).toContain("Typed meanwhile.\n");
    expect(doc(["diff", "plan.md"])).toEqual(ok(""));
    expect(doc(["diff", "plan.md", "--json"])).toEqual(ok("[]\n"));
  });
});

describe("as agent-doc", () => {
  const agentDoc = (...args: string[]) => {
    const link = join(home, "agent-doc");
    if (!existsSync(link)) symlinkSync(join(ROOT, "bin", "agtmux"), link);
    return call(link, args);
  };

  it("has the version and the verbs that editors ask for", () => {
    expect(agentDoc("--version")).toEqual(ok("agent-doc 0.17.14\n"));
    const commands: { name: string; args: string; description: string }[] = JSON.parse(
      agentDoc("commands").stdout,
    );
    expect(commands).toContainEqual({ name: "diff", args: "<file>", description: expect.any(String) });
    expect(commands.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["init", "write", "patch", "skill"]),
    );
    expect(agentDoc("diff", "plan.md").stdout).toContain("+Which way?\n");
  });

  it("has its exit codes alone", () => {
    expect(agentDoc("patch", "plan.md", "none", "x").status).toBe(1);
    expect(agentDoc("diff", "none.md").status).toBe(2);
    expect(agentDoc("no-such-verb").status).toBe(2);
    expect(agentDoc("commit", "plan.md").status).toBe(1);
  });
});

it("a file that another program holds locked is left for later, with status 75", async () => {
  const { default: Database } = await import("better-sqlite3");
  const lock = new Database(join(folder, ".agent-doc", "agtmux.lock.db"));
  lock.exec("BEGIN EXCLUSIVE");
  try {
    const { status, stderr } = doc(["write", "plan.md"], "This way.\n");
    expect([status, stderr]).toEqual([75, expect.stringContaining("[E_DOCUMENT_BUSY]")]);
    expect(read()).toBe(DOC);
  } finally {
    lock.close();
  }
  expect(doc(["recover", "plan.md"])).toEqual(ok("A response of before was put in.\n"));
  expect(read()).toContain("Which way?\nThis way.\n");
});
