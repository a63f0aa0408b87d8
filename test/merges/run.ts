// `npm run merges`: many generated concurrent edits, merges of a document of a megabyte with their times, and writes that are
// killed. `-- --cases N` (100,000), `--seed N`, `--large N` (60), `--kills N` (1,000). Fails on any finding.
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
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { locateDocument } from "../../features/documents/files/documentPaths.ts";
import { recoverPending, writeResponse } from "../../features/documents/flow/writeResponse.ts";
import { mergeByLines as mergeWithGit } from "../../features/documents/git/mergeByLines.ts";
import { mergeTexts } from "../../features/documents/model/mergeTexts.ts";
import { findFault, makeConcurrent, randomFrom } from "./concurrentEdits.ts";
import { makeLarge } from "./largeEdit.ts";

const { values } = parseArgs({
  options: {
    cases: { type: "string", default: "100000" },
    seed: { type: "string", default: String(Date.now() & 0x7fffffff) },
    large: { type: "string", default: "60" },
    kills: { type: "string", default: "1000" },
  },
});
const [cases, seed, large, kills] = [values.cases, values.seed, values.large, values.kills].map(Number) as [
  number,
  number,
  number,
  number,
];
const random = randomFrom(seed);
const faults: string[] = [];
const report = (fault: string): void => {
  faults.push(fault);
  if (faults.length <= 3) console.log(`\n✗ ${fault}`);
};

console.log(
  `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, Node ${process.version}, seed ${seed}\n`,
);

const begun = performance.now();
for (let made = 0; made < cases; made += 1) {
  const edits = makeConcurrent(random);
  const fault = findFault(edits);
  if (fault !== null) report(`${fault}\n${JSON.stringify(edits, null, 1)}`);
}
console.log(
  `${cases} concurrent edits in ${((performance.now() - begun) / 1_000).toFixed(1)} s: ${faults.length} faults`,
);

const p95 = (times: number[]): string =>
  times.length === 0
    ? "-"
    : (
        times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.ceil(times.length * 0.95) - 1)] ?? 0
      ).toFixed(0);

const mergeTimes: number[] = [];
const writeTimes: number[] = [];
const folder = mkdtempSync(join(tmpdir(), "agtmux-merges-"));
const mergeByLines = mergeWithGit(folder, process.env);
try {
  mkdirSync(join(folder, ".agent-doc"));
  for (let made = 0; made < large; made += 1) {
    const { base, agent, person } = makeLarge(random, 1_000_000);
    const at = performance.now();
    mergeTexts(base, agent, person);
    mergeTimes.push(performance.now() - at);
    const file = join(folder, "large.md");
    const wrap = (text: string) => `<!-- agent:exchange mode=append -->\n${text}<!-- /agent:exchange -->\n`;
    writeFileSync(file, wrap(person));
    // Older than a moment, as a file that nobody saves just now.
    await new Promise((resolve) => setTimeout(resolve, 30));
    const from = performance.now();
    const response = agent.slice(-12_000);
    const paths = await locateDocument(file, folder);
    await writeResponse({
      paths,
      response,
      baseline: wrap(base),
      mergeByLines,
      way: "auto",
      now: Date.now(),
    });
    writeTimes.push(performance.now() - from);
  }
  console.log(
    `${large} merges of 1 MB: p95 ${p95(mergeTimes)} ms; written with all that belongs to it: p95 ${p95(writeTimes)} ms`,
  );

  const script = fileURLToPath(
    new URL("../../features/documents/flow/fixtures/killedWriteScript.ts", import.meta.url),
  );
  /** The last one is any moment: a signal from outside. */
  const steps = [
    "pending saved",
    "locked",
    "written beside",
    "renamed",
    "in the file",
    "snapshot saved",
    "pending removed",
    "at any moment",
  ];
  /** As long as a write takes from its first file to its last, on this machine. */
  let wholeMs = 300;
  let lost = 0;
  for (let made = 0; made < kills; made += 1) {
    const [file, seen, response] = ["plan.md", "seen", "response"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    const doc = "<!-- agent:exchange mode=append -->\nWhich way?\n<!-- /agent:exchange -->\n";
    writeFileSync(file, doc);
    writeFileSync(seen, doc);
    writeFileSync(response, `Over the bridge, number ${made}.\n`);
    const step = steps[made % steps.length] ?? "";
    const at = performance.now();
    const child = spawn(process.execPath, [script, file, seen, response, step], {
      cwd: folder,
      stdio: "ignore",
    });
    const ended = once(child, "exit");
    if (step === "at any moment") setTimeout(() => child.kill("SIGKILL"), wholeMs * (0.4 + 0.6 * random()));
    await ended;
    if (step === "pending removed") wholeMs = performance.now() - at;
    const paths = await locateDocument(file, folder);
    const pending = existsSync(paths.pending) ? readdirSync(paths.pending).length : 0;
    const times = () => readFileSync(file, "utf8").split(`number ${made}.`).length - 1;
    const before = times();
    await recoverPending({ paths, mergeByLines, way: "auto", now: Date.now() });
    // Killed before its first file, it took nothing over: then nothing was promised.
    const wasTaken = step !== "at any moment" || before > 0 || pending > 0;
    if (wasTaken ? (before === 0 && pending !== 1) || times() !== 1 : times() !== 0) {
      lost += 1;
      report(`a kill after '${step}': ${before} times before, ${times()} after`);
    }
  }
  console.log(`${kills} kills in ${steps.length} steps: ${lost} answers lost or doubled`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(faults.length === 0 ? 0 : 1);
