// Looks at one process of a target and signals it. Identity and signal are one step there: a constant script compares when
// the process started and signals it itself, so that a pid that was given to another process in between is never hit.
import { AgtmuxError } from "../model/errors.ts";
import type { KillSignal } from "../model/actionView.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import type { VerifiedAction } from "./prepare.ts";

const TIMEOUT_MS = 5_000;
const GONE = 3;
const CHANGED = 4;
const REFUSED = 5;

/**
 * `$1` pid, `$2` start as printed before or empty, `$3` signal. Prints `<start> <1 in the foreground of its terminal>`.
 * /proc: fields after the name are state, parent, group, session, terminal, foreground group, …, the 20th is the start. One without
 * a terminal of its own (`su -c` takes it away) is where the process is that it was started by. A suspended one reads nothing.
 */
const SCRIPT = `
set -f
pid=$1 wanted=$2 signal=$3
if [ -r "/proc/$pid/stat" ]; then
  IFS= read -r line <"/proc/$pid/stat" || exit ${GONE}
  set -- \${line##*) }
  case $1 in Z|X) exit ${GONE};; esac
  state=$1 start=\${20} front=0 up=0
  while [ "$5" = 0 ] && [ "$2" -gt 1 ] && [ $up -lt 16 ] && IFS= read -r line <"/proc/$2/stat"; do
    set -- \${line##*) }
    up=$((up+1))
  done
  [ "$state" != T ] && [ "$5" != 0 ] && [ "$3" = "$6" ] && front=1
else
  [ -d /proc/self ] && exit ${GONE}
  set -- $(LC_ALL=C ps -o stat= -o lstart= -p "$pid")
  [ $# -ge 6 ] || exit ${GONE}
  case $1 in Z*) exit ${GONE};; T*) front=0;; *+*) front=1;; *) front=0;; esac
  start=$2-$3-$4-$5-$6
fi
case $start in ''|*[!A-Za-z0-9:-]*) exit ${CHANGED};; esac
if [ -n "$wanted" ]; then
  [ "$start" = "$wanted" ] || exit ${CHANGED}
  kill -s "$signal" "$pid" || exit ${REFUSED}
fi
printf '%s %s\\n' "$start" "$front"
`;

/** A living process. `start` is opaque: equal for the same process only. */
export interface LivingProcess {
  start: string;
  /** It reads from its terminal. */
  isForeground: boolean;
}

export interface ProcessSignaller {
  find(pid: number): Promise<LivingProcess | null>;
  /** Signals the process that was seen. @returns false when it is gone or another one. @throws AgtmuxError E_UNSUPPORTED when it may not be signalled. */
  signal(
    action: VerifiedAction,
    process: { pid: number; start: string },
    signal: KillSignal,
  ): Promise<boolean>;
}

type Runs = Pick<TargetExecutor, "run">;

const runScript = async (
  executor: Runs,
  { pid, start }: { pid: number; start: string },
  signal: string,
): Promise<LivingProcess | null> => {
  const result = await executor.run(["sh", "-c", SCRIPT, "agtmux", String(pid), start, signal], {
    timeoutMs: TIMEOUT_MS,
  });
  if (result.exitCode === GONE || result.exitCode === CHANGED) return null;
  if (result.exitCode === REFUSED)
    throw new AgtmuxError("E_UNSUPPORTED", `process ${pid} may not be signalled: ${result.stderr.trim()}`);
  const [, seen, front] = /^(\S+) ([01])\n$/.exec(result.stdout) ?? [];
  if (seen === undefined)
    throw new AgtmuxError(
      "E_TARGET_UNREACHABLE",
      `process ${pid} could not be looked at: ${result.stderr.trim()}`,
    );
  return { start: seen, isForeground: front === "1" };
};

/** Null when there is no such process, or only what is left of it until its parent asks. */
export const findProcess = (executor: Runs, pid: number): Promise<LivingProcess | null> =>
  runScript(executor, { pid, start: "" }, "");

/** For processes that we started ourselves; all others go through the gate. False when it is gone or another one. */
export const signalProcess = async (
  executor: Runs,
  process: { pid: number; start: string },
  signal: KillSignal,
): Promise<boolean> => (await runScript(executor, process, signal)) !== null;

export const createProcessSignaller = (executor: Runs): ProcessSignaller => ({
  find: (pid) => findProcess(executor, pid),
  signal: (_action, process, signal) => signalProcess(executor, process, signal),
});
