// Ends the process of an agent by a signal, and says whether a process is in the foreground. Only the process that the adapter
// recognised gets the signal, and only while it is still the same; its end is observed, not assumed.
import { AgtmuxError } from "../model/errors.ts";
import type { KillSignal, ActionOutcome } from "../model/action.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import type { VerifiedAction } from "./prepare.ts";
import type { Clock } from "../ports/clock.ts";
import { poll } from "./pause.ts";

// One process of a target: identity and signal are one step there. A constant script compares when the process started and signals
// it itself, so that a pid that was given to another process in between is never hit.

const TIMEOUT_MS = 5_000;
const GONE = 3;
const CHANGED = 4;
const REFUSED = 5;

/**
 * `$1` pid, `$2` start as printed before or empty, `$3` signal. Prints `<start> <1 in the foreground of its terminal>`. /proc:
 * fields after the name are state, parent, group, session, terminal, foreground group, …, the 20th is the start. A process without
 * a terminal of its own (`su -c` takes it away) counts as where its parent is. A suspended one reads nothing.
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
interface LivingProcess {
  start: string;
  /** It reads from its terminal. */
  isForeground: boolean;
}

export interface ProcessSignaller {
  find(pid: number): Promise<LivingProcess | null>;
  /** @returns false when it is gone or another one. @throws AgtmuxError E_UNSUPPORTED when it may not be signalled. */
  signal(
    action: VerifiedAction,
    process: { pid: number; start: string },
    signal: KillSignal,
  ): Promise<boolean>;
}

const runScript = async (
  executor: TargetExecutor,
  { pid, start }: { pid: number; start: string },
  signal: string,
): Promise<LivingProcess | null> => {
  const result = await executor.run(["sh", "-c", SCRIPT, "agtmux", String(pid), start, signal], {
    timeoutMs: TIMEOUT_MS,
  });
  if (result.exitCode === GONE || result.exitCode === CHANGED) return null;
  if (result.exitCode === REFUSED)
    throw new AgtmuxError("E_UNSUPPORTED", `process ${pid} can't be signalled: ${result.stderr.trim()}`);
  const [, seen, front] = /^(\S+) ([01])\n$/.exec(result.stdout) ?? [];
  if (seen === undefined)
    throw new AgtmuxError(
      "E_TARGET_UNREACHABLE",
      `process ${pid} couldn't be inspected: ${result.stderr.trim()}`,
    );
  return { start: seen, isForeground: front === "1" };
};

/** Null when there is no such process, or only what is left of it until its parent asks. */
export const findProcess = (executor: TargetExecutor, pid: number): Promise<LivingProcess | null> =>
  runScript(executor, { pid, start: "" }, "");

/** False when it is gone or another one. */
const signalProcess = async (
  executor: TargetExecutor,
  process: { pid: number; start: string },
  signal: KillSignal,
): Promise<boolean> => (await runScript(executor, process, signal)) !== null;

export const createProcessSignaller = (executor: TargetExecutor): ProcessSignaller => ({
  find: (pid) => findProcess(executor, pid),
  signal: (_action, process, signal) => signalProcess(executor, process, signal),
});

const GONE_LIMIT_MS = 3_000;
const LOOK_EVERY_MS = 100;

interface KillInput {
  paneRef: string;
  pid: number;
  signal: KillSignal;
  processes: ProcessSignaller;
  clock: Clock;
  /** True while the pid is the runtime's process: pid and start time. */
  isRuntimeProcess(): Promise<boolean>;
  /** Everything that was guarded still holds; called directly before the signal. @throws E_STALE_SNAPSHOT */
  verify(): VerifiedAction;
  /**
   * Called with true before the signal: an end counts as ours from now on. Called with false when no signal was sent after
   * all.
   */
  onSignal(isSent: boolean): void;
  /** Work of the agent may go on in a server of its own after its process ended. */
  mayGoOn: boolean;
}

/** @throws AgtmuxError E_STALE_SNAPSHOT (it is not the runtime's process any more), E_UNSUPPORTED (it may not be signalled). */
export const killProcess = async (input: KillInput): Promise<{ outcome: ActionOutcome; detail: string }> => {
  const { processes, clock, pid, signal, paneRef } = input;
  const stale = () =>
    new AgtmuxError("E_STALE_SNAPSHOT", `Nothing was done to ${paneRef}: its agent's process has ended.`);
  // Seen before it is compared with the runtime, and signalled only if it is still the one that was seen.
  const seen = await processes.find(pid);
  if (seen === null || !(await input.isRuntimeProcess())) throw stale();
  const action = input.verify();
  input.onSignal(true);
  try {
    if (!(await processes.signal(action, { pid, start: seen.start }, signal))) throw stale();
  } catch (error) {
    input.onSignal(false);
    throw error;
  }
  const isGone = await poll(clock, { everyMs: LOOK_EVERY_MS, limitMs: GONE_LIMIT_MS }, async () =>
    (await processes.find(pid))?.start === seen.start ? null : true,
  );
  if (isGone === null) {
    input.onSignal(false);
    const seconds = GONE_LIMIT_MS / 1_000;
    return { outcome: "not_delivered", detail: `Process ${pid} still runs ${seconds} s after ${signal}.` };
  }
  return input.mayGoOn
    ? {
        outcome: "unverified",
        detail: `Process ${pid} has ended; its turn may go on in the agent's own server.`,
      }
    : { outcome: "delivered", detail: `Process ${pid} has ended.` };
};
