// `npm run bench:detect`: runs labelled recordings through the production path and says what the product would have shown.
// `-- --corpus DIR` takes another folder in the layout of test/fixtures/recordings, `--json` prints JSON instead of
// Markdown. Exits 1 when the gate fails, 2 for wrong arguments.
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createAdapterRegistry } from "../../adapters/index.ts";
import { loadCorpus } from "./corpus.ts";
import { evaluate } from "./evaluate.ts";
import { toJson } from "./json.ts";
import { toMarkdown } from "./report.ts";

const OWN_CORPUS = fileURLToPath(new URL("../../test/fixtures/recordings", import.meta.url));

const readArguments = (): { corpus: string; json: boolean } | null => {
  try {
    const { values } = parseArgs({
      options: { corpus: { type: "string" }, json: { type: "boolean", default: false } },
    });
    return { corpus: values.corpus === undefined ? OWN_CORPUS : resolve(values.corpus), json: values.json };
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    console.error("usage: npm run bench:detect -- [--corpus DIR] [--json]");
    return null;
  }
};

const options = readArguments();
if (options === null) process.exitCode = 2;
else {
  const began = performance.now();
  const corpus = loadCorpus(options.corpus);
  for (const { file, problem } of corpus.problems) console.error(`${file}: ${problem}`);
  const evaluation = evaluate(corpus, createAdapterRegistry());
  const tookMs = performance.now() - began;
  const input = { corpusFolder: options.corpus, corpus, evaluation, tookMs };
  console.log(options.json ? JSON.stringify(toJson(input), null, 2) : toMarkdown(input).trimEnd());
  process.exitCode = evaluation.isPassed ? 0 : 1;
}
