import { afterEach, expect, it } from "vitest";
import { createIngestFixture, type IngestFixture } from "../../test/factories/ingest.ts";

let made: IngestFixture;
afterEach(() => made.store.close());

it("why a target is not reached is listed and stored without secrets, and told once", () => {
  made = createIngestFixture();
  const { ingest, store, changes } = made;
  const reason = "connect to vm1: proxy https://me:hunter2-secret@proxy.example said 407";
  ingest.setHealth("host", "down", reason);
  ingest.setHealth("host", "down", reason);
  const clean = "connect to vm1: proxy https://[redacted]@proxy.example said 407";
  expect(ingest.targets().map((target) => target.health_reason)).toEqual([clean]);
  expect(store.listTargets().map((target) => target.healthReason)).toEqual([clean]);
  expect(changes.filter(({ kind }) => kind === "target")).toHaveLength(1);
});
