import { copyFileSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { beforeEach, expect, it } from "vitest";
import { isLogBroken } from "./durableStore.ts";

const FRAME = 24 + 4_096;
let folder: string;
let log: Buffer;

/** The log of a database after some commits, one of them of many pages, as a killed process leaves it. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-log-"));
  const path = join(folder, "x.db");
  const db = new BetterSqlite3(path);
  db.pragma("journal_mode = WAL");
  db.pragma("wal_autocheckpoint = 0");
  db.exec("CREATE TABLE t (x)");
  const insert = db.prepare("INSERT INTO t VALUES (?)");
  for (let index = 0; index < 10; index += 1) insert.run("x".repeat(500));
  db.transaction(() => {
    for (let index = 0; index < 100; index += 1) insert.run("y".repeat(2_000));
  })();
  insert.run("last");
  copyFileSync(`${path}-wal`, join(folder, "log"));
  db.close();
  log = readFileSync(join(folder, "log"));
});

it("finds nothing wrong with a whole log, with none, and with one that ends in the middle of a commit", () => {
  expect(isLogBroken(log)).toBe(false);
  expect(isLogBroken(Buffer.alloc(0))).toBe(false);
  for (const bytes of [20, 32, 32 + 100, 32 + FRAME * 3, log.length - FRAME * 4, log.length - 1])
    expect(isLogBroken(log.subarray(0, bytes))).toBe(false);
});

it("takes frames of an earlier round of the log for what they are", () => {
  const path = join(folder, "y.db");
  const db = new BetterSqlite3(path);
  db.pragma("journal_mode = WAL");
  db.exec("CREATE TABLE t (x)");
  const insert = db.prepare("INSERT INTO t VALUES (?)");
  for (let index = 0; index < 200; index += 1) insert.run("x".repeat(3_000));
  db.pragma("wal_checkpoint(RESTART)");
  insert.run("the first of the next round");
  expect(isLogBroken(readFileSync(`${path}-wal`))).toBe(false);
  db.close();
});

it.each([
  ["the header", 5],
  ["the salt of the header", 17],
  ["the first frame's page", 32 + 24 + 100],
  ["a frame's page number", 32 + FRAME * 3 + 2],
  ["a frame's salt", 32 + FRAME * 3 + 9],
  ["a frame's own checksum", 32 + FRAME * 3 + 17],
])("sees that commits are cut off by damage to %s", (_what, at) => {
  log.writeUInt8(log.readUInt8(at) ^ 0x40, at);
  expect(isLogBroken(log)).toBe(true);
});

it("is quick enough for the largest log that there usually is", () => {
  const large = Buffer.concat([log.subarray(0, 32), Buffer.alloc(FRAME * 1_000, 1)]);
  const from = performance.now();
  expect(isLogBroken(large)).toBe(false);
  expect(performance.now() - from).toBeLessThan(5_000);
});
