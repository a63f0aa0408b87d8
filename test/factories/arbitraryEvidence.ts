// fast-check arbitraries: streams of evidence as agents, screens and people produce them, with distinct order keys.
import fc from "fast-check";
import type { Evidence, Signal } from "../../core/model/evidence.ts";
import {
  API_ERROR,
  APPROVAL,
  COMPLETED,
  evidenceAt,
  IDLE,
  INTERRUPTED,
  QUESTION,
  RUNNING,
  someRequest,
  TOOL,
} from "./evidence.ts";

export const START = 1_000_000;

const agentId = fc.constantFrom("", "", "", "sub");
const name = fc.constantFrom("k1", "k2", "t1", "t2");
const turnStatus = fc.constantFrom(RUNNING, TOOL, IDLE, COMPLETED, API_ERROR, null);

const activitySignal: fc.Arbitrary<Signal> = fc.record({
  kind: fc.constant("activity" as const),
  agentId,
  status: turnStatus,
  confidence: fc.constant("high" as const),
  boundary: fc.boolean(),
  closes: fc.array(name, { maxLength: 2 }),
  names: fc.option(
    fc.record({ toolUseId: fc.constantFrom("t1", "t2"), requestKey: fc.constantFrom("k1", "k2") }),
    { nil: null },
  ),
});

const requestSignal: fc.Arbitrary<Signal> = fc.record({
  kind: fc.constant("request" as const),
  agentId,
  requestKey: fc.option(fc.constantFrom("k1", "k2"), { nil: null }),
  status: fc.constantFrom(APPROVAL, QUESTION),
  confidence: fc.constant("high" as const),
  request: fc.constant(someRequest()),
  needsConfirmation: fc.boolean(),
  dialogGraceMs: fc.constant(1_000),
});

const observation = (at: number, held: number, dialogAgo: number | null) =>
  fc
    .constantFrom(RUNNING, IDLE, INTERRUPTED, COMPLETED, APPROVAL, QUESTION, API_ERROR)
    .map((status): Signal => ({
      kind: "observation",
      status,
      confidence: "medium",
      matched: "x",
      request: null,
      since: at - held,
      reads: held >= 500 ? 2 : 1,
      lastDialogSeenAt: dialogAgo === null ? null : at - held - dialogAgo,
      onset: "seen",
      steady: false,
    }));

const signalAt = (at: number): fc.Arbitrary<{ signal: Signal; source: Evidence["source"] }> =>
  fc.oneof(
    { weight: 5, arbitrary: activitySignal.map((signal) => ({ signal, source: "hook" as const })) },
    { weight: 3, arbitrary: requestSignal.map((signal) => ({ signal, source: "hook" as const })) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(
          fc.integer({ min: 0, max: 3_000 }),
          fc.option(fc.integer({ min: 1, max: 2_000 }), { nil: null }),
          fc.constantFrom("poller" as const, "transcript" as const),
        )
        .chain(([held, dialogAgo, source]) =>
          observation(at, held, dialogAgo).map((signal) => ({ signal, source })),
        ),
    },
    { weight: 1, arbitrary: fc.constant({ signal: { kind: "settled" as const }, source: "hook" as const }) },
    {
      weight: 1,
      arbitrary: fc.constant({ signal: { kind: "dismissal" as const }, source: "reconciler" as const }),
    },
  );

/** A stream in time order with distinct times; ids and dedupe keys are distinct. */
export const evidenceStream = (maxLength = 25): fc.Arbitrary<Evidence[]> =>
  fc.array(fc.integer({ min: 1, max: 4_000 }), { minLength: 1, maxLength }).chain((gaps) => {
    let at = START;
    return fc.tuple(
      ...gaps.map((gap, index) => {
        at += gap;
        const time = at;
        return signalAt(time).map(({ signal, source }) =>
          evidenceAt(time, signal, {
            source,
            eventId: `ev${String(index).padStart(3, "0")}`,
            dedupeKey: `d${index}`,
          }),
        );
      }),
    );
  });
