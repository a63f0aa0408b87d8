import { expect, it } from "vitest";
import { parseTime } from "./values.ts";

const NOON = new Date(2026, 10, 23, 12, 0).getTime();

it("is the next one that comes, or that of a day", () => {
  const local = (text: string) => new Date(parseTime(text, NOON)).toString().slice(4, 21);
  expect(local("13:05")).toBe("Nov 23 2026 13:05");
  expect(local("7:00")).toBe("Nov 24 2026 07:00");
  expect(local("12:00")).toBe("Nov 24 2026 12:00");
  expect(local("2026-12-31T23:59")).toBe("Dec 31 2026 23:59");
  expect(local("2026-12-31 00:00")).toBe("Dec 31 2026 00:00");
});

it.each(["", "7", "24:00", "12:60", "7pm", "2026-02-30T07:00", "2026-13-01T07:00", "-1:00", "07:00:00"])(
  "%j is no time",
  (text) => {
    expect(() => parseTime(text, NOON)).toThrow(expect.objectContaining({ code: "E_USAGE" }));
  },
);
