// Turns a series of sampled readings of one source into observation signals: how long the same picture has held, over
// how many reads, and when a dialog was last seen. Also decides which readings are worth storing.
import type { ObservationSignal } from "../model/evidence.ts";
import type { PromptRequest } from "../model/request.ts";
import { isWaiting, type Confidence, type Status } from "../model/state.ts";

export interface SampledReading {
  status: Status;
  confidence: Confidence;
  matched: string;
  request: PromptRequest | null;
  isSteady: boolean;
  progress?: string | null;
}

/** The run of equal readings so far; null before the first one. `countedAt`: the read that last raised `reads`. */
export interface ObservationRun {
  signal: ObservationSignal;
  lastReadAt: number;
  countedAt: number;
}

/** What is asked, without the keys: they change when a person moves the selection, and the question does not. */
const identityOf = (request: PromptRequest | null): string =>
  JSON.stringify(
    request === null
      ? null
      : [
          request.kind,
          request.title,
          request.body,
          request.content ?? null,
          request.remark ?? null,
          request.isWhole ?? false,
          request.toolName,
          request.expiresAt,
          request.options.map(({ label, description }) => [label, description ?? null]),
        ],
  );

/** The keys of an answer, which move with the selection, do not count. */
export const isSamePicture = (signal: ObservationSignal, reading: SampledReading): boolean =>
  signal.status.state === reading.status.state &&
  signal.status.reasonCode === reading.status.reasonCode &&
  identityOf(signal.request) === identityOf(reading.request);

export interface Observed {
  run: ObservationRun;
  /** True when the reading changed something that the engine must remember: a new picture, or a picture that became sustained. */
  isWorthStoring: boolean;
}

/**
 * Adds a reading made at `at` (epoch ms). A run is sustained once two reads at least `contestMs` apart agree. After a
 * pause longer than `maxGapMs` nobody knows what was shown in between: a new run begins, without a witnessed onset.
 */
export const observe = (
  previous: ObservationRun | null,
  reading: SampledReading,
  options: { at: number; contestMs: number; maxGapMs: number },
): Observed => {
  const { at, contestMs, maxGapMs } = options;
  const isContinued = previous !== null && at - previous.lastReadAt <= maxGapMs;
  if (previous !== null && isContinued && isSamePicture(previous.signal, reading)) {
    const counts = at - previous.countedAt >= contestMs;
    const reads = previous.signal.reads + (counts ? 1 : 0);
    const lastDialogSeenAt = isWaiting(reading.status.state) ? at : previous.signal.lastDialogSeenAt;
    return {
      run: {
        signal: {
          ...previous.signal,
          matched: reading.matched.slice(0, 2_000),
          reads,
          lastDialogSeenAt,
          steady: reading.isSteady,
        },
        lastReadAt: at,
        countedAt: counts ? at : previous.countedAt,
      },
      isWorthStoring: previous.signal.reads < 2 && reads >= 2,
    };
  }
  return {
    run: {
      signal: {
        kind: "observation",
        status: reading.status,
        confidence: reading.confidence,
        matched: reading.matched.slice(0, 2_000),
        request: reading.request,
        since: at,
        reads: 1,
        lastDialogSeenAt: isWaiting(reading.status.state) ? at : (previous?.signal.lastDialogSeenAt ?? null),
        onset: isContinued ? "seen" : "unknown",
        steady: reading.isSteady,
      },
      lastReadAt: at,
      countedAt: at,
    },
    isWorthStoring: true,
  };
};
