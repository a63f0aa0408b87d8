// The gate on the repository's own recordings, as they were recorded. Their variations: detect.slow.test.ts.
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createAdapterRegistry } from "../../adapters/index.ts";
import { loadCorpus } from "../../bench/detect/corpus.ts";
import { evaluate, type Evaluation } from "../../bench/detect/evaluate.ts";
import { toJson } from "../../bench/detect/json.ts";
import { summaryLine, toMarkdown } from "../../bench/detect/report.ts";
import { describeFailures } from "./describeFailures.ts";

const FOLDER = join(import.meta.dirname, "../fixtures/recordings");
/** A thousand plays, on machines with other things to do. */
const GATE_MS = 180_000;

describe("the recorded corpus", () => {
  const corpus = loadCorpus(FOLDER);
  let evaluation: Evaluation;
  beforeAll(() => {
    evaluation = evaluate(
      corpus,
      createAdapterRegistry(),
      () => [],
      () => [],
    );
  }, GATE_MS);

  it("is whole, and every agent in it has an adapter", () => {
    expect(corpus.problems).toEqual([]);
    expect(evaluation.withoutAdapter).toEqual([]);
  });
  it("passes the gate as it was recorded", () => {
    expect(describeFailures(evaluation)).toEqual([]);
    expect(evaluation.isPassed).toBe(true);
  });
  it("is shown as labelled, frame by frame, where both witnesses are heard", () => {
    const recorded = evaluation.scored.filter(({ mode, variation }) => mode === "both" && variation === null);
    expect(recorded).toHaveLength(corpus.frames.length);
    expect(
      recorded.filter(({ outcome }) => outcome !== "right").map(({ agent, frame }) => [agent, frame]),
    ).toEqual([]);
  });
  it("is reported per agent and version, with one summary line at the end", () => {
    const input = { corpusFolder: FOLDER, corpus, evaluation, tookMs: 1_000 };
    const markdown = toMarkdown(input);
    for (const { agent, version } of corpus.frames) expect(markdown).toContain(`### ${agent}: ${version}`);
    expect(markdown.trimEnd().split("\n").at(-1)).toBe(summaryLine(input));
    expect(toJson(input).cases).toHaveLength(evaluation.scored.length);
  });
});
