// The list of settings is closed by hand, and docs/notifications.md tells people what they may set.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DEFAULT_CONFIG, SETTING_SCHEMAS, settingsOf } from "./config.ts";
import { NOTIFICATION_KINDS } from "./notifications.ts";
import { SETTING_KEYS } from "./settingKeys.ts";

const DOCUMENT = readFileSync(join(import.meta.dirname, "../../docs/notifications.md"), "utf8");

/** The first cell of each row of the table of keys. */
const documentedKeys = (): string[] => {
  const table = DOCUMENT.slice(DOCUMENT.indexOf("| key in `notifications`"));
  const cells = [...table.matchAll(/^\| (`.*?`) +\|/gm)].map(([, cell = ""]) => cell);
  return cells
    .flatMap((cell) => cell.split(" "))
    .map((key) => key.replaceAll("`", ""))
    .flatMap((key) =>
      key.endsWith(".<kind>") ? NOTIFICATION_KINDS.map((kind) => key.replace("<kind>", kind)) : [key],
    );
};

it("can be set for every key that the document on notifications lists, and the document lists each", () => {
  const settable = SETTING_KEYS.filter((key) => key.startsWith("notifications."));
  expect(settable.toSorted()).toEqual(
    documentedKeys()
      .map((key) => `notifications.${key}`)
      .toSorted(),
  );
});

it("takes every default, and null for what may be switched off", () => {
  const defaults = settingsOf(DEFAULT_CONFIG);
  for (const key of SETTING_KEYS) expect(SETTING_SCHEMAS[key].safeParse(defaults[key]).success).toBe(true);
  const stalled = SETTING_SCHEMAS["notifications.stalled_after_ms"];
  expect([null, 60_000, 59_999, "x"].map((value) => stalled.safeParse(value).success)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
