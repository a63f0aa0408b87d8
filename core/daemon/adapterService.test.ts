import { expect, it } from "vitest";
import { createClaudeAdapter } from "../../adapters/claude/index.ts";
import { adapterListSchema } from "../model/adapterView.ts";
import { type AdapterSwitch, createAdapterService } from "./adapterService.ts";

it("lists each adapter with how it fares: well where it has nothing to say of itself", () => {
  const well = createClaudeAdapter();
  const ill = {
    ...well,
    agentType: "ill",
    health: () => ({ status: "degraded", reason: "its rules were given up" }) as const,
  };
  const service = createAdapterService({
    adapters: { list: () => [well, ill], byAgentType: () => null, identify: () => null },
    adapterSwitch: { isEnabled: () => true, unknown: () => [] } as unknown as AdapterSwitch,
    clock: { now: () => 0, setTimer: () => () => {} },
    capture: async () => null,
    processesOf: async () => [],
    run: async () => ({ exitCode: 1, stdout: "", stderr: "" }) as never,
    redact: (text) => text,
  });
  const { items } = adapterListSchema.parse(service.list());
  expect(items.map(({ agent_type, health, health_reason }) => [agent_type, health, health_reason])).toEqual([
    ["claude", "ok", null],
    ["ill", "degraded", "its rules were given up"],
  ]);
});
