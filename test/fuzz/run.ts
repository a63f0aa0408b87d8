// `npm run fuzz`: many cases of every target, as a table. `--cases N`, `--seed N`, `--threads N`, `--target <part of a
// name>`; `--replay <seed>:<path>` runs one case of a finding again in this thread, for a debugger. Fails on any finding.
import { availableParallelism, cpus } from "node:os";
import { parseArgs } from "node:util";
import { runBatch, type Finding } from "./runBatch.ts";
import { runFuzz, type TargetReport } from "./runFuzz.ts";
import { TARGETS } from "./targets.ts";

const HANG_MS = 20_000;

const { values } = parseArgs({
  options: {
    cases: { type: "string", default: "100000" },
    seed: { type: "string", default: String(Date.now() & 0x7fffffff) },
    threads: { type: "string", default: String(Math.max(1, availableParallelism())) },
    target: { type: "string", default: "" },
    replay: { type: "string" },
  },
});

const countOf = (text: string, name: string): number => {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 0) throw new Error(`--${name} is no whole number: ${text}`);
  return count;
};

const printFinding = ({ target, seed, path, message, value }: Finding): void => {
  console.log(`\n✗ ${target}\n${message}\n  case: ${value}`);
  if (path !== null) console.log(`  again: npm run fuzz -- --target '${target}' --replay=${seed}:${path}`);
};

const printTable = (reports: readonly TargetReport[]): void => {
  console.log("\n| target | cases | slowest case ms | µs per case | findings |\n|---|---:|---:|---:|---:|");
  for (const { name, cases, slowestMs, tookMs, findings } of reports)
    console.log(
      `| ${name} | ${cases} | ${slowestMs.toFixed(1)} | ${((tookMs * 1_000) / Math.max(1, cases)).toFixed(0)} | ${findings.length} |`,
    );
};

const targets = TARGETS.filter(({ name }) => name.includes(values.target));
if (targets.length === 0) throw new Error(`no target has '${values.target}' in its name`);

if (values.replay !== undefined) {
  const [seed = "", ...path] = values.replay.split(":");
  const [target] = targets;
  if (target === undefined) throw new Error("nothing to replay");
  const open = await target.open();
  const quiet = { begin: () => {}, end: () => {} };
  const { finding } = await runBatch(
    target,
    open,
    { seed: Number(seed), cases: 1, path: path.join(":") },
    quiet,
  );
  await open.close?.();
  if (finding !== null) printFinding(finding);
  console.log(finding === null ? "\nnothing broke" : "");
  process.exit(finding === null ? 0 : 1);
}

const seed = countOf(values.seed, "seed");
const began = performance.now();
const reports = await runFuzz({
  targets,
  cases: countOf(values.cases, "cases"),
  seed,
  threads: countOf(values.threads, "threads"),
  hangMs: HANG_MS,
  onProgress: (done, all) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${all}`);
  },
});
const seconds = (performance.now() - began) / 1_000;
const cases = reports.reduce((sum, report) => sum + report.cases, 0);
const findings = reports.flatMap((report) => report.findings);
printTable(reports);
for (const finding of findings) printFinding(finding);
console.log(
  `\n${cases} cases of ${reports.length} targets in ${seconds.toFixed(0)} s (${(cases / seconds).toFixed(0)} per second), ` +
    `${findings.length} findings, seed ${seed}; ${values.threads} threads on ${availableParallelism()} × ${cpus()[0]?.model ?? "unknown"}, ` +
    `Node ${process.versions.node}`,
);
process.exit(findings.length === 0 ? 0 : 1);
