import { describe, expect, it } from "vitest";
import { somePane } from "../../test/factories/ingest.ts";
import type { Runtime } from "../model/runtime.ts";
import type { AgentAdapter } from "../ports/agentAdapter.ts";
import type { Clock } from "../ports/clock.ts";
import type { TargetFiles } from "../ports/targetExecutor.ts";
import { BindingProbe } from "./eventDelivery.ts";
import type { CollectorSink, WatchedRuntime, WatchedServer } from "./sink.ts";

/** Timers that a test fires by hand. */
class HandTimers implements Clock {
  readonly due: { delayMs: number; work: () => void }[] = [];
  now(): number {
    return 5_000;
  }
  setTimer(delayMs: number, work: () => void): () => void {
    const timer = { delayMs, work };
    this.due.push(timer);
    return () => void this.due.splice(this.due.indexOf(timer), this.due.includes(timer) ? 1 : 0);
  }
}

const ADAPTER: Pick<AgentAdapter, "agentType" | "eventsMayNameOtherPanes"> = {
  agentType: "codex",
  eventsMayNameOtherPanes: true,
};

const watchedIn = (paneId: string, more: Partial<WatchedRuntime> = {}): WatchedRuntime => {
  const runtime: Runtime = {
    targetId: "host",
    server: "default",
    paneId,
    runtimeId: `rt_${paneId}`,
    paneEpoch: 1,
    agentType: "codex",
    pid: 600,
    processStartedAt: 0,
    startedAt: 0,
    endedAt: null,
    agentSessionId: null,
    inside: null,
    mutedUntil: null,
    name: null,
  };
  return {
    runtime,
    adapter: ADAPTER as AgentAdapter,
    pane: somePane(paneId),
    attention: "quiet",
    isUnsustained: false,
    account: null,
    cwd: null,
    transcriptPath: null,
    processCwd: undefined,
    ...more,
  };
};

/** `waits`: how many looks find an event that still waits. */
const fixture = (watched: readonly WatchedRuntime[], waits: number, link: string | null = "/home/dev") => {
  const folders: [string, string | null][] = [];
  const offered: (readonly [string, string])[][] = [];
  const timers = new HandTimers();
  let looks: Promise<void>[] = [];
  const sink: Pick<CollectorSink, "unplacedAgents" | "watchedRuntimes" | "setProcessCwd" | "offerScreens"> = {
    unplacedAgents: () => new Set(offered.length < waits ? ["codex"] : []),
    watchedRuntimes: (_targetId, isWanted = () => true) => watched.filter(({ adapter }) => isWanted(adapter)),
    setProcessCwd: (runtimeId, folder) => void folders.push([runtimeId, folder]),
    offerScreens: (screens) => void offered.push([...screens]),
  };
  const server: Pick<WatchedServer, "server" | "capture" | "currentPath"> = {
    server: "default",
    capture: (paneIds) => Promise.resolve(new Map(paneIds.map((paneId) => [paneId, ["a", paneId]]))),
    currentPath: () => Promise.resolve("/by/tmux"),
  };
  const files: Pick<TargetFiles, "readLink"> = {
    readLink: (path) => Promise.resolve(path === "/proc/600/cwd" ? link : null),
  };
  const bindingProbe = new BindingProbe({
    targetId: "host",
    sink: sink as CollectorSink,
    servers: [server as WatchedServer],
    files: files as TargetFiles,
    clock: timers,
    guard: (work) => void looks.push(work),
  });
  const fire = async (): Promise<void> => {
    for (const { work } of timers.due.splice(0)) work();
    await Promise.all(looks);
    looks = [];
  };
  return { bindingProbe, folders, offered, timers, fire };
};

describe("helping to place events", () => {
  it("shows nothing while nothing waits", async () => {
    const { bindingProbe, offered, timers } = fixture([watchedIn("%1")], 0);
    await bindingProbe.handleChange();
    expect([offered, timers.due]).toEqual([[], []]);
  });

  it("shows all candidates' screens, less and less often, until the event is placed", async () => {
    const { bindingProbe, offered, timers, fire } = fixture([watchedIn("%1"), watchedIn("%2")], 3);
    await bindingProbe.handleChange();
    expect(offered).toEqual([
      [
        ["rt_%1", "a\n%1"],
        ["rt_%2", "a\n%2"],
      ],
    ]);
    const delays = [timers.due[0]?.delayMs];
    await fire();
    delays.push(timers.due[0]?.delayMs);
    await fire();
    expect(delays).toEqual([250, 500]);
    expect([offered.length, timers.due.length]).toEqual([3, 0]);
  });

  it("leaves no timer behind when it is closed", async () => {
    const { bindingProbe, timers } = fixture([watchedIn("%1")], 9);
    await bindingProbe.handleChange();
    bindingProbe.close();
    expect(timers.due).toEqual([]);
    await bindingProbe.handleChange();
    expect(timers.due).toEqual([]);
  });

  it("reads a folder once, from the process or else from tmux", async () => {
    const watched = [watchedIn("%1"), watchedIn("%2", { processCwd: null })];
    const linux = fixture(watched, 0);
    await linux.bindingProbe.learnFolders();
    expect(linux.folders).toEqual([["rt_%1", "/home/dev"]]);
    const elsewhere = fixture(watched, 0, null);
    await elsewhere.bindingProbe.learnFolders();
    expect(elsewhere.folders).toEqual([["rt_%1", "/by/tmux"]]);
  });
});
