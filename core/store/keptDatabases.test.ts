// What is promised of the database from 1.0 on: a file of each schema that was released is kept, opens in this version, and still
// holds everything that its own version read from it (docs/compatibility.md).
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import BetterSqlite3 from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { fillStore, readFilledStore } from "../../test/factories/filledStore.ts";
import { SILENT_LOGGER } from "../ports/logger.ts";
import { MIGRATIONS } from "./migrations.ts";
import { openStore } from "./openStore.ts";

const FOLDER = join(import.meta.dirname, "..", "..", "test", "fixtures", "databases");
const kept = readdirSync(FOLDER).flatMap((file) => {
  const [, schema] = /^schema-(\d+)\.db\.gz$/.exec(file) ?? [];
  return schema === undefined ? [] : [Number(schema)];
});
const newest = MIGRATIONS.at(-1)?.version ?? 0;

const unpack = (schema: number): string => {
  const path = join(mkdtempSync(join(tmpdir(), "agtmux-kept-")), "state.db");
  writeFileSync(path, gunzipSync(readFileSync(join(FOLDER, `schema-${schema}.db.gz`))), { mode: 0o600 });
  return path;
};
const readDatabase = <T>(path: string, read: (db: BetterSqlite3.Database) => T): T => {
  const db = new BetterSqlite3(path, { readonly: true });
  try {
    return read(db);
  } finally {
    db.close();
  }
};
/** Tables and indexes with their words, without spaces and comments that do not count. */
const schemaOf = (db: BetterSqlite3.Database): string[] =>
  db
    .prepare<[], string>("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
    .pluck()
    .all()
    .map((sql) => sql.replaceAll(/--[^\n]*/g, "").replaceAll(/\s+/g, " "));
const emptyTables = (db: BetterSqlite3.Database): string[] =>
  db
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all()
    .filter((table) => db.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() === undefined);

it("that of 1.0 is kept, and no number is left out", () => {
  expect(kept.toSorted((a, b) => a - b)).toEqual(kept.map((_schema, index) => index + 1));
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThanOrEqual(newest);
});

describe.each(kept)("a database of schema %i", (schema) => {
  it("opens, and holds all that its own version read from it", () => {
    const path = unpack(schema);
    const store = openStore({ path, logger: SILENT_LOGGER });
    try {
      expect(readFilledStore(store)).toMatchObject(
        JSON.parse(readFileSync(join(FOLDER, `schema-${schema}.json`), "utf8")),
      );
    } finally {
      store.close();
    }
    expect(readDatabase(path, (db) => db.pragma("user_version", { simple: true }))).toBe(newest);
    // A file that had to be changed is kept as it was.
    expect(readdirSync(join(path, "..")).includes(`state.db.v${schema}.bak`)).toBe(schema < newest);
  });

  it("has rows in each of its tables, so that no step forgets one", () => {
    expect(readDatabase(unpack(schema), emptyTables)).toEqual([]);
  });

  it("has the schema that its steps make: a released step is never edited", () => {
    const fresh = new BetterSqlite3(":memory:");
    for (const { version, sql } of MIGRATIONS) if (version <= schema) fresh.exec(sql);
    expect(readDatabase(unpack(schema), schemaOf)).toEqual(schemaOf(fresh));
    fresh.close();
  });
});

it("a database of today, filled, has rows in each of its tables", () => {
  const path = join(mkdtempSync(join(tmpdir(), "agtmux-filled-")), "state.db");
  const store = openStore({ path, logger: SILENT_LOGGER });
  fillStore(store);
  store.close();
  expect(readDatabase(path, emptyTables)).toEqual([]);
});
