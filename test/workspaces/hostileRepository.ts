// A repository that wants programs to be run: every setting, attribute and hook that could make git start one names a program that
// leaves a mark. Made with the real git.
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

export const git = (cwd: string, ...args: string[]): string =>
  execFileSync(
    "git",
    [
      "-c",
      "user.name=t",
      "-c",
      "user.email=t@t",
      "-c",
      "commit.gpgSign=false",
      "-c",
      "protocol.file.allow=always",
      ...args,
    ],
    {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" },
    },
  );

export interface HostileRepository {
  path: string;
  /** Names of the programs that were run. */
  ran(): string[];
  /** A program that leaves this name when it is run. */
  program(name: string): string;
}

const HOOKS = [
  "applypatch-msg",
  "post-checkout",
  "post-index-change",
  "post-commit",
  "post-merge",
  "post-rewrite",
  "pre-auto-gc",
  "pre-commit",
  "pre-push",
  "reference-transaction",
  "fsmonitor-watchman",
];

/** One changed file (two lines more, one less), one unknown one, and one commit that its upstream lacks. */
export const makeHostileRepository = (root: string): HostileRepository => {
  const made = join(root, "hostile");
  const marks = join(root, "marks");
  const programs = join(root, "programs");
  for (const folder of [made, marks, programs]) mkdirSync(folder, { recursive: true });
  const path = realpathSync(made);
  const program = (name: string): string => {
    const file = join(programs, name);
    writeFileSync(file, `#!/bin/sh\n: >"${join(marks, name)}"\ncat 2>/dev/null\nexit 0\n`);
    chmodSync(file, 0o755);
    return file;
  };
  git(path, "init", "-q", "-b", "main");
  writeFileSync(join(path, "file.txt"), "one\ntwo\n");
  writeFileSync(join(path, "other.txt"), "other\n");
  git(path, "add", ".");
  git(path, "commit", "-q", "-m", "one");
  git(path, "update-ref", "refs/remotes/origin/main", "HEAD");
  git(path, "commit", "-q", "--allow-empty", "-m", "two");
  git(path, "config", "branch.main.remote", "origin");
  git(path, "config", "branch.main.merge", "refs/heads/main");
  git(path, "config", "remote.origin.url", "https://127.0.0.1:1/x");
  git(path, "config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*");
  writeFileSync(join(path, "file.txt"), "one\nthree\nfour\n");
  writeFileSync(join(path, "unknown.txt"), "new\n");
  const hooks = join(root, "hooks");
  mkdirSync(hooks);
  for (const hook of HOOKS) {
    const source = `#!/bin/sh\n: >"${join(marks, `hook-${hook}`)}"\n`;
    for (const folder of [hooks, join(path, ".git/hooks")]) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, hook), source);
      chmodSync(join(folder, hook), 0o755);
    }
  }
  const settings: Readonly<Record<string, string>> = {
    "core.fsmonitor": program("fsmonitor"),
    "core.hooksPath": hooks,
    "core.pager": program("pager"),
    "core.sshCommand": program("ssh"),
    "core.askPass": program("askpass"),
    "core.editor": program("editor"),
    "core.gitProxy": program("proxy"),
    "core.attributesFile": join(root, "attributes"),
    "credential.helper": program("credential"),
    "gpg.program": program("gpg"),
    "diff.external": program("external"),
    "diff.evil.command": program("diff-command"),
    "diff.evil.textconv": program("textconv"),
    "merge.evil.driver": program("merge"),
    "filter.evil.clean": program("clean"),
    "filter.evil.smudge": program("smudge"),
    "filter.evil.required": "true",
    "filter.evil2.process": program("process"),
    "alias.status": `!${program("alias")}`,
    "pager.status": "true",
    "pager.diff": "true",
    "uploadpack.packObjectsHook": program("pack"),
    "remote.origin.uploadpack": program("uploadpack"),
    "remote.origin.promisor": "true",
    "extensions.partialClone": "origin",
    "protocol.allow": "always",
    "include.path": join(root, "included"),
    "diff.autoRefreshIndex": "true",
  };
  for (const [name, value] of Object.entries(settings)) git(path, "config", name, value);
  writeFileSync(join(root, "included"), `[core]\n\tfsmonitor = ${program("included")}\n`);
  writeFileSync(join(root, "attributes"), "* filter=evil diff=evil merge=evil\n");
  appendFileSync(
    join(path, ".git/info/attributes"),
    "* filter=evil diff=evil merge=evil\n*.md filter=evil2\n",
  );
  return {
    path,
    program,
    ran: () => (existsSync(marks) ? readdirSync(marks).toSorted() : []),
  };
};
