import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AgtmuxError } from "../../core/model/errors.ts";
import { EVENT_SCRIPT, layOut, parsedJson, settingsPlans } from "../testkit/memoryFiles.ts";
import { createClaudeIntegration, HOOK_EVENTS, HOOK } from "./integration.ts";

const PATH = "/home/dev/.claude/settings.json";
const integration = createClaudeIntegration();
const { requestFor, install, uninstall } = settingsPlans(integration, PATH);

const ourGroup = (event: string) => ({
  hooks: [{ type: "command", command: HOOK.of(EVENT_SCRIPT, event), timeout: 5 }],
});

const foreignGroup = fc.record({
  matcher: fc.constantFrom("*", "Bash", ""),
  hooks: fc.array(fc.record({ type: fc.constant("command"), command: fc.string() }), { maxLength: 2 }),
});
const settings = fc
  .record(
    {
      permissions: fc.jsonValue(),
      hooks: fc.dictionary(
        fc.constantFrom(...HOOK_EVENTS, "MessageDisplay"),
        fc.array(foreignGroup, { maxLength: 2 }),
      ),
      env: fc.dictionary(fc.string(), fc.string(), { maxKeys: 2 }),
      "": fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  .map((value) => ({ ...value }));
const gap = fc.constantFrom("", " ", "\n", "\n  ", "\r\n\t", "\n\n    ", "\t");

describe("installing into Claude Code's settings", () => {
  it("creates a file with one group per event and removes it again", async () => {
    const installed = await install(null);
    expect(parsedJson(installed)).toEqual({
      hooks: Object.fromEntries(HOOK_EVENTS.map((event) => [event, [ourGroup(event)]])),
    });
    expect(installed?.endsWith("}\n")).toBe(true);
    expect(await uninstall(installed)).toBeNull();
    expect(await install("  \n")).toBe(installed);
  });

  it("gives back every byte of a settings file, whatever its layout", async () => {
    await fc.assert(
      fc.asyncProperty(settings, fc.array(gap, { minLength: 1, maxLength: 12 }), async (value, gaps) => {
        const before = layOut(value, gaps);
        const installed = await install(before);
        expect(installed).not.toBe(before);
        expect(await uninstall(installed)).toBe(before);
      }),
      { numRuns: 150 },
    );
  });

  it("appends to each event and keeps everything else, in every layout", async () => {
    await fc.assert(
      fc.asyncProperty(settings, fc.array(gap, { minLength: 1, maxLength: 12 }), async (value, gaps) => {
        const installed = parsedJson(await install(layOut(value, gaps)));
        const before: Record<string, unknown[]> = value.hooks ?? {};
        const expected = Object.fromEntries(
          HOOK_EVENTS.map((event) => [event, [...(before[event] ?? []), ourGroup(event)]]),
        );
        expect(installed).toEqual(
          JSON.parse(JSON.stringify({ ...value, hooks: { ...before, ...expected } })),
        );
      }),
      { numRuns: 80 },
    );
  });

  it("changes nothing when it is installed already", async () => {
    for (const text of [null, "{}", '{"model":"opus"}', '{\r\n\t"hooks": {}\r\n}']) {
      const installed = await install(text);
      expect(await integration.planInstall(requestFor(installed))).toEqual([]);
    }
  });

  it("writes in the file's own indentation and line ends", async () => {
    const installed = await install('{\r\n\t"model": "opus"\r\n}');
    expect(installed).toContain('\r\n\t"hooks": {\r\n\t\t"SessionStart": [\r\n\t\t\t{');
    expect(installed?.replaceAll("\r\n", "")).not.toContain("\n");
    expect(installed?.endsWith("}")).toBe(true);
  });

  it("removes exactly its entries when others changed the file in between", async () => {
    const own = { hooks: { Stop: [{ hooks: [{ type: "command", command: "say done" }] }] }, model: "opus" };
    const installed = parsedJson(await install(JSON.stringify(own, null, 2)));
    // What the agent itself does when it saves a setting: a rewrite in its own layout.
    const rewritten = JSON.stringify({ ...installed, theme: "dark" }, null, 4);
    expect(parsedJson(await uninstall(rewritten))).toEqual({ ...own, theme: "dark" });
  });

  it("leaves a foreign hook that was put into our group", async () => {
    const installed = await install("{}");
    const mixed =
      installed?.replace('"timeout":5}]', '"timeout":5},{"type":"command","command":"beep"}]') ?? "";
    expect(parsedJson(await uninstall(mixed))).toEqual({
      hooks: { SessionStart: [{ hooks: [{ type: "command", command: "beep" }] }] },
    });
  });

  it("replaces entries of an installation at another path", async () => {
    const moved = await install(await install('{"a": 1}', "/old/agtmux-event"));
    expect(parsedJson(moved)).toEqual(parsedJson(await install('{"a": 1}')));
    expect(moved).not.toContain("/old/");
  });

  it("quotes a script path with blanks and quotes", () => {
    expect(HOOK.of("/a b/it's/agtmux-event", "Stop")).toBe(
      "'/a b/it'\\''s/agtmux-event' claude Stop 2>/dev/null || :",
    );
  });
});

const refusal = async (text: string): Promise<AgtmuxError> => {
  const failure: unknown = await install(text).catch((error: unknown) => error);
  if (!(failure instanceof AgtmuxError)) throw new Error(`not refused: ${text}`);
  return failure;
};

describe("refusing settings that are not understood", () => {
  it.each([
    ["a comment", '{\n  // mine\n  "a": 1\n}', "line 2, column 3"],
    ["a trailing comma", '{\n  "a": 1,\n}', "line 3, column 1"],
    ["a cut file", '{"a": ', "line 1"],
  ])("names the place of %s and quotes nothing", async (_what, text, place) => {
    const error = await refusal(text);
    expect(error.code).toBe("E_INTEGRATION_REFUSED");
    expect(error.message).toContain(place);
    expect(error.message).not.toContain("mine");
  });

  it.each(["[]", '{"hooks": []}', '{"hooks": {"Stop": {}}}', '\uFEFF{"a": 1}'])(
    "refuses %s",
    async (text) => {
      expect((await refusal(text)).code).toBe("E_INTEGRATION_REFUSED");
    },
  );
});

describe("inspecting", () => {
  it("names missing events, foreign installations and switched-off hooks", async () => {
    const installed = await install('{"disableAllHooks": true}');
    const partial = JSON.stringify({ ...parsedJson(installed), hooks: { Stop: [ourGroup("Stop")] } });
    expect(await integration.inspect(requestFor(await install("{}")))).toEqual({
      installed: true,
      missing: [],
      problems: [],
      steps: [],
    });
    expect(await integration.inspect(requestFor(partial))).toEqual({
      installed: false,
      missing: HOOK_EVENTS.filter((event) => event !== "Stop"),
      problems: [`${PATH} sets "disableAllHooks": no hook runs`],
      steps: [],
    });
    expect((await integration.inspect(requestFor(installed, "/else/agtmux-event"))).problems).toHaveLength(2);
    expect((await integration.inspect(requestFor("{"))).problems).toHaveLength(1);
  });
});
