// `npm run merges`: many generated concurrent edits, merges of a document of a megabyte with their times, and writes that are
// killed. `-- --cases N` (100,000), `--seed N`, `--large N` (60), `--kills N` (1,000). It goes on where it was stopped, on the same
// sources; `--minutes N` stops it after so long, `--fresh` begins again. Fails on any finding.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import * as z from "zod";
import { spreadOf } from "../../bench/statistics.ts";
import { locateDocument } from "../../features/documents/files/documentPaths.ts";
import { writeResponse } from "../../features/documents/flow/writeResponse.ts";
import { mergeTexts } from "../../features/documents/model/mergeTexts.ts";
import { describeRun, openLongRun } from "../setup/longRun.ts";
import { findFault, makeConcurrent, randomFrom } from "./concurrentEdits.ts";
import { bundleKilledWrite, createKiller, KILL_STEPS } from "./kills.ts";
import { makeLarge } from "./largeEdit.ts";

const { values } = parseArgs({
  options: {
    cases: { type: "string", default: "100000" },
    seed: { type: "string", default: String(Date.now() & 0x7fffffff) },
    large: { type: "string", default: "60" },
    kills: { type: "string", default: "1000" },
    minutes: { type: "string", default: "600" },
    fresh: { type: "boolean", default: false },
  },
});
const [cases, large, kills] = [values.cases, values.large, values.kills].map(Number) as [
  number,
  number,
  number,
];
/** Between two looks at the clock; each has numbers of its own, so that a case is found again by the seed. */
const BATCH = 1_000;
const LANES = 2;

const killedSchema = z.object({ kills: z.number(), wrong: z.number() });
const stateSchema = z.object({
  seed: z.number(),
  runs: z.array(z.string()),
  cases: z.number(),
  mergeMs: z.array(z.number()),
  writeMs: z.array(z.number()),
  killed: z.record(z.string(), killedSchema),
  faults: z.array(z.string()),
});

const run = openLongRun({
  name: "merges",
  sources: ["features/documents", "test/merges"],
  schema: stateSchema,
  begin: () => ({
    seed: Number(values.seed),
    runs: [],
    cases: 0,
    mergeMs: [],
    writeMs: [],
    killed: {},
    faults: [],
  }),
  isFresh: values.fresh,
  minutes: Number(values.minutes),
});
const { state } = run;
state.runs.push(describeRun());

const report = (fault: string): void => {
  state.faults.push(fault);
  console.log(`\n✗ ${fault}`);
};

const runCases = (): void => {
  while (state.cases < cases && !run.isOver()) {
    const random = randomFrom(state.seed + state.cases);
    for (let made = 0; made < BATCH; made += 1) {
      const edits = makeConcurrent(random);
      const fault = findFault(edits);
      if (fault !== null) report(`${fault}\n${JSON.stringify(edits, null, 1)}`);
    }
    state.cases += BATCH;
    run.save();
  }
};

const wrap = (text: string): string =>
  `<!-- agent:exchange mode=append -->\n${text}<!-- /agent:exchange -->\n`;

const runLarge = async (folder: string): Promise<void> => {
  mkdirSync(join(folder, ".agent-doc"));
  const file = join(folder, "large.md");
  while (state.mergeMs.length < large && !run.isOver()) {
    const { base, agent, person } = makeLarge(randomFrom(state.seed + state.mergeMs.length), 1_000_000);
    const at = performance.now();
    mergeTexts(base, agent, person);
    state.mergeMs.push(performance.now() - at);
    writeFileSync(file, wrap(person));
    // Older than a moment, as a file that nobody saves just now.
    await delay(30);
    const from = performance.now();
    await writeResponse({
      paths: await locateDocument(file, folder),
      response: agent.slice(-12_000),
      baseline: wrap(base),
      mergeByLines: (...texts) => Promise.resolve(mergeTexts(...texts)),
      way: "auto",
      now: Date.now(),
    });
    state.writeMs.push(performance.now() - from);
    run.save();
  }
};

const runKills = async (folder: string): Promise<void> => {
  let next = Object.values(state.killed).reduce((sum, one) => sum + one.kills, 0);
  const script = await bundleKilledWrite();
  const lane = async (at: number): Promise<void> => {
    const own = join(folder, `lane-${at}`);
    mkdirSync(own);
    const killer = createKiller(script, own, Math.random);
    while (next < kills && !run.isOver()) {
      const number = next;
      next += 1;
      const step = KILL_STEPS[number % KILL_STEPS.length] ?? KILL_STEPS[0];
      const fault = await killer.kill(step, number);
      const before = state.killed[step] ?? { kills: 0, wrong: 0 };
      state.killed[step] = { kills: before.kills + 1, wrong: before.wrong + (fault === null ? 0 : 1) };
      if (fault !== null) report(fault);
      run.save();
    }
  };
  await Promise.all(Array.from({ length: LANES }, (_, at) => lane(at)));
};

const folder = mkdtempSync(join(tmpdir(), "agtmux-merges-"));
try {
  runCases();
  await runLarge(folder);
  await runKills(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const [merge, write] = [spreadOf(state.mergeMs), spreadOf(state.writeMs)];
const ms = (value: number): string => `${value.toFixed(0)} ms`;
const killed = Object.values(state.killed);
const total = killed.reduce((sum, one) => sum + one.kills, 0);
const wrong = killed.reduce((sum, one) => sum + one.wrong, 0);
console.log(`${[...new Set(state.runs)].join("\n")}\nseed ${state.seed}, in ${state.runs.length} runs\n`);
console.log(`${state.cases} concurrent edits: ${state.faults.length - wrong} faults`);
console.log(
  `${merge.count} merges of 1 MB: median ${ms(merge.median)}, p95 ${ms(merge.p95)}; written with all that belongs to it: median ${ms(write.median)}, p95 ${ms(write.p95)}`,
);
console.log(`${total} kills: ${wrong} answers lost or doubled`);
for (const [step, one] of Object.entries(state.killed))
  console.log(`  ${step}: ${one.kills}, wrong ${one.wrong}`);
const isWhole = state.cases >= cases && merge.count >= large && total >= kills;
if (!isWhole) console.log("\nNot all of it yet: the same command goes on.");
process.exit(state.faults.length === 0 ? 0 : 1);
