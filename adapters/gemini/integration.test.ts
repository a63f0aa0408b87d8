import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AgtmuxError } from "../../core/model/errors.ts";
import { EVENT_SCRIPT, layOut, settingsPlans } from "../testkit/memoryFiles.ts";
import { createGeminiIntegration, HOOK_EVENTS, HOOK } from "./integration.ts";

const PATH = "/home/dev/.gemini/settings.json";
const integration = createGeminiIntegration();
const { requestFor, install, uninstall } = settingsPlans(integration, PATH);
/** As the agent reads it: comments go first. The comments of these tests stand on lines of their own. */
const parsed = (text: string | null): Record<string, unknown> =>
  JSON.parse((text ?? "null").replaceAll(/^\s*(\/\/.*|\/\*.*\*\/)$/gm, ""));
const refusal = async (work: Promise<unknown>): Promise<AgtmuxError> => {
  const failure: unknown = await work.catch((error: unknown) => error);
  if (!(failure instanceof AgtmuxError)) throw new Error("not refused");
  return failure;
};

const ourGroup = (event: string) => ({
  hooks: [{ name: "agtmux", type: "command", command: HOOK.of(EVENT_SCRIPT, event), timeout: 5_000 }],
});

const group = fc.record({
  matcher: fc.constantFrom("*", "write_file", ""),
  hooks: fc.array(fc.record({ type: fc.constant("command"), command: fc.string() }), { maxLength: 2 }),
});
const settings = fc
  .record(
    {
      security: fc.jsonValue(),
      hooks: fc.dictionary(fc.constantFrom(...HOOK_EVENTS, "BeforeModel"), fc.array(group, { maxLength: 2 })),
      general: fc.dictionary(fc.string(), fc.string(), { maxKeys: 2 }),
    },
    { requiredKeys: [] },
  )
  .map((value) => ({ ...value }));
const gap = fc.constantFrom(
  "",
  " ",
  "\n  ",
  "\r\n\t",
  "/* a, */",
  " // it's {\n",
  '\n// "b": 1,\n  ',
  "/**/\n",
);

describe("installing into Gemini CLI's settings", () => {
  it("creates a file with one short-named hook per event and removes it again", async () => {
    const installed = await install(null);
    expect(parsed(installed)).toEqual({
      hooks: Object.fromEntries(HOOK_EVENTS.map((event) => [event, [ourGroup(event)]])),
    });
    expect(await uninstall(installed)).toBeNull();
    expect(await integration.planInstall(requestFor(installed))).toEqual([]);
  });

  it("gives back every byte of a settings file with comments, whatever its layout", async () => {
    await fc.assert(
      fc.asyncProperty(settings, fc.array(gap, { minLength: 1, maxLength: 12 }), async (value, gaps) => {
        const before = layOut(value, gaps);
        const installed = await install(before);
        expect(installed).not.toBe(before);
        expect(await uninstall(installed)).toBe(before);
      }),
      { numRuns: 200 },
    );
  });

  it("keeps line ends, unknown keys and foreign hooks, and needs no final line end", async () => {
    const own =
      '{\r\n\t"hooks": {\r\n\t\t"AfterAgent": [{"hooks": [{"command": "beep"}]}]\r\n\t},\r\n\t"x": 1\r\n}';
    const installed = await install(own);
    expect(installed?.replaceAll("\r\n", "")).not.toContain("\n");
    expect(parsed(installed)).toMatchObject({ x: 1 });
    expect(parsed(installed)["hooks"]).toMatchObject({
      AfterAgent: [{ hooks: [{ command: "beep" }] }, ourGroup("AfterAgent")],
    });
    expect(await uninstall(installed)).toBe(own);
  });

  it("takes exactly its entries out of a file that somebody commented since", async () => {
    const installed = (await install('{\n  "a": 1\n}\n')) ?? "";
    const edited = installed
      .replace('"a": 1,', '"a": 1, // mine, really\n  /* block */')
      .replace('"BeforeAgent"', '// about the next one\n    "BeforeAgent"');
    const removed = (await uninstall(edited)) ?? "";
    expect(removed).toContain("// mine, really");
    expect(removed).toContain("/* block */");
    // The place of somebody's words stays, too.
    expect(removed).toContain("// about the next one");
    expect(removed).not.toContain("agtmux");
    expect(JSON.parse(removed.replaceAll(/\/\/.*|\/\*.*?\*\//g, ""))).toEqual({ a: 1, hooks: {} });
  });

  it("leaves a foreign hook that was put into our group", async () => {
    const installed = await install("{}");
    const mixed = installed?.replace('"timeout":5000}]', '"timeout":5000},{"command":"beep"}]') ?? "";
    expect(parsed(await uninstall(mixed))).toEqual({
      hooks: { SessionStart: [{ hooks: [{ command: "beep" }] }] },
    });
  });

  it("replaces entries of an installation at another path", async () => {
    const moved = await install(await install('{"a": 1}', "/old/agtmux-event"));
    expect(parsed(moved)).toEqual(parsed(await install('{"a": 1}')));
  });

  it.each([
    ["a trailing comma", '{\n  "a": 1,\n}', "line 3, column 1"],
    ["a comment that does not end", '{\n  /* "a": 1\n}', "line 2, column 3"],
    ["a cut file", '{"a": ', "line 1"],
  ])("refuses %s and names its place", async (_what, text, place) => {
    const error = await refusal(install(text));
    expect(error.code).toBe("E_INTEGRATION_REFUSED");
    expect(error.message).toContain(place);
  });

  it.each(["[]", '{"hooks": []}', '{"hooks": {"AfterAgent": {}}}'])("refuses %s", async (text) => {
    expect((await refusal(install(text))).code).toBe("E_INTEGRATION_REFUSED");
  });

  it("refuses a script path that the agent would rewrite", async () => {
    expect((await refusal(install("{}", "/home/$USER/agtmux-event"))).message).toContain("dollar sign");
  });

  it("names missing events, and hooks that are switched off", async () => {
    expect(await integration.inspect(requestFor(await install("{}")))).toEqual({
      installed: true,
      missing: [],
      problems: [],
      steps: [],
    });
    expect((await integration.inspect(requestFor("{}"))).missing).toEqual([...HOOK_EVENTS]);
    const off = await install('{"hooksConfig": {"enabled": false, "disabled": ["agtmux"]}}');
    expect((await integration.inspect(requestFor(off))).problems).toHaveLength(2);
    expect(await integration.inspect(requestFor("{"))).toMatchObject({ installed: false });
  });
});
