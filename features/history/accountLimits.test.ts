// The limits that agents say, over made-up agents and real folders: which file is read and when, and what becomes of a reading.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makePane } from "../../test/factories/view.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { Account } from "../../core/model/runtime.ts";
import type { AccountLimits, PaneView } from "../../core/model/view.ts";
import type { AgentAdapter } from "../../core/ports/agentAdapter.ts";
import type { AgentLimits } from "../../core/ports/agentFiles.ts";
import type { FeatureContext } from "../../core/ports/feature.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { createLocalFiles } from "../../core/targets/executors/localExecutor.ts";
import { LimitReader } from "./accountLimits.ts";

const NOW = Date.UTC(2026, 10, 29, 12);
const HOUR = 3_600_000;
let root: string;
let now: number;
let isOn: boolean;
let accounts: Account[];
let rows: PaneView[];
let resetAt: number | null;
let reads: string[];
let told: [string, number | null][];
let timers: { at: number; callback: () => void }[];
let onShown: (areShown: boolean) => void;
let onConfig: () => void;
let reader: LimitReader;

/** A log's lines are `<minutes from NOW> <percent> <minutes to the reset>`. */
const LOGS: AgentLimits = {
  from: "logs",
  source: "its log",
  read: (text) => {
    const line = text.trim().split("\n").at(-1) ?? "";
    reads.push(line);
    const [at = Number.NaN, usedPercent = 0, reset = 0] = line.split(" ").map(Number);
    if (Number.isNaN(at)) return null;
    const window = { minutes: 300, usedPercent, resetsAt: NOW + reset * 60_000 };
    return { at: NOW + at * 60_000, windows: [window] };
  },
};
const adapter = (limits: AgentLimits): AgentAdapter =>
  ({
    agentType: "one",
    displayName: "One",
    limits,
    history: { kind: "files", roots: [{ folder: "logs", depth: 1, file: /^\d+\/[\w-]+\.log$/ }] },
  }) as unknown as AgentAdapter;
const accountOf = (name: string): Account => ({
  configDir: join(root, name),
  dataDir: join(root, name),
  name,
  environment: [],
});
const log = (path: string, text: string, changedAt = NOW): void => {
  const full = join(root, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, text);
  utimesSync(full, changedAt / 1_000, changedAt / 1_000);
};
const start = (limits: AgentLimits = LOGS): void => {
  const context = {
    adapters: () => [adapter(limits)],
    config: () => ({ limits: isOn, targets: [{ name: "vm1", enabled: true }] }),
    onConfigChange: (listener: () => void) => {
      onConfig = listener;
      return () => {};
    },
    rows: {
      all: () => rows,
      onShown: (listener: (areShown: boolean) => void) => {
        onShown = listener;
        return () => {};
      },
    },
    sends: { findReset: () => resetAt },
    setLimits: (target: string, all: readonly AccountLimits[]) =>
      told.push([target, all[0]?.windows[0]?.used_percent ?? null]),
    target: (name: string) => {
      if (name !== "host") throw new AgtmuxError("E_TARGET_UNREACHABLE", `${name} is not connected`);
      return { files: createLocalFiles(), accounts: async () => accounts };
    },
    clock: {
      now: () => now,
      setTimer: (delayMs: number, callback: () => void) => {
        const timer = { at: now + delayMs, callback };
        timers.push(timer);
        return () => {
          timers = timers.filter((one) => one !== timer);
        };
      },
    },
    logger: SILENT_LOGGER,
  } as unknown as FeatureContext;
  reader = new LimitReader(context);
};
const ask = async () => (await reader.list(["host"])).items;
const pass = async (ms: number): Promise<void> => {
  const until = now + ms;
  for (;;) {
    const next = timers.filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0];
    if (next === undefined) break;
    timers = timers.filter((one) => one !== next);
    now = Math.max(now, next.at);
    next.callback();
    // Files are read meanwhile.
    for (let turn = 0; turn < 200 && timers.length === 0; turn += 1)
      await new Promise((done) => setTimeout(done, 1));
  }
  now = until;
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "agtmux-limits-"));
  now = NOW;
  isOn = true;
  accounts = [accountOf("usual")];
  rows = [];
  resetAt = null;
  reads = [];
  told = [];
  timers = [];
  start();
});
afterEach(() => {
  reader.close();
  rmSync(root, { recursive: true, force: true });
});

describe("what an account's files say", () => {
  it("is the newest reading of the logs that changed last, wherever they lie", async () => {
    for (let day = 10; day < 30; day += 1)
      log(`usual/logs/${day}/a.log`, `-600 ${day} 60`, NOW - (40 - day) * HOUR);
    log("usual/logs/25/long.log", "-1 77 60", NOW - 60_000);
    expect(await ask()).toEqual([
      {
        identity: { target: "host", agent: "one", account: null },
        agent: "one",
        agent_name: "One",
        account: null,
        source: "its log",
        said_at: new Date(NOW - 60_000).toISOString(),
        windows: [{ minutes: 300, used_percent: 77, resets_at: new Date(NOW + HOUR).toISOString() }],
        reached_until: null,
      },
    ]);
    expect(reads).toHaveLength(3);
    await ask();
    expect(reads).toHaveLength(3);
  });

  it("is nothing where there are no logs, none that says anything, and once its time has passed", async () => {
    expect(await ask()).toEqual([]);
    log("usual/logs/10/a.log", "nothing");
    expect(await ask()).toEqual([]);
    log("usual/logs/10/b.log", "-30 50 10");
    expect(await ask()).toHaveLength(1);
    now += 10 * 60_000;
    expect(await ask()).toEqual([]);
  });

  it("is not believed where it was written tomorrow", async () => {
    log("usual/logs/10/a.log", "1440 1 2000");
    expect(await ask()).toEqual([]);
  });

  it("is of each account by itself, by the name that rows have", async () => {
    accounts.push(accountOf("work"));
    log("usual/logs/10/a.log", "-1 10 60");
    log("work/logs/10/a.log", "-1 90 60");
    expect((await ask()).map(({ account, windows }) => [account, windows[0]?.used_percent])).toEqual([
      ["usual", 10],
      ["work", 90],
    ]);
  });

  it("is one file of the folder of settings, where that is where it stands", async () => {
    const file: AgentLimits = {
      from: { file: "status.json" },
      source: "a file",
      read: (text, at) => ({
        at,
        windows: [{ minutes: null, usedPercent: Number(text), resetsAt: NOW + HOUR }],
      }),
    };
    start(file);
    expect(await ask()).toEqual([]);
    log("usual/status.json", "42", NOW - 5_000);
    expect((await ask())[0]).toMatchObject({
      said_at: new Date(NOW - 5_000).toISOString(),
      windows: [{ used_percent: 42, minutes: null }],
    });
  });

  it("is not read from a device, a folder, a link or a loop in its place", async () => {
    mkdirSync(join(root, "usual/logs/10"), { recursive: true });
    symlinkSync("/dev/zero", join(root, "usual/logs/10/zero.log"));
    mkdirSync(join(root, "usual/logs/10/folder.log"));
    symlinkSync("loop.log", join(root, "usual/logs/10/loop.log"));
    log("elsewhere", "-1 50 60");
    symlinkSync(join(root, "elsewhere"), join(root, "usual/logs/10/link.log"));
    symlinkSync("..", join(root, "usual/logs/11"));
    expect(await ask()).toEqual([]);
    expect(reads).toEqual([]);
  });

  it("is the end of a large log, not all of it", async () => {
    let length = 0;
    start({ ...LOGS, read: (text) => ((length = text.length), null) });
    log("usual/logs/10/a.log", "x".repeat(3_000_000));
    await ask();
    expect(length).toBe(256 * 1024);
  });
});

describe("a limit at which an agent stopped", () => {
  const stopped = makePane({ agent: "one", state: "error", reason: "usage_limit" });

  it("is said until its end, also where no file says anything", async () => {
    rows = [stopped];
    expect(await ask()).toEqual([]);
    resetAt = NOW + HOUR;
    expect(await ask()).toMatchObject([
      { windows: [], said_at: null, source: null, reached_until: new Date(NOW + HOUR).toISOString() },
    ]);
    now += HOUR;
    expect(await ask()).toEqual([]);
  });

  it("is none of an agent that goes on, of another error, of another machine, or of nobody knows which account", async () => {
    resetAt = NOW + HOUR;
    const working = makePane({ agent: "one", state: "running" });
    const broken = makePane({ agent: "one", state: "error", reason: "api_error" });
    rows = [
      working,
      broken,
      makePane({ agent: "one", target: "vm1", state: "error", reason: "usage_limit" }),
    ];
    expect(await ask()).toEqual([]);
    rows = [stopped];
    accounts.push(accountOf("work"));
    expect(await ask()).toEqual([]);
    rows = [{ ...stopped, account: "work" }];
    expect((await ask()).map(({ account }) => account)).toEqual(["work"]);
  });
});

describe("the rows of machines", () => {
  beforeEach(() => log("usual/logs/10/a.log", "-1 10 600"));

  it("have it while rows are shown and the setting is on, read once a minute", async () => {
    expect(timers).toEqual([]);
    onShown(true);
    await pass(0);
    expect(told).toEqual([
      ["host", 10],
      ["vm1", null],
    ]);
    log("usual/logs/10/a.log", "0 20 600", NOW + 1_000);
    await pass(30_000);
    expect(told.filter(([name]) => name === "host")).toHaveLength(1);
    await pass(31_000);
    expect(told.filter(([name]) => name === "host").at(-1)).toEqual(["host", 20]);
    onShown(false);
    expect(timers).toEqual([]);
  });

  it("have nothing of it, and nothing is read, while the setting is off", async () => {
    isOn = false;
    onShown(true);
    onConfig();
    await pass(HOUR);
    expect([timers, told, reads]).toEqual([[], [], []]);
  });

  it("lose it when it is switched off", async () => {
    onShown(true);
    await pass(0);
    isOn = false;
    onConfig();
    await pass(0);
    expect(told.at(-2)).toEqual(["host", null]);
    expect(timers).toEqual([]);
  });
});

it("a machine that cannot be asked is named, and the others are read", async () => {
  log("usual/logs/10/a.log", "-1 10 60");
  const { items, problems } = await reader.list(undefined);
  expect([items.length, problems]).toEqual([1, ["vm1 is not connected"]]);
});
