import { expect, it } from "vitest";
import type { AgentAdapter } from "../ports/agentAdapter.ts";
import type { TargetFiles } from "../ports/targetExecutor.ts";
import { SILENT_LOGGER } from "../ports/logger.ts";
import { somePane } from "../../adapters/testkit/pane.ts";
import { paneKeyString } from "../model/runtime.ts";
import { BackgroundWatch } from "./backgroundWatch.ts";

const ACCOUNT = { configDir: "/h/.a", dataDir: "/h/.a", name: ".a", environment: [] };
const FULL_MS = 30_000;
const LISTING_MS = 900;

/** A machine with one file, of which `session` says what it holds; a listing every 0.9 s. */
const open = (kind: "local" | "ssh" = "ssh") => {
  let now = 1_000;
  const timers: number[] = [];
  const seen = {
    reads: 0,
    lists: 0,
    news: 0,
    isReadable: false,
    fresh: false,
    names: ["7.json"],
    gaveAway: "p1" as string | null,
  };
  const session = {
    id: "1981d014",
    pid: 7,
    isOf: () => true,
    sessionId: null,
    title: "",
    beganAt: 1,
    changedAt: 1,
  };
  const background = {
    folders: () => ({ sessions: "/h/.a/sessions", jobs: "/h/.a/jobs" }),
    roams: {
      title: /list$/,
      gaveAway: () =>
        seen.isReadable ? Promise.resolve(seen.gaveAway) : Promise.reject(new Error("half written")),
      shown: (title: string, gaveAway: string, sessions: { id: string }[]) =>
        title === "own" ? gaveAway : (sessions.find(({ id }) => id === title)?.id ?? null),
    },
    read: () => {
      seen.reads += 1;
      return seen.isReadable
        ? Promise.resolve(seen.fresh ? { ...session } : session)
        : Promise.reject(new Error("half written"));
    },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only these two parts of it are asked
  const adapter = { agentType: "a", background } as unknown as AgentAdapter;
  const watch = new BackgroundWatch({
    targetId: "vm1",
    kind,
    adapters: () => [adapter],
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it lists folders, and watches none
    files: {
      stat: () => Promise.resolve({ isFile: true, size: 0, mtimeMs: 0 }),
      list: () => {
        seen.lists += 1;
        return Promise.resolve(seen.names);
      },
    } as unknown as TargetFiles,
    accountsOf: () => Promise.resolve([ACCOUNT]),
    isGone: () => false,
    terminals: () => [],
    hasRow: () => false,
    onNews: () => {
      seen.news += 1;
    },
    clock: {
      now: () => now,
      setTimer: (ms) => {
        timers.push(ms);
        return () => {};
      },
    },
    logger: SILENT_LOGGER,
  });
  const listFor = async (ms: number, everyMs = LISTING_MS): Promise<number> => {
    let panes = 0;
    for (const end = now + ms; now < end; now += everyMs) panes = (await watch.list()).panes.length;
    return panes;
  };
  return { seen, timers, listFor, watch, session, adapter };
};

it("tells once that a process was killed at work, however often its file is read again", async () => {
  const { seen, listFor, watch, session } = open();
  Object.assign(session, { isAtWork: true, isOf: () => false });
  seen.isReadable = true;
  await listFor(LISTING_MS);
  const pane = (await watch.list()).panes[0];
  if (pane === undefined) throw new Error("it is not listed");
  // Until it is listed so, a look says nothing by itself: it would end the row without a word.
  expect([watch.recognise(pane, []), watch.recognise(pane, [])]).toEqual(["listing", "listing"]);
  expect(seen.news).toBe(1);
  expect((await watch.list()).panes[0]?.isDead).toBe(true);
  seen.fresh = true;
  await listFor(3 * FULL_MS);
  const dead = (await watch.list()).panes[0];
  expect(dead?.isDead).toBe(true);
  expect(watch.recognise(dead ?? pane, [])).toBeNull();
});

it("reads a file that may be half written again with every listing, and takes it in once it is whole", async () => {
  const { seen, listFor } = open();
  expect(await listFor(2 * LISTING_MS)).toBe(0);
  expect(seen.reads).toBe(2);
  seen.isReadable = true;
  expect(await listFor(LISTING_MS)).toBe(1);
});

it("does not go on asking for a file that stays unreadable: each read costs programs over there", async () => {
  const { seen, listFor } = open();
  await listFor(FULL_MS);
  expect(seen.reads).toBeLessThanOrEqual(6);
  const before = seen.reads;
  await listFor(2 * FULL_MS);
  expect(seen.reads - before).toBeLessThanOrEqual(3);
  seen.isReadable = true;
  expect(await listFor(FULL_MS + LISTING_MS)).toBe(1);
});

it("takes a file in that a slow machine takes a second to write, however often it is listed meanwhile", async () => {
  const { seen, timers, listFor } = open("local");
  expect(await listFor(1_000, 20)).toBe(0);
  // On a quiet machine no listing may come by itself.
  expect(timers.length).toBeGreaterThan(0);
  expect(Math.max(...timers)).toBeLessThanOrEqual(500);
  seen.isReadable = true;
  expect(await listFor(20, 20)).toBe(1);
});

it("looks for the first session now and then, and closely at those that are known", async () => {
  const { seen, listFor } = open();
  seen.names = [];
  await listFor(FULL_MS);
  expect(seen.lists).toBeLessThanOrEqual(4);
  [seen.names, seen.isReadable, seen.lists] = [["7.json"], true, 0];
  expect(await listFor(FULL_MS)).toBe(1);
  expect(seen.lists).toBeGreaterThanOrEqual(6);
});

it("follows a terminal from session to session, from the moment that its file says that it goes", async () => {
  const { seen, listFor, watch, adapter } = open();
  const process = { pid: 9, ppid: 1, comm: "a", args: "a", startedAt: 0 };
  const key = paneKeyString(somePane());
  const view = (title: string, account: typeof ACCOUNT | null = ACCOUNT) =>
    watch.viewOf(somePane("%1", { title }), { adapter, process, account });
  seen.isReadable = true;
  await listFor(LISTING_MS);
  seen.gaveAway = null;
  expect([await view("own"), watch.mayRoam(key, "own")]).toEqual([undefined, false]);
  expect(watch.mayRoam(key, "3 in the list")).toBe(true);
  seen.gaveAway = "p1";
  expect([await view("own"), await view("1981d014"), await view("3 in the list")]).toEqual([
    "p1",
    "1981d014",
    null,
  ]);
  expect([watch.mayRoam(key, "own"), await view("own", null)]).toEqual([true, undefined]);
  // A file that cannot be read for once takes nothing back.
  seen.isReadable = false;
  expect([await view("own"), await view("3 in the list")]).toEqual(["p1", null]);
  watch.forgetPanes(new Set());
  expect(watch.mayRoam(key, "own")).toBe(false);
});
