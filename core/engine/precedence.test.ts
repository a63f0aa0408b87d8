// The precedence of the canonical states, between candidates that are all fresh, and the one time of it that is configured.
import { describe, expect, it } from "vitest";
import {
  API_ERROR,
  APPROVAL,
  boundary,
  COMPLETED,
  IDLE,
  livenessAt,
  QUESTION,
  RUNNING,
  shows,
} from "../../test/factories/evidence.ts";
import { configSchema } from "../model/config.ts";
import type { Evidence } from "../model/evidence.ts";
import { CANONICAL_STATES, topState, type Status } from "../model/state.ts";
import { foldEvidence } from "./testkit/foldEvidence.ts";
import { resolve } from "./resolve.ts";

const T = 1_000_000;
const { timing } = configSchema.parse({});
const stateOf = (evidence: Evidence[], at = T + 10, times = timing) =>
  resolve({ facts: foldEvidence(evidence), liveness: livenessAt(at), at, timing: times }).status.state;

/** Highest first. */
const ORDER: readonly Status[] = [
  API_ERROR,
  APPROVAL,
  QUESTION,
  RUNNING,
  COMPLETED,
  IDLE,
  { state: "unknown", reasonCode: "unsupported_signal" },
];
const pairs = ORDER.flatMap((higher, index) => ORDER.slice(index + 1).map((lower) => ({ higher, lower })));

it("has the seven states of the specification, the most urgent first", () => {
  expect(CANONICAL_STATES).toEqual(ORDER.map(({ state }) => state));
});

describe("of two fresh candidates", () => {
  it.each(pairs)("$higher.state wins over $lower.state, whoever says which", ({ higher, lower }) => {
    expect(stateOf([shows(T, higher), shows(T, lower, { source: "transcript" })])).toBe(higher.state);
    expect(stateOf([shows(T, lower), shows(T, higher, { source: "transcript" })])).toBe(higher.state);
    expect(topState([lower.state, higher.state])).toBe(higher.state);
  });

  it("one that is stale is not asked: precedence comes after freshness", () => {
    const both = [shows(T, API_ERROR), shows(T + 11_000, IDLE, { source: "transcript" })];
    expect(stateOf(both, T + 11_010)).toBe("error");
    // The screen changed into something unknown right after it showed the error.
    const { status } = resolve({
      facts: foldEvidence(both),
      liveness: livenessAt(T + 11_010, { unrecognisedSince: T + 500 }),
      at: T + 11_010,
      timing,
    });
    expect(status.state).toBe("idle");
  });
});

describe("completed", () => {
  it("is idle after 120 seconds, or after as long as config.json says", () => {
    const ended = [boundary(T, COMPLETED)];
    const shorter = configSchema.parse({ timing: { completed_demotion_ms: 5_000 } }).timing;
    expect([stateOf(ended, T + 119_999), stateOf(ended, T + 120_000)]).toEqual(["completed", "idle"]);
    expect([stateOf(ended, T + 4_999, shorter), stateOf(ended, T + 5_000, shorter)]).toEqual([
      "completed",
      "idle",
    ]);
  });
});
