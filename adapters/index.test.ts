import { describe, expect, it } from "vitest";
import type { ProcessInfo } from "../core/model/runtime.ts";
import type { Confidence } from "../core/model/state.ts";
import type { AgentAdapter } from "../core/ports/agentAdapter.ts";
import { createClaudeAdapter } from "./claude/index.ts";
import { createAdapterRegistry } from "./index.ts";

const adapterFor = (agentType: string, confidence: Confidence, comm: string): AgentAdapter => ({
  ...createClaudeAdapter(),
  agentType,
  identify: (processes) => {
    const process = processes.find((one) => one.comm === comm);
    return process === undefined ? null : { process, confidence, sign: comm };
  },
});
const tree = (...comms: string[]): ProcessInfo[] =>
  comms.map((comm, index) => ({ pid: index + 1, ppid: index, comm, args: comm, startedAt: 0 }));

describe("the adapter registry", () => {
  it("knows the built-in adapters by type", () => {
    const registry = createAdapterRegistry();
    const types = registry.list().map((adapter) => adapter.agentType);
    expect(types).toContain("claude");
    expect(types).toEqual([...new Set(types)].toSorted());
    expect(registry.byAgentType("claude")?.displayName).toBe("Claude Code");
    expect(registry.byAgentType("nobody")).toBeNull();
    expect(registry.identify([])).toBeNull();
  });

  it("takes the most confident match", () => {
    const registry = createAdapterRegistry([adapterFor("a", "low", "x"), adapterFor("b", "high", "x")]);
    expect(registry.identify(tree("sh", "x"))?.adapter.agentType).toBe("b");
  });

  it("says nothing when two agents claim the same process alike", () => {
    const registry = createAdapterRegistry([adapterFor("a", "high", "x"), adapterFor("b", "high", "x")]);
    expect(registry.identify(tree("sh", "x"))).toBeNull();
  });

  it("takes the agent that started the other as a tool", () => {
    const registry = createAdapterRegistry([adapterFor("a", "high", "x"), adapterFor("b", "high", "y")]);
    expect(registry.identify(tree("sh", "y", "sh", "x"))?.adapter.agentType).toBe("b");
    const siblings = [...tree("sh", "x"), { pid: 9, ppid: 1, comm: "y", args: "y", startedAt: 0 }];
    expect(registry.identify(siblings)).toBeNull();
  });
});
