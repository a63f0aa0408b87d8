// What hooks said of an agent before they were removed: it may still be true, but nothing would say that it is over.
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
const sure = (ingest: IngestFixture["ingest"]) =>
  ingest.rows(false).map(({ state, confidence }) => `${state} ${confidence}`);

it("a turn that a hook began is less sure once the hooks are gone, and a later event is as sure as ever", () => {
  const f = inTurn();
  expect(sure(f.ingest)).toEqual(["running high"]);
  f.clock.advance(1_000);
  f.ingest.setHookless("host", new Set(["codex"]), f.clock.now());
  expect(sure(f.ingest)).toEqual(["running high"]);
  f.ingest.setHookless("host", new Set(["claude", "codex"]), f.clock.now());
  expect(sure(f.ingest)).toEqual(["running medium"]);
  const [entry] = f.ingest.liveState.liveRuntimes();
  expect(entry?.resolution?.rule).toContain("its hooks were removed since");
  // Of this agent they were loaded at its start.
  f.clock.advance(1_000);
  f.hook("UserPromptSubmit", { prompt: "and on" });
  expect(sure(f.ingest)).toEqual(["running high"]);
});

it("it stays so over a restart that finds no hooks, and is sure again where they are installed again", () => {
  const f = inTurn();
  f.clock.advance(1_000);
  const restarted = f.reopen();
  restarted.setHookless("host", new Set(["claude"]), f.clock.now());
  expect(sure(restarted)).toEqual(["running medium"]);
  restarted.setHookless("host", new Set(), f.clock.now());
  expect(sure(restarted)).toEqual(["running high"]);
});
