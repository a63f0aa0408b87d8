// Screens that are read together are stored together: one transaction, told of after it, and all or none of it.
import { afterEach, beforeEach, expect, it } from "vitest";
import { createIngestFixture, somePane, type IngestFixture } from "../../test/factories/ingest.ts";
import type { Status } from "../model/state.ts";

const RUNNING: Status = { state: "running", reasonCode: "thinking" };
const DONE: Status = { state: "completed", reasonCode: "turn_ended" };

let f: IngestFixture;
let transactions: number;
beforeEach(() => {
  f = createIngestFixture();
  f.topology([somePane("%1"), somePane("%2")]);
  f.agent("%1", 600);
  f.agent("%2", 700);
  const sound = { ...f.store };
  transactions = 0;
  f.store.transaction = (work) => {
    transactions += 1;
    return sound.transaction(work);
  };
});
afterEach(() => f.store.close());

const states = (): (string | null)[] => f.ingest.rows(false).map(({ state }) => state);
const readBoth = (status: Status): void => {
  f.clock.advance(1_000);
  const reading = { status, confidence: "medium" as const, matched: "x", request: null, isSteady: false };
  f.ingest.applyReadings(
    "poller",
    new Map(
      f.ingest
        .rows(false)
        .map(({ identity }) => [
          identity.runtime_id ?? "",
          { reading, readAt: f.clock.now(), isChanged: true },
        ]),
    ),
  );
};

it("stores what two screens show in one transaction, and nothing where nothing is new", () => {
  readBoth(RUNNING);
  readBoth(RUNNING);
  expect(states()).toEqual(["running", "running"]);
  transactions = 0;
  readBoth(DONE);
  expect(transactions).toBe(1);
  f.changes.length = 0;
  readBoth(DONE);
  expect(states()).toEqual(["completed", "completed"]);
  transactions = 0;
  readBoth(DONE);
  expect(transactions).toBe(0);
});

it("claims neither where the store fails", () => {
  readBoth(RUNNING);
  readBoth(RUNNING);
  f.store.transaction = () => {
    throw Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
  };
  expect(() => readBoth(DONE)).toThrow(/full/);
  expect(states()).toEqual(["running", "running"]);
});
