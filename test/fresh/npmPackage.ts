// The package of `npm run pack` on a fresh system: installed by the distribution's own npm, started on its own Node, which is too
// old, and then on a newer one that a person has put on the path.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runAsUser } from "./readmeCommands.ts";
import type { DebianSystem } from "./system.ts";

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
export const installPackage = async (system: DebianSystem): Promise<string> => {
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
