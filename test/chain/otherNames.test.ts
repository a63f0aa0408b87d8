// An agent is what its program is, whatever a person, a wrapper or a package calls it; and nothing is an agent for its name.
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";

const BASH = realpathSync(execFileSync("sh", ["-c", "command -v bash"], { encoding: "utf8" }).trim());
const SLEEP = realpathSync(execFileSync("sh", ["-c", "command -v sleep"], { encoding: "utf8" }).trim());
const folder = mkdtempSync(join(tmpdir(), "agtmux-names-"));

/** A program at a path of its own. `mark`: it carries what stands in each version of the agent, and is as large as one with its runtime. */
const program = (path: string, mark = ""): string => {
  const at = join(folder, path);
  mkdirSync(dirname(at), { recursive: true });
  copyFileSync(BASH, at);
  if (mark === "") return at;
  truncateSync(at, 9 * 1024 * 1024);
  appendFileSync(at, mark);
  return at;
};
const script = (path: string, text: string): string => {
  const at = join(folder, path);
  mkdirSync(dirname(at), { recursive: true });
  writeFileSync(at, text, { mode: 0o755 });
  return at;
};
const linkTo = (target: string, path: string): string => {
  const at = join(folder, path);
  mkdirSync(dirname(at), { recursive: true });
  symlinkSync(target, at);
  return at;
};

const CLAUDE = program("node_modules/@anthropic-ai/claude-code/bin/claude");
const CODEX = program("node_modules/@openai/codex-linux-x64/vendor/bin/codex");
const WAITING = script("wait.sh", "read -r line\n");
script("src/gemini-cli/package.json", '{"name": "@google/gemini-cli"}');

const DEEP = script(
  "deep.sh",
  `n=$1; shift; if [ "$n" -gt 0 ]; then sh ${join(folder, "deep.sh")} $((n-1)) "$@"; :; else "$@"; :; fi`,
);

const AGENTS: readonly (readonly [what: string, agent: string, command: string])[] = [
  ["a link of another name", "claude", `${linkTo(CLAUDE, "bin/cc")} ${WAITING}`],
  ["another name by exec -a", "claude", `bash -c 'exec -a assistant ${CLAUDE} ${WAITING}'`],
  ["a copy of another name", "claude", `${program("tools/mine", "CLAUDE_CODE_ENTRYPOINT")} ${WAITING}`],
  ["a copy of Codex", "codex", `${program("tools/other", "codex_tui")} ${WAITING}`],
  ["a copy of opencode", "opencode", `${program("tools/third", "OPENCODE_CONFIG_CONTENT")} ${WAITING}`],
  [
    "nix's wrapped program",
    "claude",
    `${program("nix/store/abc-claude-code-2.1.329/bin/.claude-wrapped")} ${WAITING}`,
  ],
  ["a program named by its version", "claude", `${program("share/claude/versions/2.1.329")} ${WAITING}`],
  [
    "Homebrew's file behind a link",
    "codex",
    `${linkTo(program("Caskroom/codex/0.169.0/codex-aarch64-apple-darwin"), "brew/codex")} ${WAITING}`,
  ],
  ["twelve shells", "codex", `sh ${DEEP} 12 ${CODEX} ${WAITING}`],
  ["a path with a blank", "claude", `'${linkTo(CLAUDE, "My Tools/claude")}' ${WAITING}`],
  [
    "a script of a package elsewhere",
    "gemini",
    `${program("bin/node")} ${linkTo(script("src/gemini-cli/bundle/gemini.js", "read -r line\n"), "bin/g")}`,
  ],
  [
    "a link to a script that npm's bun runs",
    "omp",
    `bash -c 'exec -a bun ${program("bun/bin/bun.exe")} ${linkTo(script("node_modules/@oh-my-pi/pi-coding-agent/dist/cli.js", "read -r line\n"), "bin/cc2")}'`,
  ],
  ["a name of config.json", "claude", script("bin/in-a-box", "#!/bin/sh\nread -r line\n")],
];

const OTHERS: readonly (readonly [what: string, command: string])[] = [
  ["a program that calls itself so", `bash -c 'exec -a claude ${SLEEP} 600'`],
  ["a link of that name to another program", `${linkTo(SLEEP, "bin/claude")} 600`],
  ["a file of that name that is none", `${program("own/claude")} ${WAITING}`],
  [
    "a file of that name that is none, as large as one",
    `${program("large/codex", "something else")} ${WAITING}`,
  ],
  ["a shell's script of that name", script("scripts/claude", "#!/bin/sh\nread -r line\n")],
  [
    "a script of that name that node runs",
    `${join(folder, "bin/node")} ${script("npm/bin/claude", "read -r line\n")}`,
  ],
  ["a search for the name", `sh -c 'tail -f /dev/null | grep claude'`],
  ["a look at the agent's own file", `tail -f ${CLAUDE}`],
  [
    "Codex's helper beside it",
    `${program("node_modules/@openai/codex-linux-x64/vendor/bin/codex-code-mode-host")} ${WAITING}`,
  ],
  ["the sub-command of a copy", `${program("tools/fourth", "CLAUDE_CODE_ENTRYPOINT")} mcp serve ${WAITING}`],
];

describe.runIf(process.platform === "linux")("a pane's agent", () => {
  let tmux: PrivateTmux;
  let daemon: TestDaemon;
  const panes = new Map<string, string>();
  beforeAll(async () => {
    tmux = createPrivateTmux();
    await tmux.run("new-session", "-d", "-x", "100", "-y", "30", "cat");
    for (const [what, command] of [...AGENTS.map(([what, , command]) => [what, command] as const), ...OTHERS])
      panes.set(what, await tmux.run("new-window", "-d", "-P", "-F", "#{pane_id}", command));
    daemon = await startTestDaemon({ sockets: [tmux.socketPath] });
    await daemon.configure({ agents: { claude: { programs: ["in-a-box"] } } });
  });
  afterAll(async () => {
    await daemon.close();
    await tmux.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const agentOf = (what: string): string | null =>
    daemon.rows().find(({ identity }) => identity.pane_id === panes.get(what))?.agent ?? null;

  it.each(AGENTS)("is found behind %s", async (what, agent) => {
    await daemon.until(panes.get(what) ?? "", (row) => row.agent === agent);
  });

  it("has a reason where there can be none", async () => {
    const pane = await tmux.run(
      "new-window",
      "-d",
      "-P",
      "-F",
      "#{pane_id}",
      `${program("bin/ssh")} ${WAITING}`,
    );
    const row = await daemon.until(pane, () => true);
    const { rule } = await daemon.daemon.service.explain({ ref: row.identity.pane_ref });
    expect(rule).toBe(
      "its program is ssh: add the machine as a target (agtmux target add); its screen alone proves no agent now",
    );
  });

  it.each(OTHERS)("is none for %s", (what) => {
    expect(agentOf(what)).toBeNull();
    expect(panes.get(what)).toMatch(/^%/);
  });
});
