import { expect, it } from "vitest";
import { readPrefs } from "./readPrefs.ts";

const DEFAULTS = {
  popoverHeight: 600,
  terminal: { kind: "auto" },
  shortcut: "Control+Alt+A",
  areNoticesExplained: false,
  skippedVersion: null,
  updateAskedAt: 0,
};

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
])("reads %s", (_what, stored, expected) => expect(readPrefs(stored, "linux")).toEqual(expected));

it("leaves the keys of VoiceOver alone on a Mac", () => {
  expect(readPrefs({}, "darwin").shortcut).toBe("Control+Shift+A");
  expect(readPrefs({ shortcut: "Control+Alt+A" }, "darwin").shortcut).toBe("Control+Alt+A");
});
