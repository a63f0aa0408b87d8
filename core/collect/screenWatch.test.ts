// Many screens at once: a few are read together, the most urgent first, and what is due together stays due together.
import { expect, it } from "vitest";
import { somePane } from "../../test/factories/ingest.ts";
import { DEFAULT_TIMING } from "../model/config.ts";
import type { AgentAdapter, Reading } from "../ports/agentAdapter.ts";
import { SILENT_LOGGER } from "../ports/logger.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import { ScreenWatch } from "./screenWatch.ts";
import type { Attention, CollectorSink, WatchedRuntime, WatchedServer } from "./sink.ts";

const ADAPTER: Pick<AgentAdapter, "agentType" | "readScreen"> = {
  agentType: "claude",
  readScreen: () => null,
};
/** Its project's settings are asked for, and each answer comes when a test gives it. */
const createAsking = () => {
  const asked: (string | null)[] = [];
  const answers: ((needsConfirmation: boolean) => void)[] = [];
  const adapter: Pick<AgentAdapter, "agentType" | "readScreen" | "needsConfirmation"> = {
    ...ADAPTER,
    needsConfirmation: ({ cwd }) => {
      asked.push(cwd);
      return new Promise((resolve) => answers.push(resolve));
    },
  };
  return { adapter, asked, answers };
};

const READING: Reading = {
  status: { state: "running", reasonCode: "thinking" },
  confidence: "high",
  matched: "a",
  request: null,
  isSteady: false,
};

const watchedAs = (index: number, attention: Attention): WatchedRuntime => ({
  runtime: {
    targetId: "host",
    server: "default",
    paneId: `%${index}`,
    runtimeId: `rt${index}`,
    paneEpoch: 1,
    agentType: "claude",
    pid: 600,
    processStartedAt: 0,
    startedAt: 0,
    endedAt: null,
    agentSessionId: null,
    inside: null,
    mutedUntil: null,
    name: null,
  },
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what screens need of it
  adapter: ADAPTER as AgentAdapter,
  pane: somePane(`%${index}`, { windowActivity: 0 }),
  attention,
  isUnsustained: false,
  account: { configDir: "/home/dev/.claude", dataDir: "/home/dev/.claude", name: ".claude", environment: [] },
  cwd: null,
  transcriptPath: null,
  processCwd: null,
});

const fixture = (watched: readonly WatchedRuntime[]) => {
  const confirmed: [string, boolean][] = [];
  let now = 1_000_000;
  const captured: string[][] = [];
  const read: string[] = [];
  const sink: Pick<CollectorSink, "watchedRuntimes" | "applyReadings" | "noteScreen" | "setConfirmRequests"> =
    {
      noteScreen: () => {},
      watchedRuntimes: () => [...watched],
      applyReadings: (_source, readings) => void read.push(...readings.keys()),
      setConfirmRequests: (runtimeId, confirm) => void confirmed.push([runtimeId, confirm]),
    };
  let expected = 0;
  const server: Pick<WatchedServer, "server" | "capture" | "expectChange"> = {
    server: "default",
    expectChange: () => void (expected += 1),
    capture: (paneIds) => {
      captured.push([...paneIds]);
      // Each question to tmux takes its time.
      now += 50;
      return Promise.resolve(new Map(paneIds.map((paneId) => [paneId, ["a"]])));
    },
  };
  const screens = new ScreenWatch({
    targetId: "host",
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what screens need of it
    servers: [server as WatchedServer],
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no files are read
    executor: {} as TargetExecutor,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what screens need of it
    sink: sink as CollectorSink,
    timing: () => DEFAULT_TIMING,
    clock: {
      now: () => now,
      setTimer: () => () => {},
    },
    logger: SILENT_LOGGER,
    guard: () => {},
    verifyProcesses: () => Promise.resolve(),
  });
  const advance = (ms: number): void => {
    now += ms;
  };
  return { screens, captured, read, confirmed, advance, expected: () => expected };
};

it("reads fifty screens at a time, what is most urgent first", async () => {
  const watched = Array.from({ length: 105 }, (_, index) =>
    watchedAs(index, index === 104 ? "close" : index === 103 ? "waiting" : "quiet"),
  );
  const { screens, captured, read } = fixture(watched);
  await screens.readDue();
  expect(captured.map((paneIds) => paneIds.length)).toEqual([50, 50, 5]);
  expect(captured[0]?.slice(0, 3)).toEqual(["%104", "%103", "%0"]);
  expect(new Set(read).size).toBe(105);
});

it("takes along what is due a moment later, so that it stays due together, but no dialog", async () => {
  const watched = [watchedAs(0, "active")];
  const { screens, captured, advance } = fixture(watched);
  const readAt = async (ms: number): Promise<string[]> => {
    captured.length = 0;
    advance(ms);
    await screens.readDue();
    return captured.flat();
  };
  // Each question takes 50 ms.
  expect(await readAt(0)).toEqual(["%0"]);
  watched.push(watchedAs(1, "active"));
  expect(await readAt(100)).toEqual(["%1"]);
  watched.push(watchedAs(2, "waiting"));
  expect(await readAt(400)).toEqual(["%2"]);
  // A second after the first read of all: the second agent is due 150 ms later, the dialog 100 ms.
  expect(await readAt(350)).toEqual(["%0", "%1"]);
  expect(await readAt(50)).toEqual(["%2"]);
  expect(await readAt(1_850)).toEqual(["%2", "%0", "%1"]);
});

it("reads again in one pass what it read in one pass", async () => {
  const { screens, captured, advance } = fixture(
    Array.from({ length: 105 }, (_, index) => watchedAs(index, "active")),
  );
  await screens.readDue();
  captured.length = 0;
  // The three questions took 150 ms: two seconds after the pass began its first screens are due, and so are its last.
  advance(1_850);
  await screens.readDue();
  expect(captured.flat()).toHaveLength(105);
});

it("stops between two groups when it is closed", async () => {
  const { screens, captured } = fixture(
    Array.from({ length: 105 }, (_, index) => watchedAs(index, "active")),
  );
  const pass = screens.readDue();
  screens.close();
  await pass;
  expect(captured).toHaveLength(1);
});

it("reads all again after what is being read already, which began too early to count", async () => {
  const { screens, captured } = fixture([watchedAs(0, "active")]);
  const early = screens.readDue();
  await screens.readAll();
  await early;
  expect(captured).toEqual([["%0"], ["%0"]]);
});

it("reads screens although a project's settings cannot be opened, and takes requests for unconfirmed until then", async () => {
  const { adapter, asked, answers } = createAsking();
  const watched = [0, 1].map((index): WatchedRuntime => ({
    ...watchedAs(index, "active"),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what screens need of it
    adapter: adapter as AgentAdapter,
    cwd: `/home/dev/Documents/${index}`,
  }));
  const { screens, read, confirmed, advance } = fixture(watched);
  await screens.readDue();
  advance(2_000);
  await screens.readDue();
  expect(read).toEqual(["rt0", "rt1", "rt0", "rt1"]);
  expect(confirmed).toEqual([
    ["rt0", true],
    ["rt1", true],
  ]);
  // One at a time: each may be a question that the system asks the person.
  expect(asked).toEqual(["/home/dev/Documents/0"]);
  answers[0]?.(false);
  await expect.poll(() => asked).toEqual(["/home/dev/Documents/0", "/home/dev/Documents/1"]);
  expect(confirmed.slice(2)).toEqual([["rt0", false]]);
});

it("has titles read again when a screen is known no more, and not with each look after that", async () => {
  const readings = [READING, null, null, READING, null];
  const adapter: typeof ADAPTER = { ...ADAPTER, readScreen: () => readings.shift() ?? null };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what screens need of it
  const { screens, expected } = fixture([{ ...watchedAs(0, "close"), adapter: adapter as AgentAdapter }]);
  const counts: number[] = [];
  while (readings.length > 0) {
    await screens.readAll();
    counts.push(expected());
  }
  expect(counts).toEqual([0, 1, 1, 1, 2]);
});
