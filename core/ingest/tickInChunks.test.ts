// A tick in chunks does what one in one chunk does, and each chunk sees the state as it is by then.
import { afterEach, expect, it } from "vitest";
import { createIngestFixture, somePane, type IngestFixture } from "../../test/factories/ingest.ts";

const PANES = Array.from({ length: 5 }, (_, index) => `%${index + 1}`);
const opened: IngestFixture[] = [];
afterEach(() => {
  for (const f of opened.splice(0)) f.store.close();
});

/** Five agents at work that nobody has heard of for a minute. */
const stale = (): IngestFixture => {
  const f = createIngestFixture();
  opened.push(f);
  f.topology(PANES.map((paneId) => somePane(paneId)));
  for (const paneId of PANES) f.agent(paneId);
  for (const paneId of PANES) f.hook("UserPromptSubmit", {}, { paneId });
  f.clock.advance(60_000);
  return f;
};
const states = (f: IngestFixture) => f.ingest.rows(false).map(({ state }) => state);

it("comes to the same", () => {
  const [whole, chunks] = [stale(), stale()];
  expect(states(whole)).toEqual(PANES.map(() => "running"));
  whole.ingest.tick();
  const steps = chunks.ingest.tickInChunks(2);
  const seen = [];
  while (steps.next().done !== true) seen.push(states(chunks).filter((state) => state === "unknown").length);
  expect(seen).toEqual([2, 4]);
  expect(states(whole)).toEqual(PANES.map(() => "unknown"));
  expect(states(chunks)).toEqual(states(whole));
});

it("takes no step more than it has agents for", () => {
  for (const [size, steps] of [
    [5, 0],
    [4, 1],
    [1, 4],
  ] as const)
    expect([size, [...stale().ingest.tickInChunks(size)].length]).toEqual([size, steps]);
});

it("leaves alone what has ended in between", () => {
  const f = stale();
  const steps = f.ingest.tickInChunks(2);
  steps.next();
  f.topology([]);
  const before = f.changes.length;
  while (steps.next().done !== true);
  expect([states(f), f.changes.length]).toEqual([[], before]);
});
