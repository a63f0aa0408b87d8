import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evidenceStream, START } from "../../test/factories/arbitraryEvidence.ts";
import { activity, asks, boundary, livenessAt, RUNNING, TOOL } from "../../test/factories/evidence.ts";
import { DEFAULT_TIMING } from "../model/config.ts";
import type { Evidence } from "../model/evidence.ts";
import { isWaiting } from "../model/state.ts";
import { applyEvidence, dedupeIdentity, EMPTY_FACTS } from "./facts.ts";
import { foldEvidence } from "./testkit/foldEvidence.ts";
import { resolve } from "./resolve.ts";

const RUNS = 3_000;
const at = START + 200_000;

const answer = (evidence: readonly Evidence[], instant: number) => {
  const seen = new Set<string>();
  let facts = EMPTY_FACTS;
  for (const one of evidence) {
    if (seen.has(dedupeIdentity(one))) continue;
    seen.add(dedupeIdentity(one));
    facts = applyEvidence(facts, one);
  }
  const { status, confidence, since, requestId, request } = resolve({
    facts,
    liveness: livenessAt(instant),
    at: instant,
    timing: DEFAULT_TIMING,
  });
  return { status, confidence, since, requestId, request };
};

/** A permutation of the stream with some events delivered again. */
const deliveries = evidenceStream().chain((stream) =>
  fc.tuple(
    fc.constant(stream),
    fc.shuffledSubarray([...stream, ...stream.slice(0, Math.ceil(stream.length / 2))], {
      minLength: stream.length + Math.ceil(stream.length / 2),
    }),
    fc.integer({ min: 0, max: 60_000 }),
  ),
);

describe("convergence", () => {
  it("gives the same answer for every delivery order and every duplication, at any instant", () => {
    fc.assert(
      fc.property(deliveries, ([stream, delivered, late]) => {
        const instant = (stream.at(-1)?.eventTime ?? START) + late;
        expect(answer(delivered, instant)).toEqual(answer(stream, instant));
      }),
      { numRuns: RUNS },
    );
  });

  it("keeps the cursor of a source at its newest key", () => {
    fc.assert(
      fc.property(deliveries, ([stream, delivered]) => {
        expect(foldEvidence(delivered).cursors).toEqual(foldEvidence(stream).cursors);
      }),
      { numRuns: RUNS / 10 },
    );
  });
});

describe("safety", () => {
  it("never promotes anything without fresh ground: an unverified process or a target that is down gives unknown", () => {
    fc.assert(
      fc.property(evidenceStream(), fc.boolean(), (stream, isDown) => {
        const facts = foldEvidence(stream);
        const liveness = isDown
          ? livenessAt(at, { targetHealth: "down" })
          : livenessAt(at, { processVerifiedAt: null, targetHealth: "ok" });
        const { status, confidence } = resolve({ facts, liveness, at, timing: DEFAULT_TIMING });
        // A running turn needs a keep-alive, not the process; 200 s later there is none.
        if (isDown)
          expect([status.state, status.reasonCode, confidence]).toEqual([
            "unknown",
            "target_unreachable",
            "low",
          ]);
        else
          expect(isWaiting(status.state) && stream.every((one) => one.signal.kind !== "observation")).toBe(
            false,
          );
      }),
      { numRuns: RUNS / 3 },
    );
  });

  it("never says running 45 s after the last sign of life", () => {
    fc.assert(
      fc.property(evidenceStream(), (stream) => {
        const instant = (stream.at(-1)?.eventTime ?? START) + DEFAULT_TIMING.running_ttl_ms + 1;
        expect(answer(stream, instant).status.state).not.toBe("running");
      }),
      { numRuns: RUNS / 3 },
    );
  });

  it("keeps an open request waiting under any parallel tool and sub-agent events", () => {
    const other = fc.oneof(
      fc.record({
        agentId: fc.constantFrom("", "sub"),
        status: fc.constantFrom(TOOL, RUNNING, null),
        closes: fc.subarray(["t8", "t9"]),
        names: fc.option(
          fc.constantFrom({ toolUseId: "t8", requestKey: "k8" }, { toolUseId: "t9", requestKey: "k9" }),
        ),
      }),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(other, fc.integer({ min: 1, max: 500 }), fc.boolean()), { maxLength: 30 }),
        (noise) => {
          let time = START + 100;
          const events: Evidence[] = [
            boundary(START, RUNNING),
            activity(START + 10, TOOL, { names: { toolUseId: "t1", requestKey: "k1" } }),
            asks(time, "k1"),
          ];
          for (const [options, gap, isBoundary] of noise) {
            time += gap;
            events.push(
              activity(
                time,
                options.status,
                { ...options, boundary: isBoundary && options.agentId === "sub" },
                { eventId: `n${time}`, dedupeKey: `n${time}` },
              ),
            );
          }
          expect(answer(events, time + 10).status.state).toBe("waiting_approval");
        },
      ),
      { numRuns: RUNS / 3 },
    );
  });
});
