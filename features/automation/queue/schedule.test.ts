import { describe, expect, it } from "vitest";
import { checkSchedule, nextOfSchedule } from "./decideSends.ts";

const BERLIN = "Europe/Berlin";
const local = (at: number): string =>
  new Intl.DateTimeFormat("sv-SE", { timeZone: BERLIN, dateStyle: "short", timeStyle: "short" }).format(at);

/** All times between two days, as a wall clock in Berlin shows them. */
const timesOf = (expression: string, from: string, to: string): string[] => {
  const times: string[] = [];
  let at = nextOfSchedule(expression, Date.parse(from), BERLIN);
  while (at !== null && at < Date.parse(to)) {
    times.push(local(at));
    at = nextOfSchedule(expression, at, BERLIN);
  }
  return times;
};

describe("a schedule", () => {
  it("comes once on each day, also when the clock jumps over it or shows it twice", () => {
    // On 28 March 2027 there is no 02:30 in Berlin; on 31 October 2027 there are two.
    expect(timesOf("30 2 * * *", "2027-03-26T12:00Z", "2027-03-30T12:00Z")).toEqual([
      "2027-03-27 02:30",
      "2027-03-28 03:00",
      "2027-03-29 02:30",
      "2027-03-30 02:30",
    ]);
    expect(timesOf("30 2 * * *", "2027-10-29T12:00Z", "2027-11-01T12:00Z")).toEqual([
      "2027-10-30 02:30",
      "2027-10-31 02:30",
      "2027-11-01 02:30",
    ]);
  });

  it("goes by the day of the week, lists and steps", () => {
    expect(timesOf("0 9 * * 1-5", "2026-11-20T12:00Z", "2026-11-24T12:00Z")).toEqual([
      "2026-11-23 09:00",
      "2026-11-24 09:00",
    ]);
    expect(timesOf("0,30 8-9 23 11 *", "2026-11-22T12:00Z", "2026-11-24T12:00Z")).toHaveLength(4);
    expect(timesOf("*/20 7 23 11 *", "2026-11-22T12:00Z", "2026-11-24T12:00Z")).toHaveLength(3);
  });

  it.each([
    ["", "form"],
    ["0 9 * *", "form"],
    ["0 9 * * * *", "form"],
    ["@daily", "form"],
    ["0 9 L * *", "form"],
    ["0 9 * JAN *", "form"],
    ["0 9 ? * *", "form"],
    ["0 9 * * 1#2", "form"],
    ["0 9 15W * *", "form"],
    ["0  9 * * *", "form"],
    ["0 9 * * *\n", "form"],
    ["61 9 * * *", ""],
    ["0 25 * * *", ""],
    ["0 9 0 * *", ""],
    ["0 9 * 13 *", ""],
    ["*/0 9 * * *", ""],
    ["9-5 9 * * *", ""],
    ["0 9 31 2 *", "never"],
  ])("%j is refused", (expression, why) => {
    expect(() => checkSchedule(expression)).toThrow(expect.objectContaining({ code: "E_USAGE" }));
    expect(() => checkSchedule(expression)).toThrow(why);
  });

  it.each(["0 9 * * 1-5", "*/5 * * * *", "0 0 1 1 *", "0 9 29 2 *", "1,2,30-40/2 0 * * 0,6"])(
    "%j is taken",
    (expression) => {
      expect(() => checkSchedule(expression)).not.toThrow();
    },
  );
});
