// Runs the end-to-end suites: `node scripts/e2e.mjs [vitest arguments]`. Builds the popover first, and says which launchers
// this machine can run, so that a skipped one is seen.
import "./checkNode.mjs";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const run = (file, args) =>
  spawnSync(process.execPath, [file, ...args], { cwd: ROOT, stdio: "inherit" }).status ?? 1;

const electron = process.env["ELECTRON_OVERRIDE_DIST_PATH"] ?? join(ROOT, "node_modules", "electron", "dist");
const launchers = {
  "real Electron": existsSync(electron) ? "runs" : "skipped: no Electron binary on this machine",
  "Electron stand-in": "runs",
  "browser popover": "runs",
};
for (const [launcher, verdict] of Object.entries(launchers)) console.log(`launcher ${launcher}: ${verdict}`);

const built = run(join(ROOT, "scripts", "build.mjs"), ["app"]);
process.exitCode =
  built === 0
    ? run(join(ROOT, "node_modules", "vitest", "vitest.mjs"), [
        "run",
        "--project",
        "short-e2e",
        "--project",
        "long-e2e",
        ...process.argv.slice(2),
      ])
    : built;
