import { expect, it } from "vitest";
import { actionGuardsSchema } from "../model/action.ts";
import type { Gate, PreparedAction, VerifiedAction } from "./prepare.ts";
import type { AuditEntry } from "../ports/store.ts";
import { createActionAudit } from "./audit.ts";
import { partOf } from "../../test/fakes/partOf.ts";

const make = () => {
  const audit: AuditEntry[] = [];
  let now = 0;
  let ids = 0;
  const snapshot = { runtimeId: "rt_1", snapshotId: "snap_1", promptFingerprint: null };
  const gate: Gate = {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the snapshot is looked at
    prepare: () => ({ snapshot }) as PreparedAction,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    verify: () => ({ snapshot }) as VerifiedAction,
    renew: (action) => action,
  };
  const record = createActionAudit({
    gate,
    store: partOf({ appendAudit: (entry) => audit.push(entry) }),
    beginAction: () => () => {},
    clock: partOf({ now: () => now }),
    ids: { next: (prefix) => `${prefix}_${ids++}`, nonce: () => "0" },
  });
  const act = (action: string, surface = "popover", ref = "runtime:rt_1") =>
    record.throughGate(action, { ref, guards: actionGuardsSchema.parse({}), surface }, () =>
      Promise.resolve(null),
    );
  const hold = (action: string, work: Promise<null>) =>
    record.throughGate(
      action,
      { ref: "runtime:rt_1", guards: actionGuardsSchema.parse({}), surface: "cli" },
      () => work,
    );
  return { audit, act, hold, record, pass: (ms: number) => (now += ms) };
};

it("puts a preview that follows on record once a minute, for each surface", async () => {
  const { audit, act, pass } = make();
  for (let looks = 0; looks < 50; looks += 1) {
    await act("view-output");
    pass(1_500);
  }
  await act("view-output", "cli");
  expect(audit.map(({ surface, at }) => [surface, at])).toEqual([
    ["popover", 0],
    ["popover", 60_000],
    ["cli", 75_000],
  ]);
});

it("puts every other action on record", async () => {
  const { audit, act } = make();
  await act("send");
  await act("send");
  expect(audit).toHaveLength(2);
});

it("keeps no more than five hundred looks in mind", async () => {
  const { audit, act } = make();
  const look = (pane: number) => act("view-output", "popover", `host/%${pane}`);
  for (let pane = 0; pane < 500; pane += 1) await look(pane);
  await look(0);
  expect(audit).toHaveLength(500);
  await look(500);
  await look(0);
  expect(audit).toHaveLength(502);
});

it("knows what is under way, looks left out, and when that has ended", async () => {
  const { act, hold, record } = make();
  const [text, answer, look] = [0, 1, 2].map(() => Promise.withResolvers<null>());
  if (text === undefined || answer === undefined || look === undefined) throw new Error("three were made");
  const works = [
    hold("send", text.promise),
    hold("answer", answer.promise),
    hold("view-output", look.promise),
  ];
  expect(record.underWay).toBe(2);
  let hasEnded = false;
  const ended = record.ended().then(() => (hasEnded = true));
  text.resolve(null);
  await works[0];
  expect([record.underWay, hasEnded]).toEqual([1, false]);
  answer.reject(new Error("tmux is gone"));
  await expect(works[1]).rejects.toThrow("tmux is gone");
  await ended;
  expect(record.underWay).toBe(0);
  look.resolve(null);
  await act("send");
  expect(record.underWay).toBe(0);
});
