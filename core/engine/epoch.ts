// Runtime identity: one agent process in one pane of one run of a tmux server. Decides when a runtime begins and ends.
import type { Account, Pane, ProcessInfo, Runtime } from "../model/runtime.ts";
import type { RuntimeEnd } from "../model/evidence.ts";

/** The agent that was recognised in a pane's processes. */
export interface Recognised {
  agentType: string;
  process: ProcessInfo;
  /** The agent's own id of the session that runs or is shown here, where something beside its events says so. */
  sessionId?: string | null;
  /** Where that session works, and its log, where its files say so. */
  cwd?: string | null;
  transcriptPath?: string | null;
  /** The folders that the process uses; absent: not asked. */
  account?: Account;
  /** Known by its screen alone, behind this program; `process` is that program's. */
  inside?: string | null;
  /** It only shows a session that another process runs: its end is no end of the session. */
  isViewer?: boolean;
  /**
   * What a terminal shows that goes from session to session, by the agent's own name; null: its list, or nobody can tell. Each is a
   * runtime of its own: nothing that is known of one is said of the next. Absent: it has not begun to, or was not asked.
   */
  view?: string | null;
}

/** Start times read twice may differ by the clock's resolution. */
const SAME_START_MS = 1_100;

export const isSameProcess = (
  runtime: Pick<Runtime, "pid" | "processStartedAt">,
  process: Pick<ProcessInfo, "pid" | "startedAt">,
): boolean =>
  runtime.pid === process.pid &&
  runtime.processStartedAt !== null &&
  Math.abs(runtime.processStartedAt - process.startedAt) <= SAME_START_MS;

export type RuntimeChange =
  | { kind: "keep" }
  | { kind: "begin"; recognised: Recognised }
  | { kind: "end"; end: RuntimeEnd }
  | { kind: "replace"; end: RuntimeEnd; recognised: Recognised };

export interface EndContext {
  /** The same process shows another session now. */
  hasTurned?: boolean;
  /** The agent said goodbye with its own exit event. */
  sawExitEvent: boolean;
  /** We sent the signal ourselves. */
  killedByUs: boolean;
  wasMidTurn: boolean;
  /** This agent is known to announce its exit whenever it ends in an orderly way. */
  announcesExit: boolean;
  /** Exit status of the pane's own process where the agent was it; null otherwise. */
  paneDeadStatus: number | null;
  /** Exit status of the agent as the wrapper saw it (128 + n after signal n); null where it did not run under the wrapper. */
  wrapperExitStatus: number | null;
}

/** Somebody wanted the end: hang-up, interrupt, termination. */
const WANTED_ENDS: ReadonlySet<number> = new Set([0, 128 + 1, 128 + 2, 128 + 15]);

/**
 * `crashed` needs positive proof: a failing status, or an end in the middle of a turn without the exit event that this agent
 * always sends.
 */
export const classifyEnd = (context: EndContext): RuntimeEnd => {
  if (context.killedByUs) return "killed";
  if (context.sawExitEvent) return "exited";
  if (context.wrapperExitStatus !== null)
    return context.wasMidTurn && !WANTED_ENDS.has(context.wrapperExitStatus) ? "crashed" : "exited";
  if (context.paneDeadStatus !== null) return context.paneDeadStatus === 0 ? "exited" : "crashed";
  return context.wasMidTurn && context.announcesExit ? "crashed" : "exited";
};

/** What happened to the runtime of a pane whose processes were just read. */
export const compareRuntime = (
  live: Runtime | null,
  recognised: Recognised | null,
  context: EndContext,
): RuntimeChange => {
  if (live === null) return recognised === null ? { kind: "keep" } : { kind: "begin", recognised };
  if (recognised === null) return { kind: "end", end: classifyEnd(context) };
  if (live.agentType === recognised.agentType && isSameProcess(live, recognised.process))
    return context.hasTurned === true ? { kind: "replace", end: "exited", recognised } : { kind: "keep" };
  return { kind: "replace", end: classifyEnd(context), recognised };
};

/** Panes of a listing that are the same pane as before: same id and same first process. */
export const isRespawned = (before: Pane, after: Pane): boolean => before.panePid !== after.panePid;
