// `node scripts/test.mjs`: the short suites (`npm test`). `all [--rest] [part …]`: every suite, what has not passed yet with these
// sources, or parts of it (`npm run test:all`). `slow [count]`: the dearest files (`npm run test:slow`). Checks run beside the suites.
import "./checkNode.mjs";
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureSlowness } from "../test/setup/machine.ts";
import { fingerprintTree, leastMs, noteRun, passedWith, readRuns, tidyRuns } from "../test/setup/testRuns.ts";
import { ensureSystemPackages } from "./systemPackages.mjs";

const ROOT = join(import.meta.dirname, "..");
/** What a file of `npm test` may take, in ms: its tests and hooks. A slow machine may take as much longer as it is slower. */
const SHORT_MS = 5_000 * measureSlowness();
const DEAREST = 30;

const startedAt = Date.now();
const seconds = (ms) => `${(ms / 1_000).toFixed(1)} s`;
const isShort = (file) => file !== "checks" && !file.includes(".slow.");
const sum = (runs, key) => runs.reduce((total, run) => total + run[key], 0);

const listDearest = (count) => {
  const present = [...readRuns()].filter(([file]) => file === "checks" || existsSync(join(ROOT, file)));
  const files = present.map(([file, runs]) => ({
    file,
    ms: leastMs(runs),
    tests: runs.at(-1).passed,
  }));
  for (const { file, ms, tests } of files.toSorted((a, b) => b.ms - a.ms).slice(0, count))
    console.log(`${seconds(ms).padStart(8)}  ${String(tests).padStart(4)} tests  ${file}`);
  console.log(`${files.length} files, ${seconds(files.reduce((total, { ms }) => total + ms, 0))} added up`);
};

/** `ssh` is test/ssh, `core` is core: vitest's filter for each name. */
const foldersOf = (parts) =>
  parts.map((part) => {
    const folder = [join("test", part), part].find((path) => existsSync(join(ROOT, path)));
    if (folder === undefined) {
      console.error(`There is no part ${part}: name a folder of test, or of the root, or 'checks'.`);
      process.exit(2);
    }
    return join(ROOT, folder, "/");
  });

/** Types, lint, format and dead code, beside the suites; their words come when they have ended. */
const startChecks = (env) =>
  new Promise((resolve) => {
    const began = Date.now();
    let output = "";
    const child = spawn("npm", ["run", "-s", "check"], { cwd: ROOT, env });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (output += text));
    child.once("error", (error) => (output += String(error)));
    child.once("close", (code) => {
      const isOk = code === 0;
      if (!isOk) console.log(`\n${output}`);
      console.log(`── checks: ${isOk ? "ok" : "FAILED"} after ${seconds(Date.now() - began)}`);
      resolve({ isOk, ms: Date.now() - began });
    });
  });

const runVitest = (projects, filters, env) =>
  new Promise((resolve) => {
    const args = ["run", "--passWithNoTests", ...projects.flatMap((name) => ["--project", name]), ...filters];
    const child = spawn(join(ROOT, "node_modules", ".bin", "vitest"), args, {
      cwd: ROOT,
      env,
      stdio: "inherit",
    });
    child.once("error", () => resolve(false));
    child.once("close", (code) => resolve(code === 0));
  });

/** Files of `npm test` that took more than they may in each of their kept runs. */
const findLong = () =>
  [...readRuns()].flatMap(([file, runs]) => (isShort(file) && leastMs(runs) > SHORT_MS ? [file] : []));

/**
 * What of `npm test` takes too long for it, each with what to do. Beside others a file may have waited for the processor: it is
 * run once more, alone.
 */
const tooLong = async (env, isIn) => {
  const suspects = findLong().filter((file) => isIn(file) && existsSync(join(ROOT, file)));
  if (suspects.length === 0) return [];
  console.log(
    `\n── ${suspects.length} short files took more than ${seconds(SHORT_MS)}: once more, one at a time`,
  );
  const { AGTMUX_TEST_REST: _rest, ...whole } = env;
  const filters = ["--maxWorkers", "1", ...suspects.map((file) => join(ROOT, file))];
  await runVitest(["short", "short-e2e"], filters, whole);
  const runs = readRuns();
  return findLong()
    .filter((file) => suspects.includes(file))
    .map(
      (file) =>
        `${file} is in 'npm test' and takes ${seconds(leastMs(runs.get(file)))}, more than ${seconds(SHORT_MS)}: make it cheaper, or move what takes long into ${file.replace(/\.(test|e2e)\./, ".slow.$1.")}`,
    );
};

const test = async ({ isAll, isRest, parts }) => {
  const missing = ensureSystemPackages();
  const tree = fingerprintTree();
  tidyRuns();
  const known = isRest ? passedWith(tree) : [];
  const env = { ...process.env, AGTMUX_TEST_TREE: tree, ...(isRest ? { AGTMUX_TEST_REST: "1" } : {}) };
  const folders = foldersOf(parts.filter((part) => part !== "checks"));
  const hasSuites = parts.length === 0 || folders.length > 0;
  const hasChecks =
    (parts.length === 0 || parts.includes("checks")) && !known.some(({ file }) => file === "checks");
  const isBuilt =
    !hasSuites ||
    spawnSync(process.execPath, ["scripts/build.mjs"], { cwd: ROOT, stdio: "inherit" }).status === 0;
  if (!isBuilt) console.log("── build: FAILED");

  const checks = hasChecks ? startChecks(env) : null;
  const kinds = isAll ? ["short", "long"] : ["short"];
  const hasChromium = !missing.includes("chromium");
  if (hasSuites && !hasChromium) console.log("\nskipped: the end-to-end suites (there is no chromium)");
  const projects = kinds.flatMap((kind) => (hasChromium ? [kind, `${kind}-e2e`] : [kind]));
  const isVitestOk = hasSuites ? await runVitest(projects, folders, env) : true;
  const checked = await checks;
  const isIn = (file) =>
    folders.length === 0 || folders.some((folder) => join(ROOT, file).startsWith(folder));
  const long = isAll && hasSuites ? await tooLong(env, isIn) : [];
  if (checked !== null)
    noteRun({
      tree,
      at: startedAt,
      file: "checks",
      ms: checked.ms,
      passed: 0,
      failed: checked.isOk ? 0 : 1,
      skipped: 0,
      secondAttempts: [],
    });

  const isAsked = ({ file }) => (file === "checks" ? hasChecks : hasSuites && isIn(file));
  const ran = [...readRuns().values()].map((runs) => runs.at(-1)).filter(({ at }) => at >= startedAt);
  const again = new Set(ran.map(({ file }) => file));
  const before = known.filter((run) => isAsked(run) && !again.has(run.file));
  return { ran, before, isOk: isBuilt && isVitestOk && checked?.isOk !== false, long };
};

/** The last lines: what needs to be looked at, then the totals. */
const report = ({ ran, before, isOk, long }) => {
  const seconds = ran.flatMap(({ file, secondAttempts }) =>
    secondAttempts.map((title) => `${file} > ${title}`),
  );
  for (const name of seconds) console.log(`passed only on a second attempt: ${name}`);
  for (const { file, failures = [] } of ran)
    for (const name of failures) console.log(`failed: ${file} > ${name}`);
  for (const words of long) console.log(words);
  const all = [...before, ...ran];
  // A runner that died, or a build that failed, has no test that says so.
  const failed = Math.max(sum(ran, "failed"), isOk ? 0 : 1) + long.length;
  const skipped = sum(all, "skipped");
  const told = [`${sum(all, "passed")} passed`, `${failed} failed`];
  if (skipped > 0) told.push(`${skipped} skipped`);
  if (seconds.length > 0) told.push(`${seconds.length} on a second attempt`);
  if (before.length > 0) told.push(`${sum(before, "passed")} of them before`);
  console.log(`${told.join(", ")} after ${((Date.now() - startedAt) / 1_000).toFixed(0)} s`);
  return failed === 0 && all.length > 0;
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rest: { type: "boolean", default: false } },
});
const [what = "short", ...words] = positionals;
if (what === "slow") listDearest(Number(words[0] ?? DEAREST));
else {
  const isAll = what === "all";
  if (!isAll && what !== "short") {
    console.error("usage: node scripts/test.mjs [all [--rest] [part …] | slow [count]]");
    process.exit(2);
  }
  const result = await test({ isAll, isRest: values.rest, parts: words });
  process.exitCode = report(result) ? 0 : 1;
}
