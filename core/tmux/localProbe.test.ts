import { expect, it } from "vitest";
import { createLocalProbe, type ProbeResult } from "./topology.ts";
import type { ReadCommand } from "./tmuxCommand.ts";
import type { QueryResult, TmuxServer } from "./tmuxServer.ts";
import { partOf } from "../../test/fakes/partOf.ts";

const ROWS = ["%1 100 41 0 @1 one", "%2 100 42 0 @2 two"];

const FULL_MS = 3_000;
const TICK_MS = 900;
const START = 200_000;

/** A prober over a server whose next answer can be set, and what it asked: "glance" or "full". */
const fixture = (glance: string | null = null) => {
  const now = { about: "7 1700000000 /tmp/sock", rows: ROWS, glance, at: START };
  const asked: string[] = [];
  const query = (commands: readonly ReadCommand[]): Promise<QueryResult> => {
    const isGlance = commands[1]?.[0] === "display-message";
    asked.push(isGlance ? "glance" : "full");
    return Promise.resolve({
      status: "ok",
      at: 0,
      answers: [
        { isOk: true, lines: [now.about] },
        { isOk: !isGlance || now.glance !== null, lines: isGlance ? [now.glance ?? ""] : now.rows },
      ],
    });
  };
  const server: TmuxServer = {
    targetId: "host",
    server: "default",
    query,
    mode: "direct",
    problem: null,
    isShared: false,
    tellsPaneOutput: false,
    close: () => Promise.resolve(),
  };
  const probe = createLocalProbe(server, partOf({ now: () => now.at }));
  const look = async (
    change: Partial<typeof now> = {},
    afterMs = FULL_MS,
  ): Promise<Extract<ProbeResult, { status: "ok" }>> => {
    Object.assign(now, change);
    now.at += afterMs;
    const result = await probe();
    if (result.status !== "ok") throw new Error(JSON.stringify(result));
    return result;
  };
  return { look, asked };
};

it("gives the very same answer while nothing moves", async () => {
  const { look } = fixture();
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
  const { look } = fixture();
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
  const { look } = fixture();
  const { fingerprint } = await look();
  const moved = await look(change);
  expect(moved.fingerprint).not.toBe(fingerprint);
  expect((await look()).fingerprint).toBe(moved.fingerprint);
  expect((await look({ rows: ROWS, about: "9 1 /x" })).fingerprint).not.toBe(moved.fingerprint);
});

const RESTING = "100.1 100.1 ";

it("only glances at what rests, and looks at everything now and then", async () => {
  const { look, asked } = fixture(RESTING);
  const first = await look();
  for (let times = 0; times < 3; times += 1) expect(await look({}, TICK_MS)).toBe(first);
  expect(asked).toEqual(["full", "glance", "glance", "full"]);
});

it("takes what moved last in a window for the window's own time", async () => {
  // The second pane of a window prints all the time; the first rests.
  const { look, asked } = fixture("203.2 100.1 ");
  await look({ rows: ["%1 100 41 0 @1 one", "%3 202 43 0 @1 one", "%2 100 42 0 @2 two"] });
  await look({}, TICK_MS / 2);
  expect(asked).toEqual(["full", "glance"]);
});

it("glances also where tmux names no process of a dead pane", async () => {
  const { look, asked } = fixture(RESTING);
  await look({ rows: ["%1 100  1 @1 one", "%2 100 42 0 @2 two"] });
  for (let times = 0; times < 2; times += 1) await look({}, TICK_MS);
  expect(asked).toEqual(["full", "glance", "glance"]);
});

it.each([
  ["a window that moves", "204.1 100.1 "],
  ["a window more", "100.1 100.1 100.1 "],
  ["a window less", "100.1 "],
  ["a window that is split", "100.1 100.2 "],
  ["an answer of another form", "100.1 x "],
  ["no answer", null],
])("looks at everything at once for %s", async (_what, glance) => {
  const { look, asked } = fixture(RESTING);
  await look();
  await look({}, TICK_MS);
  await look({ glance }, TICK_MS);
  expect(asked).toEqual(["full", "glance", "glance", "full"]);
});

it("looks at everything for another life of the server", async () => {
  const { look, asked } = fixture(RESTING);
  const { fingerprint } = await look();
  expect((await look({ about: "8 1700000000 /tmp/sock" }, TICK_MS)).fingerprint).not.toBe(fingerprint);
  expect(asked).toEqual(["full", "glance", "full"]);
});

const MOVING = ["%1 202 41 0 @1 0 one", "%2 100 42 0 @2 1 two"];

it("looks at everything with each usual look where something moves all the time", async () => {
  const { look, asked } = fixture(RESTING);
  await look({ rows: MOVING });
  await look({}, TICK_MS);
  expect(asked).toEqual(["full", "full"]);
});

it("glances in between where the looks follow closely, and sees what begins to move", async () => {
  const { look, asked } = fixture("203.1 100.1 ");
  const first = await look({ rows: MOVING });
  expect(await look({}, TICK_MS / 2)).toBe(first);
  expect(asked).toEqual(["full", "glance"]);
  await look({ glance: "203.1 203.1 " }, 0);
  expect(asked).toEqual(["full", "glance", "glance", "full"]);
});

it("knows windows that several sessions show, one after the other, and their panes", async () => {
  const rows = [
    "%1 100 1 0 @1 0 t w a",
    "%2 100 2 0 @1 0 t w a",
    "%1 100 1 0 @1 0 t w b",
    "%2 100 2 0 @1 0 t w b",
  ];
  const { look, asked } = fixture("100.2 100.2 ");
  await look({ rows });
  await look({}, TICK_MS);
  await look({ glance: "100.2 100.1 " }, TICK_MS);
  expect(asked).toEqual(["full", "glance", "glance", "full"]);
});
