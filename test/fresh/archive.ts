// The archive of `npm run archive` on a Debian without Node, as its ordinary user, in a path with spaces: installed by install.sh from
// a place of releases on this machine, upgraded while hooks fire, and removed.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../packaging/packageApp.ts";
import { makeArchive, rearchiveAs, startMirror } from "../packaging/releaseMirror.ts";
import { runAsUser } from "./readmeCommands.ts";
import type { DebianSystem } from "./system.ts";

/** What a person has there: tmux, and what fetches. */
export const BARE_PACKAGES = ["tmux", "curl", "ca-certificates"];
const FOLDER = "of an archive";
/** $1: the address of releases. It waits for the next one with a file. Ends with 0 only where each step does what it should. */
const SCRIPT = `set -e
if command -v node npm; then exit 1; fi
prefix="$PWD/a prefix"
curl -fsSL "$1/latest/download/install.sh" | AGTMUX_RELEASES="$1" sh -s -- --prefix "$prefix" >said
cat said
export AGTMUX_RELEASES="$1"
a="$prefix/bin/agtmux"
test "$("$a" --version)" = 1.0.0
tmux new-session -d -s work
"$a" list panes --all --plain --columns session
mkdir -p ~/.claude
"$a" integrate claude --yes >/dev/null
: >"$PWD/ready"
while [ ! -e "$PWD/next" ]; do sleep 0.1; done
(
  n=0
  while [ ! -e "$PWD/stop" ]; do
    printf '{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"p-%06d"}' $n |
      ~/.agtmux/bin/agtmux-event claude UserPromptSubmit
    n=$((n + 1))
  done
  echo $n >"$PWD/fired"
) &
"$a" upgrade --yes
test "$("$a" --version)" = 1.1.0
"$a" doctor --json >doctor.json || :
sleep 1
: >"$PWD/stop"
wait
"$a" list panes >/dev/null
for i in 1 2 3 4 5 6 7 8 9 10; do [ -n "$(ls ~/.agtmux/spool/new)" ] || break; sleep 1; done
test -z "$(ls ~/.agtmux/spool/new)"
test -z "$(ls ~/.agtmux/spool/bad)"
echo "events: $(cat fired)"
"$a" daemon status | grep 1.1.0
"$a" setup --remove --yes >/dev/null
"$a" daemon stop
grep '^  rm -r .*/share/agtmux' said | sh
test -z "$(find "$prefix" ! -type d)"
rm -r ~/.agtmux ~/.claude
test -z "$(ls -A ~ | grep -v -e '^of an archive$' -e '^[.]bash' -e '^[.]profile$')"
echo removed`;

/** Resolves with what it says of itself. */
export const installArchive = async (system: DebianSystem): Promise<string> => {
  const made = mkdtempSync(join(tmpdir(), "agtmux-archive-"));
  const mirror = await startMirror();
  const folder = join(system.home, FOLDER);
  try {
    const archive = await makeArchive(made, { isSmall: false });
    const [older, newer] = [await rearchiveAs(archive, "1.0.0"), await rearchiveAs(archive, "1.1.0")];
    mirror.release("1.0.0", readFileSync(older));
    mirror.put("latest/download/install.sh", readFileSync(join(ROOT, "scripts", "packaging", "install.sh")));
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    execFileSync("chown", [`--reference=${system.home}`, folder]);
    const running = runAsUser(system, FOLDER, "archive", ["sh", "-c", SCRIPT, "archive", mirror.address]);
    // The newer one is there once the older one runs.
    const publish = setInterval(() => {
      if (!existsSync(join(folder, "ready"))) return;
      clearInterval(publish);
      mirror.release("1.1.0", readFileSync(newer));
      writeFileSync(join(folder, "next"), "");
    }, 100);
    try {
      const lines = (await running).trimEnd().split("\n");
      return [...lines.filter((line) => line.startsWith("events: ")), lines.at(-1)].join(", ");
    } finally {
      clearInterval(publish);
    }
  } finally {
    await mirror.close();
    rmSync(made, { recursive: true });
  }
};
