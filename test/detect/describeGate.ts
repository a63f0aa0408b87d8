// The gate on all variations of some agents' recordings: no false wait, no missed wait, no wrong state.
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createAdapterRegistry } from "../../adapters/index.ts";
import { loadCorpus } from "../../bench/detect/corpus.ts";
import { evaluate, type Evaluation } from "../../bench/detect/evaluate.ts";
import { describeFailures } from "./describeFailures.ts";

export const RECORDINGS = join(import.meta.dirname, "../fixtures/recordings");
/** Some thousand plays, on machines with other things to do. */
export const GATE_MS = 180_000;

/** Agents with many recordings have a file of their own, with those that draw alike: a file is worked through within its time. */
const OWN_FILES: readonly string[] = ["claude", "codex", "opencode", "kilo", "gemini", "qwen"];

/** Of these agents; without any, of all that no other file has. */
export const describeGate = (...agents: readonly string[]): void => {
  describe("the recorded corpus", () => {
    const all = loadCorpus(RECORDINGS);
    const frames = all.frames.filter(({ agent }) =>
      agents.length === 0 ? !OWN_FILES.includes(agent) : agents.includes(agent),
    );
    let evaluation: Evaluation;
    beforeAll(() => {
      evaluation = evaluate({ ...all, frames }, createAdapterRegistry(), () => []);
    }, GATE_MS);

    it("passes the gate: no false wait, no missed wait, no wrong state", () => {
      expect(frames.length).toBeGreaterThan(100);
      expect(describeFailures(evaluation)).toEqual([]);
      expect(evaluation.tooOftenUnknown).toEqual([]);
      expect(evaluation.isPassed).toBe(true);
    });
  });
};
