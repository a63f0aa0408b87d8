// `npm run race`: what is claimed of the gate and of sending texts, at full length, with the machine and the versions.
// Prints Markdown and fails when anything reached a runtime or a prompt that it was not meant for.
// `--races N` over the model (100,000), `--requests N` pairs and triples of open requests (100,000), `--real N` on real tmux (2,000), `--texts N` (2,000), `--trials N` per delay of
// the window (100), each left out with 0; `--only TEXT`: kinds of the model that have it in their name; `--seed N`, `--lanes N` servers at once (6), `--without CHECK` takes a check out of the model's gate
// and is expected to fail.
import { parseArgs } from "node:util";
import { KINDS } from "./model/kinds.ts";
import { CHECKS } from "./model/modelExecutor.ts";
import { REQUEST_CHECKS, surveyRequests } from "./model/openRequests.ts";
import { surveyModel } from "./model/survey.ts";
import { surveyReal } from "./real/realSurvey.ts";
import { measureUndrawn, type UndrawnFigures } from "./real/undrawn.ts";
import { printHead, requestTable, table, tallyTable, timed } from "./tables.ts";
import { surveyTexts } from "./texts/textBench.ts";

const DELAYS_MS = [0, 5, 10, 20, 30, 50];

const { values } = parseArgs({
  options: {
    races: { type: "string", default: "100000" },
    requests: { type: "string", default: "100000" },
    real: { type: "string", default: "2000" },
    texts: { type: "string", default: "2000" },
    trials: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
    lanes: { type: "string", default: "6" },
    only: { type: "string", default: "" },
    without: { type: "string" },
  },
});
const seed = Number(values.seed);
const without = CHECKS.find((check) => check === values.without) ?? null;
const withoutRequest = REQUEST_CHECKS.find((check) => check === values.without) ?? null;
if (values.without !== undefined && without === null && withoutRequest === null)
  throw new Error(`--without takes one of: ${[...CHECKS, ...REQUEST_CHECKS].join(", ")}`);

const ms = (value: number): string => `${value.toFixed(1)} ms`;
const showWindow = ({ buckets, lookToKeys, callToKeys }: UndrawnFigures): string =>
  [
    table(
      ["drawn after", "answers", "swapped before the keys", "hit the undrawn prompt", "hit it once drawn"],
      buckets.map(({ delayMs, trials, swappedFirst, hits, wrong }) => [
        `${delayMs} ms`,
        trials,
        swappedFirst,
        hits,
        wrong,
      ]),
    ),
    `Last look to keys: median ${ms(lookToKeys.median)}, p95 ${ms(lookToKeys.p95)}.`,
    `Call of the action to keys: median ${ms(callToKeys.median)}, p95 ${ms(callToKeys.p95)}.`,
  ].join("\n\n");

const kinds = KINDS.filter(({ name }) => name.includes(values.only));
if (kinds.length === 0) throw new Error(`no kind of race has '${values.only}' in its name`);
/** Gives `none` where nothing of it is asked for. */
const unless0 = async <T>(count: string, work: () => Promise<T>, none: T): Promise<T> =>
  Number(count) > 0 ? work() : none;

printHead("Races", seed);
await timed("Model", () => surveyModel(Number(values.races), seed, without, kinds), tallyTable);
await unless0(
  values.requests,
  () =>
    timed(
      "Several open requests",
      () => Promise.resolve(surveyRequests(Number(values.requests), seed, withoutRequest)),
      requestTable,
    ),
  [],
);
const real = await unless0(
  values.real,
  () =>
    timed(
      "Real tmux",
      () => surveyReal({ races: Number(values.real), seed, lanes: Number(values.lanes) }),
      tallyTable,
    ),
  [],
);
const undrawn = await unless0(
  values.trials,
  () =>
    timed(
      "Prompt replaced inside and not drawn yet",
      () => measureUndrawn({ trials: Number(values.trials), delays: DELAYS_MS }),
      showWindow,
    ),
  null,
);
await unless0(
  values.texts,
  () =>
    timed(
      "Texts",
      () => surveyTexts(Number(values.texts), seed),
      ({ texts, bytes, largest, stripped }) =>
        `${texts} texts, ${bytes} bytes, the largest ${largest}, arrived byte for byte; ${stripped} control characters were left out.`,
    ),
  null,
);
const faults = [
  ...real.flatMap((tally) => tally.faults.map((fault) => `${tally.name}: ${fault}`)),
  ...(undrawn?.buckets ?? [])
    .filter(({ wrong }) => wrong > 0)
    .map(({ delayMs }) => `a drawn prompt was hit (${delayMs} ms)`),
];
for (const fault of faults) console.log(`\nWRONG ${fault}`);
console.log(faults.length === 0 ? "\nNothing went wrong." : `\n${faults.length} went wrong.`);
process.exitCode = faults.length === 0 ? 0 : 1;
