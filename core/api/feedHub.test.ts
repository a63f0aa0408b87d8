import { describe, expect, it } from "vitest";
import { NO_LIVENESS } from "../model/evidence.ts";
import { type FeedEntry, type PaneView, rollUp, type FeedChange } from "../model/view.ts";
import type { Transition } from "../ports/store.ts";
import { makePane, makeTarget } from "../../test/factories/view.ts";
import { FeedHub } from "./feedHub.ts";

const transition = (version: number, view: PaneView): Transition => ({
  version,
  runtimeId: "rt1",
  at: version * 1_000,
  evaluatedAt: version * 1_000,
  eventHorizon: 0,
  liveness: NO_LIVENESS,
  resolution: {
    status: { state: "idle", reasonCode: "fresh" },
    confidence: "high",
    since: 0,
    requestId: null,
    request: null,
    rule: "",
    verdicts: [],
    nextCheckAt: null,
  },
  fingerprint: null,
  previousState: null,
  end: null,
  view,
  actionId: null,
});

const createSource = (stored: Transition[]) => {
  const listeners = new Set<(changes: readonly FeedChange[]) => void>();
  const hub = new FeedHub({
    version: () => stored.at(-1)?.version ?? 0,
    now: () => 0,
    rows: (all) => (all ? [makePane(), makePane({ pane: 2, agent: null, state: null })] : [makePane()]),
    targets: () => [makeTarget()],
    summary: rollUp,
    transitionsAfter: (version, limit) => stored.filter((one) => one.version > version).slice(0, limit),
    oldestVersion: () => stored[0]?.version ?? 0,
    firstVersionSince: (at) => stored.find((one) => one.at >= at)?.version ?? null,
    onChanges: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
  const emit = (...changes: FeedChange[]) => listeners.forEach((listener) => listener(changes));
  return { hub, emit, listeners };
};
const changed = (version: number, pane = makePane()): FeedChange => ({
  kind: "pane",
  version,
  at: 0,
  pane,
  previousState: null,
  isTransition: true,
});

const take = async (entries: AsyncGenerator<FeedEntry>, count: number): Promise<FeedEntry[]> => {
  const taken: FeedEntry[] = [];
  while (taken.length < count) {
    const { value, done } = await entries.next();
    if (done === true) break;
    taken.push(value);
  }
  return taken;
};
const kinds = (entries: readonly FeedEntry[]): string[] =>
  entries.map((entry) => `${entry.kind} ${entry.version}`);
const stored = [3, 4, 5].map((version) => transition(version, makePane({ version })));
const subscribe = (
  hub: FeedHub,
  options: Partial<Parameters<FeedHub["subscribe"]>[0]> = {},
  signal = new AbortController().signal,
) => hub.subscribe({ since: null, sinceTime: null, all: false, ...options }, signal);

describe("the feed", () => {
  it("begins with a snapshot and goes on with every change, none lost between the two", async () => {
    const { hub, emit } = createSource(stored);
    const feed = subscribe(hub);
    const first = await take(feed, 1);
    emit(changed(6), changed(7));
    expect(kinds([...first, ...(await take(feed, 2))])).toEqual(["snapshot 5", "state 6", "state 7"]);
  });

  it("resumes after a version with what is stored, by number or by time", async () => {
    const { hub } = createSource(stored);
    expect(kinds(await take(subscribe(hub, { since: 3 }), 2))).toEqual(["state 4", "state 5"]);
    expect(kinds(await take(subscribe(hub, { sinceTime: 4_000 }), 2))).toEqual(["state 4", "state 5"]);
  });

  it("says gap, with a snapshot, when the version is older than history or newer than it", async () => {
    const { hub } = createSource(stored);
    expect(kinds(await take(subscribe(hub, { since: 1 }), 2))).toEqual(["gap 5", "snapshot 5"]);
    expect(kinds(await take(subscribe(hub, { since: 99 }), 2))).toEqual(["gap 5", "snapshot 5"]);
  });

  it("keeps rows without an agent for those who ask for all", async () => {
    const { hub, emit } = createSource(stored);
    const [some, all] = [subscribe(hub), subscribe(hub, { all: true })];
    await Promise.all([take(some, 1), take(all, 1)]);
    emit(changed(6, makePane({ pane: 2, agent: null, state: null })), changed(7));
    expect(kinds(await take(some, 1))).toEqual(["state 7"]);
    expect(kinds(await take(all, 2))).toEqual(["state 6", "state 7"]);
  });

  it("gives a client that is too slow a gap and a snapshot instead of endless memory", async () => {
    const { hub, emit } = createSource(stored);
    const feed = subscribe(hub);
    await take(feed, 1);
    for (let version = 6; version < 6_000; version += 1) emit(changed(version));
    expect(kinds(await take(feed, 2))).toEqual(["gap 5", "snapshot 5"]);
    emit(changed(6_000));
    expect(kinds(await take(feed, 1))).toEqual(["state 6000"]);
  });

  it("ends with its client and leaves no listener", async () => {
    const { hub, listeners } = createSource(stored);
    const client = new AbortController();
    const feed = subscribe(hub, {}, client.signal);
    await take(feed, 1);
    // One listener is the hub's own.
    expect([hub.clientCount, listeners.size]).toEqual([1, 2]);
    client.abort();
    expect(await take(feed, 1)).toEqual([]);
    expect([hub.clientCount, listeners.size]).toEqual([0, 1]);
  });

  describe("to a client that was away and wants what is now", () => {
    const latest = (hub: FeedHub, since: number) => subscribe(hub, { since, latest: true });

    it("tells each changed row once, those that are gone, and the targets", async () => {
      const { hub, emit } = createSource(stored);
      emit(changed(6), changed(7, makePane({ pane: 9 })), changed(8), {
        kind: "removed",
        version: 8,
        at: 0,
        identity: makePane({ pane: 9 }).identity,
      });
      stored.push(...[6, 7, 8].map((version) => transition(version, makePane({ version }))));
      const entries = await take(latest(hub, 6), 3);
      stored.splice(3);
      expect(kinds(entries)).toEqual(["state 8", "removed 8", "target 8"]);
      expect(entries[1]).toMatchObject({
        pane_ref: "pane:host/work/@1/%9",
        runtime_id: null,
        identity: { target: "host", session_name: "work", window_id: "@1", pane_id: "%9", runtime_id: null },
      });
    });

    it("tells changes that are no transition again, because they bear the version before", async () => {
      const { hub, emit } = createSource(stored);
      emit(changed(6));
      stored.push(transition(6, makePane({ version: 6 })));
      const entries = await take(latest(hub, 6), 2);
      stored.splice(3);
      expect(kinds(entries)).toEqual(["state 6", "target 6"]);
    });

    it("gives a snapshot for what was before this daemon, after a target went, and for very much", async () => {
      const { hub, emit } = createSource(stored);
      expect(kinds(await take(latest(hub, 5), 1))).toEqual(["snapshot 5"]);
      expect(kinds(await take(latest(hub, 99), 1))).toEqual(["snapshot 5"]);
      stored.push(transition(8, makePane({ version: 8 })));
      emit({ kind: "target_removed", version: 7, at: 0 });
      expect(kinds(await take(latest(hub, 6), 1))).toEqual(["snapshot 8"]);
      emit(...Array.from({ length: 200 }, (_, index) => changed(8, makePane({ pane: index }))));
      expect(kinds(await take(latest(hub, 8), 1))).toEqual(["snapshot 8"]);
      stored.splice(3);
    });
  });
});
