// Deterministic event order (spec 7.2.2). Within one source the sequence number leads; across sources only time can.
import type { Evidence, EvidenceSource } from "../model/evidence.ts";

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
export const laterByTime = (a: OrderKey | null | undefined, b: OrderKey): OrderKey =>
  a !== null && a !== undefined && compareByTime(a, b) >= 0 ? a : b;
