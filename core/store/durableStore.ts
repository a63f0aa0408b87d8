// A store that outlives damage to its file: at start and at any later moment a database that cannot be trusted is set aside,
// and an empty one takes its place, with versions above all that were ever given. Listeners refill it from memory and the
// screens; the damage is never hidden. A file that was deleted or replaced while it was open is not damaged: the connection
// still has its whole content and puts it back.
import { statSync, existsSync, renameSync, rmSync } from "node:fs";
import { AgtmuxError } from "../model/errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { LossReason, Store } from "../ports/store.ts";
import { storeFailureOf } from "../ports/storeFailure.ts";
import { hasBrokenLog } from "./logDamage.ts";
import { UnreleasedSchemaError } from "./migrate.ts";
import { openStore, type OpenedStore } from "./openStore.ts";
import { keptPathOf, setAside } from "./setAside.ts";

// Tells whether the files that a connection writes to still lie where it opened them. SQLite itself does not check this: it
// goes on writing into files that somebody deleted or replaced, and all those writes are gone when the connection closes.
/**
 * `file`: the database file was replaced or is missing. `log`: only its log was, with the commits that were not yet in the
 * database.
 */
type Misplaced = "file" | "log";

const identityOf = (path: string): string | null => {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
};

interface FilePlace {
  /** Null: both are still in place. */
  misplaced(): Misplaced | null;
  hasOurLog(): boolean;
}

/** For the database at `path`, which is open. */
const notePlace = (path: string): FilePlace => {
  const file = identityOf(path);
  const log = identityOf(`${path}-wal`);
  const hasOurLog = (): boolean => identityOf(`${path}-wal`) === log;
  return {
    misplaced: () => (identityOf(path) === file ? (hasOurLog() ? null : "log") : "file"),
    hasOurLog,
  };
};

export interface DurableStore extends Store {
  /**
   * When a history was last lost (epoch ms), and the file that holds it; null: never. That file may have been deleted since.
   */
  loss(): { reason: LossReason; at: number; keptPath: string } | null;
  /** Called after the database was replaced while it was open, outside of any transaction. */
  onReplaced(listener: () => void): void;
}

export interface DurableStoreOptions {
  path: string;
  logger: Logger;
  clock: Pick<Clock, "now">;
}

const isDamage = (error: unknown): boolean => storeFailureOf(error) === "damaged";

const isUnreleased = (error: unknown): boolean => error instanceof UnreleasedSchemaError;

/** The log's message for each reason. */
const SAID: Readonly<Record<LossReason, string>> = {
  damaged: "the database was damaged and is kept aside; the history before is lost",
  unreleased: "the database is from before the first release and is kept aside; the history starts again",
};

/** A database that has to be replaced; `aside` is set once it was moved. */
interface Damage {
  error: unknown;
  aside: { at: number; version: number } | null;
}

/** Opens an empty database in place of one that cannot be used. If that fails, the next call continues where it stopped. */
const replaceDatabase = ({ path, logger, clock }: DurableStoreOptions, damage: Damage): OpenedStore => {
  const reason = isUnreleased(damage.error) ? "unreleased" : "damaged";
  damage.aside ??= setAside(path, reason, clock.now());
  const { at, version } = damage.aside;
  const store = openStore({ path, logger });
  // A time in ms is higher than any version that one change per ms could have reached, so it works even when the old version
  // cannot be read.
  store.noteLoss({ reason, at, version: Math.max(at, version + 1) });
  logger.error({ error: damage.error, keptPath: keptPathOf(path, reason, at) }, SAID[reason]);
  return store;
};

const openOrReplace = (options: DurableStoreOptions): OpenedStore => {
  try {
    if (hasBrokenLog(options.path))
      throw new AgtmuxError("E_DATABASE_DAMAGED", `Opening ${options.path}: commits in its log are damaged.`);
    return openStore(options);
  } catch (error) {
    if (!isDamage(error) && !isUnreleased(error)) throw error;
    return replaceDatabase(options, { error, aside: null });
  }
};

/** Writes all that `store` holds into a new database at its path. A file that took this place is kept aside. */
const putBack = (
  store: OpenedStore,
  place: FilePlace,
  { path, logger, clock }: DurableStoreOptions,
): void => {
  const copy = `${path}.copy`;
  rmSync(copy, { force: true });
  store.copyTo(copy);
  // Beside another file, SQLite would apply the log to that file.
  if (place.hasOurLog()) rmSync(`${path}-wal`, { force: true });
  // The open connection has the file mapped; the next one must not truncate it.
  rmSync(`${path}-shm`, { force: true });
  if (existsSync(path) || existsSync(`${path}-wal`)) {
    const { at } = setAside(path, "damaged", clock.now());
    logger.warn(
      { keptPath: keptPathOf(path, "damaged", at) },
      "another file took the database's place; it is kept aside",
    );
  }
  renameSync(copy, path);
};

/**
 * Opens `path` as `openStore` does, but replaces a damaged file. The caller owns the file exclusively.
 * @throws AgtmuxError E_DATABASE_NEWER, E_INTERNAL as `openStore`.
 */
export const openDurableStore = (options: DurableStoreOptions): DurableStore => {
  const { path, logger } = options;
  const listeners: (() => void)[] = [];
  let current = openOrReplace(options);
  let place = notePlace(path);
  let isInTransaction = false;
  let damage: Damage | null = null;

  const replace = (found: Damage): void => {
    if (found.aside === null)
      try {
        current.close();
      } catch (error) {
        logger.warn({ error }, "the damaged database could not be closed");
      }
    current = replaceDatabase(options, found);
    place = notePlace(path);
    damage = null;
    for (const listener of listeners) listener();
  };

  /** If it fails, the next transaction tries again. */
  const regainPlace = (): void => {
    const misplaced = place.misplaced();
    if (misplaced === null) return;
    logger.warn(
      { path, misplaced },
      "the database was deleted or replaced while it was open; it is put back",
    );
    const before = current;
    if (misplaced === "file") putBack(before, place, options);
    // Closing moves the rest of the log into the file, even if the log's name was deleted.
    else before.close();
    current = openStore(options);
    place = notePlace(path);
    before.close();
  };

  /** A query outside of a transaction is answered from the new database. */
  const attempt = <T>(work: () => T): T => {
    if (damage !== null && !isInTransaction) replace(damage);
    // The log was deleted, and the database could not be opened again when that was found.
    else if (!current.isOpen() && !isInTransaction) regainPlace();
    try {
      return work();
    } catch (error) {
      if (!isDamage(error)) throw error;
      damage = { error, aside: null };
      if (isInTransaction) throw error;
      replace(damage);
      return work();
    }
  };

  const transaction: Store["transaction"] = (work) => {
    if (damage !== null) replace(damage);
    else regainPlace();
    isInTransaction = true;
    try {
      return current.transaction(work);
    } catch (error) {
      if (isDamage(error)) damage ??= { error, aside: null };
      throw error;
    } finally {
      isInTransaction = false;
      if (damage !== null) replace(damage);
    }
  };

  const guarded = new Proxy(current, {
    get: (_first, name): unknown => {
      if (typeof Reflect.get(current, name) !== "function") return undefined;
      return (...given: unknown[]): unknown =>
        attempt((): unknown => {
          const method: unknown = Reflect.get(current, name);
          return typeof method === "function" ? Reflect.apply(method, undefined, given) : undefined;
        });
    },
  });
  return {
    ...guarded,
    transaction,
    savepoint: (work) => attempt(() => current.savepoint(work)),
    close: () => current.close(),
    loss: () => {
      for (const reason of ["damaged", "unreleased"] as const) {
        const at = guarded.lostAt(reason);
        if (at !== null) return { reason, at, keptPath: keptPathOf(path, reason, at) };
      }
      return null;
    },
    onReplaced: (listener) => {
      listeners.push(listener);
    },
  };
};
