// Who is above a process that wants to arm a rule, with every agent's own recognition of its processes: also where an agent runs
// commands from a server, a worker or without a pane, which no row stands for.
import { describe, expect, it } from "vitest";
import { createAdapterRegistry } from "../../adapters/index.ts";
import type { Caller, FeatureContext } from "../../core/ports/feature.ts";
import { findCallerAgent } from "../../features/automation/ruleService.ts";

const registry = createAdapterRegistry();
const program = (...pids: number[]): Caller => ({ kind: "program", findPids: () => Promise.resolve(pids) });

/** `above`: command lines, the topmost first. */
const agentAbove = (...above: string[]): Promise<string | null> => {
  const lines = ["/sbin/init", ...above, "-bash", "node /opt/agtmux/cli.mjs rule arm codex"];
  const stdout = lines.map((args, index) => `  ${index + 1}     ${index} ${args}`).join("\n");
  const context = {
    adapters: () => registry.list(),
    target: () => ({ run: () => Promise.resolve({ exitCode: 0, stdout }) }),
  } as unknown as FeatureContext;
  return findCallerAgent(program(lines.length), context);
};

describe("an agent arms nothing", () => {
  it.each([
    ["claude", "Claude Code"],
    ["claude -p --model x", "Claude Code"],
    ["claude mcp serve", "Claude Code"],
    ["claude --daemon-worker", "Claude Code"],
    ["/home/me/.local/share/claude/versions/2.1.329 --daemon-worker", "Claude Code"],
    ["node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js update", "Claude Code"],
    ["codex", "Codex"],
    ["codex exec do it", "Codex"],
    ["codex app-server", "Codex"],
    ["/home/me/.codex/packages/app-server-daemon/0.169.0/codex app-server --listen unix", "Codex"],
    ["codex mcp-server", "Codex"],
    ["opencode serve", "opencode"],
    ["node /usr/bin/gemini -p x", "Gemini CLI"],
  ])("%s", async (args, name) => {
    expect(await agentAbove(args)).toBe(name);
  });
});

it("a person in a shell, an editor or beside agents does", async () => {
  for (const args of [
    "tmux: server",
    "vim codex.md",
    "code --new-window claude",
    "grep codex notes",
    "ssh vm1 claude",
  ])
    expect(await agentAbove(args), args).toBeNull();
});

/** On a machine on which these run, by pid, parent and command line. */
const machine = (rows: readonly (readonly [number, number, string])[]) =>
  ({
    adapters: () => registry.list(),
    target: () => ({
      run: () => Promise.resolve({ exitCode: 0, stdout: rows.map((row) => row.join(" ")).join("\n") }),
    }),
  }) as unknown as FeatureContext;

it("what runs an agent, or one of several that hold the other end, arms nothing either", async () => {
  const context = machine([
    [1, 0, "/sbin/init"],
    [10, 1, "node orchestrate.mjs"],
    [11, 10, "sh -c claude"],
    [12, 11, "claude -p go"],
    [20, 1, "-bash"],
    [21, 20, "node cli.mjs rule arm look"],
  ]);
  expect(await findCallerAgent(program(10), context)).toBe("Claude Code");
  expect(await findCallerAgent(program(21, 12), context)).toBe("Claude Code");
  expect(await findCallerAgent(program(21), context)).toBeNull();
});

it("the app arms, whatever its terminals run, unless an agent has started it", async () => {
  const app = (above: string) =>
    machine([
      [1, 0, above],
      [process.pid, 1, "agtmux"],
      [process.pid + 1, process.pid, "codex"],
    ]);
  expect(await findCallerAgent({ kind: "window" }, app("/sbin/init"))).toBeNull();
  expect(await findCallerAgent({ kind: "window" }, app("codex"))).toBe("Codex");
});

it("where nobody can tell who asks, nothing is armed", async () => {
  const silent = {
    adapters: () => registry.list(),
    target: () => ({ run: () => Promise.resolve({ exitCode: 1, stdout: "" }) }),
  } as unknown as FeatureContext;
  const some = machine([[1, 0, "/sbin/init"]]);
  for (const [caller, context] of [
    [program(7), silent],
    [program(7), some],
    [program(1, 7), some],
    [program(), some],
    [{ kind: "unknown" }, some],
  ] satisfies [Caller, FeatureContext][])
    await expect(findCallerAgent(caller, context)).rejects.toThrow("nothing was armed");
});
