import { describe, expect, it } from "vitest";
import type { IntegrationChange, OwnNotifications } from "../../core/ports/agentAdapter.ts";
import { createClaudeIntegration } from "../claude/integration.ts";
import { createCodexIntegration } from "../codex/integration.ts";
import { createCopilotIntegration } from "../copilot/integration.ts";
import { createGeminiIntegration } from "../gemini/integration.ts";
import { EVENT_SCRIPT, memoryFiles } from "../testkit/memoryFiles.ts";
import { createOwnNotifications } from "./ownNotifications.ts";

const HOME = "/home/dev/.agent";
const own = ({ notifications }: ReturnType<typeof createClaudeIntegration>): OwnNotifications => {
  if (notifications === undefined || "how" in notifications) throw new Error("it has no settings of its own");
  return notifications;
};
const claude = own(createClaudeIntegration());
const codex = own(createCodexIntegration());
const gemini = own(createGeminiIntegration());
const copilot = own(createCopilotIntegration());

type Files = Record<string, string>;
const requestFor = (files: Files) => ({
  files: memoryFiles(files),
  homeDir: "/home/dev",
  configDir: HOME,
  eventScript: EVENT_SCRIPT,
});
const carryOut = (files: Files, changes: readonly IntegrationChange[]): Files => {
  const next = { ...files };
  for (const { path, before, after } of changes) {
    expect(next[path] ?? null).toBe(before);
    if (after === null) delete next[path];
    else next[path] = after;
  }
  return next;
};
const silence = async (notifications: OwnNotifications, files: Files) =>
  carryOut(files, await notifications.planSilence(requestFor(files)));
const restore = async (notifications: OwnNotifications, files: Files) =>
  carryOut(files, await notifications.planRestore(requestFor(files)));
const isOn = async (notifications: OwnNotifications, files: Files) =>
  (await notifications.inspect(requestFor(files))).isOn;

const CLAUDE = claude.path(HOME);
const CODEX = codex.path(HOME);
const GEMINI = gemini.path(HOME);
const COPILOT = copilot.path(HOME);

describe("an agent's own notifications, switched off and put back", () => {
  it.each<[string, OwnNotifications, string, string | null, string]>([
    ["no file", claude, CLAUDE, null, '{"preferredNotifChannel": "notifications_disabled"}\n'],
    ["a blank file", claude, CLAUDE, " \n", '{"preferredNotifChannel": "notifications_disabled"}\n'],
    ["an empty object", claude, CLAUDE, "{}", '{"preferredNotifChannel": "notifications_disabled"}'],
    [
      "other settings, without a last line break",
      claude,
      CLAUDE,
      '{\r\n\t"theme": "dark"\r\n}',
      '{\r\n\t"theme": "dark",\r\n\t"preferredNotifChannel": "notifications_disabled"\r\n}',
    ],
    [
      "a value of the person's",
      claude,
      CLAUDE,
      '{ "preferredNotifChannel" : "terminal_bell" , "a": 1 }',
      '{ "preferredNotifChannel" : "notifications_disabled" , "a": 1 }',
    ],
    [
      "a value with a comment, deep in the file",
      gemini,
      GEMINI,
      '{ "general": { "enableNotifications": /* loud */ true } }\n',
      '{ "general": { "enableNotifications": /* loud */ false } }\n',
    ],
    [
      "two values",
      copilot,
      COPILOT,
      '// mine\n{ "beep": true, "notifications": true, "banner": "never" }\n',
      '// mine\n{ "beep": false, "notifications": false, "banner": "never" }\n',
    ],
    ["one of two values", copilot, COPILOT, '{ "notifications": true }', '{ "notifications": false }'],
    ["no TOML", codex, CODEX, null, "[tui]\nnotifications = false\n"],
    [
      "TOML without the table and without a last line break",
      codex,
      CODEX,
      'model = "o5"',
      'model = "o5"\n\n[tui]\nnotifications = false\n',
    ],
    [
      "TOML with the table",
      codex,
      CODEX,
      '[tui] # mine\r\ntheme = "x"\r\n[a]\r\n',
      '[tui] # mine\r\nnotifications = false\r\ntheme = "x"\r\n[a]\r\n',
    ],
    [
      "a list with a comment",
      codex,
      CODEX,
      '[a]\nnotifications = 1\n[tui]\nnotifications = ["agent-turn-complete"] # only these\n',
      "[a]\nnotifications = 1\n[tui]\nnotifications = false\n",
    ],
    ["a dotted key", codex, CODEX, "tui.notifications = true\n[a]\n", "tui.notifications = false\n[a]\n"],
  ])("with %s: byte for byte", async (_what, notifications, path, before, after) => {
    const files: Files = before === null ? {} : { [path]: before };
    const silenced = await silence(notifications, files);
    expect(silenced[path]).toBe(after);
    expect(await notifications.inspect(requestFor(silenced))).toEqual({ isOn: false, isSilenced: true });
    expect(await restore(notifications, silenced)).toEqual(files);
  });

  it("says of each agent whether it notifies, by its settings and by how it comes", async () => {
    expect(await isOn(claude, {})).toBe(true);
    expect(await isOn(claude, { [CLAUDE]: '{"preferredNotifChannel":"notifications_disabled"}' })).toBe(
      false,
    );
    expect(await isOn(codex, { [CODEX]: "" })).toBe(true);
    expect(await isOn(gemini, { [GEMINI]: "{}" })).toBe(false);
    expect(await isOn(copilot, { [COPILOT]: '{"beep":true}' })).toBe(true);
    expect(await isOn(copilot, { [`${HOME}/config.json`]: '{"beep":true}' })).toBe(false);
  });

  it("believes the file of older versions where the newer one does not say", async () => {
    const older = { [`${HOME}/.claude.json`]: '{"preferredNotifChannel":"notifications_disabled"}' };
    expect(await isOn(claude, older)).toBe(false);
    expect(await isOn(claude, { ...older, [CLAUDE]: '{"preferredNotifChannel":"iterm2"}' })).toBe(true);
    expect(await isOn(claude, { [`${HOME}/.claude.json`]: "{ broken" })).toBe(true);
  });

  it("changes nothing where the agent does not notify, or nothing was switched off", async () => {
    for (const [notifications, path] of [
      [copilot, COPILOT],
      [gemini, GEMINI],
    ] as const) {
      expect(await notifications.planSilence(requestFor({ [path]: "{}" }))).toEqual([]);
      expect(await notifications.planRestore(requestFor({ [path]: "{}" }))).toEqual([]);
    }
  });

  it("leaves what somebody has set since then, and what else has changed", async () => {
    const silenced = await silence(claude, { [CLAUDE]: '{"theme": "dark"}' });
    const mine = { ...silenced, [CLAUDE]: '{"preferredNotifChannel": "kitty"}' };
    expect(await claude.inspect(requestFor(mine))).toEqual({ isOn: true, isSilenced: false });
    expect(await restore(claude, mine)).toEqual({ [CLAUDE]: '{"preferredNotifChannel": "kitty"}' });
    const again = await silence(claude, mine);
    expect(await restore(claude, again)).toEqual({ [CLAUDE]: '{"preferredNotifChannel": "kitty"}' });
    const lighter = { ...silenced, [CLAUDE]: (silenced[CLAUDE] ?? "").replace("dark", "light") };
    expect(await restore(claude, lighter)).toEqual({ [CLAUDE]: '{"theme": "light"}' });
    // Codex wrote below our table's header: the header stays, for what is below it now.
    const toml = await silence(codex, { [CODEX]: 'model = "o5"\n' });
    expect(await restore(codex, { ...toml, [CODEX]: `${toml[CODEX]}theme = "x"\n` })).toEqual({
      [CODEX]: 'model = "o5"\n\n[tui]\ntheme = "x"\n',
    });
  });

  it("keeps what was there where the settings file has gone meanwhile", async () => {
    const silenced = await silence(claude, { [CLAUDE]: "{}" });
    delete silenced[CLAUDE];
    expect(await restore(claude, silenced)).toEqual({});
  });
});

it("removes no file that was there, also where nothing but ours is left in it", async () => {
  const toml = await silence(codex, { [CODEX]: 'model = "o5"\n' });
  expect(await restore(codex, { ...toml, [CODEX]: "\n[tui]\nnotifications = false\n" })).toEqual({
    [CODEX]: "",
  });
  const json = await silence(claude, { [CLAUDE]: '{"theme": "dark"}' });
  const ours = '{"preferredNotifChannel": "notifications_disabled"}';
  expect(await restore(claude, { ...json, [CLAUDE]: ours })).toEqual({ [CLAUDE]: "{}" });
});

describe("settings that are not edited", () => {
  it.each<[string, OwnNotifications, string, string, RegExp]>([
    ["broken JSON", claude, CLAUDE, "{ broken", /settings\.json is not valid JSON at line 1/],
    ["comments where the agent takes none", claude, CLAUDE, "// a\n{}", /not valid JSON/],
    ["a list", claude, CLAUDE, "[]", /does not hold a JSON object/],
    ["no object where one belongs", gemini, GEMINI, '{"general": 5}', /"general" is not an object/],
    ["broken TOML", codex, CODEX, "[tui\n", /config\.toml is not valid TOML at line 1/],
    ["a list of many lines", codex, CODEX, "[tui]\nnotifications = [\n  'a',\n]\n", /can't be edited safely/],
    ["an inline table", codex, CODEX, "tui = { theme = 'x' }\n", /can't be edited safely/],
  ])("%s is refused, with the place", async (_what, notifications, path, text, message) => {
    await expect(notifications.planSilence(requestFor({ [path]: text }))).rejects.toThrow(message);
  });

  it("is not misled by what only looks like the key", async () => {
    const text = 'a = """\n[tui]\nnotifications = true\n"""\n';
    const silenced = await silence(codex, { [CODEX]: text });
    expect(silenced[CODEX]).toBe(`${text}\n[tui]\nnotifications = false\n`);
    expect(await restore(codex, silenced)).toEqual({ [CODEX]: text });
  });

  it("is left where what was there before is no longer known", async () => {
    const silenced = await silence(claude, { [CLAUDE]: "{}" });
    const odd = { ...silenced, [`${CLAUDE}.agtmux-notifications`]: "{}" };
    await expect(claude.planRestore(requestFor(odd))).rejects.toThrow("is not as agtmux wrote it");
  });
});

it("makes the objects on the way to a key, and takes out those alone", async () => {
  const deep = createOwnNotifications({
    what: "rings",
    path: () => "/s.json",
    form: "json",
    settings: [{ key: ["a", "b"], off: false, isOnByDefault: true }],
  });
  for (const before of [
    "{}",
    '{"x":1}',
    '{"a":{}}',
    '{\n  "x": 1\n}\n',
    '{\n  "a": {\n    "c": 1\n  }\n}\n',
  ]) {
    const silenced = await silence(deep, { "/s.json": before });
    expect(JSON.parse(silenced["/s.json"] ?? "")).toMatchObject({ a: { b: false } });
    expect(await restore(deep, silenced)).toEqual({ "/s.json": before });
  }
});
