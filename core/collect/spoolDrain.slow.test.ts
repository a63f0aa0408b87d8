import { execFileSync } from "node:child_process";
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { realClock, until } from "../../test/setup/realClock.ts";
import { MAX_PAYLOAD_BYTES, type Envelope } from "../model/envelope.ts";
import type { Clock } from "../ports/clock.ts";
import { SILENT_LOGGER } from "../ports/logger.ts";
import { createSpoolDrain, type SpoolDrain, MAX_BAD_FILES } from "./spoolDrain.ts";

const redact = (text: string): string => text.replaceAll("hunter2", "[redacted]");
let spoolDir: string;
let batches: Envelope[][];
let failures: number;
let drain: SpoolDrain;

const NEVER_MS = 1_000_000;
const create = (
  sweepMs = NEVER_MS,
  onBatch?: (envelopes: Envelope[]) => void,
  clock: Clock = realClock,
): SpoolDrain =>
  createSpoolDrain({
    spoolDir,
    redact,
    sweepMs,
    clock,
    logger: SILENT_LOGGER,
    onBatch: (envelopes) => {
      if (failures > 0) {
        failures -= 1;
        throw new Error("the disk is full");
      }
      onBatch?.(envelopes);
      batches.push(envelopes);
    },
  });
const text = (event: string, payload = "{}"): string =>
  `agtmux-event 1\nagent=pi\nevent=${event}\n\n${payload}`;
/** As the hook does: written elsewhere, then renamed. `at` in seconds sets the time. */
const drop = (name: string, content = text(name), at?: number): void => {
  const temp = join(spoolDir, "tmp", name);
  writeFileSync(temp, content);
  if (at !== undefined) utimesSync(temp, at, at);
  renameSync(temp, join(spoolDir, "new", name));
};
const events = (): (string | null)[] => batches.flat().map((envelope) => envelope.eventName);
const filesIn = (folder: string): string[] => readdirSync(join(spoolDir, folder)).toSorted();

beforeEach(() => {
  spoolDir = join(mkdtempSync(join(tmpdir(), "agtmux-spool-")), "spool");
  mkdirSync(join(spoolDir, "tmp"), { recursive: true });
  mkdirSync(join(spoolDir, "new"));
  batches = [];
  failures = 0;
  drain = create();
});
afterEach(async () => {
  await drain.close();
  rmSync(join(spoolDir, ".."), { recursive: true, force: true });
});

describe("createSpoolDrain", () => {
  it("takes a backlog in the order of times, then names, in bounded batches, and deletes it", async () => {
    for (let index = 0; index < 1_100; index++)
      drop(`f${(7 * index) % 1_100}`, text(`e${index}`), 1_700_000_000 + index);
    drop("b", text("tie-b"), 1_600_000_000);
    drop("a", text("tie-a"), 1_600_000_000);
    await drain.start();
    expect(batches.map((batch) => batch.length)).toEqual([200, 200, 200, 200, 200, 102]);
    expect(events()).toEqual(["tie-a", "tie-b", ...Array.from({ length: 1_100 }, (_, index) => `e${index}`)]);
    expect(batches[0]?.[0]?.eventTime).toBe(1_600_000_000_000);
    expect(filesIn("new")).toEqual([]);
  });

  it("never has a file in `bad` as it came, however long setting it aside takes", async () => {
    const seen: string[] = [];
    const look = (): void => {
      for (const name of filesIn("bad")) seen.push(readFileSync(join(spoolDir, "bad", name), "utf8"));
    };
    let isOver = false;
    const watchOn = (): void => {
      if (isOver) return;
      look();
      setImmediate(watchOn);
    };
    mkdirSync(join(spoolDir, "bad"));
    for (let index = 0; index < 20; index += 1) drop(`bad${index}`, "not an event, hunter2");
    watchOn();
    await drain.start();
    isOver = true;
    look();
    expect(seen.length).toBeGreaterThanOrEqual(20);
    expect(seen.filter((found) => found.includes("hunter2"))).toEqual([]);
  });

  it("is told by the watch, without a sweep", async () => {
    await drain.start();
    drop("one");
    await until(() => events().includes("one"), "the first event");
    drop("two");
    await until(() => events().includes("two"), "the second event");
    await drain.take();
    expect(filesIn("new")).toEqual([]);
  });

  it("takes what follows a drain together, a moment later, and the first after a pause at once", async () => {
    await drain.close();
    let now = 5_000;
    let due: { delayMs: number; work: () => void }[] = [];
    const clock = {
      now: () => now,
      setTimer: (delayMs: number, work: () => void) => {
        const timer = { delayMs, work };
        due.push(timer);
        return () => void (due = due.filter((one) => one !== timer));
      },
    };
    drain = create(NEVER_MS, undefined, clock);
    await drain.start();
    now += 1_000;
    drop("first");
    await until(() => events().includes("first"), "the first after a pause");
    drop("second");
    await until(() => due.some(({ delayMs }) => delayMs < NEVER_MS), "it is planned");
    drop("third");
    expect(events()).toEqual(["first"]);
    const [timer] = due;
    timer?.work();
    await until(() => events().includes("third"), "those that followed");
    expect([timer?.delayMs, batches.map((batch) => batch.length)]).toEqual([40, [1, 2]]);
  });

  it("sweeps even when nobody tells", async () => {
    await drain.close();
    drain = create(10);
    await drain.start();
    // Replacing the folder blinds the watch for good.
    rmSync(join(spoolDir, "new"), { recursive: true });
    mkdirSync(join(spoolDir, "new"));
    drop("late");
    await until(() => events().includes("late"), "the sweep");
  });

  it("gives a name that comes back another spool name, and a redelivered file the same", async () => {
    failures = 1;
    let first: string[] = [];
    await drain.close();
    drain = createSpoolDrain({
      spoolDir,
      redact,
      sweepMs: NEVER_MS,
      clock: realClock,
      logger: SILENT_LOGGER,
      onBatch: (envelopes) => {
        batches.push(envelopes);
        if (batches.length === 1) {
          first = envelopes.map((envelope) => envelope.spoolName);
          throw new Error("killed between commit and delete");
        }
      },
    });
    await drain.start();
    drop("0000042-0", text("x"), 1_700_000_000);
    await until(() => batches.length === 2, "redelivery");
    expect(batches[1]?.map((envelope) => envelope.spoolName)).toEqual(first);
    drop("0000042-0", text("x"), 1_700_000_100);
    await until(() => batches.length === 3, "the next event of that pid");
    expect(batches[2]?.[0]?.spoolName).not.toBe(first[0]);
  });

  it("keeps files until they are committed, and brings them again", async () => {
    failures = 3;
    drop("kept");
    await drain.start();
    expect([events(), filesIn("new")]).toEqual([[], ["kept"]]);
    await expect(drain.take()).rejects.toThrow("could not be taken");
    await until(() => events().length === 1, "the retry");
    await drain.take();
    expect(filesIn("new")).toEqual([]);
  });

  it("takes files out of the way that are no events, and goes on with the others", async () => {
    drop("good");
    drop("version", text("x").replace("event 1", "event 9"));
    drop("header", "garbage");
    writeFileSync(join(spoolDir, "elsewhere"), text("stolen"));
    symlinkSync("../elsewhere", join(spoolDir, "new", "link"));
    mkdirSync(join(spoolDir, "new", "folder"));
    writeFileSync(join(spoolDir, "new", "folder", "inside"), "x");
    execFileSync("mkfifo", [join(spoolDir, "new", "fifo")]);
    let expected = 5;
    if (process.getuid?.() === 0) {
      drop("foreign");
      chownSync(join(spoolDir, "new", "foreign"), 12_345, 12_345);
      expected = 6;
    }
    await drain.start();
    expect([events(), drain.rejectedCount, filesIn("new")]).toEqual([["good"], expected, []]);
    expect(filesIn("bad")).toHaveLength(expected);
    expect(filesIn(".")).toContain("elsewhere");
  });

  it("keeps the start of a bad file only, and without what may not be kept", async () => {
    drop("bad", `password=hunter2 ${"x".repeat(100_000)}`);
    await drain.start();
    const [kept = ""] = filesIn("bad");
    const found = readFileSync(join(spoolDir, "bad", kept), "utf8");
    expect(found).toMatch(/^password=\[redacted\] x+$/);
    expect([found.length < 20_000, statSync(join(spoolDir, "bad", kept)).mode & 0o777]).toEqual([
      true,
      0o600,
    ]);
  });

  it("bounds what it keeps of bad files", async () => {
    for (let index = 0; index < MAX_BAD_FILES + 20; index++) drop(`bad${index}`, "garbage");
    await drain.start();
    expect([filesIn("bad").length, drain.rejectedCount]).toEqual([MAX_BAD_FILES, MAX_BAD_FILES + 20]);
  });

  it("reads only the header of a payload that is too large", async () => {
    drop("large", text("large", "x".repeat(MAX_PAYLOAD_BYTES + 100_000)));
    await drain.start();
    expect(batches.flat()).toMatchObject([
      { eventName: "large", payload: null, payloadProblem: "too_large" },
    ]);
  });

  it("deletes a committed file as soon as that is possible, and does not apply it again", async () => {
    drop("stuck");
    const path = join(spoolDir, "new", "stuck");
    // A folder cannot be removed as a file is.
    drain = create(NEVER_MS, () => {
      rmSync(path);
      mkdirSync(path);
    });
    await drain.start();
    await drain.take();
    expect([events(), filesIn("new")]).toEqual([["stuck"], ["stuck"]]);
    rmSync(path, { recursive: true });
    writeFileSync(path, text("again"));
    await drain.take();
    expect(events()).toEqual(["stuck"]);
    expect(filesIn("new")).toEqual([]);
  });

  it("removes what lay in tmp for more than a day, and nothing newer", async () => {
    writeFileSync(join(spoolDir, "tmp", "old"), "x");
    utimesSync(join(spoolDir, "tmp", "old"), Date.now() / 1_000 - 90_000, Date.now() / 1_000 - 90_000);
    writeFileSync(join(spoolDir, "tmp", "young"), "x");
    await drain.start();
    expect(filesIn("tmp")).toEqual(["young"]);
  });

  it("makes missing folders, and again when they are removed", async () => {
    rmSync(spoolDir, { recursive: true });
    await drain.start();
    expect(filesIn(".")).toEqual(["bad", "new", "tmp"]);
    rmSync(spoolDir, { recursive: true });
    await expect(drain.take()).rejects.toThrow("could not be taken");
    expect(filesIn(".")).toEqual(["bad", "new", "tmp"]);
  });

  it("hands over nothing after it was closed", async () => {
    await drain.start();
    await drain.close();
    drop("after");
    await expect(drain.take()).rejects.toThrow("could not be taken");
    expect([events(), filesIn("new")]).toEqual([[], ["after"]]);
  });

  it("loses none of a burst that comes while it works", async () => {
    await drain.start();
    for (let index = 0; index < 2_000; index++) drop(`b${index}`);
    await until(() => events().length >= 2_000, "all of the burst");
    expect(new Set(events()).size).toBe(2_000);
    expect(events()).toHaveLength(2_000);
  });
});
