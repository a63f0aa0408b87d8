import { describe, expect, it, vi } from "vitest";
import { createRouter } from "../core/api/router.ts";
import { AgtmuxError } from "../core/model/errors.ts";
import type { FeedEntry } from "../core/model/view.ts";
import { createRouterCaller } from "../core/rpc/messageBridge.ts";
import { FakeDaemon } from "../test/fakes/fakeDaemon.ts";
import { makePane } from "../test/factories/view.ts";
import { DaemonSession, type ReachedDaemon } from "./daemonSession.ts";

const reached = (service: FakeDaemon, closed: string[], name: string): ReachedDaemon => ({
  role: "client",
  service,
  caller: createRouterCaller(createRouter(service)),
  close: () => {
    closed.push(name);
    return Promise.resolve();
  },
});
const call = (session: DaemonSession) =>
  session.call({ type: "query", path: "panes", input: {}, signal: new AbortController().signal });

const start = (next: () => Promise<ReachedDaemon>) => {
  const seen = { entries: [] as FeedEntry[], lost: 0, failures: [] as unknown[] };
  const session = new DaemonSession({
    reach: next,
    onReached: () => {},
    onEntry: (entry) => seen.entries.push(entry),
    onNotice: () => {},
    onLost: () => (seen.lost += 1),
    onFailed: (error) => seen.failures.push(error),
  });
  session.start();
  return { session, seen };
};

describe("the app's session with a daemon", () => {
  it("lets calls wait for the first daemon", async () => {
    const gate = Promise.withResolvers<ReachedDaemon>();
    const { session } = start(() => gate.promise);
    const answer = call(session);
    gate.resolve(reached(new FakeDaemon([makePane()]), [], "first"));
    expect(await answer).toMatchObject({ items: [{ agent: "claude" }] });
    await session.close();
  });

  it("goes to the next daemon when one goes away, and closes both in the end", async () => {
    const [first, second] = [new FakeDaemon([makePane()]), new FakeDaemon([])];
    const closed: string[] = [];
    const daemons = [reached(first, closed, "first"), reached(second, closed, "second")];
    const { session, seen } = start(() => {
      const daemon = daemons.shift();
      return daemon === undefined ? Promise.reject(new Error("no more")) : Promise.resolve(daemon);
    });
    await vi.waitUntil(() => seen.entries.length === 1);
    first.goDown();
    await vi.waitUntil(() => seen.entries.length === 2);
    expect(seen).toMatchObject({ lost: 1, failures: [] });
    expect(closed).toEqual(["first"]);
    expect(await call(session)).toMatchObject({ items: [] });
    await session.close();
    expect(closed).toEqual(["first", "second"]);
  });

  it("fails when the first daemon cannot be reached", async () => {
    const refusal = new AgtmuxError("E_DAEMON_VERSION", "too old");
    const { session, seen } = start(() => Promise.reject(refusal));
    await vi.waitUntil(() => seen.failures.length === 1);
    expect(seen.failures).toEqual([refusal]);
    await session.close();
  });
});
