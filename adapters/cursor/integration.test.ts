import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AgtmuxError } from "../../core/model/errors.ts";
import { EVENT_SCRIPT, parsedJson, settingsPlans } from "../testkit/memoryFiles.ts";
import { createCursorIntegration, HOOK_EVENTS, HOOK } from "./integration.ts";

const PATH = "/home/dev/.cursor/hooks.json";
const integration = createCursorIntegration();
const { requestFor, install, uninstall } = settingsPlans(integration, PATH);
const entry = (event: string) => ({ command: HOOK.of(EVENT_SCRIPT, event), timeout: 5 });

const settings = fc.record(
  {
    version: fc.constant(1),
    hooks: fc.dictionary(
      fc.constantFrom(...HOOK_EVENTS, "preToolUse"),
      fc.array(fc.record({ command: fc.string() }), { maxLength: 2 }),
    ),
    other: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const layout = fc.constantFrom<readonly [string | number, string]>(
  [2, "\n"],
  ["\t", "\r\n"],
  [4, "\n"],
  [0, "\n"],
);

describe("installing into Cursor's hooks", () => {
  it("creates a file with one entry per event and removes it again", async () => {
    const installed = await install(null);
    expect(parsedJson(installed)).toEqual({
      version: 1,
      hooks: Object.fromEntries(HOOK_EVENTS.map((event) => [event, [entry(event)]])),
    });
    expect(await uninstall(installed)).toBeNull();
    expect(await integration.planInstall(requestFor(installed))).toEqual([]);
  });

  it("gives back every byte, with and without a final line end", async () => {
    await fc.assert(
      fc.asyncProperty(settings, layout, fc.boolean(), async (value, [indent, eol], hasEnd) => {
        const before = JSON.stringify(value, null, indent).replaceAll("\n", eol) + (hasEnd ? eol : "");
        const installed = await install(before);
        for (const event of HOOK_EVENTS)
          expect(parsedJson(installed)).toHaveProperty(
            ["hooks", event],
            [...(value.hooks?.[event] ?? []), entry(event)],
          );
        expect(await uninstall(installed)).toBe(before);
      }),
      { numRuns: 120 },
    );
  });

  it("takes exactly its entries out of what others have rewritten", async () => {
    const own = { version: 1, hooks: { stop: [{ command: "beep" }] } };
    const rewritten = JSON.stringify(
      { ...parsedJson(await install(JSON.stringify(own))), theme: "x" },
      null,
      4,
    );
    expect(parsedJson(await uninstall(rewritten))).toEqual({ ...own, theme: "x" });
  });

  it("replaces the entries of an installation at another path", async () => {
    const moved = await install(await install('{"version": 1}', "/old/agtmux-event"));
    expect(moved).not.toContain("/old/");
    expect(parsedJson(moved)).toEqual(parsedJson(await install('{"version": 1}')));
  });

  it.each([
    ['{\n  // mine\n  "version": 1\n}', "line 2, column 3"],
    ['{"version": 2, "hooks": {}}', "version"],
    ['{"version": 1, "hooks": []}', "hooks"],
    ['{"version": 1, "hooks": {"stop": {}}}', "hooks.stop"],
  ])("refuses %j", async (text, place) => {
    const failure: unknown = await install(text).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AgtmuxError);
    expect(String(failure)).toContain(place);
    expect((await integration.inspect(requestFor(text))).installed).toBe(false);
  });
});
