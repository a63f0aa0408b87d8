// The gate on all variations of the repository's own recordings. That it can fail: wrongAdapters.slow.test.ts.
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createAdapterRegistry } from "../../adapters/index.ts";
import { loadCorpus } from "../../bench/detect/corpus.ts";
import { evaluate, type Evaluation } from "../../bench/detect/evaluate.ts";
import { surveyToldRequests } from "../../bench/detect/toldRequests.ts";
import { describeFailures } from "./describeFailures.ts";

const FOLDER = join(import.meta.dirname, "../fixtures/recordings");
/** Some thousand plays, on machines with other things to do. */
const GATE_MS = 180_000;

describe("the recorded corpus", () => {
  const corpus = loadCorpus(FOLDER);
  let evaluation: Evaluation;
  beforeAll(() => {
    evaluation = evaluate(corpus, createAdapterRegistry(), () => []);
  }, GATE_MS);

  it("passes the gate: no false wait, no missed wait, no wrong state", () => {
    expect(describeFailures(evaluation)).toEqual([]);
    expect(evaluation.tooOftenUnknown).toEqual([]);
    expect(evaluation.isPassed).toBe(true);
  });
  it(
    "lets rules approve exactly what was asked: behind told requests, on every screen and variation",
    { timeout: GATE_MS },
    () => {
      const toldRequests = surveyToldRequests(corpus, createAdapterRegistry());
      expect(toldRequests.map(({ agent }) => agent)).toEqual(["claude", "opencode"]);
      expect(toldRequests.flatMap(({ outside }) => outside)).toEqual([]);
      for (const { screens, exact } of toldRequests) {
        expect(screens).toBeGreaterThan(400);
        // Where nothing can be approved nothing is shown.
        expect(exact).toBeGreaterThan(10);
      }
    },
  );
});
