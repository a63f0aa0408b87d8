// Fills a folder with the command line as an installation has it: our built files at the same places as here, the modules that are
// not bundled, the extension for VS Code, completions and the man page. Each kind of package adds its own manifest.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeShare } from "./makeShare.mjs";

export const ROOT = join(import.meta.dirname, "..");
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
const PACKS = "resources/packs";
/** The files of each module that are loaded; electron-builder.yml has the same list for the desktop app. */
const MODULES = {
  "better-sqlite3": ["lib", "prebuilds"],
  ssh2: ["lib"],
  asn1: ["lib"],
  "bcrypt-pbkdf": ["index.js"],
  "safer-buffer": ["safer.js"],
  tweetnacl: ["nacl-fast.js"],
};
/** Those that our own code asks for. */
export const DIRECT_MODULES = ["better-sqlite3", "ssh2"];
const NEEDLESS = /\/(src|build|test)(\/|$)|\.(c|cc|h|gyp)$|\/win32-\w+\.node$/;
const BINARY = /\/([\w-]+)\.node$/;

export const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));
export const writeJson = (file, value) => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
};

/** Builds what a command line needs. */
export const buildCommandLine = () => {
  for (const part of ["renderer", "cli"])
    execFileSync(process.execPath, [join(ROOT, "scripts", "build.mjs"), part], { stdio: "inherit" });
};

/**
 * What the manifest of every package says: name, version, license, and under `agtmux` the address of its releases, which `agtmux
 * upgrade` asks. The address is that of the repository whose workflow makes the package, else the one of package.json; null: none.
 */
export const packageFacts = (env = process.env) => {
  const { name, version, description, license, agtmux } = readJson(join(ROOT, "package.json"));
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = env;
  const releases = server && repository ? `${server}/${repository}/releases` : agtmux.releases;
  return { name, version, description, license, agtmux: { releases } };
};

/** `binary`: the one binary of SQLite that is kept (`linux-x64`); left out: all of them. */
export const stageCommandLine = (stage, { binary } = {}) => {
  const isKept = (path) => {
    if (NEEDLESS.test(path)) return false;
    const system = BINARY.exec(path)?.[1];
    return system === undefined || binary === undefined || system === binary;
  };
  const copy = (from, to) => {
    mkdirSync(dirname(to), { recursive: true });
    cpSync(from, to, { recursive: true, filter: (file) => isKept(file.slice(from.length)) });
  };
  // Its manifest has no script and no dependencies to install.
  const stageModule = (name) => {
    const [from, to] = [ROOT, stage].map((root) => join(root, "node_modules", name));
    for (const part of [...MODULES[name], "LICENSE"])
      if (existsSync(join(from, part))) copy(join(from, part), join(to, part));
    const { version, license, main, exports, type, dependencies = {} } = readJson(join(from, "package.json"));
    const kept = Object.fromEntries(Object.entries(dependencies).filter(([one]) => one in MODULES));
    writeJson(join(to, "package.json"), { name, version, license, main, exports, type, dependencies: kept });
  };
  for (const file of FILES) copy(join(ROOT, file), join(stage, file));
  // Only a release has detection packs (npm run adapter:packs).
  if (existsSync(join(ROOT, PACKS))) copy(join(ROOT, PACKS), join(stage, PACKS));
  // Where `agtmux doc plugin` looks for it.
  const vsix = join(stage, "dist", "cli", "agtmux-documents.vsix");
  execFileSync(process.execPath, [join(ROOT, "scripts", "packVsix.mjs"), "--output", vsix], {
    stdio: "ignore",
  });
  for (const name of Object.keys(MODULES)) stageModule(name);
  makeShare(join(stage, "share"));
};
