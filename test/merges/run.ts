// `npm run merges`: many generated concurrent edits, merges of a document of a megabyte with their times, and writes that are
// killed. `-- --cases N` (100,000), `--seed N`, `--large N` (60), `--kills N` (1,000). It goes on where it was stopped, on the same
// sources; `--minutes N` stops it after so long, `--fresh` begins again. Fails on any finding.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import * as z from "zod";
import { spreadOf } from "../../bench/statistics.ts";
import { putInto, readPatchFile } from "../../editors/vscode/src/applyResponse.ts";
import { locateDocument } from "../../features/documents/files/documentPaths.ts";
import { recoverPending, writeResponse } from "../../features/documents/flow/writeResponse.ts";
import { mergeTexts } from "../../features/documents/model/mergeTexts.ts";
import { describeRun, openLongRun, sourcesKey } from "../setup/longRun.ts";
import { findFault, makeConcurrent, randomFrom } from "./concurrentEdits.ts";
import { makeLarge } from "./largeEdit.ts";

// Writes of a response that are killed, at a step or at any moment, and what is left of them: the answer is in the document or kept, and
// afterwards there once.

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ANY_MOMENT = "at any moment";

/** Those of the way over the disk, and of the way through an editor. */
const KILL_STEPS = [
  "pending saved",
  "locked",
  "written beside",
  "renamed",
  "in the file",
  "snapshot saved",
  "pending removed",
  ANY_MOMENT,
  "handed over",
  "acknowledged",
] as const;
type KillStep = (typeof KILL_STEPS)[number];

const isThroughEditor = (step: KillStep): boolean => step === "handed over" || step === "acknowledged";

/** One file, so that a process has it read in an instant. */
const bundleKilledWrite = async (): Promise<string> => {
  const outfile = join(ROOT, "dist", "test", "killedWrite.mjs");
  await build({
    entryPoints: [join(ROOT, "features/documents/flow/fixtures/killedWriteScript.ts")],
    outfile,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    logLevel: "warning",
  });
  return outfile;
};

const doc = "<!-- agent:exchange mode=append -->\nWhich way?\n<!-- /agent:exchange -->\n";

/** An editor that takes what it is handed a moment later, whether anybody still waits for it or not. */
const playEditor = (folder: string): { untilDone(): Promise<void>; close(): void } => {
  const patches = join(folder, ".agent-doc", "patches");
  const take = (): void => {
    for (const name of readdirSync(patches).filter((one) => one.endsWith(".json") && !one.startsWith("."))) {
      const path = join(patches, name);
      const patch = readPatchFile(readFileSync(path, "utf8"));
      if (patch === null) continue;
      writeFileSync(patch.file, putInto(patch, readFileSync(patch.file, "utf8")));
      rmSync(path, { force: true });
    }
  };
  const timer = setInterval(take, 15);
  return {
    untilDone: async () => {
      while (readdirSync(patches).length > 0) await delay(5);
    },
    close: () => clearInterval(timer),
  };
};

interface Killer {
  /** What is wrong afterwards; null where nothing is. `number` is in the answer. */
  kill(step: KillStep, number: number): Promise<string | null>;
}

/** Each in a folder of its own, which it may use as it likes. */
const createKiller = (script: string, folder: string, random: () => number): Killer => {
  /** As long as a write takes, from the start of its process to its last file. */
  let wholeMs = 300;
  const path = (name: string): string => join(folder, name);

  const run = async (step: KillStep): Promise<void> => {
    const from = performance.now();
    const child = spawn(process.execPath, [script, path("plan.md"), path("seen"), path("response"), step], {
      cwd: folder,
      stdio: "ignore",
      env: { ...process.env, NODE_COMPILE_CACHE: join(ROOT, "dist", "test", "cache") },
    });
    const ended = once(child, "exit");
    if (step === ANY_MOMENT) setTimeout(() => child.kill("SIGKILL"), wholeMs * (0.4 + 0.6 * random()));
    await ended;
    if (step === "pending removed") wholeMs = performance.now() - from;
    else if (step !== ANY_MOMENT && child.signalCode !== "SIGKILL")
      throw new Error(`a write never came to '${step}'`);
  };

  const kill = async (step: KillStep, number: number): Promise<string | null> => {
    const isEdited = isThroughEditor(step);
    rmSync(path(".agent-doc"), { recursive: true, force: true });
    mkdirSync(path(isEdited ? ".agent-doc/patches" : ".agent-doc"), { recursive: true });
    for (const name of ["plan.md", "seen"]) writeFileSync(path(name), doc);
    writeFileSync(path("response"), `Over the bridge, number ${number}.\n`);
    const editor = isEdited ? playEditor(folder) : null;
    try {
      await run(step);
      // The editor knows nothing of a command that has ended.
      await editor?.untilDone();
      const paths = await locateDocument(path("plan.md"), folder);
      // What was not whole yet has another name.
      const pending = existsSync(paths.pending)
        ? readdirSync(paths.pending).filter((one) => one.endsWith(".json")).length
        : 0;
      const times = () => readFileSync(path("plan.md"), "utf8").split(`number ${number}.`).length - 1;
      const before = times();
      await recoverPending({
        paths,
        mergeByLines: (...texts) => Promise.resolve(mergeTexts(...texts)),
        way: "auto",
        now: Date.now(),
      });
      // Killed before its first file, it took nothing over: then nothing was promised.
      const wasTaken = step !== ANY_MOMENT || before > 0 || pending > 0;
      const isGood = wasTaken ? (before > 0 || pending === 1) && times() === 1 : times() === 0;
      return isGood ? null : `a kill after '${step}': ${before} times before, ${times()} after`;
    } finally {
      editor?.close();
    }
  };
  return { kill };
};

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
  cases: z.number(),
  mergeMs: z.array(z.number()),
  writeMs: z.array(z.number()),
  killed: z.record(z.string(), killedSchema),
  faults: z.array(z.string()),
});

const run = openLongRun({
  name: "merges",
  asked: sourcesKey("features/documents", "test/merges"),
  schema: stateSchema,
  begin: () => ({
    seed: Number(values.seed),
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
console.log(`${describeRun()}\n${run.describe()}\nseed ${state.seed}\n`);
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
