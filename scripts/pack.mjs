// `npm run pack`: agtmux for a machine that has Node, as one file for `npm install --global`: the built command line and
// daemon, the popover for a browser, and the modules that are not bundled. `-- [--no-build] [--output <folder>]`. Nothing is
// fetched or compiled when it is installed: the package holds the modules with a binary of SQLite for every system, and no
// build script.
import "./checkNode.mjs";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { makeShare } from "./makeShare.mjs";

const ROOT = join(import.meta.dirname, "..");
/** A folder of this run alone, because two runs may pack at the same time. */
const STAGE = mkdtempSync(join(tmpdir(), "agtmux-npm-"));
/** Our own files, at the same place in the package. */
const FILES = [
  "bin/agtmux",
  "bin/findNode.sh",
  "dist/cli",
  "dist/renderer",
  "resources/adapters",
  "resources/hooks",
  "resources/schemas",
  "resources/skill",
  "LICENSE",
  "README.md",
];
/** The files of each module that are loaded; electron-builder.yml has the same list for the desktop app. */
const MODULES = {
  "better-sqlite3": ["lib", "prebuilds"],
  ssh2: ["lib"],
  asn1: ["lib"],
  "bcrypt-pbkdf": ["index.js"],
  "safer-buffer": ["safer.js"],
  tweetnacl: ["nacl-fast.js"],
};
const DIRECT = ["better-sqlite3", "ssh2"];
const NEEDLESS = /\/(src|build|test)(\/|$)|\.(c|cc|h|gyp)$|\/win32-\w+\.node$/;

const { values: options } = parseArgs({
  options: {
    build: { type: "boolean", default: true },
    output: { type: "string", default: join(ROOT, "release") },
  },
  allowNegative: true,
});

const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));
const writeJson = (file, value) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);

const copy = (from, to) => {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true, filter: (file) => !NEEDLESS.test(file.slice(from.length)) });
};

/** Its manifest has no script and no dependencies to install. */
const stageModule = (name) => {
  const [from, to] = [ROOT, STAGE].map((root) => join(root, "node_modules", name));
  for (const part of [...MODULES[name], "LICENSE"])
    if (existsSync(join(from, part))) copy(join(from, part), join(to, part));
  const { version, license, main, exports, type, dependencies = {} } = readJson(join(from, "package.json"));
  const kept = Object.fromEntries(Object.entries(dependencies).filter(([one]) => one in MODULES));
  writeJson(join(to, "package.json"), { name, version, license, main, exports, type, dependencies: kept });
};

const stageManifest = () => {
  const { name, version, description, license, dependencies } = readJson(join(ROOT, "package.json"));
  writeJson(join(STAGE, "package.json"), {
    name,
    version,
    description,
    license,
    bin: { agtmux: "bin/agtmux" },
    man: ["share/man/man1/agtmux.1"],
    engines: { node: ">=24" },
    os: ["darwin", "linux"],
    cpu: ["arm64", "x64"],
    scripts: { postinstall: "node placeCompletions.mjs" },
    files: ["bin", "dist", "placeCompletions.mjs", "resources", "share"],
    dependencies: Object.fromEntries(DIRECT.map((one) => [one, dependencies[one]])),
    bundleDependencies: DIRECT,
  });
};

/** The extension for VS Code, where `agtmux doc plugin` looks for it. */
const stageVsix = () => {
  const output = join(STAGE, "dist", "cli", "agtmux-documents.vsix");
  const args = [join(ROOT, "scripts", "packVsix.mjs"), "--output", output];
  execFileSync(process.execPath, args, { stdio: "ignore" });
};

const stage = () => {
  for (const file of FILES) copy(join(ROOT, file), join(STAGE, file));
  stageVsix();
  for (const name of Object.keys(MODULES)) stageModule(name);
  copy(
    join(ROOT, "scripts", "packaging", "npm", "placeCompletions.mjs"),
    join(STAGE, "placeCompletions.mjs"),
  );
  makeShare(join(STAGE, "share"));
  stageManifest();
};

const pack = () => {
  if (options.build)
    for (const part of ["renderer", "cli"])
      execFileSync(process.execPath, [join(ROOT, "scripts", "build.mjs"), part], { stdio: "inherit" });
  stage();
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
