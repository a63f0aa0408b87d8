// `npm run pack`: agtmux for a machine that has Node, as one file for `npm install --global`: the built command line and
// daemon, the popover for a browser, and the modules that are not bundled. `-- [--no-build] [--output <folder>]`. Nothing is
// fetched or compiled when it is installed: the package holds the modules with a binary of SQLite for every system, and no
// build script.
import "./checkNode.mjs";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import {
  buildCommandLine,
  DIRECT_MODULES,
  packageFacts,
  readJson,
  ROOT,
  stageCommandLine,
  writeJson,
} from "./stageCommandLine.mjs";

/** A folder of this run alone, because two runs may pack at the same time. */
const STAGE = mkdtempSync(join(tmpdir(), "agtmux-npm-"));

const { values: options } = parseArgs({
  options: {
    build: { type: "boolean", default: true },
    output: { type: "string", default: join(ROOT, "release") },
  },
  allowNegative: true,
});

const stageManifest = () => {
  const { dependencies } = readJson(join(ROOT, "package.json"));
  writeJson(join(STAGE, "package.json"), {
    ...packageFacts(),
    bin: { agtmux: "bin/agtmux" },
    man: ["share/man/man1/agtmux.1"],
    engines: { node: ">=24" },
    os: ["darwin", "linux"],
    cpu: ["arm64", "x64"],
    scripts: { postinstall: "node placeCompletions.mjs" },
    files: ["bin", "dist", "placeCompletions.mjs", "resources", "share"],
    dependencies: Object.fromEntries(DIRECT_MODULES.map((one) => [one, dependencies[one]])),
    bundleDependencies: DIRECT_MODULES,
  });
};

const pack = () => {
  if (options.build) buildCommandLine();
  stageCommandLine(STAGE);
  const completions = "placeCompletions.mjs";
  cpSync(join(ROOT, "scripts", "packaging", "npm", completions), join(STAGE, completions));
  stageManifest();
  const output = resolve(options.output);
  mkdirSync(output, { recursive: true });
  const args = ["pack", "--silent", "--pack-destination", output];
  const file = execFileSync("npm", args, { cwd: STAGE, encoding: "utf8" });
  console.log(join(output, file.trim()));
};

try {
  pack();
} finally {
  rmSync(STAGE, { recursive: true });
}
