import { expect, it } from "vitest";
import { createAdapterRegistry } from "../../adapters/index.ts";
import { loadCorpus } from "../../bench/detect/corpus.ts";
import { surveyToldRequests } from "../../bench/detect/evaluate.ts";
import { GATE_MS, RECORDINGS } from "./describeGate.ts";

it(
  "rules may approve exactly what was asked: behind told requests, on every screen and variation",
  { timeout: GATE_MS },
  () => {
    const toldRequests = surveyToldRequests(loadCorpus(RECORDINGS), createAdapterRegistry());
    expect(toldRequests.map(({ agent }) => agent)).toEqual(["claude", "opencode"]);
    expect(toldRequests.flatMap(({ outside }) => outside)).toEqual([]);
    for (const { screens, exact } of toldRequests) {
      expect(screens).toBeGreaterThan(400);
      // Where nothing can be approved nothing is shown.
      expect(exact).toBeGreaterThan(10);
    }
  },
);
