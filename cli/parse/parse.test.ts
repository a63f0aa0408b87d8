import { describe, expect, test } from "vitest";
import { AgtmuxError } from "../../core/model/errors.ts";
import { readDuration } from "../../core/model/words.ts";
import { parseDuration, parseSince } from "./values.ts";
import { parseFilters, parseGuards } from "./filters.ts";

const failureOf = (work: () => unknown): AgtmuxError => {
  try {
    work();
  } catch (error) {
    if (error instanceof AgtmuxError) return error;
    throw error;
  }
  throw new Error("it did not fail");
};

describe("durations", () => {
  test.each([
    ["500ms", 500],
    ["30s", 30_000],
    ["30", 30_000],
    ["1.5m", 90_000],
    ["2h", 7_200_000],
    ["1d", 86_400_000],
  ])("%s is %i ms", (text, ms) => {
    expect(parseDuration(text, "--interval")).toBe(ms);
  });

  test.each(["", "0", "0s", "-1s", "5 minutes", "1h30m", "NaN", "1e3", "9".repeat(400), "999999999999d"])(
    "'%s' is none",
    (text) => {
      expect(readDuration(text)).toBeNull();
      expect(failureOf(() => parseDuration(text, "--interval")).code).toBe("E_USAGE");
    },
  );
});

describe("--since", () => {
  const now = Date.parse("2026-11-21T09:00:00Z");
  test.each([
    ["0", { version: 0, time: null }],
    ["1234", { version: 1_234, time: null }],
    ["2026-11-21T08:00:00Z", { version: null, time: now - 3_600_000 }],
    ["2026-11-21T10:00:00+02:00", { version: null, time: now - 3_600_000 }],
    ["10m", { version: null, time: now - 600_000 }],
  ])("%s", (text, since) => {
    expect(parseSince(text, now)).toEqual(since);
  });

  test.each(["", "yesterday", "1.5.2", "-3", "99999999999999999999", `${"9".repeat(400)}d`])(
    "'%s' is refused",
    (text) => {
      expect(failureOf(() => parseSince(text, now)).code).toBe("E_USAGE");
    },
  );
});

describe("filters", () => {
  test("are only what was asked", () => {
    expect(parseFilters({ allTargets: true })).toEqual({});
    expect(
      parseFilters({
        target: ["vm1"],
        session: ["a,b", "c"],
        state: ["idle,error", "idle"],
        agent: ["claude", "codex, gemini"],
        needsAction: true,
        all: true,
      }),
    ).toEqual({
      target: ["vm1"],
      session: ["a,b", "c"],
      state: ["idle", "error"],
      agent: ["claude", "codex", "gemini"],
      needsAction: true,
      all: true,
    });
  });

  test("that contradict or make no sense are refused with what to do", () => {
    expect(failureOf(() => parseFilters({ target: ["a"], allTargets: true })).message).toContain("exclude");
    expect(failureOf(() => parseFilters({ targetSession: ["a/b", "work"] })).message).toContain(
      "<target>/<session>",
    );
    expect(failureOf(() => parseFilters({ state: ["idle,waiting"] })).remedy).toContain(
      "waiting_approval, waiting_input",
    );
    for (const name of ["toString", "constructor", "__proto__"])
      expect(failureOf(() => parseFilters({ state: [name] })).code).toBe("E_USAGE");
    expect(failureOf(() => parseFilters({ agent: ["a,,b"] })).message).toContain("empty name");
    expect(failureOf(() => parseFilters({ session: [""] })).message).toContain("--session is empty");
  });
});

test("guards are read, and a wrong one never reaches the daemon", () => {
  expect(
    parseGuards({ ifState: "running", ifUpdatedWithin: "5s", ifRuntime: "rt1", forceStale: true }),
  ).toEqual({
    ifState: "running",
    ifUpdatedWithinMs: 5_000,
    ifRuntime: "rt1",
    forceStale: true,
  });
  expect(failureOf(() => parseGuards({ ifState: "busy" })).code).toBe("E_USAGE");
});
