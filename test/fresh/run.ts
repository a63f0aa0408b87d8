// `npm run test:fresh`: the commands of the README in fresh clones on fresh Debian systems, the package for npm beside them, and
// how long they took.
// `-- 13` is one release; `--only clone,install,start,test,rest,package,archive` names parts (all by default; the archive has a system
// without Node; the systems are made when they are missing); `--tests core/tmux` runs that of the tests instead of all; `--folder DIR` is where the systems are kept;
// `--mirror URL` is Debian's, by default the one of this machine's apt. It needs root, debootstrap and unshare.
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { BARE_PACKAGES, installArchive } from "./archive.ts";
import { clone, install, runAsUser, start, test, testRest } from "./readmeCommands.ts";
import { type DebianSystem, findMirror, openSystem } from "./system.ts";

// The package of `npm run pack` on a fresh system: installed by the distribution's own npm, started on its own Node, which is too
// old, and then on a newer one that a person has put on the path.

const PACK = fileURLToPath(new URL("../../scripts/pack.mjs", import.meta.url));
const FOLDER = "from-npm";
/** Ends with 0 only where each step says what it should; the last line is the session that was seen. */
const SCRIPT = `set -e
npm install --global --prefix "$PWD/prefix" ./agtmux.tgz
test -e prefix/share/man/man1/agtmux.1
test -e prefix/share/zsh/site-functions/_agtmux
! prefix/bin/agtmux list panes 2>said
cat said
test "$(wc -l <said)" = 1
grep -q 'Node 24 or newer is needed (found v[0-9.]*). Install it' said
tmux new-session -d -s work
PATH=$PWD/node/bin:$PATH
prefix/bin/agtmux list panes --all --plain --columns session
prefix/bin/agtmux daemon stop >/dev/null`;

/** Resolves with the session that the installed command saw. */
const installPackage = async (system: DebianSystem): Promise<string> => {
  const made = mkdtempSync(join(tmpdir(), "agtmux-pack-"));
  const folder = join(system.home, FOLDER);
  try {
    const file = execFileSync(process.execPath, [PACK, "--output", made], { encoding: "utf8" }).trim();
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(folder, "node", "bin"), { recursive: true });
    copyFileSync(file.split("\n").at(-1) ?? "", join(folder, "agtmux.tgz"));
    copyFileSync(process.execPath, join(folder, "node", "bin", "node"));
    execFileSync("chown", ["-R", `--reference=${system.home}`, folder]);
  } finally {
    rmSync(made, { recursive: true });
  }
  const output = await runAsUser(system, FOLDER, "package", ["sh", "-c", SCRIPT]);
  const seen = output.trimEnd().split("\n").at(-1) ?? "";
  if (seen !== "work") throw new Error(`the installed command saw '${seen}' instead of the session`);
  return seen;
};

const RELEASES: Readonly<Record<string, string>> = { 12: "bookworm", 13: "trixie" };
const PARTS = ["clone", "install", "start", "test", "rest", "package", "archive"];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string", default: PARTS.join(",") },
    tests: { type: "string", default: "" },
    folder: { type: "string", default: "/var/tmp/agtmux-fresh" },
    mirror: { type: "string" },
  },
});

const ensureDebootstrap = (): void => {
  if (process.getuid?.() !== 0) throw new Error("it makes whole systems, which only root can");
  if (spawnSync("debootstrap", ["--version"]).status === 0) return;
  execFileSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "debootstrap"]);
};

const seconds = async (what: string, part: () => unknown): Promise<void> => {
  const from = performance.now();
  const told = await part();
  const took = ((performance.now() - from) / 1_000).toFixed(1);
  console.log(`${what}: ${took} s${typeof told === "string" ? ` (${told.slice(0, 200)})` : ""}`);
};

const runRelease = async (release: string): Promise<void> => {
  const codename = RELEASES[release];
  if (codename === undefined)
    throw new Error(`no Debian ${release}: name ${Object.keys(RELEASES).join(" or ")}`);
  const wanted = values.only.split(",");
  const name = `Debian ${release}`;
  const folder = join(values.folder, codename);
  const mirror = () => values.mirror ?? findMirror();
  if (wanted.includes("archive"))
    await seconds(`${name}: install.sh and the archive, without Node`, () =>
      installArchive(openSystem(`${folder}-bare`, codename, mirror, BARE_PACKAGES)),
    );
  if (wanted.every((part) => part === "archive")) return;
  const open = () => openSystem(folder, codename, mirror);
  await seconds(`${name}: the system`, () => void open());
  const system = open();
  const paths = values.tests.split(",").filter((path) => path !== "");
  if (wanted.includes("clone")) await seconds(`${name}: git clone`, () => clone(system));
  if (wanted.includes("install")) await seconds(`${name}: npm ci`, async () => void (await install(system)));
  if (wanted.includes("start")) await seconds(`${name}: npm start, seen in a browser`, () => start(system));
  if (wanted.includes("test"))
    await seconds(`${name}: ${["npm test", ...paths].join(" ")}`, () => test(system, paths));
  if (wanted.includes("rest") && paths.length === 0)
    await seconds(`${name}: npm run test:all -- --rest`, () => testRest(system));
  if (wanted.includes("package"))
    await seconds(`${name}: the package for npm, on its own Node and a newer one`, () =>
      installPackage(system),
    );
};

const unknown = values.only.split(",").filter((part) => !PARTS.includes(part));
if (unknown.length > 0) throw new Error(`no part ${unknown.join(", ")}: name ${PARTS.join(", ")}`);
ensureDebootstrap();
for (const release of positionals.length > 0 ? positionals : Object.keys(RELEASES)) await runRelease(release);
console.log("what the README says works");
