// `npm run race:rules`: what is claimed of answers that rules give, at full length, with the machine and the versions. Prints Markdown
// and fails when an answer reached another prompt, or one that was in doubt. `--races N` over the model (100,000), `--real N` on
// real tmux (2,000), `--seed N`, `--lanes N` servers at once (6). `--minutes N` ends it after about so long; the same command goes
// on where it stopped, and `--again` begins from nothing.
import { parseArgs } from "node:util";
import * as z from "zod";
import { RULE_KINDS } from "./model/kinds.ts";
import { OUTCOMES, surveyModel } from "./model/survey.ts";
import { REAL_RULE_KINDS } from "./real/realEvents.ts";
import { emptySurvey, surveyReal } from "./real/realSurvey.ts";
import { openLongRun } from "../setup/longRun.ts";
import { printHead, tallyTable } from "./tables.ts";

const { values } = parseArgs({
  options: {
    races: { type: "string", default: "100000" },
    real: { type: "string", default: "2000" },
    seed: { type: "string", default: "1" },
    lanes: { type: "string", default: "6" },
    minutes: { type: "string", default: "0" },
    again: { type: "boolean", default: false },
  },
});
const seed = Number(values.seed);
const [races, real] = [Number(values.races), Number(values.real)];
const tallySchema = z.object({
  name: z.string(),
  races: z.number(),
  outcomes: z.record(z.enum(OUTCOMES), z.number()),
});
const progress = openLongRun({
  name: "race-rules",
  asked: { seed, races, real, kinds: [...RULE_KINDS, ...REAL_RULE_KINDS].map(({ name }) => name) },
  schema: z.object({
    model: z.array(tallySchema),
    real: z.object({
      tallies: z.array(tallySchema.extend({ faults: z.array(z.string()) })),
      done: z.array(z.string()),
    }),
  }),
  begin: () => ({ model: [], real: emptySurvey(REAL_RULE_KINDS) }),
  isFresh: values.again,
  minutes: Number(values.minutes),
});
const { state: found } = progress;

printHead("Races of rules", seed);
if (found.model.length === 0) {
  found.model = await surveyModel(races, seed, null, RULE_KINDS);
  progress.save();
}
console.log(`\n## Model\n\n${tallyTable(found.model)}`);
await surveyReal({
  races: real,
  seed,
  lanes: Number(values.lanes),
  kinds: REAL_RULE_KINDS,
  state: found.real,
  onRace: () => progress.save(),
  isOver: () => progress.isOver(),
});
progress.save();
const all = Math.ceil(real / REAL_RULE_KINDS.length) * REAL_RULE_KINDS.length;
console.log(`\n## Real tmux, ${found.real.done.length} of ${all}\n\n${tallyTable(found.real.tallies)}`);
console.log(`\n## Parts\n\n${progress.describe()}`);
const faults = [
  ...found.model
    .filter(({ name, outcomes }) => {
      const isRefusal = RULE_KINDS.some((one) => one.name === name && one.isRefusal === true);
      return isRefusal && outcomes.delivered > 0;
    })
    .map(({ name }) => `${name}: something in doubt was approved`),
  ...found.real.tallies.flatMap((tally) => tally.faults.map((fault) => `${tally.name}: ${fault}`)),
];
for (const fault of faults) console.log(`\nWRONG ${fault}`);
const isDone = found.real.done.length >= all;
console.log(
  faults.length > 0
    ? `\n${faults.length} went wrong.`
    : `\nNothing went wrong${isDone ? "." : " so far: run it again to go on."}`,
);
process.exitCode = faults.length === 0 ? 0 : 1;
