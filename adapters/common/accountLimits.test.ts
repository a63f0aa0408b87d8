// What the files of agents say of limits: as they are documented and were recorded, cut, of other forms, and hostile.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { claudeLimits } from "../claude/history.ts";
import { codexLimits } from "../codex/history.ts";
import { limitWindow } from "./accountLimits.ts";

const SAID = Date.UTC(2026, 10, 29, 12);
const HOUR_S = 3_600;
const at = (inSeconds: number): number => SAID / 1_000 + inSeconds;

const count = (limits: unknown, time = SAID): string =>
  JSON.stringify({
    timestamp: new Date(time).toISOString(),
    type: "event_msg",
    payload: { type: "token_count", info: null, rate_limits: limits },
  });
const PRIMARY = { used_percent: 7.5, window_minutes: 300, resets_at: at(2 * HOUR_S) };
const SECONDARY = { used_percent: 77, window_minutes: 10_080, resets_at: at(70 * HOUR_S) };

describe("Codex", () => {
  const read = (...lines: string[]) => codexLimits.read(lines.join("\n"), 0);

  it("says what the provider said last, with its two windows", () => {
    const older = count({ primary: { ...PRIMARY, used_percent: 1 }, secondary: null }, SAID - 60_000);
    const text = [
      older,
      count({ limit_id: "codex", primary: PRIMARY, secondary: SECONDARY }),
      '{"type":"x"}',
    ];
    expect(read(...text)).toEqual({
      at: SAID,
      windows: [
        { minutes: 300, usedPercent: 7.5, resetsAt: SAID + 2 * HOUR_S * 1_000 },
        { minutes: 10_080, usedPercent: 77, resetsAt: SAID + 70 * HOUR_S * 1_000 },
      ],
    });
  });

  it("says nothing in a log without a subscription, as recorded", () => {
    const path = fileURLToPath(new URL("../../test/fixtures/transcripts/codex.jsonl", import.meta.url));
    const log = readFileSync(path, "utf8");
    expect(log).toContain('"rate_limits"');
    expect(codexLimits.read(log, 0)).toBeNull();
  });

  it("takes the form of earlier versions, and no limit of a model alone", () => {
    const early = { primary: { used_percent: 3, window_minutes: 299, resets_in_seconds: 60 } };
    expect(read(count(early))?.windows).toEqual([{ minutes: 299, usedPercent: 3, resetsAt: SAID + 60_000 }]);
    expect(read(count({ limit_id: "codex_other", primary: PRIMARY }))).toBeNull();
  });

  it("passes over lines that are cut, and what a person or a model wrote about limits", () => {
    const whole = count({ primary: PRIMARY });
    const said = JSON.stringify({
      timestamp: new Date(SAID).toISOString(),
      type: "response_item",
      payload: {
        type: "message",
        content: whole,
        rate_limits: { primary: { ...PRIMARY, used_percent: 99 } },
      },
    });
    expect(read(whole.slice(20), whole, said, whole.slice(0, -9))?.windows[0]?.usedPercent).toBe(7.5);
  });

  it.each([
    ["no time", count({ primary: PRIMARY }).replace(/"timestamp":"[^"]+"/, '"timestamp":"soon"')],
    ["a list", count([PRIMARY])],
    ["a text", count("primary")],
    ["null", count(null)],
    ["windows that are texts", count({ primary: "90", secondary: true })],
  ])("says nothing with %s", (_what, line) => {
    expect(read(line)).toBeNull();
  });
});

describe("Claude Code", () => {
  const status = (limits: unknown): string =>
    JSON.stringify({ session_id: "s", model: { id: "m" }, rate_limits: limits });

  it("says what its status line got, as of when that was kept", () => {
    const five = { used_percentage: 23.5, resets_at: at(HOUR_S) };
    const text = status({ five_hour: five, seven_day: { used_percentage: 41, resets_at: at(90 * HOUR_S) } });
    expect(claudeLimits.read(text, SAID)).toEqual({
      at: SAID,
      windows: [
        { minutes: 300, usedPercent: 23.5, resetsAt: SAID + HOUR_S * 1_000 },
        { minutes: 10_080, usedPercent: 41, resetsAt: SAID + 90 * HOUR_S * 1_000 },
      ],
    });
  });

  it.each([
    ["half a file", status({ five_hour: { used_percentage: 1, resets_at: at(60) } }).slice(0, 60)],
    ["no limits", JSON.stringify({ session_id: "s" })],
    ["none of a subscription", status(null)],
    ["nothing", ""],
    ["another window", status({ one_year: { used_percentage: 1, resets_at: at(60) } })],
  ])("says nothing with %s", (_what, text) => {
    expect(claudeLimits.read(text, SAID)).toBeNull();
  });
});

describe("a window", () => {
  const window = (value: unknown) => limitWindow(value, SAID, { percent: "used", minutes: null });
  const good = { used: 50, window_minutes: 300, resets_at: at(60) };

  it.each([
    ["its share is a text", { ...good, used: "50" }],
    ["its share is below zero", { ...good, used: -1 }],
    ["its share is no share", { ...good, used: 1e9 }],
    ["its share is missing", { window_minutes: 300, resets_at: at(60) }],
    ["it ends nowhere", { used: 50, window_minutes: 300 }],
    ["it ended before it was said", { ...good, resets_at: at(-1) }],
    ["it ends in a year", { ...good, resets_at: at(366 * 24 * HOUR_S) }],
    ["its end is in milliseconds", { ...good, resets_at: SAID + 60_000 }],
    ["its end is no time", { ...good, resets_at: "soon" }],
    ["it is a list", [good]],
    ["it is null", null],
  ])("is none where %s", (_why, value) => {
    expect(window(value)).toBeNull();
  });

  it.each([
    [0, null],
    [-5, null],
    [1e12, null],
    ["300", null],
    [299.6, 300],
  ])("of the length %s is one of %s minutes", (given, minutes) => {
    expect(window({ ...good, window_minutes: given })).toEqual({
      minutes,
      usedPercent: 50,
      resetsAt: SAID + 60_000,
    });
  });
});
