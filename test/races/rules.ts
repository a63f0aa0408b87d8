// `npm run race:rules`: what is claimed of answers that rules give, at full length, with the machine and the versions. Prints Markdown
// and fails when an answer reached another prompt, or one that was in doubt. `--races N` over the model (100,000), `--real N` on
// real tmux (2,000), `--seed N`, `--lanes N` servers at once (6).
import { parseArgs } from "node:util";
import { RULE_KINDS } from "./model/kinds.ts";
import { surveyModel } from "./model/survey.ts";
import { REAL_RULE_KINDS } from "./real/realEvents.ts";
import { surveyReal } from "./real/realSurvey.ts";
import { printHead, tallyTable, timed } from "./tables.ts";

const { values } = parseArgs({
  options: {
    races: { type: "string", default: "100000" },
    real: { type: "string", default: "2000" },
    seed: { type: "string", default: "1" },
    lanes: { type: "string", default: "6" },
  },
});
const seed = Number(values.seed);
printHead("Races of rules", seed);
const model = await timed(
  "Model",
  () => surveyModel(Number(values.races), seed, null, RULE_KINDS),
  tallyTable,
);
const real = await timed(
  "Real tmux",
  () =>
    surveyReal({
      races: Number(values.real),
      seed,
      lanes: Number(values.lanes),
      kinds: REAL_RULE_KINDS,
    }),
  tallyTable,
);
const faults = [
  ...model
    .filter(({ name, outcomes }) => {
      const isRefusal = RULE_KINDS.some((one) => one.name === name && one.isRefusal === true);
      return isRefusal && outcomes.delivered > 0;
    })
    .map(({ name }) => `${name}: something in doubt was approved`),
  ...real.flatMap((tally) => tally.faults.map((fault) => `${tally.name}: ${fault}`)),
];
for (const fault of faults) console.log(`\nWRONG ${fault}`);
console.log(faults.length === 0 ? "\nNothing went wrong." : `\n${faults.length} went wrong.`);
process.exitCode = faults.length === 0 ? 0 : 1;
