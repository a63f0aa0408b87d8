// Process trees that belong to somebody: recorded agents, and look-alikes that belong to no agent at all. An adapter must
// recognise its own and claim none of the others.
import type { ProcessInfo } from "../../core/model/runtime.ts";

export interface ForeignTree {
  /** Agent whose tree it is; null: no agent's. */
  agentType: string | null;
  name: string;
  processes: readonly ProcessInfo[];
  /** Index of the agent among them, where the tree is no recording. */
  agentAt?: number;
}

/** Each process a child of the one before it; the first is the pane's shell. */
const chain = (
  agentType: string | null,
  name: string,
  ...commands: readonly [string, string][]
): ForeignTree => ({
  agentType,
  name,
  processes: [["bash", "bash --norc --noprofile"] as const, ...commands].map(([comm, args], index) => ({
    pid: 100 + index,
    ppid: index === 0 ? 1 : 99 + index,
    comm,
    args,
    startedAt: 1_000 * index,
  })),
});

/** Recorded: one tree per agent, with the tool child where one was seen. */
const RECORDED: readonly ForeignTree[] = [
  chain("claude", "claude", ["claude", "/home/dev/agents/claude/node_modules/.bin/claude"]),
  chain("codex", "codex", [
    "codex",
    "/home/dev/agents/codex/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
  ]),
  chain("gemini", "gemini", ["MainThread", "node /home/dev/agents/gemini/node_modules/.bin/gemini"]),
  chain(
    "copilot",
    "copilot with a tool",
    ["MainThread", "node /home/dev/agents/copilot/node_modules/.bin/copilot"],
    ["MainThread", "/home/dev/agents/copilot/node_modules/@github/copilot-linux-x64/copilot"],
    ["sleep", "sleep 8"],
  ),
  chain(
    "kilo",
    "kilo below npm's launcher",
    ["MainThread", "node /home/dev/agents/kilo/node_modules/.bin/kilo"],
    [".kilo", "/home/dev/agents/kilo/node_modules/@kilocode/cli/bin/.kilo"],
  ),
  chain("opencode", "opencode", ["opencode", "/home/dev/agents/opencode/node_modules/.bin/opencode"]),
  chain("omp", "omp", [
    "omp",
    "/home/dev/agents/bun/node_modules/.bin/bun /home/dev/agents/omp/node_modules/@oh-my-pi/pi-coding-agent/dist/cli.js",
  ]),
  chain("pi", "pi with a tool", ["pi", "pi"], ["sleep", "sleep 6"]),
];

/**
 * As macOS's ps tells them: the name is that of the program, where Linux has the thread's, and paths are Homebrew's. Made from
 * how each agent is installed there, not recorded.
 */
export const MAC_TREES: readonly ForeignTree[] = [
  { ...chain("claude", "claude on a Mac", ["claude", "claude"]), agentAt: 1 },
  { ...chain("codex", "codex of Homebrew", ["codex", "codex"]), agentAt: 1 },
  {
    ...chain(
      "codex",
      "codex of npm on a Mac",
      ["node", "node /opt/homebrew/bin/codex"],
      [
        "codex",
        "/opt/homebrew/lib/node_modules/@openai/codex/node_modules/@openai/codex-darwin-arm64/vendor/aarch64-apple-darwin/bin/codex",
      ],
    ),
    agentAt: 2,
  },
  { ...chain("gemini", "gemini on a Mac", ["node", "node /opt/homebrew/bin/gemini"]), agentAt: 1 },
  { ...chain("copilot", "copilot of Homebrew", ["copilot", "copilot"]), agentAt: 1 },
  {
    ...chain("copilot", "copilot of Homebrew with options", ["copilot", "copilot --resume --model gpt-5"]),
    agentAt: 1,
  },
  {
    ...chain(
      "copilot",
      "copilot of npm on a Mac",
      ["node", "node /opt/homebrew/bin/copilot"],
      [
        "copilot",
        "/opt/homebrew/lib/node_modules/@github/copilot/node_modules/@github/copilot-darwin-arm64/copilot",
      ],
    ),
    agentAt: 2,
  },
  { ...chain("opencode", "opencode on a Mac", ["opencode", "opencode"]), agentAt: 1 },
  { ...chain("omp", "omp on a Mac", ["bun", "bun /Users/dev/.bun/bin/omp"]), agentAt: 1 },
  { ...chain("pi", "pi on a Mac", ["pi", "pi"]), agentAt: 1 },
];

const LOOK_ALIKES: readonly ForeignTree[] = [
  chain(null, "a plain shell"),
  chain(null, "an editor on a file with an agent's name", ["vim", "vim claude.md codex.toml GEMINI.md"]),
  chain(null, "an editor with an agent's name", ["kilo", "kilo notes.txt"]),
  chain(null, "a search for agents' names", ["grep", "grep -r claude codex gemini opencode copilot pi ."]),
  chain(null, "a shell that mentions agents", ["bash", "bash -c echo claude; sleep 60 # codex"]),
  chain(null, "a node tool", ["MainThread", "node /home/dev/project/node_modules/.bin/vite"]),
  chain(null, "a node script with an agent's name in its arguments", [
    "node",
    "node build.js --target claude",
  ]),
  chain(null, "another tool named copilot", ["copilot", "copilot svc logs --follow"]),
  chain(null, "a remote login", ["ssh", "ssh devbox claude"]),
  chain(null, "a nested tmux", ["tmux: client", "tmux new-session claude"]),
];

export const FOREIGN_TREES: readonly ForeignTree[] = [...RECORDED, ...MAC_TREES, ...LOOK_ALIKES];
