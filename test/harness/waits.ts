// `agtmux wait` against a fake daemon with a pane that works on this machine and one that rests on another.
import { afterEach, beforeEach, expect, vi } from "vitest";
import { makePane } from "../factories/view.ts";
import { AnsweringDaemon } from "../fakes/answeringDaemon.ts";
import { makeFakeHome, type FakeHome, type Running } from "../../cli/testing/fakeHome.ts";

export const WAIT_MS = 15_000;

/** To be called once in a test file: home and daemon are new in each test. */
export const useWaits = () => {
  let home: FakeHome;
  let daemon: AnsweringDaemon;
  beforeEach(() => {
    home = makeFakeHome();
    daemon = new AnsweringDaemon([
      makePane({ state: "running" }),
      makePane({ pane: 2, target: "vm1", agent: "codex", state: "idle", version: 4 }),
    ]);
  });
  afterEach(() => home.close());
  return {
    get home() {
      return home;
    },
    /** Not served before the test says so. */
    get daemon() {
      return daemon;
    },
    /** Starts a wait and resolves once it follows the feed. */
    start: async (...args: string[]): Promise<Running> => {
      const running = home.start(["wait", ...args]);
      await vi.waitFor(() => expect(daemon.feedClients).toBe(1), { timeout: WAIT_MS });
      return running;
    },
  };
};
