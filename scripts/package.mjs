// Packages the desktop app: `node scripts/package.mjs [--mac|--linux] [--x64] [--arm64] [--dir] [--no-build]
// [--no-sign] [--electron-dist <folder>] [--output <folder>]`. Builds, makes what only a package has (completions, the manifest of the
// command line's folder), and runs electron-builder with electron-builder.yml and the best signature that is possible here.
import "./checkNode.mjs";
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { makeShare } from "./makeShare.mjs";
import { packageFacts } from "./stageCommandLine.mjs";

// Not imported above, because an older Node would load them before checkNode.mjs runs.
const { chooseSigning } = await import("./chooseSigning.ts");
const { MAC_INFO } = await import("./macInfo.ts");

const ROOT = join(import.meta.dirname, "..");
const STAGE = join(ROOT, "dist", "package");
const { values: options } = parseArgs({
  options: {
    mac: { type: "boolean", default: false },
    linux: { type: "boolean", default: false },
    x64: { type: "boolean", default: false },
    arm64: { type: "boolean", default: false },
    dir: { type: "boolean", default: false },
    build: { type: "boolean", default: true },
    sign: { type: "boolean", default: true },
    "electron-dist": { type: "string" },
    output: { type: "string" },
  },
  allowNegative: true,
});

const runNode = (args) => {
  const { status, error } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`'node ${args.join(" ")}' ended with ${status}`);
};

/** Completions, man page, the extension for VS Code, and a manifest without what only the repository needs. */
const stage = () => {
  rmSync(STAGE, { recursive: true, force: true });
  makeShare(join(STAGE, "share"));
  runNode([join("scripts", "packVsix.mjs"), "--output", join(STAGE, "agtmux-documents.vsix")]);
  const { description: _description, ...facts } = packageFacts();
  writeFileSync(join(STAGE, "package.json"), `${JSON.stringify(facts)}\n`);
};

const targets = ({ Platform, Arch }) => {
  const platforms = [...(options.mac ? [Platform.MAC] : []), ...(options.linux ? [Platform.LINUX] : [])];
  const arches = [...(options.x64 ? [Arch.x64] : []), ...(options.arm64 ? [Arch.arm64] : [])];
  const wanted = platforms.length > 0 ? platforms : [Platform.current()];
  const kinds = options.dir ? ["dir"] : [];
  return new Map(wanted.flatMap((platform) => [...platform.createTarget(kinds, ...arches)]));
};

/**
 * With this electron-builder writes latest-mac.yml (for a prerelease `<its first word>-mac.yml`) and, into the app, the name of the
 * folder in which an update is kept. Where the app asks, it decides itself; the address is here because a file must name one.
 */
const updates = ({ agtmux: { releases } }) => ({
  provider: "generic",
  url: `${releases ?? "https://releases.invalid"}/latest/download`,
});

const electronDist = options["electron-dist"] && resolve(options["electron-dist"]);
const output = options.output && resolve(options.output);
// The Debian package names files relative to here.
process.chdir(ROOT);
const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;

if (options.build) runNode([join("scripts", "build.mjs")]);
stage();
const { build, ...builder } = await import("electron-builder");
const made = await build({
  projectDir: ROOT,
  targets: targets(builder),
  publish: "never",
  config: {
    extends: "electron-builder.yml",
    mac: {
      ...(options.sign ? chooseSigning(process.env) : { identity: null }),
      extendInfo: MAC_INFO,
      publish: updates(packageFacts()),
    },
    ...(electronDist === undefined ? {} : { electronDist }),
    ...(output === undefined ? {} : { directories: { output } }),
    extraMetadata: {
      agtmux: packageFacts().agtmux,
      // A Debian package has to name its homepage.
      ...(GITHUB_REPOSITORY === undefined ? {} : { homepage: `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}` }),
    },
  },
});
console.log(made.join("\n"));
