// Replay: an unpruned event table, replayed with its recorded evaluation instants, gives the stored
// states. Random lives of one agent through the real store.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { API_ERROR, APPROVAL, COMPLETED, IDLE, RUNNING } from "../../test/factories/evidence.ts";
import { createIngestFixture, somePane, type IngestFixture } from "../../test/factories/ingest.ts";
import { foldEvidence } from "../engine/testkit/foldEvidence.ts";
import { resolve } from "../engine/resolve.ts";
import { DEFAULT_TIMING } from "../model/config.ts";
import type { Status } from "../model/state.ts";
import { listEvidence } from "../store/testkit/listEvidence.ts";

type Step = (fixture: IngestFixture) => void;

const TOOL = { tool_name: "Bash", tool_input: { command: "make" }, tool_use_id: "toolu_1" };
const EVENTS: [string, Record<string, unknown>][] = [
  ["SessionStart", { source: "startup" }],
  ["UserPromptSubmit", { prompt: "go" }],
  ["PreToolUse", TOOL],
  ["PermissionRequest", TOOL],
  ["PermissionRequest", { ...TOOL, permission_mode: "auto" }],
  ["PostToolUse", TOOL],
  ["Notification", { notification_type: "permission_prompt" }],
  ["Notification", { notification_type: "idle_prompt" }],
  ["SubagentStart", { agent_id: "a1" }],
  ["SubagentStop", { agent_id: "a1" }],
  ["Stop", { background_tasks: [] }],
  ["StopFailure", { error: "server_error" }],
];

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom(...EVENTS).map(
    ([name, payload]): Step =>
      (f) =>
        void f.hook(name, payload),
  ),
  fc
    .tuple(
      fc.constantFrom<Status>(RUNNING, IDLE, APPROVAL, COMPLETED, API_ERROR),
      fc.constantFrom("poller" as const, "transcript" as const),
    )
    .map(([status, source]): Step => (f) => {
      const [row] = f.ingest.rows(false);
      if (row?.identity.runtime_id === undefined || row.identity.runtime_id === null) return;
      const reading = { status, confidence: "medium" as const, matched: "m", request: null, isSteady: false };
      f.ingest.applyReading(row.identity.runtime_id, source, {
        reading,
        readAt: f.clock.now(),
        isChanged: true,
      });
    }),
  fc.constantFrom(50, 600, 5_000, 50_000, 130_000).map(
    (ms): Step =>
      (f) =>
        f.clock.advance(ms),
  ),
  fc.constant<Step>((f) => f.ingest.tick()),
  fc.constant<Step>((f) => f.ingest.setHealth("host", "down", "gone")),
  fc.constant<Step>((f) => f.ingest.setHealth("host", "ok", null)),
);

it("replays to the stored states for any life of an agent", () => {
  const folder = mkdtempSync(join(tmpdir(), "agtmux-replay-"));
  let run = 0;
  try {
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) => {
        const f = createIngestFixture(join(folder, `${(run += 1)}.db`));
        try {
          f.topology([somePane()]);
          f.agent();
          for (const take of steps) {
            f.clock.advance(7);
            take(f);
          }
          for (const {
            runtimeId,
            eventHorizon,
            liveness,
            evaluatedAt,
            resolution,
          } of f.store.listTransitionsAfter(0, 10_000)) {
            if (resolution === null) continue;
            const evidence = listEvidence(f.store, runtimeId).filter((one) => one.row <= eventHorizon);
            const replayed = resolve({
              facts: foldEvidence(evidence.map((one) => one.evidence)),
              liveness,
              at: evaluatedAt,
              timing: DEFAULT_TIMING,
            });
            expect([replayed.status, replayed.requestId, replayed.confidence]).toEqual([
              resolution.status,
              resolution.requestId,
              resolution.confidence,
            ]);
          }
        } finally {
          f.store.close();
        }
      }),
      { numRuns: 150 },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);
