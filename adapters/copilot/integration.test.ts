import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TargetFiles } from "../../core/ports/targetExecutor.ts";
import { createCopilotIntegration, HOOK_EVENTS, hookCommand } from "./integration.ts";

const SCRIPT = "/home/dev/.agtmux/bin/agtmux-event";
const PATH = "/home/dev/.copilot/hooks/agtmux.json";
const integration = createCopilotIntegration();

const filesWith = (text: string | null): TargetFiles => ({
  readText: (path) => Promise.resolve(path === PATH ? text : null),
  list: () => Promise.resolve([]),
  readTail: () => Promise.resolve(null),
  readLink: () => Promise.resolve(null),
  stat: () => Promise.resolve(null),
  writeText: () => Promise.reject(new Error("plans only")),
  remove: () => Promise.reject(new Error("plans only")),
});
const requestFor = (text: string | null, eventScript = SCRIPT) => ({
  files: filesWith(text),
  homeDir: "/home/dev",
  eventScript,
});
const install = async (text: string | null, eventScript = SCRIPT): Promise<string | null> => {
  const [change] = await integration.planInstall(requestFor(text, eventScript));
  expect(change?.path ?? PATH).toBe(PATH);
  return change === undefined ? text : change.after;
};
const uninstall = async (text: string | null): Promise<string | null> => {
  const [change] = await integration.planUninstall(requestFor(text));
  return change === undefined ? text : change.after;
};
const parsed = (text: string | null): Record<string, unknown> => JSON.parse(text ?? "null");

describe("installing beside Copilot CLI's other hook files", () => {
  it("writes a file of its own and removes it again", async () => {
    const installed = await install(null);
    expect(parsed(installed)).toEqual({
      version: 1,
      hooks: Object.fromEntries(
        HOOK_EVENTS.map((event) => [
          event,
          [{ type: "command", bash: hookCommand(SCRIPT, event), timeoutSec: 5 }],
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
    const installed = parsed(await install(null));
    const hooks = { ...Object(installed["hooks"]), agentStop: [{ type: "command", bash: "beep" }] };
    const edited = JSON.stringify({ ...installed, hooks }, null, 4);
    expect(parsed(await uninstall(edited))).toEqual({
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
