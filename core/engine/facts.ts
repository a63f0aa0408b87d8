// The order of events, and what is known about one runtime, folded from its evidence. Every field is a register that only grows
// (newest by order key, or a set), so folding is commutative, associative and idempotent: any delivery order gives the same facts.
// Late evidence, older than the source's cursor, therefore moves nothing that newer evidence already decided.
import type {
  Evidence,
  EvidenceSource,
  ActivitySignal,
  ObservationSignal,
  RequestSignal,
} from "../model/evidence.ts";
import { isWaiting } from "../model/state.ts";

/** Deterministic event order (spec 7.2.2). Within one source the sequence number leads; across sources only time can. */
export interface OrderKey {
  source: EvidenceSource;
  /** A source numbers all of its events or none; in a mixture the unnumbered ones count as older, so that the order stays total. */
  sourceSeq: number | null;
  eventTime: number;
  ingestedAt: number;
  eventId: string;
}

export const orderKeyOf = (evidence: Evidence): OrderKey => ({
  source: evidence.source,
  sourceSeq: evidence.sourceSeq,
  eventTime: evidence.eventTime,
  ingestedAt: evidence.ingestedAt,
  eventId: evidence.eventId,
});

/** Order by time, then arrival, then id: the order between different sources. Negative: `a` is older. */
export const compareByTime = (a: OrderKey, b: OrderKey): number => {
  if (a.eventTime !== b.eventTime) return a.eventTime - b.eventTime;
  if (a.ingestedAt !== b.ingestedAt) return a.ingestedAt - b.ingestedAt;
  return a.eventId < b.eventId ? -1 : a.eventId > b.eventId ? 1 : 0;
};

/** Order of two keys of the same source; falls back to time across sources. Negative: `a` is older. */
export const compareOrder = (a: OrderKey, b: OrderKey): number => {
  if (a.source === b.source && a.sourceSeq !== b.sourceSeq) return (a.sourceSeq ?? -1) - (b.sourceSeq ?? -1);
  return compareByTime(a, b);
};

/** The newer of two keys by time; null is older than everything. */
const laterByTime = (a: OrderKey | null | undefined, b: OrderKey): OrderKey =>
  a !== null && a !== undefined && compareByTime(a, b) >= 0 ? a : b;

export type ActivityEvidence = Evidence & { signal: ActivitySignal };
export type RequestEvidence = Evidence & { signal: RequestSignal };
export type ObservationEvidence = Evidence & { signal: ObservationSignal };

export interface Facts {
  /** Newest accepted key per source: the cursor of spec 7.2.2. */
  readonly cursors: ReadonlyMap<EvidenceSource, OrderKey>;
  /** Newest activity with a status per source: the candidates of lane `turn`. */
  readonly turns: ReadonlyMap<EvidenceSource, ActivityEvidence>;
  /** Newest reading per observing source. */
  readonly observations: ReadonlyMap<EvidenceSource, ObservationEvidence>;
  /** Newest boundary per agent id, with the evidence that made it. */
  readonly boundaries: ReadonlyMap<string, ActivityEvidence>;
  /** Newest activity per agent id, with or without a status. */
  readonly lastActivity: ReadonlyMap<string, OrderKey>;
  /** Opened requests by dedupe identity. */
  readonly opens: ReadonlyMap<string, RequestEvidence>;
  /** Answers: name of a request → the answering evidence, by dedupe identity. */
  readonly closes: ReadonlyMap<string, ReadonlyMap<string, { agentId: string; key: OrderKey }>>;
  /** Per agent and tool-use id: the request key that the id is another name of. Agents never speak for each other. */
  readonly names: ReadonlyMap<
    string,
    { toolUseId: string; requestKey: string; agentId: string; key: OrderKey }
  >;
  /** Latest read that showed a dialog, and latest sustained read that positively showed none. */
  readonly waitingSeenAt: number;
  readonly contestedAt: number;
  /** Newest time at which a dialog had been seen before a sustained reading that showed none. */
  readonly contestedDialogAt: number;
  /** Latest sustained read that showed a turn in progress. */
  readonly runningSeenAt: number;
  readonly settled: OrderKey | null;
  readonly dismissed: OrderKey | null;
  /** Newest proof of life among the evidence: the older of event time and arrival, so that a backlog is not fresh. */
  readonly keepAliveAt: number;
}

export const EMPTY_FACTS: Facts = {
  cursors: new Map(),
  turns: new Map(),
  observations: new Map(),
  boundaries: new Map(),
  lastActivity: new Map(),
  opens: new Map(),
  closes: new Map(),
  names: new Map(),
  waitingSeenAt: 0,
  contestedAt: 0,
  contestedDialogAt: 0,
  runningSeenAt: 0,
  settled: null,
  dismissed: null,
  keepAliveAt: 0,
};

/** Identity for dedupe within a runtime. */
export const dedupeIdentity = (evidence: Evidence): string => `${evidence.source}\u0000${evidence.dedupeKey}`;

const withEntry = <K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> =>
  new Map(map).set(key, value);

const without = <K, V>(map: ReadonlyMap<K, V>, gone: (value: V) => boolean): ReadonlyMap<K, V> => {
  const kept = new Map<K, V>();
  for (const [key, value] of map) if (!gone(value)) kept.set(key, value);
  return kept.size === map.size ? map : kept;
};

/** Drops what a boundary of the same agent has closed; evidence older than it is ignored on arrival, so nothing is lost. */
const pruned = (facts: Facts, agentId: string, boundary: OrderKey): Facts => {
  const isOlder = (entry: { agentId: string; key: OrderKey }) =>
    entry.agentId === agentId && compareByTime(entry.key, boundary) < 0;
  const closes = new Map<string, ReadonlyMap<string, { agentId: string; key: OrderKey }>>();
  for (const [name, entries] of facts.closes) {
    const kept = without(entries, isOlder);
    if (kept.size > 0) closes.set(name, kept);
  }
  return {
    ...facts,
    closes,
    names: without(facts.names, isOlder),
    opens: without(facts.opens, (open) => isOlder({ agentId: open.signal.agentId, key: orderKeyOf(open) })),
  };
};

const isBeforeBoundary = (facts: Facts, agentId: string, key: OrderKey): boolean => {
  const boundary = facts.boundaries.get(agentId);
  return boundary !== undefined && compareByTime(key, orderKeyOf(boundary)) < 0;
};

const applyActivity = (facts: Facts, evidence: ActivityEvidence): Facts => {
  const { signal } = evidence;
  const key = orderKeyOf(evidence);
  let next = facts;

  const turn = facts.turns.get(evidence.source);
  if (signal.status !== null && (turn === undefined || compareOrder(key, orderKeyOf(turn)) > 0))
    next = { ...next, turns: withEntry(next.turns, evidence.source, evidence) };

  next = {
    ...next,
    lastActivity: withEntry(
      next.lastActivity,
      signal.agentId,
      laterByTime(next.lastActivity.get(signal.agentId), key),
    ),
  };

  if (!isBeforeBoundary(facts, signal.agentId, key)) {
    if (signal.names !== null) {
      const { agentId } = signal;
      const identity = `${agentId}\u0000${signal.names.toolUseId}`;
      const known = next.names.get(identity);
      if (known === undefined || compareByTime(key, known.key) > 0)
        next = { ...next, names: withEntry(next.names, identity, { ...signal.names, agentId, key }) };
    }
    if (signal.closes.length > 0) {
      const closes = new Map(next.closes);
      for (const name of signal.closes)
        closes.set(
          name,
          withEntry(closes.get(name) ?? new Map(), dedupeIdentity(evidence), {
            agentId: signal.agentId,
            key,
          }),
        );
      next = { ...next, closes };
    }
  }

  const boundary = facts.boundaries.get(signal.agentId);
  if (signal.boundary && (boundary === undefined || compareByTime(key, orderKeyOf(boundary)) > 0))
    next = pruned(
      { ...next, boundaries: withEntry(next.boundaries, signal.agentId, evidence) },
      signal.agentId,
      key,
    );
  return next;
};

const applyObservation = (facts: Facts, evidence: ObservationEvidence): Facts => {
  const { signal } = evidence;
  const known = facts.observations.get(evidence.source);
  const observations =
    known === undefined || compareOrder(orderKeyOf(evidence), orderKeyOf(known)) > 0
      ? withEntry(facts.observations, evidence.source, evidence)
      : facts.observations;
  if (isWaiting(signal.status.state))
    return { ...facts, observations, waitingSeenAt: Math.max(facts.waitingSeenAt, evidence.eventTime) };
  if (signal.reads < 2) return { ...facts, observations };
  return {
    ...facts,
    observations,
    contestedAt: Math.max(facts.contestedAt, evidence.eventTime),
    contestedDialogAt: Math.max(facts.contestedDialogAt, signal.lastDialogSeenAt ?? 0),
    runningSeenAt:
      signal.status.state === "running"
        ? Math.max(facts.runningSeenAt, evidence.eventTime)
        : facts.runningSeenAt,
  };
};

/** Folds one piece of evidence in. Duplicates (same source and dedupe key) must be rejected before, as the store does. */
export const applyEvidence = (facts: Facts, evidence: Evidence): Facts => {
  const key = orderKeyOf(evidence);
  const cursor = facts.cursors.get(evidence.source);
  const isNewest = cursor === undefined || compareOrder(key, cursor) > 0;
  const base: Facts = {
    ...facts,
    cursors: isNewest ? withEntry(facts.cursors, evidence.source, key) : facts.cursors,
    keepAliveAt:
      evidence.source === "reconciler"
        ? facts.keepAliveAt
        : Math.max(facts.keepAliveAt, Math.min(evidence.eventTime, evidence.ingestedAt)),
  };
  const { signal } = evidence;
  switch (signal.kind) {
    case "activity":
      return applyActivity(base, { ...evidence, signal });
    case "request":
      return isBeforeBoundary(facts, signal.agentId, key)
        ? base
        : { ...base, opens: withEntry(base.opens, dedupeIdentity(evidence), { ...evidence, signal }) };
    case "observation":
      return applyObservation(base, { ...evidence, signal });
    case "settled":
      return { ...base, settled: laterByTime(base.settled, key) };
    case "dismissal":
      return { ...base, dismissed: laterByTime(base.dismissed, key) };
  }
};

/** Ids of the events that a live candidate rests on: retention keeps these. */
export const liveEventIds = (facts: Facts): string[] =>
  [
    ...facts.turns.values(),
    ...facts.observations.values(),
    ...facts.boundaries.values(),
    ...facts.opens.values(),
  ].map((evidence) => evidence.eventId);
