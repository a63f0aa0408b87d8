import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EVENT_SCRIPT, parsedJson, settingsPlans } from "../testkit/memoryFiles.ts";
import { createCopilotIntegration, HOOK_EVENTS, HOOK } from "./integration.ts";

const PATH = "/home/dev/.copilot/hooks/agtmux.json";
const integration = createCopilotIntegration();
const { requestFor, install, uninstall } = settingsPlans(integration, PATH);

describe("installing beside Copilot CLI's other hook files", () => {
  it("writes a file of its own and removes it again", async () => {
    const installed = await install(null);
    expect(parsedJson(installed)).toEqual({
      version: 1,
      hooks: Object.fromEntries(
        HOOK_EVENTS.map((event) => [
          event,
          [{ type: "command", bash: HOOK.of(EVENT_SCRIPT, event), timeoutSec: 5 }],
        ]),
      ),
    });
    expect(await uninstall(installed)).toBeNull();
    expect(await integration.planInstall(requestFor(installed))).toEqual([]);
    expect(await install(" \n")).toBe(installed);
  });

  it("replaces its own file of another installation", async () => {
    expect(await install(await install(null, "/old/agtmux-event"))).toBe(await install(null));
  });

  it("gives back every byte of what somebody else keeps under that name", async () => {
    const hook = fc.record({ type: fc.constant("command"), bash: fc.string() });
    const content = fc.record(
      {
        version: fc.integer(),
        hooks: fc.dictionary(fc.constantFrom(...HOOK_EVENTS, "other"), fc.array(hook, { maxLength: 2 })),
        note: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(content, fc.constantFrom(0, 1, 2, "\t"), async (value, indent) => {
        const before = JSON.stringify(value, null, indent);
        const installed = await install(before);
        expect(installed).not.toBe(before);
        expect(await uninstall(installed)).toBe(before);
      }),
      { numRuns: 150 },
    );
  });

  it("leaves what somebody added to our file", async () => {
    const installed = parsedJson(await install(null));
    const hooks = { ...Object(installed["hooks"]), agentStop: [{ type: "command", bash: "beep" }] };
    const edited = JSON.stringify({ ...installed, hooks }, null, 4);
    expect(parsedJson(await uninstall(edited))).toEqual({
      version: 1,
      hooks: { agentStop: [{ type: "command", bash: "beep" }] },
    });
  });

  it("says what is missing and what cannot be read", async () => {
    expect(await integration.inspect(requestFor(null))).toEqual({
      installed: false,
      missing: [...HOOK_EVENTS],
      problems: [],
    });
    expect((await integration.inspect(requestFor(await install(null)))).installed).toBe(true);
    const broken = await integration.inspect(requestFor('{\n "version": 1,\n}'));
    expect(broken.problems.join()).toContain("line 3, column 1");
  });
});
