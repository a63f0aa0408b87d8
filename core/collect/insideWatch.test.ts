import { describe, expect, it } from "vitest";
import type { Recognised } from "../engine/epoch.ts";
import type { Pane, ProcessInfo } from "../model/runtime.ts";
import type { AgentAdapter, Reading, Screen } from "../ports/agentAdapter.ts";
import { carrierOf, InsideWatch } from "./insideWatch.ts";
import type { CollectorSink, WatchedRuntime, WatchedServer } from "./sink.ts";

const process = (pid: number, ppid: number, comm: string, more: Partial<ProcessInfo> = {}): ProcessInfo => ({
  pid,
  ppid,
  comm,
  args: comm,
  startedAt: pid,
  isInFront: true,
  ...more,
});
const behind = { isInFront: false };
const SHELL = process(1, 0, "bash", behind);

describe("the program in front behind which something else draws", () => {
  it.each<[string, ProcessInfo[], string | null]>([
    ["ssh of a shell", [SHELL, process(2, 1, "ssh")], "ssh"],
    ["a client by its file", [SHELL, process(2, 1, "mosh-client")], "mosh"],
    ["another tmux", [SHELL, process(2, 1, "tmux: client")], "tmux"],
    ["a script of node", [SHELL, process(2, 1, "node", file("/x/devcontainer.js"))], "devcontainer"],
    ["what starts it", [SHELL, process(2, 1, "sudo"), process(3, 2, "podman")], "podman"],
    ["what it starts", [SHELL, process(2, 1, "ssh"), process(3, 2, "nc")], "ssh"],
    ["an editor's terminal", [process(1, 0, "nvim"), process(2, 1, "ssh")], "ssh"],
    ["a shell", [process(1, 0, "bash")], null],
    ["an editor", [SHELL, process(2, 1, "nvim")], null],
    ["one that does not have the terminal", [process(1, 0, "bash"), process(2, 1, "ssh", behind)], null],
    ["a suspended one", [SHELL, process(2, 1, "ssh", { isStopped: true })], null],
    ["one with a pager beside it", [SHELL, process(2, 1, "kubectl"), process(3, 1, "less")], null],
    ["another program of that name", [SHELL, process(2, 1, "ssh", file("/usr/bin/sleep"))], null],
  ])("%s", (_what, processes, expected) => {
    expect(carrierOf(processes)?.name ?? null).toBe(expected);
  });
});

function file(path: string): Partial<ProcessInfo> {
  return { file: { path, runtime: null } };
}

const PANE = { targetId: "host", server: "default", paneId: "%1", tty: "/dev/pts/1", title: "" } as Pane;
const LOOK = {
  lines: ["own"],
  isAlternate: true,
  width: 80,
  height: 24,
  cursor: { x: 0, y: 0, isVisible: false },
};

const open = ({ machines = [] as string[], live = null as WatchedRuntime | null } = {}) => {
  let now = 0;
  let lines = ["own"];
  let looks = 0;
  const found: (Recognised | null)[] = [];
  const adapter = (agentType: string, own: string): AgentAdapter =>
    ({
      agentType,
      capabilities: {},
      isOwnScreen: ({ lines: [first] }: Screen) => first === own,
      readScreen: ({ lines: [first] }: Screen): Reading | null =>
        first === own
          ? {
              status: { state: "idle", reasonCode: "fresh" },
              confidence: "high",
              matched: own,
              request: null,
              isSteady: false,
            }
          : null,
    }) as unknown as AgentAdapter;
  const server = {
    server: "default",
    look: () => {
      looks += 1;
      return Promise.resolve(new Map([["%1", { ...LOOK, lines }]]));
    },
    clients: () => Promise.resolve([{ tty: "/dev/pts/1" }]),
  } as unknown as WatchedServer;
  const sink = {
    watchedRuntimeIn: () => live,
    agentsAt: (isMeant: (machine: string) => boolean) => (machines.some(isMeant) ? new Set(["a"]) : null),
    applyRecognised: (_key: unknown, one: Recognised | null) => found.push(one),
  } as unknown as CollectorSink;
  const watch = new InsideWatch({
    servers: [server],
    adapters: { list: () => [adapter("a", "own"), adapter("b", "other")] },
    sink,
    clock: { now: () => now, setTimer: () => () => {} },
  });
  return {
    found,
    looks: () => looks,
    recognise: (...processes: ProcessInfo[]) => watch.recognise(PANE, processes),
    look: async (at: number, shown = "own") => {
      now = at;
      lines = [shown];
      await watch.look(server);
    },
  };
};

describe("an agent behind a program", () => {
  it("is found when two looks, a second apart, show its screen", async () => {
    const { found, recognise, look } = open();
    const ssh = process(2, 1, "ssh");
    expect(recognise(SHELL, ssh)).toBeNull();
    await look(0);
    await look(500);
    expect(found).toEqual([]);
    await look(1_000);
    expect(found).toEqual([{ agentType: "a", process: ssh, inside: "ssh" }]);
  });

  it.each([["something else"], ["other"]])("is not found where the second look shows %s", async (shown) => {
    const { found, recognise, look } = open();
    recognise(SHELL, process(2, 1, "ssh"));
    await look(0);
    await look(1_000, shown);
    recognise(SHELL, process(2, 1, "ssh"));
    await look(1_500);
    expect(found).toEqual([]);
  });

  it("is not looked for again while nothing changed, nor in other panes", async () => {
    const { looks, recognise, look } = open();
    recognise(process(1, 0, "bash"));
    await look(0);
    expect(looks()).toBe(0);
    recognise(SHELL, process(2, 1, "ssh"));
    await look(0, "$ ");
    await look(10_000, "$ ");
    expect(looks()).toBe(1);
  });

  it("has no second row: neither of a machine that is watched, nor of a tmux server that is", async () => {
    const { found, recognise, look } = open({ machines: ["dev@vm1:22"] });
    for (const args of ["ssh -t vm1 tmux attach", "ssh dev@vm1", "ssh -p 22 vm1:"]) {
      recognise(SHELL, process(2, 1, "ssh", { args }));
      await look(0);
      await look(2_000);
    }
    recognise(SHELL, process(2, 1, "tmux: client"));
    await look(4_000);
    await look(6_000);
    expect(found).toEqual([]);
  });

  it.each([
    ["ssh vm10", "own"],
    ["ssh -p 22 vm1@elsewhere", "own"],
    ["ssh -l vm1 elsewhere", "own"],
    ["ssh elsewhere tmux attach -t vm1", "own"],
  ])("is found where its row would be no second one: %s", async (args, shown) => {
    const { found, recognise, look } = open({ machines: ["dev@vm1:22"] });
    recognise(SHELL, process(2, 1, "ssh", { args }));
    await look(0, shown);
    await look(1_000, shown);
    expect(found).toHaveLength(1);
  });

  it("is found on a watched machine that has no row of such an agent, where it would have one by then", async () => {
    const { found, recognise, look } = open({ machines: ["vm1"] });
    recognise(SHELL, process(2, 1, "ssh", { args: "ssh vm1" }));
    await look(0, "other");
    await look(9_000, "other");
    expect(found).toEqual([]);
    await look(10_000, "other");
    expect(found).toHaveLength(1);
  });

  it("ends when its machine is watched, and it has a row there", () => {
    const runtime = { agentType: "a", inside: "ssh", pid: 2, processStartedAt: 2 };
    const { recognise } = open({
      live: { runtime } as unknown as WatchedRuntime,
      machines: ["vm1"],
    });
    expect(recognise(SHELL, process(2, 1, "ssh", { args: "ssh dev@vm1" }))).toBeNull();
  });

  it("stays the same as long as its program runs", () => {
    const runtime = { agentType: "a", inside: "ssh", pid: 2, processStartedAt: 2 };
    const { recognise } = open({ live: { runtime } as unknown as WatchedRuntime });
    const ssh = process(2, 1, "ssh");
    expect(recognise(SHELL, ssh)).toEqual({ agentType: "a", process: ssh, inside: "ssh" });
    expect(recognise(SHELL, process(3, 1, "ssh"))).toBeNull();
    expect(recognise(SHELL, { ...ssh, isInFront: false })).toBeNull();
  });
});
