// Decides what the queue does now. Pure: from the jobs, what is known of their agents, and the time it makes a list of acts,
// which the runner performs. At most one text per agent at a time, the oldest first, each into a turn of its own.
import type { SendJob } from "../../../core/model/job.ts";
import { isWaiting } from "../../../core/model/state.ts";
import type { PaneView } from "../../../core/model/view.ts";
import type { Rest } from "./rests.ts";

/** How long an agent must have rested: what seems to have ended may go on at once. */
export const RESTED_MS = 1_000;
/** So long before that its pane is looked at: what has just ended may not have drawn its last screen. */
export const EARLY_MS = 500;
/** How late a text of a set time is sent at most. */
export const LATE_MS = 3_600_000;
/** Nobody looked for so long after a text was due: the machine slept, or no daemon ran. */
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

export interface SendFacts {
  readonly now: number;
  /** The look before this one, epoch ms. */
  readonly lookedAt: number;
  /** By runtime; of each job's there is one. */
  readonly agents: ReadonlyMap<string, AgentNow>;
  readonly nextOf: (expression: string, after: number) => number | null;
}

export type SendAct =
  | { readonly kind: "send"; readonly job: SendJob; readonly row: PaneView }
  /** It is due and cannot be sent now; `why` is for the person. */
  | { readonly kind: "wait"; readonly job: SendJob; readonly why: string }
  /** It is sent in a moment, once its agent has rested long enough, if nothing is in the way: time to look at it. */
  | { readonly kind: "soon"; readonly job: SendJob; readonly row: PaneView; readonly why: string }
  /** The agent has told its session. */
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
  if (next === null) return { kind: "expire", job, why: "its schedule has no further time" };
  const wasMissed = lookedAt < nextAt && lateMs > ASLEEP_MS;
  const following = nextOf(trigger.expression, nextAt) ?? next;
  if (!wasMissed && lateMs <= LATE_MS && now < following) return null;
  const why = wasMissed ? "nobody looked at its time" : "the agent did not rest in time";
  return { kind: "skip", job, nextAt: next, why };
};

const JUST_RESTED = "its agent has only just come to rest";

const whyNot = (
  { trigger }: SendJob,
  { row, rest, isTurnOver, isBusy }: AgentNow,
  now: number,
): string | null => {
  if (isBusy || !isTurnOver) return "the text before it has its turn";
  const state = row?.state ?? "unknown";
  if (isWaiting(state)) return "its agent waits for you";
  if (rest === null && state === "running") return "its agent works";
  // Only a time that a person set says that a limit is over.
  const isReady = rest?.rest === "ready" || (rest?.rest === "limited" && trigger.kind === "at");
  if (!isReady && state === "error") return "its agent stopped with an error";
  if (rest === null) return "it is not certain that its agent rests";
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
    // Of an agent that is typed to at this moment nothing is decided: its text is on its way.
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
