// What the queue does now: since when agents rest (`Rests`), when a schedule is due (`nextOfSchedule`), and the decision
// (`decideSends`), a list of acts made from jobs, agents and the time, which the runner performs. At most one text per agent at a
// time, the oldest first, each into a turn of its own.
import { isLimit } from "../../../core/model/needs.ts";
import type { PaneView } from "../../../core/model/view.ts";
import { Cron } from "croner";
import { AgtmuxError } from "../../../core/model/errors.ts";
import type { SendJob } from "../../../core/model/job.ts";
import { isWaiting } from "../../../core/model/state.ts";

/** After so long without a turn, none came of the text: it was a command of the agent's own, or too quick to be seen. */
export const NO_TURN_MS = 60_000;
/**
 * The same where the agent has certainly rested all that time: each shows a turn within a moment of its Enter. Its pane is probed
 * once more before the next text.
 */
export const STILL_MS = 10_000;

/** What is less certain counts so much later, and only where the screen shows it, too (core/actions/unattended.ts). */
export const UNSURE_MS = 1_000;

interface Known {
  version: number;
  rest: Rest | null;
  isSure: boolean;
  since: number;
  /** When the state itself began, as the row has it; null where nobody knows. */
  beganAt: number | null;
}

interface Sent {
  at: number;
  /** The state version into which it was sent; null: a daemon before this one sent it. */
  version: number | null;
  sawTurn: boolean;
}

/** `limited`: it stopped at a limit of its provider, and goes on only when a person, or a time that a person set, says so. */
type Rest = "ready" | "limited";

/** How it rests; null: it does not, or asks something. Some agents report only that a turn ended: that has medium confidence. */
export const restOf = ({ state, reason_code, confidence, request }: PaneView): Rest | null => {
  if (confidence === "low" || request !== null) return null;
  if (state === "idle" || state === "completed") return "ready";
  return state === "error" && isLimit(reason_code) ? "limited" : null;
};

/** Since when each agent rests, and whether the turn of its last text is over: only then may it get the next one. */
export class Rests {
  private readonly known = new Map<string, Known>();
  private readonly sent = new Map<string, Sent>();

  noteRow(row: PaneView, now: number): void {
    const { runtime_id } = row.identity;
    if (runtime_id === null) return;
    const rest = restOf(row);
    const before = this.known.get(runtime_id);
    const isSame = before?.version === row.state_version && before.rest === rest;
    this.known.set(runtime_id, {
      version: row.state_version,
      rest,
      isSure: row.confidence === "high",
      since: isSame ? before.since : now,
      beganAt: row.since === null ? null : Date.parse(row.since),
    });
    const sent = this.sent.get(runtime_id);
    if (sent === undefined || rest === "ready") return;
    if (sent.version === null || row.state_version > sent.version) sent.sawTurn = true;
  }

  noteSent(runtimeId: string, at: number, version: number | null): void {
    this.sent.set(runtimeId, { at, version, sawTurn: false });
  }

  forget(runtimeId: string): void {
    this.known.delete(runtimeId);
    this.sent.delete(runtimeId);
  }

  /** How it rests, and from when on that counts, epoch ms; null: it does not. */
  restOf(runtimeId: string): { rest: Rest; since: number } | null {
    const { rest = null, since = 0, isSure = false } = this.known.get(runtimeId) ?? {};
    return rest === null ? null : { rest, since: isSure ? since : since + UNSURE_MS };
  }

  isTurnOver(runtimeId: string, now: number): boolean {
    const sent = this.sent.get(runtimeId);
    if (sent === undefined || now - sent.at >= NO_TURN_MS) return true;
    const {
      version = 0,
      beganAt = null,
      rest = null,
      isSure = false,
      since = now,
    } = this.known.get(runtimeId) ?? {};
    if (sent.sawTurn) return true;
    if (rest === "ready" && isSure && now - Math.max(sent.at, since) >= STILL_MS) return true;
    // Where another daemon sent it, nobody may have seen the turn: it has come to rest since.
    if (sent.version === null) return beganAt !== null && beganAt > sent.at;
    // A turn that began and ended between two changes of the row leaves two versions behind.
    return version >= sent.version + 2;
  }
}

// Schedules: when one is due, on the person's wall clock. Five fields of numbers, lists, ranges and steps. The library takes more
// forms, which mean different things in different programs; they are refused before it sees them.

const FIELD = String.raw`(?:\*|\d{1,2}(?:-\d{1,2})?)(?:\/\d{1,2})?`;
const LIST = `${FIELD}(?:,${FIELD})*`;
const EXPRESSION = new RegExp(`^${LIST}(?: ${LIST}){4}$`);
const REMEDY = "Five fields: minute, hour, day, month, weekday; such as '0 9 * * 1-5'.";

const refuse = (expression: string, why: string): AgtmuxError =>
  new AgtmuxError("E_USAGE", `the schedule '${expression.slice(0, 60)}' is refused: ${why}`, {
    remedy: REMEDY,
  });

const parse = (expression: string, timeZone: string | undefined): Cron =>
  new Cron(expression, {
    paused: true,
    mode: "5-part",
    ...(timeZone === undefined ? {} : { timezone: timeZone }),
  });

/** @throws AgtmuxError E_USAGE naming what is wrong. */
export const checkSchedule = (expression: string): void => {
  if (!EXPRESSION.test(expression)) throw refuse(expression, "it isn't five fields of numbers");
  let next: Date | null;
  try {
    next = parse(expression, undefined).nextRun();
  } catch (error) {
    throw refuse(
      expression,
      error instanceof Error ? error.message.replace(/^\w+: /, "") : "it cannot be read",
    );
  }
  if (next === null) throw refuse(expression, "it never comes");
};

/**
 * The first time after `after`, both epoch ms; null: there is none. A time that the clock jumps over is due at the jump, and one
 * that comes twice is due the first time. `timeZone`: the machine's own without it.
 */
export const nextOfSchedule = (expression: string, after: number, timeZone?: string): number | null =>
  parse(expression, timeZone).nextRun(new Date(after))?.getTime() ?? null;

/** How long an agent must have rested: what seems to have ended may go on at once. */
export const RESTED_MS = 1_000;
/** So long before that its pane is probed: what has just ended may not have drawn its last screen. */
export const EARLY_MS = 500;
/** How late a text of a set time is sent at most. */
export const LATE_MS = 3_600_000;
/** No pass for so long after a text was due: the machine slept, or no daemon ran. */
export const ASLEEP_MS = 90_000;

/** What is known of the agent of a job. */
export interface AgentNow {
  /** Null: it has ended. */
  readonly row: PaneView | null;
  /** How it rests, and since when in the same state version, epoch ms; null: it does not. */
  readonly rest: { rest: Rest; since: number } | null;
  /** The turn of the text that was sent last has begun and ended, or never seems to come. */
  readonly isTurnOver: boolean;
  /** A text is being typed there now. */
  readonly isBusy: boolean;
}

interface SendFacts {
  readonly now: number;
  /** The pass before this one, epoch ms. */
  readonly lookedAt: number;
  /** By runtime; of each job's there is one. */
  readonly agents: ReadonlyMap<string, AgentNow>;
  readonly nextOf: (expression: string, after: number) => number | null;
}

export type SendAct =
  | { readonly kind: "send"; readonly job: SendJob; readonly row: PaneView }
  /** It is due and cannot be sent now; `why` is for the person. */
  | { readonly kind: "wait"; readonly job: SendJob; readonly why: string }
  /** It is sent in a moment, once its agent has rested long enough, if nothing is in the way: its pane is probed now. */
  | { readonly kind: "soon"; readonly job: SendJob; readonly row: PaneView; readonly why: string }
  /** The agent has named its session. */
  | { readonly kind: "bind"; readonly job: SendJob; readonly sessionId: string }
  /** This time of a schedule is given up. */
  | { readonly kind: "skip"; readonly job: SendJob; readonly nextAt: number; readonly why: string }
  | { readonly kind: "expire"; readonly job: SendJob; readonly why: string }
  /** It can never be sent any more. */
  | { readonly kind: "stop"; readonly job: SendJob; readonly row: PaneView | null; readonly why: string };

const hasEnded = ({ row }: AgentNow): boolean =>
  row === null || (row.state === "error" && row.reason_code === "crashed");

/** Why this job can never be sent any more; null: it can. */
const endOf = (job: SendJob, agent: AgentNow): string | null => {
  if (hasEnded(agent)) return "its agent has ended";
  const session = agent.row?.agent_session_id ?? null;
  return job.sessionId !== null && session !== null && session !== job.sessionId
    ? "its agent is in another session now"
    : null;
};

/** What becomes of a time that has passed; null: it is due now, or not yet. */
const passedBy = (job: SendJob, { now, lookedAt, nextOf }: SendFacts): SendAct | null => {
  const { trigger, nextAt } = job;
  if (nextAt === null || now < nextAt || trigger.kind === "ready") return null;
  const lateMs = now - nextAt;
  if (trigger.kind === "at")
    return lateMs > LATE_MS ? { kind: "expire", job, why: "its time passed more than an hour ago" } : null;
  const next = nextOf(trigger.expression, now);
  if (next === null) return { kind: "expire", job, why: "its schedule has no times left" };
  const wasMissed = lookedAt < nextAt && lateMs > ASLEEP_MS;
  const following = nextOf(trigger.expression, nextAt) ?? next;
  if (!wasMissed && lateMs <= LATE_MS && now < following) return null;
  const why = wasMissed ? "the machine was asleep or agtmux wasn't running" : "the agent wasn't idle in time";
  return { kind: "skip", job, nextAt: next, why };
};

const JUST_RESTED = "its agent has only just become idle";

const whyNot = (
  { trigger }: SendJob,
  { row, rest, isTurnOver, isBusy }: AgentNow,
  now: number,
): string | null => {
  if (isBusy || !isTurnOver) return "the text before it goes first";
  const state = row?.state ?? "unknown";
  if (isWaiting(state)) return "its agent waits for you";
  if (rest === null && state === "running") return "its agent works";
  // Only a time that a person set says that a limit is over.
  const isReady = rest?.rest === "ready" || (rest?.rest === "limited" && trigger.kind === "at");
  if (!isReady && state === "error") return "its agent stopped with an error";
  if (rest === null) return "can't be sure that its agent is idle";
  return now - rest.since >= RESTED_MS ? null : JUST_RESTED;
};

/** Of one agent, in the order in which they are due. */
const decideAgent = (jobs: readonly SendJob[], agent: AgentNow, now: number): SendAct[] => {
  const ordered = jobs.toSorted(
    (a, b) => (a.nextAt ?? a.createdAt) - (b.nextAt ?? b.createdAt) || (a.jobId < b.jobId ? -1 : 1),
  );
  return ordered.map((job, index): SendAct => {
    const why = whyNot(job, agent, now);
    if (index > 0) return { kind: "wait", job, why: "another text is before it" };
    const { row, rest } = agent;
    if (why === JUST_RESTED && row !== null && now - (rest?.since ?? now) >= RESTED_MS - EARLY_MS)
      return { kind: "soon", job, row, why };
    return why === null && row !== null
      ? { kind: "send", job, row }
      : { kind: "wait", job, why: why ?? "its agent has ended" };
  });
};

export const decideSends = (jobs: readonly SendJob[], facts: SendFacts): SendAct[] => {
  const { now, agents } = facts;
  const acts: SendAct[] = [];
  const due = new Map<string, SendJob[]>();
  for (const job of jobs) {
    const agent = agents.get(job.agent.runtimeId);
    // Nothing is decided for an agent that is typed to at this moment: its text is on its way.
    if (agent === undefined || agent.isBusy) continue;
    const end = endOf(job, agent);
    if (end !== null) {
      acts.push({ kind: "stop", job, row: agent.row, why: end });
      continue;
    }
    const session = agent.row?.agent_session_id ?? null;
    if (job.sessionId === null && session !== null) acts.push({ kind: "bind", job, sessionId: session });
    const passed = passedBy(job, facts);
    if (passed !== null) acts.push(passed);
    else if (now >= job.expiresAt) acts.push({ kind: "expire", job, why: "it was not sent in time" });
    else if (job.nextAt === null || now >= job.nextAt)
      due.set(job.agent.runtimeId, [...(due.get(job.agent.runtimeId) ?? []), job]);
  }
  for (const [runtimeId, waiting] of due) {
    const agent = agents.get(runtimeId);
    if (agent !== undefined) acts.push(...decideAgent(waiting, agent, now));
  }
  return acts;
};
