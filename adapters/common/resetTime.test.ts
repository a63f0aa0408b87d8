import { describe, expect, it } from "vitest";
import { readResetTime } from "./resetTime.ts";

const AT = Date.parse("2026-11-23T08:57:00Z");
const read = (text: string, timeZone: string | null = "UTC", at = AT) => {
  const time = readResetTime(text, { at, timeZone });
  return time === null ? null : new Date(time).toISOString().slice(0, 16);
};
const CODEX =
  "You’ve hit your usage limit. Visit https://chatgpt.com/settings/usage to purchase more credits or";

describe("when a limit ends", () => {
  it.each([
    ["You've hit your limit · resets 10:27am (UTC)", null, "2026-11-23T10:27"],
    ["You've hit your limit · resets Nov 26, 3:38am (UTC)", null, "2026-11-26T03:38"],
    ["You've hit your limit · resets 1pm (UTC)", null, "2026-11-23T13:00"],
    ["You've hit your limit · resets 3pm (Europe/Berlin)", null, "2026-11-23T14:00"],
    ["You've hit your limit · resets 8:30am (UTC)", null, "2026-11-24T08:30"],
    [`${CODEX} try again at 10:26 AM.`, "America/New_York", "2026-11-23T15:26"],
    [`${CODEX} try again at Nov 26th, 2026 3:36 AM.`, "Asia/Kolkata", "2026-11-25T22:06"],
    [`${CODEX} try again at Jan 1st, 2027 12:05 AM.`, "UTC", null],
    [`${CODEX} try again at Dec 1st, 2026 12:05 AM.`, "UTC", "2026-12-01T00:05"],
  ])("is read from '%s' in %s", (text, zone, expected) => {
    expect(read(text, zone)).toBe(expected);
  });

  it("is the new year's where the date is over in this one", () => {
    expect(read("resets Jan 2, 3am (UTC)", null, Date.parse("2026-12-30T00:00:00Z"))).toBe(
      "2027-01-02T03:00",
    );
  });

  it("is the later time where a clock is set back, and is there where one is set forward", () => {
    const before = Date.parse("2026-10-24T20:00:00Z");
    expect(read("resets 2:30am (Europe/Berlin)", null, before)).toBe("2026-10-25T01:30");
    const spring = Date.parse("2026-03-28T20:00:00Z");
    expect(read("resets 2:30am (Europe/Berlin)", null, spring)).toBe("2026-03-29T01:30");
  });

  it.each([
    [`${CODEX} try again at 10:26 AM.`, null],
    ["You've hit your limit · resets 10:27am (Mars/Olympus)", "UTC"],
    ["Usage limit reached · continuing automatically at 10:27am", "UTC"],
    ["resets 25:00pm", "UTC"],
    ["resets 13am", "UTC"],
    ["resets Foo 3, 3am", "UTC"],
    ["Request rejected (429)", "UTC"],
    ["", "UTC"],
  ])("is not known from '%s' in %s", (text, zone) => {
    expect(read(text, zone)).toBeNull();
  });
});
