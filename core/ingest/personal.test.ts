// What a person says of an agent: that nothing is told of it, and its name. Attacks: a mute that outlives its time, its agent, or
// covers the next one of the pane.
import { expect, it } from "vitest";
import { createIngestFixture } from "../../test/factories/ingest.ts";
import { UNTIL_IT_ENDS } from "../model/runtime.ts";

const HOUR = 3_600_000;

const begin = () => {
  const fixture = createIngestFixture();
  fixture.beginTurn();
  const row = () => fixture.ingest.rows(false)[0];
  return { fixture, row, runtimeId: row()?.identity.runtime_id ?? "" };
};

it("a mute of an hour is on the row, over a restart, and goes with its time", () => {
  const { fixture, row, runtimeId } = begin();
  const until = fixture.clock.now() + HOUR;
  const version = row()?.state_version;
  expect(fixture.ingest.mute(runtimeId, until)).toBe(true);
  expect(row()).toMatchObject({ muted: { until: new Date(until).toISOString() }, state_version: version });
  expect(fixture.changes.at(-1)).toMatchObject({ kind: "pane", isTransition: false });
  fixture.reopen();
  expect(row()?.muted).toEqual({ until: new Date(until).toISOString() });
  fixture.clock.advance(HOUR - 1);
  fixture.ingest.tick();
  expect(row()?.muted).not.toBeNull();
  fixture.clock.advance(1);
  fixture.ingest.tick();
  expect(row()?.muted).toBeNull();
  fixture.reopen();
  expect(row()?.muted).toBeNull();
});

it("a mute until the end holds as long as the agent lives, and is taken back", () => {
  const { fixture, row, runtimeId } = begin();
  fixture.ingest.mute(runtimeId, UNTIL_IT_ENDS);
  fixture.clock.advance(1_000 * HOUR);
  fixture.ingest.tick();
  fixture.reopen();
  expect(row()?.muted).toEqual({ until: null });
  fixture.ingest.mute(runtimeId, null);
  expect(row()?.muted).toBeNull();
});

it("neither covers the agent that takes its place in the pane, nor stays on a crashed row, nor in the store", () => {
  const { fixture, row, runtimeId } = begin();
  fixture.ingest.mute(runtimeId, UNTIL_IT_ENDS);
  fixture.ingest.rename(runtimeId, "refunds");
  fixture.agent("%1", 700);
  const next = fixture.ingest.rows(false).find(({ identity }) => identity.runtime_id !== runtimeId);
  expect(next).toMatchObject({ identity: { pane_id: "%1" }, muted: null, name: null });
  expect(fixture.store.getRuntime(runtimeId)).toMatchObject({ mutedUntil: null });
  expect(fixture.ingest.mute(runtimeId, UNTIL_IT_ENDS)).toBe(false);
  expect(fixture.ingest.rename(runtimeId, "again")).toBe(false);
  fixture.noAgent();
  expect(fixture.ingest.rows(false).every(({ muted }) => muted === null)).toBe(true);
  fixture.reopen();
  expect(row()?.muted ?? null).toBeNull();
});

it("a name takes the place of the title, cleaned, bounded and without secrets, and is taken back by an empty one", () => {
  const { fixture, row, runtimeId } = begin();
  fixture.ingest.rename(runtimeId, " refunds\u001b[31m\n second\u202e try ");
  expect(row()?.name).toBe("refunds [31m second try");
  fixture.reopen();
  expect(row()?.name).toBe("refunds [31m second try");
  fixture.ingest.rename(runtimeId, "x".repeat(500));
  expect(row()?.name?.length).toBeLessThanOrEqual(80);
  fixture.ingest.rename(runtimeId, "key sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
  expect(row()?.name).not.toContain("sk-ant-api03-AAAA");
  fixture.ingest.rename(runtimeId, " \t ");
  expect(row()?.name).toBeNull();
});
