import { afterEach, expect, it } from "vitest";
import { createIngestFixture, type IngestFixture } from "../../test/factories/ingest.ts";

const open: IngestFixture[] = [];
afterEach(() => {
  for (const made of open.splice(0)) made.store.close();
});
const inTurn = (): IngestFixture => {
  const f = createIngestFixture();
  open.push(f);
  f.beginTurn();
  return f;
};

it("a runtime whose agent was disabled while no daemon ran ends at the start, and not as a crash", () => {
  const f = inTurn();
  const restarted = f.reopen();
  restarted.endDisabled((agentType) => agentType !== "claude");
  expect(f.transitions().at(-1)).toBe("end:disabled");
  expect(f.state()).toBe("none");
});

it("a crashed row of a disabled agent goes, one of another stays", () => {
  const f = inTurn();
  f.clock.advance(100);
  f.agent();
  f.noAgent();
  expect(f.ingest.rows(false).map(({ reason_code }) => reason_code)).toEqual(["crashed"]);
  f.ingest.endDisabled(() => true);
  expect(f.ingest.rows(false)).toHaveLength(1);
  f.ingest.endDisabled(() => false);
  expect(f.ingest.rows(false)).toEqual([]);
});

it("processes that were read before do not bring an agent back that no adapter knows", () => {
  const f = inTurn();
  f.ingest.applyRecognised(
    { targetId: "host", server: "default", paneId: "%1" },
    { agentType: "claude", process: { pid: 600, ppid: 500, comm: "claude", args: "claude", startedAt: 1 } },
  );
  f.ingest.endDisabled(() => false);
  f.ingest.applyRecognised(
    { targetId: "host", server: "default", paneId: "%1" },
    { agentType: "gone", process: { pid: 600, ppid: 500, comm: "gone", args: "gone", startedAt: 1 } },
  );
  expect(f.ingest.rows(false)).toEqual([]);
});
