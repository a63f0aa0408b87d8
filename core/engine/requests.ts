// Which requests are open: in lanes (docs/architecture.md). A lane is closed by an answer that names it, a boundary of its own
// agent, or a screen that positively shows something else; never by other agents' or parallel tools' events.
import { ROOT_AGENT } from "../model/evidence.ts";
import { compareByTime, orderKeyOf, type OrderKey, type Facts, type RequestEvidence } from "./facts.ts";

export interface Lane {
  /** `request:<agent>/<key>`; the same command asked again in the same turn shares it. */
  readonly name: string;
  /** The opening evidence that is still unanswered, oldest first; empty when the lane is closed. */
  readonly unanswered: readonly RequestEvidence[];
  readonly contested: readonly RequestEvidence[];
  readonly answered: readonly RequestEvidence[];
  /** The latest answer that names the request, epoch ms; null before the first. */
  readonly answeredAt: number | null;
}

const byTime = (a: RequestEvidence, b: RequestEvidence): number =>
  compareByTime(orderKeyOf(a), orderKeyOf(b));

/**
 * True when a sustained reading without a dialog speaks against this request: the dialog had been seen since it opened,
 * or the reading is later than the time that the agent needs to draw it. `observedUntil`: the latest read of a sustained
 * reading that shows no dialog, beyond what is stored as evidence.
 */
const isContested = (facts: Facts, open: RequestEvidence, observedUntil: number): boolean =>
  open.eventTime <= facts.contestedDialogAt ||
  open.eventTime + open.signal.dialogGraceMs <= Math.max(facts.contestedAt, observedUntil);

const isAnsweredGenerically = (facts: Facts, open: RequestEvidence): boolean => {
  const activity = facts.lastActivity.get(open.signal.agentId);
  return activity !== undefined && compareByTime(activity, orderKeyOf(open)) > 0;
};

type Closings = ReadonlyMap<string, OrderKey>;

/** Closing events of this agent that name `name`, by identity. */
const closingsOf = (facts: Facts, agentId: string, name: string): Closings => {
  const closings = new Map<string, OrderKey>();
  for (const [identity, entry] of facts.closes.get(name) ?? [])
    if (entry.agentId === agentId) closings.set(identity, entry.key);
  return closings;
};

const earliest = (closings: Closings): OrderKey | null =>
  [...closings.values()].toSorted(compareByTime)[0] ?? null;

/**
 * Answers of a lane, oldest first: one per announced call that was closed (however many events say so), and one per event
 * that names the request key without closing a known call. `pendingCalls`: announced calls that nothing closed yet.
 */
const answersOf = (
  facts: Facts,
  agentId: string,
  requestKey: string,
): { answers: OrderKey[]; callCount: number; pendingCalls: number } => {
  const calls = [...facts.names.values()]
    .filter((name) => name.agentId === agentId && name.requestKey === requestKey)
    .map((name) => closingsOf(facts, agentId, name.toolUseId));
  const byCall = new Set(calls.flatMap((closings) => [...closings.keys()]));
  const anonymous = [...closingsOf(facts, agentId, requestKey)].filter(([identity]) => !byCall.has(identity));
  const answers = [...calls.map(earliest), ...anonymous.map(([, key]) => key)].filter((key) => key !== null);
  return {
    answers: answers.toSorted(compareByTime),
    callCount: calls.length,
    pendingCalls: calls.filter((closings) => closings.size === 0).length,
  };
};

/**
 * Pairs openings with answers. Two equal calls in parallel share a key, so one answer must not close both: as long as the
 * agent announced a call (tool-use id) that has no answer yet, one opening stays unanswered per such call.
 */
const splitAnswered = (
  facts: Facts,
  lane: { agentId: string; requestKey: string },
  opens: RequestEvidence[],
): { unanswered: RequestEvidence[]; answered: RequestEvidence[] } => {
  const { answers, callCount, pendingCalls } = answersOf(facts, lane.agentId, lane.requestKey);
  const unanswered: RequestEvidence[] = [];
  const answered: RequestEvidence[] = [];
  const free = [...answers];
  for (const open of opens) {
    const index = free.findIndex((answer) => compareByTime(answer, orderKeyOf(open)) > 0);
    if (index === -1) unanswered.push(open);
    else {
      free.splice(index, 1);
      answered.push(open);
    }
  }
  if (callCount === 0) return { unanswered, answered };
  // More openings than calls: one call was announced twice (two hook entries). The answer to that call closes the surplus
  // too, but only an answer that came later.
  let surplus = unanswered.length - pendingCalls;
  const kept: RequestEvidence[] = [];
  for (const open of unanswered) {
    if (surplus > 0 && answers.some((answer) => compareByTime(answer, orderKeyOf(open)) > 0)) {
      surplus -= 1;
      answered.push(open);
    } else kept.push(open);
  }
  return { unanswered: kept, answered };
};

export const requestLanes = (facts: Facts, observedUntil: number): Lane[] => {
  const groups = new Map<string, RequestEvidence[]>();
  for (const open of facts.opens.values()) {
    const name = `request:${open.signal.agentId}/${open.signal.requestKey ?? "dialog"}`;
    groups.set(name, [...(groups.get(name) ?? []), open]);
  }
  const lanes: Lane[] = [];
  for (const [name, group] of groups) {
    const opens = group.toSorted(byTime);
    const contested = opens.filter((open) => isContested(facts, open, observedUntil));
    const live = opens.filter((open) => !isContested(facts, open, observedUntil));
    const requestKey = group[0]?.signal.requestKey ?? null;
    const agentId = group[0]?.signal.agentId ?? ROOT_AGENT;
    const { unanswered, answered } =
      requestKey === null
        ? {
            unanswered: live.filter((open) => !isAnsweredGenerically(facts, open)),
            answered: live.filter((open) => isAnsweredGenerically(facts, open)),
          }
        : splitAnswered(facts, { agentId, requestKey }, live);
    const answers = requestKey === null ? [] : answersOf(facts, agentId, requestKey).answers;
    lanes.push({ name, unanswered, contested, answered, answeredAt: answers.at(-1)?.eventTime ?? null });
  }
  return lanes.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
};
