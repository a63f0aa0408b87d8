import { expect, it } from "vitest";
import { memoryFiles } from "../../adapters/testkit/memoryFiles.ts";
import { somePane } from "../../test/factories/ingest.ts";
import type { Place } from "../model/evidence.ts";
import type { AgentAdapter, ToldActivity } from "../ports/agentAdapter.ts";
import type { TranscriptEntry } from "../ports/agentFiles.ts";
import { SILENT_LOGGER } from "../ports/logger.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import { NO_PLACE, WorkWatch } from "./workWatch.ts";
import type { Attention, WatchedRuntime, WatchedServer } from "./sink.ts";
import { partOf } from "../../test/fakes/partOf.ts";

const watchedAs = (
  attention: Attention,
  readTranscript: AgentAdapter["readTranscript"],
  cwd: string | null = null,
): WatchedRuntime => ({
  runtime: {
    targetId: "host",
    server: "default",
    paneId: "%1",
    runtimeId: "rt",
    paneEpoch: 1,
    agentType: "a",
    pid: 600,
    processStartedAt: 0,
    startedAt: 0,
    endedAt: null,
    agentSessionId: null,
    inside: null,
    mutedUntil: null,
    name: null,
  },
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is asked of it
  adapter: { agentType: "a", readTranscript } as AgentAdapter,
  pane: somePane("%1"),
  attention,
  isUnsustained: false,
  account: { configDir: "/home/dev/.claude", dataDir: "/home/dev/.claude", name: ".claude", environment: [] },
  cwd,
  transcriptPath: null,
  processCwd: undefined,
});

const named = (
  watched: WatchedRuntime,
  readSessionTitle: NonNullable<AgentAdapter["readSessionTitle"]>,
): WatchedRuntime => ({
  ...watched,
  adapter: { ...watched.adapter, readSessionTitle },
});

const fixture = () => {
  let now = 1_000_000;
  const told: (ToldActivity & { at: number })[] = [];
  const places: Place[] = [];
  let looks: Promise<void>[] = [];
  const files = memoryFiles(
    {
      "/p/log": "x".repeat(200_000),
      "/p/.git": "gitdir: /r/.git/worktrees/fix\n",
      "/r/.git/worktrees/fix/HEAD": "ref: refs/heads/main\n",
    },
    { links: { "/proc/600/cwd": "/p/src" } },
  );
  const server: Pick<WatchedServer, "server" | "currentPath"> = {
    server: "default",
    currentPath: () => Promise.resolve("/by/tmux"),
  };
  const watch = new WorkWatch({
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is asked of it
    servers: [server as WatchedServer],
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its files are read
    executor: { kind: "local", files } as TargetExecutor,
    sink: partOf({
      applyTold: (_id, one, at) => void told.push({ ...one, at }),
      applyPlace: (_id, place) => void places.push(place),
    }),
    clock: { now: () => now, setTimer: () => () => {} },
    logger: SILENT_LOGGER,
    guard: (work) => void looks.push(work),
  });
  const note = async (watched: WatchedRuntime) => {
    watch.note([watched]);
    await Promise.all(looks);
    looks = [];
  };
  return { note, told, places, advance: (ms: number) => void (now += ms) };
};

const ENTRIES: TranscriptEntry[] = [
  { role: "user", text: "fix it", at: 1 },
  { role: "agent", text: "I look.", at: 2 },
  { role: "tool", text: "bash npm test", at: 3 },
];

it("tells what a log says last, and where the process works", async () => {
  const { note, told, places } = fixture();
  await note(watchedAs("active", () => Promise.resolve(ENTRIES)));
  const tool = { name: "bash", subject: "npm test" };
  expect(told).toEqual([{ promptText: "fix it", saidText: "I look.", tool, at: 3 }]);
  expect(places).toEqual([
    { folder: "/p/src", source: "process", repository: "r", branch: "main", worktree: "fix", workTree: "/p" },
  ]);
});

it("takes the folder that the events name before the process's own", async () => {
  const { note, places } = fixture();
  await note(watchedAs("active", undefined, "/elsewhere"));
  expect(places).toEqual([{ folder: "/elsewhere", source: "hook", ...NO_PLACE }]);
});

it("looks again after a while, at once when the agent's attention changes, and rarely at a quiet one", async () => {
  const { note, told, advance } = fixture();
  const read = () => Promise.resolve(ENTRIES);
  const count = async (attention: Attention, ms: number) => {
    advance(ms);
    await note(watchedAs(attention, read));
    return told.length;
  };
  expect(await count("active", 0)).toBe(1);
  expect(await count("active", 9_000)).toBe(1);
  expect(await count("active", 2_000)).toBe(2);
  expect(await count("quiet", 100)).toBe(3);
  expect(await count("quiet", 60_000)).toBe(3);
});

it("says nothing of a log that cannot be read", async () => {
  const { note, told, places } = fixture();
  await note(watchedAs("active", () => Promise.reject(new Error("EIO"))));
  expect([told.length, places.length]).toEqual([0, 1]);
});

it("reads no more than the newest end of a log", async () => {
  const { note, told } = fixture();
  await note(
    watchedAs("active", async ({ files }) => {
      const tail = await files.readTail("/p/log", 2_000_000);
      return [{ role: "agent", text: String(tail?.length), at: 1 }];
    }),
  );
  expect(told[0]?.saidText).toBe(String(64 * 1024));
});

it("asks for the session's own name, and reads a log that both need once", async () => {
  const { note, told } = fixture();
  const tails: Promise<string | null>[] = [];
  const watched = watchedAs("close", ({ files }) => {
    tails.push(files.readTail("/p/log", 1_000_000));
    return Promise.resolve(ENTRIES);
  });
  await note(
    named(watched, ({ files }) => {
      tails.push(files.readTail("/p/log", 1_000_000));
      return Promise.resolve("Split refunds");
    }),
  );
  expect(told[0]).toEqual({ sessionTitle: "Split refunds", at: 1_000_000 });
  expect(told[1]).toMatchObject({ promptText: "fix it", at: 3 });
  expect(tails[0]).toBe(tails[1]);
});

it("tells that a session has no name, and nothing more where there is no log", async () => {
  const { note, told } = fixture();
  await note(named(watchedAs("close", undefined), () => Promise.resolve(null)));
  expect(told).toEqual([{ sessionTitle: null, at: 1_000_000 }]);
});
