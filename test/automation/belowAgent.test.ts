// Who is above a process that wants to arm a rule, with every agent's own recognition of its processes: also where an agent runs
// commands from a server, a worker or without a pane, which no row stands for.
import { describe, expect, it } from "vitest";
import { createAdapterRegistry } from "../../adapters/index.ts";
import type { FeatureContext } from "../../core/ports/feature.ts";
import { findAgentAbove } from "../../features/automation/rules/belowAgent.ts";

const registry = createAdapterRegistry();

/** `above`: command lines, the topmost first. */
const agentAbove = (...above: string[]): Promise<string | null> => {
  const lines = ["/sbin/init", ...above, "-bash", "node /opt/agtmux/cli.mjs rule arm codex"];
  const stdout = lines.map((args, index) => `  ${index + 1}     ${index} ${args}`).join("\n");
  const context = {
    adapters: () => registry.list(),
    target: () => ({ run: () => Promise.resolve({ exitCode: 0, stdout }) }),
  } as unknown as FeatureContext;
  return findAgentAbove(lines.length, context);
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

it("where nobody can tell who asks, nothing is armed", async () => {
  const context = {
    adapters: () => registry.list(),
    target: () => ({ run: () => Promise.resolve({ exitCode: 1, stdout: "" }) }),
  } as unknown as FeatureContext;
  await expect(findAgentAbove(7, context)).rejects.toThrow("nothing was armed");
});
