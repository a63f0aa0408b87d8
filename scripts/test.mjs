// `npm test`: checks, builds, and runs every suite; ends with one line of totals. Suites that cannot run here are named.
import "./checkNode.mjs";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureSystemPackages } from "./systemPackages.mjs";

const ROOT = join(import.meta.dirname, "..");
const env = { ...process.env, PATH: `${join(ROOT, "node_modules", ".bin")}:${process.env.PATH}` };
const startedAt = Date.now();

const step = (name, command, args, more = {}) => {
  const began = Date.now();
  console.log(`\n── ${name}`);
  const { status } = spawnSync(command, args, { cwd: ROOT, env: { ...env, ...more }, stdio: "inherit" });
  console.log(
    `── ${name}: ${status === 0 ? "ok" : "FAILED"} after ${((Date.now() - began) / 1_000).toFixed(1)} s`,
  );
  return status === 0;
};

const reports = mkdtempSync(join(tmpdir(), "agtmux-report-"));
const totals = { passed: 0, failed: 0, skipped: 0 };
/** A suite is counted by its own report; a runner that died without a report counts as a failure. */
const suite = (name, args) => {
  const report = join(reports, `${name.replaceAll(/\W/g, "-")}.json`);
  const isOk = step(name, "vitest", ["run", ...args], { AGTMUX_TEST_REPORT: report });
  try {
    const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, "utf8"));
    totals.passed += numPassedTests;
    totals.failed += numFailedTests;
    totals.skipped += numPendingTests;
    if (!isOk && numFailedTests === 0) totals.failed += 1;
  } catch {
    totals.failed += 1;
  }
};

const missing = ensureSystemPackages();
const areChecksOk = step("checks", "npm", ["run", "-s", "check"]);
const isBuilt = step("build", process.execPath, ["scripts/build.mjs"]);
suite("unit, contract, chain and fault suites", []);
if (missing.includes("chromium")) console.log("\nskipped: the end-to-end suite (there is no chromium)");
else suite("end-to-end suite", ["--config", "e2e/vitest.config.ts"]);
rmSync(reports, { recursive: true, force: true });

if (!areChecksOk || !isBuilt) totals.failed += 1;
const { passed, failed, skipped } = totals;
console.log(`\nafter ${((Date.now() - startedAt) / 1_000).toFixed(0)} s`);
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
