import { expect, it } from "vitest";
import { readPrefs } from "./readPrefs.ts";

const DEFAULTS = { popoverHeight: 600, terminal: { kind: "auto" }, shortcut: "Control+Alt+A" };

it.each<[string, unknown, object]>([
  ["an empty file", {}, DEFAULTS],
  ["a file of the first version", { popoverHeight: 720 }, { ...DEFAULTS, popoverHeight: 720 }],
  ["no shortcut", { shortcut: null }, { ...DEFAULTS, shortcut: null }],
  [
    "one bad value among good ones",
    { popoverHeight: 9e9, shortcut: "Alt+B" },
    { ...DEFAULTS, shortcut: "Alt+B" },
  ],
  ["a terminal that only a newer version knows", { terminal: { kind: "known", id: "new" } }, DEFAULTS],
  ["what is no object", "text", DEFAULTS],
])("reads %s", (_what, stored, expected) => expect(readPrefs(stored)).toEqual(expected));
