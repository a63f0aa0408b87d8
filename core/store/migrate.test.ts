import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { beforeEach, expect, test } from "vitest";
import { SILENT_LOGGER } from "../ports/logger.ts";
import { assertUsable, migrate } from "./migrate.ts";
import { MIGRATIONS, type Migration } from "./migrations.ts";
import { openStore } from "./openStore.ts";
import { sampleTarget } from "./testkit/samples.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-migrate-"));
  path = join(folder, "state.db");
});

const newest = MIGRATIONS.at(-1)?.version ?? 0;
const openAndClose = (): void => openStore({ path, logger: SILENT_LOGGER }).close();
const withDatabase = <T>(file: string, work: (db: BetterSqlite3.Database) => T): T => {
  const db = new BetterSqlite3(file);
  try {
    return work(db);
  } finally {
    db.close();
  }
};
const versionOf = (file: string): unknown =>
  withDatabase(file, (db) => db.pragma("user_version", { simple: true }));
const step = (sql: string): Migration => ({ version: newest + 1, name: "next", sql });

test("versions count up from one without gaps", () => {
  expect(MIGRATIONS.map((migration) => migration.version)).toEqual(MIGRATIONS.map((_, index) => index + 1));
});

test("an empty file becomes a database of the newest version, without a backup", () => {
  writeFileSync(path, "");
  openAndClose();
  expect(versionOf(path)).toBe(newest);
  expect(readdirSync(folder)).toEqual(["state.db"]);
});

test("an older file is backed up beside it, keeps its rows and gets the missing steps", () => {
  const store = openStore({ path, logger: SILENT_LOGGER });
  store.upsertTarget(sampleTarget());
  store.close();
  withDatabase(path, (db) => {
    db.pragma("journal_mode = WAL");
    // Still in the log when the backup is made.
    db.exec("UPDATE targets SET target_name = 'renamed'");
    migrate(db, {
      path,
      migrations: [...MIGRATIONS, step("ALTER TABLE targets ADD COLUMN note TEXT")],
      logger: SILENT_LOGGER,
    });
    expect(db.prepare("SELECT target_name, note FROM targets").all()).toEqual([
      { target_name: "renamed", note: null },
    ]);
  });
  const backup = `${path}.v${newest}.bak`;
  expect(versionOf(path)).toBe(newest + 1);
  expect(versionOf(backup)).toBe(newest);
  expect(withDatabase(backup, (db) => db.prepare("SELECT target_name FROM targets").pluck().all())).toEqual([
    "renamed",
  ]);
  expect(statSync(backup).mode & 0o777).toBe(0o600);
});

test("a failing step changes nothing and names file, step and backup", () => {
  openAndClose();
  withDatabase(path, (db) => {
    const broken = step("CREATE TABLE half (x); INSERT INTO nowhere VALUES (1)");
    expect(() => migrate(db, { path, migrations: [...MIGRATIONS, broken], logger: SILENT_LOGGER })).toThrow(
      expect.objectContaining({
        code: "E_INTERNAL",
        message: expect.stringContaining(path),
        remedy: expect.stringContaining(`${path}.v${newest}.bak`),
      }),
    );
    expect(db.prepare("SELECT name FROM sqlite_schema WHERE name = 'half'").all()).toEqual([]);
  });
  expect(versionOf(path)).toBe(newest);
});

test("a newer file is refused by both version numbers and left alone", () => {
  openAndClose();
  withDatabase(path, (db) => db.pragma("user_version = 99"));
  const before = readFileSync(path);
  expect(openAndClose).toThrow(
    expect.objectContaining({
      code: "E_DATABASE_NEWER",
      message: expect.stringMatching(new RegExp(`version 99, .* up to ${newest}`)),
    }),
  );
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(existsSync(`${path}.v99.bak`)).toBe(false);
});

test("a file with another schema under the same number is refused, and its rows stay", () => {
  openAndClose();
  withDatabase(path, (db) => db.exec("ALTER TABLE jobs RENAME TO tasks"));
  expect(openAndClose).toThrow(
    expect.objectContaining({ code: "E_DATABASE_NEWER", message: expect.stringContaining(path) }),
  );
  expect(withDatabase(path, (db) => db.prepare("SELECT count(*) FROM tasks").pluck().get())).toBe(0);
});

test.runIf(process.platform === "linux")("a file that is refused does not stay open", () => {
  openAndClose();
  withDatabase(path, (db) => db.pragma("user_version = 99"));
  expect(openAndClose).toThrow();
  const opened = readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      // The one that lists the folder is closed again.
      return [];
    }
  });
  expect(opened).not.toContain(path);
});

const damaged = (): object =>
  expect.objectContaining({ code: "E_DATABASE_DAMAGED", message: expect.stringContaining(path) });

test.each([
  ["text", () => writeFileSync(path, "this is a letter to my grandmother, not a database\n".repeat(50))],
  ["another program's database", () => withDatabase(path, (db) => db.exec("CREATE TABLE theirs (x)"))],
  [
    "a database with a torn page",
    () => {
      const store = openStore({ path, logger: SILENT_LOGGER });
      for (let i = 0; i < 500; i += 1) store.rememberSpoolName("t1", `name-${i}`.padEnd(60, "x"), i);
      store.close();
      const bytes = readFileSync(path);
      bytes.fill(0xff, bytes.length - 3 * 4_096);
      writeFileSync(path, bytes);
    },
  ],
  [
    "a cut-off database",
    () => {
      openAndClose();
      writeFileSync(path, readFileSync(path).subarray(0, 9_000));
    },
  ],
])("%s is refused loudly and never touched", (_title, prepare) => {
  prepare();
  const before = readFileSync(path);
  expect(openAndClose).toThrow(damaged());
  expect(readFileSync(path).equals(before)).toBe(true);
});

test("a folder that does not exist is named", () => {
  path = join(folder, "missing", "state.db");
  expect(openAndClose).toThrow(
    expect.objectContaining({ code: "E_INTERNAL", message: expect.stringContaining(path) }),
  );
});

test("a sound file passes the check", () => {
  openAndClose();
  withDatabase(path, (db) => expect(() => assertUsable(db, path, MIGRATIONS)).not.toThrow());
});
