import { expect, it } from "vitest";
import { createLocalProbe } from "./localProbe.ts";
import type { QueryResult, TmuxServer } from "./tmuxServer.ts";
import type { ProbeResult } from "./topology.ts";

const ROWS = ["%1 100 41 0 @1 one", "%2 100 42 0 @2 two"];

/** A prober over a server whose next answer can be set. */
const scene = () => {
  const now = { about: "7 1700000000 /tmp/sock", rows: ROWS };
  const query = (): Promise<QueryResult> =>
    Promise.resolve({
      status: "ok",
      at: 0,
      answers: [
        { isOk: true, lines: [now.about] },
        { isOk: true, lines: now.rows },
      ],
    });
  const server: TmuxServer = {
    targetId: "host",
    server: "default",
    query,
    mode: "direct",
    problem: null,
    close: () => Promise.resolve(),
  };
  const probe = createLocalProbe(server);
  const look = async (change: Partial<typeof now> = {}): Promise<Extract<ProbeResult, { status: "ok" }>> => {
    Object.assign(now, change);
    const result = await probe();
    if (result.status !== "ok") throw new Error(JSON.stringify(result));
    return result;
  };
  return look;
};

it("gives the very same answer while nothing moves", async () => {
  const look = scene();
  const first = await look();
  expect(first.windowActivity).toEqual(
    new Map([
      ["%1", 100],
      ["%2", 100],
    ]),
  );
  expect(await look({ rows: [...ROWS] })).toBe(first);
});

it("tells activity without another fingerprint", async () => {
  const look = scene();
  const { fingerprint } = await look();
  const active = await look({ rows: ["%1 101 41 0 @1 one", "%2 100 42 0 @2 two"] });
  expect([active.fingerprint, active.windowActivity.get("%1")]).toEqual([fingerprint, 101]);
});

it.each([
  ["a title", { rows: ["%1 100 41 0 @1 other", "%2 100 42 0 @2 two"] }],
  ["a respawned pane", { rows: ["%1 100 99 0 @1 one", "%2 100 42 0 @2 two"] }],
  ["a dead pane", { rows: ["%1 100 41 1 @1 one", "%2 100 42 0 @2 two"] }],
  ["a new pane", { rows: [...ROWS, "%3 100 43 0 @3 three"] }],
  ["a pane less", { rows: ["%2 100 42 0 @2 two"] }],
  ["the last pane less", { rows: ["%1 100 41 0 @1 one"] }],
  ["another pane in its place", { rows: ["%9 100 41 0 @1 one", "%2 100 42 0 @2 two"] }],
  ["another life of the server", { about: "8 1700000000 /tmp/sock" }],
  ["a line that is none", { rows: ["%1 100 41 0 @1 one", "nonsense"] }],
])("has another fingerprint for %s, and keeps that", async (_what, change) => {
  const look = scene();
  const { fingerprint } = await look();
  const moved = await look(change);
  expect(moved.fingerprint).not.toBe(fingerprint);
  expect((await look()).fingerprint).toBe(moved.fingerprint);
  expect((await look({ rows: ROWS, about: "9 1 /x" })).fingerprint).not.toBe(moved.fingerprint);
});
