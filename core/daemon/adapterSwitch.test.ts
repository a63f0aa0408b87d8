import { describe, expect, it } from "vitest";
import { createAdapterRegistry } from "../../adapters/index.ts";
import { configSchema, type Config } from "../model/config.ts";
import { createAdapterSwitch } from "./adapterService.ts";

const make = (disabled: readonly string[]) => {
  let config: Config = configSchema.parse({ adapters: { disabled } });
  const adapterSwitch = createAdapterSwitch({
    adapters: createAdapterRegistry(),
    config: () => config,
    write: (valueOf) => {
      config = configSchema.parse({ adapters: { disabled: valueOf(config) } });
      return Promise.resolve();
    },
  });
  return { adapterSwitch, disabledNow: () => config.adapters.disabled };
};
const process = (pid: number, ppid: number, name: string) => ({
  pid,
  ppid,
  comm: name,
  args: name,
  startedAt: 0,
});

describe("a disabled agent", () => {
  it("is known and not recognised", () => {
    const { enabled } = make(["claude"]).adapterSwitch;
    expect(enabled.byAgentType("claude")).toBeNull();
    expect(enabled.list().map(({ agentType }) => agentType)).not.toContain("claude");
    expect(enabled.byAgentType("codex")?.agentType).toBe("codex");
    expect(enabled.identify([process(1, 0, "bash"), process(2, 1, "claude")])).toBeNull();
  });

  it("does not leave its pane to an agent that it runs as a tool", () => {
    const tree = [process(1, 0, "bash"), process(2, 1, "claude"), process(3, 2, "codex")];
    expect(make([]).adapterSwitch.enabled.identify(tree)?.adapter.agentType).toBe("claude");
    expect(make(["claude"]).adapterSwitch.enabled.identify(tree)).toBeNull();
    expect(make(["codex"]).adapterSwitch.enabled.identify(tree)?.adapter.agentType).toBe("claude");
  });
});

describe("the list of disabled agents", () => {
  it("is kept in order and without repeats, and says whether anything changed", async () => {
    const { adapterSwitch, disabledNow } = make(["pi"]);
    expect(await adapterSwitch.set("claude", false)).toBe(true);
    expect(await adapterSwitch.set("claude", false)).toBe(false);
    expect(disabledNow()).toEqual(["claude", "pi"]);
    expect(await adapterSwitch.set("pi", true)).toBe(true);
    expect(disabledNow()).toEqual(["claude"]);
  });

  it("takes no agent that is not known, and lets go of one that is not known any more", async () => {
    const { adapterSwitch, disabledNow } = make(["gone"]);
    expect(adapterSwitch.unknown()).toEqual(["gone"]);
    for (const isEnabled of [true, false])
      await expect(adapterSwitch.set("nope", isEnabled)).rejects.toMatchObject({ code: "E_USAGE" });
    expect(await adapterSwitch.set("gone", true)).toBe(true);
    expect(disabledNow()).toEqual([]);
  });
});
