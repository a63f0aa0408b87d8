import { describe, expect, it } from "vitest";
import { HandClock, somePane } from "../../test/factories/ingest.ts";
import type { Meter } from "../ports/targetExecutor.ts";
import { OutputWatch } from "./processWatch.ts";
import type { CollectorSink, ProcessReader, WatchedRuntime } from "./sink.ts";

const SERVER_PID = 7;

interface Agent {
  pid: number | null;
  /** Bytes in its life; null once it has ended; undefined: it may not be asked. */
  written: number | null | undefined;
  windowId: string;
  activity: number;
}

const scene = (given: Readonly<Record<string, Partial<Agent>>>) => {
  const agents = new Map<string, Agent>(
    Object.entries(given).map(([paneId, agent], index) => [
      paneId,
      { pid: 100 + index, written: 50_000, windowId: `@${index}`, activity: 10, ...agent },
    ]),
  );
  const state = { children: "100 101 ", open: 0 };
  const clock = new HandClock();
  const meter = <T>(read: () => T): Meter<T> => {
    state.open += 1;
    return { read, close: () => void (state.open -= 1) };
  };
  const paneOf = (paneId: string, { windowId, activity }: Agent) =>
    somePane(paneId, { windowId, windowActivity: activity });
  const watch = new OutputWatch({
    targetId: "host",
    clock,
    sink: {
      watchedRuntimes: () =>
        [...agents].map(([paneId, agent]) => ({
          runtime: { runtimeId: `rt_${paneId}`, pid: agent.pid },
          pane: paneOf(paneId, agent),
        })) as WatchedRuntime[],
    } as unknown as CollectorSink,
    processes: {
      meterOutput: (pid) => {
        const agent = [...agents.values()].find((one) => one.pid === pid);
        return agent?.written === undefined ? null : meter(() => agent.written ?? null);
      },
      meterChildren: () => meter(() => state.children),
    } as Partial<ProcessReader> as ProcessReader,
  });
  /** `meanwhile`: after tmux has answered. */
  const look = (meanwhile = (): void => {}): void => {
    watch.beforeListing();
    meanwhile();
    watch.afterListing([
      {
        watched: { server: "default" },
        serverPid: SERVER_PID,
        panes: [...agents].map(([paneId, agent]) => paneOf(paneId, agent)),
      },
    ]);
  };
  const agent = (paneId: string): Agent => {
    const found = agents.get(paneId);
    if (found === undefined) throw new Error(`no ${paneId}`);
    return found;
  };
  /** Whether something is heard, this long after the last look. */
  const heardAfter = (ms: number): boolean => {
    clock.advance(ms);
    return watch.hasNews();
  };
  look();
  return { state, agents, agent, watch, look, heardAfter };
};

describe("between two looks", () => {
  it("an agent that rested is heard when it writes, once", () => {
    const { agent, heardAfter } = scene({ "%1": {}, "%2": {} });
    expect(heardAfter(2_000)).toBe(false);
    agent("%2").written = 50_001;
    expect(heardAfter(400)).toBe(true);
    expect(heardAfter(400)).toBe(false);
  });

  it("that a working agent goes on is no news, until it has rested", () => {
    const { agent, heardAfter } = scene({ "%1": {} });
    heardAfter(2_000);
    for (const [pauseMs, isNews] of [
      [400, true],
      [400, false],
      [1_400, false],
      [1_600, true],
    ] as const) {
      agent("%1").written = (agent("%1").written ?? 0) + 80;
      expect(heardAfter(pauseMs), `after ${pauseMs}`).toBe(isNews);
    }
  });

  it("the end of an agent and another pane are heard, once each", () => {
    const { agent, state, heardAfter } = scene({ "%1": {} });
    agent("%1").written = null;
    expect([heardAfter(400), heardAfter(400)]).toEqual([true, false]);
    state.children = "100 101 102 ";
    expect([heardAfter(400), heardAfter(400)]).toEqual([true, false]);
  });
});

describe("looks may be rarer only if every agent can be heard", () => {
  it("and the server too", () => {
    expect(scene({ "%1": {}, "%2": {} }).watch.metersAll).toBe(true);
    expect(scene({}).watch.metersAll).toBe(true);
  });

  it.each<[string, Partial<Agent>]>([
    ["whose process is not known", { pid: null }],
    ["that may not be asked", { written: undefined }],
    ["that has ended", { written: null }],
    ["that only started the program which draws", { written: 200 }],
  ])("not with one %s", (_, agent) => {
    expect(scene({ "%1": {}, "%2": agent }).watch.metersAll).toBe(false);
  });

  it("not with one in whose window somebody else draws", () => {
    const { agent, watch, look } = scene({ "%1": {}, "%2": {} });
    look();
    look();
    expect(watch.metersAll).toBe(true);
    agent("%2").activity += 5;
    look();
    expect(watch.metersAll).toBe(false);
    look();
    expect(watch.metersAll, "it stays so").toBe(false);
  });

  it("what it wrote while a look was under way is its own", () => {
    const { agent, watch, look } = scene({ "%1": {} });
    look();
    look(() => {
      agent("%1").written = 60_000;
    });
    agent("%1").activity += 5;
    look();
    expect(watch.metersAll).toBe(true);
  });

  it("another pane of its window may be who draws: nothing is learnt from that", () => {
    const { agent, watch, look } = scene({ "%1": { windowId: "@1" }, "%2": { windowId: "@1" } });
    look();
    agent("%1").activity += 5;
    agent("%2").activity += 5;
    look();
    expect(watch.metersAll).toBe(true);
  });
});

it("closes the meters of agents that are gone or have another process, and all at the end", () => {
  const { agents, agent, state, watch, look } = scene({ "%1": {}, "%2": {}, "%3": {} });
  expect(state.open).toBe(4);
  agents.delete("%1");
  agent("%2").pid = 900;
  look();
  expect(state.open).toBe(3);
  watch.close();
  expect(state.open).toBe(0);
});
