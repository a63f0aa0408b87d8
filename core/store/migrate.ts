// Brings a database file to the newest schema: one transaction per step, a backup before the first step on a file that
// already holds data, refusal of a file that is newer or is not ours. Nothing is ever deleted or repaired here.
import { chmodSync, closeSync, copyFileSync, fsyncSync, openSync, renameSync } from "node:fs";
import type BetterSqlite3 from "better-sqlite3";
import { AgtmuxError } from "../model/errors.ts";
import type { Logger } from "../ports/logger.ts";
import type { Migration } from "./migrations.ts";

/** "AGTX" in SQLite's header field `application_id`: tells our file from any other SQLite database. */
const APPLICATION_ID = 0x41475458;

const readNumber = (db: BetterSqlite3.Database, pragma: string): number =>
  Number(db.pragma(pragma, { simple: true }));

const isEmpty = (db: BetterSqlite3.Database): boolean =>
  db.prepare("SELECT count(*) AS n FROM sqlite_schema").pluck().get() === 0;

/**
 * Reads, without changing the file, whether this version may work with it.
 * @throws AgtmuxError E_DATABASE_NEWER for a schema from the future, E_DATABASE_DAMAGED for a file that is no agtmux database
 *   or whose pages do not fit together. In both cases the file is left unchanged.
 */
export const assertUsable = (
  db: BetterSqlite3.Database,
  path: string,
  migrations: readonly Migration[],
): void => {
  let version: number;
  try {
    version = readNumber(db, "user_version");
    const isOurs = readNumber(db, "application_id") === APPLICATION_ID;
    if (!isOurs && !(version === 0 && isEmpty(db))) {
      throw new AgtmuxError("E_DATABASE_DAMAGED", `Opening ${path}: it is not an agtmux database.`);
    }
    const finding = db.pragma("quick_check(1)", { simple: true });
    if (finding !== "ok") {
      throw new AgtmuxError("E_DATABASE_DAMAGED", `Opening ${path}: the integrity check failed.`, {
        details: [String(finding)],
      });
    }
  } catch (cause) {
    if (cause instanceof AgtmuxError) throw cause;
    throw new AgtmuxError("E_DATABASE_DAMAGED", `Opening ${path}: the file cannot be read as a database.`, {
      cause,
    });
  }
  const newest = migrations.at(-1)?.version ?? 0;
  if (version > newest) {
    throw new AgtmuxError(
      "E_DATABASE_NEWER",
      `Opening ${path}: its schema is version ${version}, this agtmux knows versions up to ${newest}.`,
    );
  }
};

/** Copies the database to a file beside it that only the owner can read. The copy is complete or does not exist. */
const backUp = (db: BetterSqlite3.Database, path: string, version: number): string => {
  // Empties the write-ahead log into the main file, so that the one file is the whole database.
  db.pragma("wal_checkpoint(TRUNCATE)");
  const backupPath = `${path}.v${version}.bak`;
  const unfinished = `${backupPath}.tmp`;
  copyFileSync(path, unfinished);
  chmodSync(unfinished, 0o600);
  const fd = openSync(unfinished, "r+");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(unfinished, backupPath);
  return backupPath;
};

/**
 * Applies the missing steps. A step that fails leaves the schema at the step before it.
 * @throws AgtmuxError E_INTERNAL naming file, step and backup.
 */
export const migrate = (
  db: BetterSqlite3.Database,
  options: { path: string; migrations: readonly Migration[]; logger: Logger },
): void => {
  const from = readNumber(db, "user_version");
  const missing = options.migrations.filter((migration) => migration.version > from);
  if (missing.length === 0) return;
  const backupPath = from === 0 ? null : backUp(db, options.path, from);
  if (backupPath !== null) options.logger.info({ backupPath, from }, "database backed up before migration");
  for (const migration of missing) {
    try {
      db.transaction(() => {
        db.exec(migration.sql);
        db.pragma(`application_id = ${APPLICATION_ID}`);
        db.pragma(`user_version = ${migration.version}`);
      }).immediate();
    } catch (cause) {
      throw new AgtmuxError(
        "E_INTERNAL",
        `Migrating ${options.path} to version ${migration.version} (${migration.name}) failed.`,
        {
          cause,
          ...(backupPath === null ? {} : { remedy: `The file as it was before is ${backupPath}.` }),
        },
      );
    }
    options.logger.info({ version: migration.version, name: migration.name }, "database migrated");
  }
};
