// Damage to a database file in use and at rest: it is kept, said, and never stops the store.
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SILENT_LOGGER } from "../ports/logger.ts";
import { storeFailureOf } from "../ports/store.ts";
import { openDurableStore, type DurableStore, MAX_KEPT } from "./durableStore.ts";
import { openStore } from "./openStore.ts";
import { samplePending, sampleRuntime, sampleTransition } from "./testkit/samples.ts";

const NOW = Date.parse("2026-01-02T03:04:05.678Z");
const KEPT = "state.db.damaged-2026-01-02T03-04-05-678Z";

let folder: string;
let path: string;
let said: string[];
let store: DurableStore;

const open = (now = NOW): DurableStore =>
  openDurableStore({
    path,
    logger: { ...SILENT_LOGGER, error: (_fields, message) => said.push(message) },
    now: () => now,
  });
const kept = (): string[] => readdirSync(folder).filter((name) => name.includes(".damaged-"));
const names = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `n${index}`.padEnd(60, "x"));
const remember = (count: number): void =>
  store.transaction(() => {
    for (const name of names(count)) store.rememberSpoolName("t1", name, 1);
  });
/** A remembered name is not new. The question itself makes the store remember the name. */
const isRemembered = (name = names(1)[0] ?? ""): boolean => !store.rememberSpoolName("t1", name, 1);
const MANY = 3_000;
/** Everything after the first pages becomes noise, while the database is open. */
const scribble = (from: number): void => {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xa5, from), { flag: "r+" });
};
/** The file changes under an open store: a writer beside it makes it forget its cached pages first. */
const scribbleBeside = (): void => {
  const beside = new BetterSqlite3(path);
  beside.exec("UPDATE high_marks SET value = value + 1");
  beside.pragma("wal_checkpoint(TRUNCATE)");
  beside.close();
  scribble(4_096);
};
/** Closed, so that everything is in the main file, then opened again. */
const settle = (): void => {
  store.close();
  store = open();
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-damage-"));
  path = join(folder, "state.db");
  said = [];
  store = open();
});
afterEach(() => store.close());

it("is silent about a sound file", () => {
  remember(10);
  settle();
  expect(isRemembered()).toBe(true);
  expect({ loss: store.loss(), kept: kept(), said }).toEqual({ loss: null, kept: [], said: [] });
});

describe("at start", () => {
  it.each<[string, () => void]>([
    ["of text", () => writeFileSync(path, "a letter, not a database\n".repeat(400))],
    ["with a header of noise", () => writeFileSync(path, readFileSync(path).fill(0x5a, 0, 100))],
    ["cut off", () => truncateSync(path, 9_000)],
    ["with pages of noise", () => scribble(8 * 4_096)],
  ])("a file %s is kept as it was and replaced by an empty one", (_what, damage) => {
    remember(500);
    store.close();
    damage();
    const before = readFileSync(path);
    store = open();
    expect(kept()).toEqual([KEPT]);
    expect(readFileSync(join(folder, KEPT)).equals(before)).toBe(true);
    expect(store.loss()).toEqual({ at: NOW, keptPath: join(folder, KEPT) });
    expect(isRemembered()).toBe(false);
    expect(said).toHaveLength(1);
    settle();
    expect(store.loss()?.at).toBe(NOW);
    expect(kept()).toHaveLength(1);
  });

  it("versions go on above those given before, and ask for a fresh look", () => {
    store.insertRuntime(sampleRuntime());
    for (let n = 0; n < 5; n += 1) store.appendTransition(sampleTransition());
    const before = store.transitionRange().last;
    store.close();
    scribble(8 * 4_096);
    store = open();
    const { first, last } = store.transitionRange();
    expect(last).toBeGreaterThan(before);
    expect(first).toBe(last + 1);
    expect(store.appendTransition(sampleTransition())).toBe(last + 1);
  });

  it("the old file's own word counts where it is higher than the clock's", () => {
    store.noteLoss({ at: 1, version: NOW * 2 });
    store.close();
    scribble(readFileSync(path).length - 4_096);
    store = open();
    expect(store.transitionRange().last).toBe(NOW * 2 + 1);
  });

  it("another file of the same moment is not overwritten, and the oldest of many go", () => {
    for (let n = 0; n < MAX_KEPT + 2; n += 1) {
      store.close();
      writeFileSync(path, `damage ${n} `.repeat(1_000));
      store = open();
    }
    expect(kept().map((name) => readFileSync(join(folder, name), "utf8").slice(0, 8))).toEqual([
      "damage 2",
      "damage 3",
      "damage 4",
    ]);
  });

  it("a newer schema is still refused", () => {
    store.close();
    const newer = openStore({ path, logger: SILENT_LOGGER });
    newer.close();
    const bytes = readFileSync(path);
    const version = bytes.readUInt32BE(60);
    bytes.writeUInt32BE(99, 60);
    writeFileSync(path, bytes);
    expect(() => open()).toThrow(expect.objectContaining({ code: "E_DATABASE_NEWER" }));
    expect(kept()).toEqual([]);
    bytes.writeUInt32BE(version, 60);
    writeFileSync(path, bytes);
    store = open();
  });
});

describe("while it is open", () => {
  let replaced: number;
  beforeEach(() => {
    remember(MANY);
    store.addPending(samplePending());
    settle();
    replaced = 0;
    store.onReplaced(() => (replaced += 1));
  });

  it("a question is answered from the new file", () => {
    expect(store.listPending()).toHaveLength(1);
    scribbleBeside();
    expect(store.listPending()).toEqual([]);
    expect({ replaced, kept: kept().filter((name) => !name.endsWith("-wal")) }).toEqual({
      replaced: 1,
      kept: [KEPT],
    });
    store.rememberSpoolName("t1", "next", 2);
    settle();
    expect(isRemembered("next")).toBe(true);
  });

  it("a transaction fails as a whole, and its repetition is kept", () => {
    scribbleBeside();
    const work = () =>
      store.transaction(() =>
        store.savepoint(() => {
          for (const name of names(MANY)) store.rememberSpoolName("t1", name, 1);
        }),
      );
    expect(work).toThrow();
    expect(replaced).toBe(1);
    work();
    settle();
    expect(isRemembered()).toBe(true);
  });

  it("goes on as soon as the new file can be made", () => {
    scribbleBeside();
    rmSync(`${path}-shm`);
    mkdirSync(join(`${path}-shm`, "in the way"), { recursive: true });
    expect(() => remember(MANY)).toThrow();
    expect(() => remember(1)).toThrow();
    rmSync(`${path}-shm`, { recursive: true });
    remember(1);
    expect(isRemembered()).toBe(true);
    expect(store.loss()?.keptPath).toBe(join(folder, KEPT));
  });
});

describe("a file that is deleted or replaced while it is open", () => {
  const isWhole = (): boolean => names(MANY).every((name) => isRemembered(name));
  const rememberNext = (): void => store.transaction(() => void store.rememberSpoolName("t1", "next", 2));
  const failureOf = (work: () => void): string | null => {
    try {
      work();
      return null;
    } catch (error) {
      return storeFailureOf(error);
    }
  };
  const version = (): number => store.transitionRange().last;
  /** The same as after `kill -9`: everything that was not on the disk is gone. */
  const reopen = (): void => {
    const abandoned = store;
    cpSync(folder, `${folder}-copy`, { recursive: true });
    abandoned.close();
    rmSync(folder, { recursive: true });
    renameSync(`${folder}-copy`, folder);
    store = open();
  };
  beforeEach(() => {
    store.insertRuntime(sampleRuntime());
    store.appendTransition(sampleTransition());
    remember(MANY);
  });

  it.each<[string, string[]]>([
    ["the whole database", ["", "-wal", "-shm"]],
    ["the file alone", [""]],
    ["the log alone", ["-wal"]],
  ])("is put back with all that was committed: %s", (_what, parts) => {
    const before = version();
    for (const part of parts) rmSync(`${path}${part}`);
    rememberNext();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    reopen();
    expect({ isWhole: isWhole(), next: isRemembered("next"), version: version() }).toEqual({
      isWhole: true,
      next: true,
      version: before,
    });
    expect({ loss: store.loss(), kept: kept(), said }).toEqual({ loss: null, kept: [], said: [] });
  });

  it("another file in its place is kept aside", () => {
    writeFileSync(`${path}.other`, "somebody's letter");
    renameSync(`${path}.other`, path);
    rememberNext();
    reopen();
    expect({ isWhole: isWhole(), next: isRemembered("next"), loss: store.loss() }).toEqual({
      isWhole: true,
      next: true,
      loss: null,
    });
    expect(kept().map((name) => readFileSync(join(folder, name), "utf8"))).toEqual(["somebody's letter"]);
  });

  it("is opened again as soon as that is possible, when its log was deleted, and fails as a store does until then", () => {
    rmSync(`${path}-wal`);
    mkdirSync(join(`${path}-wal`, "in the way"), { recursive: true });
    expect(failureOf(rememberNext)).not.toBeNull();
    expect(failureOf(() => store.listTargets())).not.toBeNull();
    rmSync(`${path}-wal`, { recursive: true });
    expect(isWhole()).toBe(true);
    rememberNext();
    reopen();
    expect({ isWhole: isWhole(), loss: store.loss() }).toEqual({ isWhole: true, loss: null });
  });

  it("is put back as soon as its folder is there again", () => {
    rmSync(folder, { recursive: true });
    for (const attempt of ["first", "second"]) expect(failureOf(rememberNext), attempt).toBe("unavailable");
    expect(isWhole()).toBe(true);
    mkdirSync(folder);
    rememberNext();
    reopen();
    expect({ isWhole: isWhole(), next: isRemembered("next") }).toEqual({
      isWhole: true,
      next: true,
    });
  });
});
