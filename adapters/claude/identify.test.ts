import { describe, expect, it } from "vitest";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import { identifyClaude } from "./index.ts";

const process = (comm: string, args: string, pid = 10, ppid = 1): ProcessInfo => ({
  pid,
  ppid,
  comm,
  args,
  startedAt: 0,
});

describe("identifying Claude Code", () => {
  it.each([
    ["claude", "claude"],
    ["claude", "claude --resume 04410b52"],
    ["claude", "/home/dev/.local/bin/claude --dangerously-skip-permissions"],
    ["claude", "claude update the readme and explain --version"],
    ["claude", "claude mcp servers are slow, find out why"],
    ["node", "node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"],
    ["MainThread", "/usr/bin/node /usr/local/bin/claude"],
    ["2.1.197", "/home/dev/.local/share/claude/versions/2.1.197 --continue"],
    ["2.1.197", "/usr/local/bin/claude"],
  ])("accepts %s: %s", (comm, args) => {
    expect(identifyClaude([process(comm, args)])?.process.args).toBe(args);
  });

  it.each([
    ["claude", "claude mcp serve"],
    ["claude", "claude mcp"],
    ["claude", "claude update"],
    ["claude", "claude daemon run"],
    ["claude", "claude --claude-in-chrome-mcp"],
    ["claude", "/bin/bash /home/dev/bin/claude"],
    ["claude-somethin", "/home/dev/bin/claude-something"],
    ["claude-something", "claude-something"],
    ["node", "node /home/dev/tools/claude-report/cli.js"],
    ["node", "node server.js claude"],
    ["node", "node /usr/local/bin/claude mcp serve"],
    ["vim", "vim claude.md"],
    ["bash", "bash -c claude"],
    ["tail", "tail -f claude"],
    ["2.1.197", "2.1.197"],
    ["2.1.197", "/opt/tool/2.1.197"],
    ["python3", "python3 /usr/local/bin/claude"],
  ])("refuses %s: %s", (comm, args) => {
    expect(identifyClaude([process(comm, args)])).toBeNull();
  });

  it("takes the agent, not the one that it started as a tool", () => {
    const shell = process("bash", "bash", 1, 0);
    const agent = process("claude", "claude", 2, 1);
    const tool = process("bash", "/bin/bash -c claude -p hello", 3, 2);
    const nested = process("claude", "claude -p hello", 4, 3);
    expect(identifyClaude([shell, agent, tool, nested])?.process.pid).toBe(2);
  });

  it("passes a wrapper script by for the program that it starts", () => {
    const wrapper = process("claude", "/bin/sh /home/dev/bin/claude", 2, 1);
    const agent = process("claude", "/opt/claude/bin/claude", 3, 2);
    expect(identifyClaude([wrapper, agent])?.process.pid).toBe(3);
  });
});
