// The completion scripts in the shells that they are for: real bash, zsh and fish, asked with a half-typed line, against a
// real daemon on real tmux with a session of a hostile name.
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agentFile } from "../harness/agentFile.ts";
import { runtimePaths } from "../../core/rpc/paths.ts";
import { connectSocket } from "../../core/rpc/socketClient.ts";
import { spawnDaemon } from "../harness/daemonProcess.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { until } from "../setup/realClock.ts";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";

const run = promisify(execFile);
const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];
const isThere = (shell: Shell): boolean => spawnSync("sh", ["-c", `command -v ${shell}`]).status === 0;

/** A shell that evaluated this name would leave a file behind. */
const HOSTILE = "a b$(touch PWNED)`touch PWNED`;'x\"";

let root: string;
let tmux: PrivateTmux;
const closers: (() => Promise<void>)[] = [];
let ref: string;
let env: Record<string, string>;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "agtmux-c-"));
  const home = join(root, "a");
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(join(root, "bin"));
  // From the sources, and without the second that a build might be behind them.
  writeFileSync(join(root, "bin", "agtmux"), `#!/bin/sh\nexec '${process.execPath}' '${CLI_ENTRY}' "$@"\n`);
  chmodSync(join(root, "bin", "agtmux"), 0o755);
  for (const shell of SHELLS)
    writeFileSync(join(root, shell), execFileSync(process.execPath, [CLI_ENTRY, "completions", shell]));
  tmux = createPrivateTmux();
  closers.push(() => tmux.close());
  // The name by which an agent is known is all that these panes need to be one.
  copyFileSync(execFileSync("sh", ["-c", "command -v cat"], { encoding: "utf8" }).trim(), agentFile(root));
  await tmux.newSession("work", `exec ${agentFile(root)}`);
  await tmux.newSession("hostile", `exec ${agentFile(root)}`);
  await tmux.run("rename-session", "-t", "hostile", HOSTILE);
  const daemon = await spawnDaemon({ home, env: { HOME: root, AGTMUX_TMUX_SOCKETS: tmux.socketPath } });
  closers.push(() => daemon.stop());
  const client = await connectSocket({
    paths: runtimePaths(home),
    version: "test",
    checkVersion: false,
    helloTimeoutMs: 5_000,
  });
  try {
    const agents = () => client.call((api) => api.panes.query({}));
    await until(async () => (await agents()).items.length === 2, "two panes with agents", 20_000);
    const { items } = await agents();
    ref = items.find(({ identity }) => identity.session_name === "work")?.identity.pane_ref ?? "";
  } finally {
    client.close();
  }
  env = {
    ...process.env,
    HOME: root,
    AGTMUX_HOME: home,
    PATH: `${join(root, "bin")}:${process.env["PATH"] ?? ""}`,
    LC_ALL: "C.UTF-8",
  };
}, 60_000);

afterAll(async () => {
  for (const close of closers.toReversed()) await close();
  rmSync(root, { recursive: true, force: true, maxRetries: 10 });
});

const BASH_DRIVER = `
source "$1"
COMP_LINE=$2 COMP_POINT=\${#2}; shift 2
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_agtmux agtmux
printf '%s\\n' "\${COMPREPLY[@]}"
`;

/** As readline hands them over: split at spaces, and at ':' and '=' as words of their own. */
const bashWords = (line: string): string[] =>
  line.split(" ").flatMap((word) => (word === "" ? [""] : (word.match(/[:=]|[^:=]+/g) ?? [])));

/** What compadd was given; compadd itself only works while a person types. */
const ZSH_DRIVER = `
compdef() { : }
compadd() { print -rl -- "\${(@P)@[-1]}" }
_files() { print -r -- FILES }
compset() { PREFIX=\${PREFIX#*=} }
source "$1"; shift
words=("$@") CURRENT=$# PREFIX=\${@[-1]}
_agtmux || true
`;

/** Candidates for the last word of a half-typed line. */
const complete = async (shell: Shell, line: string): Promise<string[]> => {
  const script = join(root, shell);
  const argv = ((): string[] => {
    switch (shell) {
      case "bash":
        return ["--norc", "--noprofile", "-c", BASH_DRIVER, "bash", script, line, ...bashWords(line)];
      case "zsh":
        return ["-f", "-c", ZSH_DRIVER, "zsh", script, ...line.split(" ")];
      case "fish":
        return ["--no-config", "-c", `source $argv[1]; complete -C $argv[2]`, script, line];
    }
  })();
  const { stdout } = await run(shell, argv, { env, cwd: root });
  return stdout
    .split("\n")
    .filter((one) => one !== "")
    .map((one) => one.split("\t")[0] ?? "");
};

/** A shell as a person has it, in a pane of its own. */
const openShell = async (shell: Shell): Promise<string> => {
  const start = {
    bash: "bash --norc --noprofile -i",
    zsh: "zsh -f -i",
    fish: "fish --no-config -i",
  }[shell];
  const command = `cd '${root}'; ${Object.entries(env)
    .filter(([name]) => ["HOME", "AGTMUX_HOME", "PATH", "LC_ALL"].includes(name))
    .map(([name, value]) => `export ${name}='${value}'`)
    .join("; ")}; exec env -u EDITOR -u VISUAL ${start}`;
  const pane = await tmux.newSession(`shell-${shell}`, `sh -c "${command}"`);
  const setUp = {
    bash: `PS1='> '; source ${root}/bash`,
    zsh: `PROMPT='> '; autoload -Uz compinit; compinit -u -d ${root}/dump; source ${root}/zsh`,
    fish: `function fish_prompt; echo '> '; end; source ${root}/fish`,
  }[shell];
  await tmux.run("send-keys", "-t", pane, "-l", `${setUp}; echo re''ady`);
  await tmux.run("send-keys", "-t", pane, "Enter");
  await until(async () => (await screenOf(pane)).includes("\nready"), `${shell} is ready`, 20_000);
  return pane;
};

const screenOf = (pane: string): Promise<string> => tmux.run("capture-pane", "-p", "-J", "-t", pane);

const installed = SHELLS.filter(isThere);

describe.each(installed)("%s", (shell) => {
  test("completes verbs, also below others", async () => {
    expect(await complete(shell, "agtmux ")).toEqual(expect.arrayContaining(["list", "watch", "kill"]));
    expect((await complete(shell, "agtmux list ")).toSorted()).toEqual(["panes", "sessions", "windows"]);
    expect(await complete(shell, "agtmux ")).not.toContain("__complete");
  });

  test("completes options of the verb, behind others that take a value", async () => {
    const found = await complete(shell, "agtmux list panes --target vm1 --");
    expect(found).toEqual(expect.arrayContaining(["--needs-action", "--state", "--json"]));
    expect(found).not.toContain("--signal");
  });

  test("completes closed lists of values", async () => {
    expect(await complete(shell, "agtmux list panes --state ")).toContain("waiting_approval");
    expect((await complete(shell, "agtmux kill x --signal ")).toSorted()).toEqual(["INT", "KILL", "TERM"]);
    expect((await complete(shell, "agtmux completions ")).toSorted()).toEqual(["bash", "fish", "zsh"]);
    const joined = await complete(shell, "agtmux watch --format=j");
    expect(joined.map((one) => one.replace("--format=", ""))).toContain("jsonl");
  });

  test("completes what the daemon knows", async () => {
    const [refs, targets, sessions, agents] = await Promise.all([
      complete(shell, "agtmux attach pane:"),
      complete(shell, "agtmux list panes --target "),
      complete(shell, "agtmux list panes --session "),
      complete(shell, "agtmux integrate "),
    ]);
    // readline keeps what is before the last ':'.
    expect(refs).toContain(shell === "bash" ? ref.slice("pane:".length) : ref);
    expect(targets).toContain("host");
    expect(sessions).toContain("work");
    expect(agents).toContain("claude");
    expect((await complete(shell, "agtmux explain runtime:")).length).toBe(2);
  });

  test("offers nothing where nothing is due", async () => {
    expect(await complete(shell, `agtmux attach ${ref} `)).toEqual([]);
    expect(await complete(shell, "agtmux send x --text ")).toEqual([]);
  });

  test("writes a hostile name so that the shell takes it for one word", async () => {
    const pane = await openShell(shell);
    const type = (...keys: string[]) => tmux.run("send-keys", "-t", pane, ...keys);
    await type("-l", "agtmux list panes --session a");
    await type("Tab");
    await until(async () => (await screenOf(pane)).includes("PWNED"), "the name is completed", 20_000);
    await type("C-a");
    await type("-l", "printf '<%s>\\n' ");
    await type("Enter");
    await until(async () => (await screenOf(pane)).includes("\n<--session>\n"), "the words are told", 20_000);
    expect((await screenOf(pane)).split("\n")).toContain(`<${HOSTILE}>`);
    expect(existsSync(join(root, "PWNED"))).toBe(false);
  });

  test("is silent without a daemon, and starts none", async () => {
    const before = env;
    env = { ...env, AGTMUX_HOME: join(root, "none") };
    try {
      expect(await complete(shell, "agtmux attach pane:")).toEqual([]);
    } finally {
      env = before;
    }
    expect(existsSync(join(root, "none"))).toBe(false);
  });
});
