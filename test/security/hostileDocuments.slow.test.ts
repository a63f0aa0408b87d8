// What a repository brings along in `.agent-doc`, or in its git settings, is only data: no verb waits for it, reads it without end,
// follows it out of the project, or runs what it names. By the real command line, on real files and real git.
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";
import { DOC, useDocumentProject, type Called } from "../../cli/testing/documentProject.ts";

const project = useDocumentProject();
/** Many times what a verb takes, and far less than it takes to read a device that never ends. */
const LIMIT_MS = 20_000;

const own = (name: string): string => join(project.folder, ".agent-doc", name);
const hash = (): string => createHash("sha256").update(join(project.folder, "plan.md")).digest("hex");

/** `signal`: it had to be ended. */
const doc = (args: readonly string[], input = ""): Called & { signal: string | null } => {
  const { status, stdout, stderr, signal } = spawnSync(process.execPath, [CLI_ENTRY, "doc", ...args], {
    cwd: project.folder,
    env: project.env,
    input,
    encoding: "utf8",
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
  });
  return { status, stdout, stderr, signal };
};

/** By what an attacker puts into the place of a file. */
const KINDS: Readonly<Record<string, (path: string) => void>> = {
  "a device without end": (path) => symlinkSync("/dev/zero", path),
  "a pipe": (path) => void execFileSync("mkfifo", [path]),
  "a link": (path) => {
    const secret = join(project.home, "secret");
    writeFileSync(secret, '{"secret":"a private key"}');
    symlinkSync(secret, path);
  },
  "a folder": (path) => mkdirSync(path),
};

/** What a verb reads, and which one. */
const READ: readonly (readonly [
  name: string,
  file: () => string,
  verb: readonly string[],
  input?: string,
])[] = [
  ["the registry", () => own("sessions.json"), ["resync"]],
  ["the registry", () => own("sessions.json"), ["prompt", "plan.md"]],
  ["the registry", () => own("sessions.json"), ["focus", "plan.md"]],
  ["the snapshot", () => own(`snapshots/${hash()}.md`), ["diff", "plan.md"]],
  ["the snapshot", () => own(`snapshots/${hash()}.md`), ["run", "plan.md", "--dry-run"]],
  ["a kept response", () => own(`pending/${hash()}-0.json`), ["recover", "plan.md"]],
  ["the settings of components", () => own("components.toml"), ["patch", "plan.md", "status", "x"]],
  ["the lock", () => own("agtmux.lock.db"), ["write", "plan.md"], "x"],
  ["the lock of a watch", () => own("agtmux.watch.db"), ["watch", "--status"]],
];

describe("what lies in .agent-doc", () => {
  it.each(
    Object.keys(KINDS).flatMap((kind) =>
      READ.map(([what, file, verb, input]) => ({ kind, what, file, verb, input })),
    ),
  )("is refused, $kind in place of $what: $verb", ({ kind, file, verb, input }) => {
    mkdirSync(join(file(), ".."), { recursive: true });
    KINDS[kind]?.(file());
    const { status, stdout, stderr, signal } = doc(verb, input);
    expect([signal, stdout.includes("private key"), stderr.includes("private key")]).toEqual([
      null,
      false,
      false,
    ]);
    expect([status === 0, stderr]).toEqual([false, expect.stringContaining(file())]);
    expect(project.read()).toBe(DOC);
  });

  it("is not read behind a folder that is a link, nor written there", () => {
    const elsewhere = join(project.home, "elsewhere");
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, `${hash()}.md`), "a private key\n");
    for (const name of ["snapshots", "pending", "crdt"]) {
      symlinkSync(elsewhere, own(name));
      const before = readdirSync(elsewhere);
      const verb = name === "snapshots" ? ["diff", "plan.md"] : ["write", "plan.md"];
      const { status, stdout, stderr } = doc(verb, "An answer.\n");
      expect([name, status === 0, stdout.includes("private"), stderr]).toEqual([
        name,
        false,
        false,
        expect.stringContaining(own(name)),
      ]);
      expect(readdirSync(elsewhere)).toEqual(before);
      rmSync(own(name));
    }
  });

  it("is no project's where the folder itself is a link", () => {
    const elsewhere = join(project.home, "elsewhere");
    mkdirSync(elsewhere);
    rmSync(own(""), { recursive: true });
    symlinkSync(elsewhere, join(project.folder, ".agent-doc"));
    expect(doc(["write", "plan.md"], "An answer.\n")).toMatchObject({ status: 65 });
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it("gives an answer no ground that takes none", () => {
    for (const name of ["snapshots", "answered"]) mkdirSync(own(name));
    const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");
    writeFileSync(own(`snapshots/${hash()}.md`), "evil");
    const answered = { baseline: hashOf(DOC), snapshot: hashOf("evil"), answers: [] };
    writeFileSync(own(`answered/${hash()}.json`), JSON.stringify(answered));
    expect(doc(["write", "plan.md"], "An answer.\n")).toMatchObject({ status: 0 });
    expect(project.read()).toBe(DOC.replace("Which way?\n", "Which way?\nAn answer.\n"));
  });

  it("keeps no answer out that fits nowhere: it is named, and others go in", () => {
    mkdirSync(own("pending"));
    const kept = { file: "/etc/passwd", response: "curl evil", baseline: "", at: "2026-11-23T08:00:00Z" };
    writeFileSync(own(`pending/${hash()}-0.json`), JSON.stringify(kept));
    const { status, stderr } = doc(["write", "plan.md"], "An answer.\n");
    expect([status, stderr]).toEqual([0, expect.stringContaining(`${hash()}-0.json was left there`)]);
    expect([project.read().includes("An answer."), project.read().includes("evil")]).toEqual([true, false]);
  });

  it("steers no terminal by what its registry says, and needs no daemon to be forgotten", () => {
    const entry = {
      pane: "%0\u001b]52;c;x\u0007",
      pid: 1,
      cwd: "/x\u001b[2J",
      started: "now",
      file: "\u009b2J.md",
    };
    writeFileSync(own("sessions.json"), JSON.stringify({ a: entry }));
    const { status, stdout, stderr } = doc(["resync"]);
    // oxlint-disable-next-line no-control-regex -- what a terminal would obey is looked for
    expect([status, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(stdout + stderr)]).toEqual([0, false]);
    expect(stdout).toContain("removed");
  });

  it("of another user is not read", (context) => {
    if (process.getuid?.() !== 0) context.skip("it takes root to give a file away");
    mkdirSync(own("snapshots"));
    const snapshot = own(`snapshots/${hash()}.md`);
    writeFileSync(snapshot, "theirs\n");
    chownSync(snapshot, 65_534, 65_534);
    expect(doc(["diff", "plan.md"])).toMatchObject({
      status: 65,
      stdout: "",
      stderr: expect.stringContaining("another user"),
    });
  });

  it("lets no database of a repository be opened, and no journal of one be played back", () => {
    const lock = own("agtmux.lock.db");
    const bytes = Buffer.from("SQLite format 3\0".padEnd(4_096, "\0"));
    writeFileSync(lock, bytes);
    writeFileSync(`${lock}-journal`, "a journal");
    const { status, stderr } = doc(["write", "plan.md"], "An answer.\n");
    expect([status, stderr]).toEqual([65, expect.stringContaining("isn't a lock of agtmux")]);
    expect([readFileSync(lock).equals(bytes), readFileSync(`${lock}-journal`, "utf8")]).toEqual([
      true,
      "a journal",
    ]);
    writeFileSync(lock, "");
    expect(doc(["write", "plan.md"], "An answer.\n")).toMatchObject({ status: 0 });
  });
});

describe("what a repository names for git", () => {
  /** A program that leaves its name in the project's home. */
  const trap = (name: string): string => {
    const path = join(project.home, `run-${name}`);
    writeFileSync(path, `#!/bin/sh\n: >'${join(project.home, "ran")}-${name}'\ncat 2>/dev/null\nexit 0\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const ran = (): string[] => readdirSync(project.home).filter((name) => name.startsWith("ran-"));
  const HOOKS = [
    "pre-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "post-checkout",
    "post-index-change",
    "reference-transaction",
    "post-rewrite",
    "pre-auto-gc",
  ];
  const arm = (): void => {
    project.begin();
    project.commitAs("project", ".gitignore");
    for (const hook of HOOKS) {
      const path = join(project.folder, ".git", "hooks", hook);
      mkdirSync(join(path, ".."), { recursive: true });
      writeFileSync(path, readFileSync(trap(hook)), { mode: 0o755 });
    }
    for (const [key, value] of [
      ["core.fsmonitor", trap("fsmonitor")],
      ["commit.gpgSign", "true"],
      ["gpg.program", trap("gpg")],
      ["log.showSignature", "true"],
      ["diff.external", trap("external")],
      ["diff.own.textconv", trap("textconv")],
      ["core.pager", trap("pager")],
      ["core.editor", trap("editor")],
      ["core.sshCommand", trap("ssh")],
      ["gc.auto", "1"],
    ] as const)
      project.git("config", key, value);
  };

  it("is not run: hooks, a monitor, a signature, a pager, by any verb", () => {
    arm();
    writeFileSync(join(project.folder, ".git", "info", "attributes"), "*.md diff=own\n");
    for (const name of readdirSync(project.home).filter((one) => one.startsWith("ran-")))
      rmSync(join(project.home, name));
    expect(doc(["commit", "plan.md"])).toMatchObject({ status: 0 });
    project.write(DOC.replace("nothing", "something"));
    expect(doc(["commit", "plan.md"])).toMatchObject({ status: 0 });
    expect(doc(["history", "plan.md"])).toMatchObject({ status: 0 });
    expect(doc(["clean", "plan.md"])).toMatchObject({ status: 0 });
    expect(doc(["history", "plan.md", "--restore", "HEAD"])).toMatchObject({ status: 0 });
    expect(ran()).toEqual([]);
  });

  it("does not make a clear commit of what goes through a filter: it says so, and commits nothing", () => {
    arm();
    project.git("config", "filter.crypt.clean", trap("clean"));
    project.git("config", "filter.crypt.smudge", trap("smudge"));
    project.write("*.md filter=crypt\n", ".gitattributes");
    for (const name of readdirSync(project.home).filter((one) => one.startsWith("ran-")))
      rmSync(join(project.home, name));
    const { status, stderr } = doc(["commit", "plan.md"]);
    expect([status, stderr]).toEqual([74, expect.stringContaining("filter 'crypt'")]);
    expect([ran(), project.git("log", "--format=%s").trim()]).toEqual([[], "project"]);
  });

  it("is run where the person's own settings name the repository", () => {
    arm();
    mkdirSync(join(project.home, ".config", "agent-doc"), { recursive: true });
    const config = join(project.home, ".config", "agent-doc", "config.toml");
    writeFileSync(config, `git_programs = [${JSON.stringify(project.folder)}]\n`);
    project.git("config", "commit.gpgSign", "false");
    expect(doc(["commit", "plan.md"])).toMatchObject({ status: 0 });
    expect(ran()).toContain("ran-post-commit");
  });

  it("is not run where it says that its worktree is that of a repository that may", () => {
    arm();
    const inner = join(project.folder, "inner");
    mkdirSync(inner);
    writeFileSync(join(inner, "plan.md"), DOC);
    renameSync(join(project.folder, ".git"), join(inner, ".git"));
    execFileSync("git", ["-C", inner, "config", "core.worktree", project.folder], { env: project.env });
    mkdirSync(join(project.home, ".config", "agent-doc"), { recursive: true });
    const config = join(project.home, ".config", "agent-doc", "config.toml");
    writeFileSync(config, `git_programs = [${JSON.stringify(project.folder)}]\n`);
    execFileSync("git", ["-C", inner, "config", "commit.gpgSign", "false"], { env: project.env });
    for (const name of ran()) rmSync(join(project.home, name));
    doc(["commit", "inner/plan.md"]);
    expect(ran()).toEqual([]);
  });

  it("has no room: a list of other objects that never ends stops git, and nothing else", () => {
    project.begin();
    project.commitAs("project", ".gitignore");
    symlinkSync("/dev/zero", join(project.folder, ".git", "objects", "info", "alternates"));
    const { status, signal } = doc(["commit", "plan.md"]);
    expect([status, signal]).toEqual([74, null]);
  });
});

describe("what a document holds", () => {
  const ESCAPES = "\u001b]52;c;Y3VybCBldmls\u0007 \u009b31m \u001b[2J";

  it("steers no terminal, whatever the verb", () => {
    project.begin();
    project.write(DOC.replace("Which way?", `Which way? ${ESCAPES}`));
    for (const verb of [
      ["run", "plan.md", "--dry-run"],
      ["diff", "plan.md"],
      ["diff", "plan.md", "--json"],
      ["outline", "plan.md", "--json"],
      ["commit", "plan.md"],
      ["history", "plan.md"],
    ]) {
      const { stdout, stderr } = doc(verb);
      // oxlint-disable-next-line no-control-regex -- what a terminal would obey is looked for
      expect([verb, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(stdout + stderr)]).toEqual([
        verb,
        false,
      ]);
    }
  });
});
