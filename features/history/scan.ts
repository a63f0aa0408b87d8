// Keeps the index true: finds the agents' logs (`findLogs`), reads of each that is new or changed as much as says what it is
// (`headOf`), and reads the databases in which agents keep sessions (`withForeignDb`). One scan at a time; who asks during one
// waits for it. A log that cannot be read is passed over, and never stops the others.
import { opendir, realpath, lstat } from "node:fs/promises";
import { join } from "node:path";
import { errorCodeOf, isMissing } from "../../core/model/errors.ts";
import type {
  FileHistory,
  SessionFacts,
  LogLine,
  ReadRows,
  DatabaseHistory,
} from "../../core/ports/agentFiles.ts";
import type { KnownLog, LogRow, HistoryDb } from "./historyDb.ts";
import { type LogContent, withLog, createPace } from "./logFile.ts";
import BetterSqlite3 from "better-sqlite3";
import { HOST_TARGET, type Account } from "../../core/model/runtime.ts";
import type { AgentAdapter } from "../../core/ports/agentAdapter.ts";
import type { Logger } from "../../core/ports/logger.ts";

/** Nobody has as many sessions; a folder that somebody filled must not fill memory. */
const MAX_FILES = 100_000;

/** Below the root, with "/". */
async function* filesAt(root: string, below: string, depth: number): AsyncGenerator<string> {
  let folder;
  try {
    folder = await opendir(join(root, below), { bufferSize: 256 });
  } catch (error) {
    // It went meanwhile, or it may not be read: then it has nothing for us.
    if (isMissing(error) || ["EACCES", "EPERM"].includes(errorCodeOf(error))) return;
    throw error;
  }
  for await (const entry of folder) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (depth === 0 && entry.isFile()) yield path;
    else if (depth > 0 && entry.isDirectory()) yield* filesAt(root, path, depth - 1);
  }
}

interface FoundLog {
  /** Absolute. */
  path: string;
  /** Below the root, with "/". */
  below: string;
}

/** The logs below a root, which may itself be a link, because people keep settings elsewhere; below it no link is followed. */
export async function* findLogs(
  dataDir: string,
  { folder, depth, file }: FileHistory["roots"][number],
): AsyncGenerator<FoundLog> {
  let root: string;
  try {
    root = await realpath(join(dataDir, folder));
  } catch (error) {
    if (isMissing(error) || ["EACCES", "ELOOP"].includes(errorCodeOf(error))) return;
    throw error;
  }
  let count = 0;
  for await (const below of filesAt(root, "", depth)) {
    if (!file.test(below)) continue;
    count += 1;
    if (count > MAX_FILES) return;
    yield { path: join(root, below), below };
  }
}

// Rows: what the index has of one log, which is what its beginning and its end say of the session, cut and without secrets.

export const TAIL_BYTES = 16 * 1024;
/** Where the beginning does not hold the first prompt, more is read once. */
const LONG_HEAD_BYTES = 256 * 1024;
const MAX_TITLE = 200;
const MAX_PROMPT = 400;

const oneLine = (text: string | null, max: number, redact: (text: string) => string): string | null => {
  // Cut before it is redacted, with space for a secret that stands across the cut.
  const line = redact((text ?? "").slice(0, max * 4))
    .replace(/\s+/g, " ")
    .trim();
  return line === "" ? null : line.length > max ? `${line.slice(0, max - 1)}…` : line;
};

/** Null: it is no session. `below`: its path below the root. */
export const headOf = async (
  log: LogContent,
  history: FileHistory,
  below: string,
): Promise<SessionFacts | null> => {
  let facts: SessionFacts | null = null;
  for (const size of [history.headBytes, LONG_HEAD_BYTES]) {
    const head = (await log.read(0, size)).toString("utf8");
    const tail =
      log.size <= size
        ? head
        : (await log.read(Math.max(0, log.size - TAIL_BYTES), log.size)).toString("utf8");
    facts = history.readFacts({ path: below, head, tail });
    if (facts === null || facts.firstPrompt !== null || log.size <= size) break;
  }
  // A log in which nobody asked anything was only opened.
  return facts === null || (facts.firstPrompt === null && facts.title === null) ? null : facts;
};

/** `facts` null: the file is no session. */
export const toLogRow = (
  log: KnownLog & { target: string },
  facts: SessionFacts | null,
  redact: (text: string) => string,
): LogRow => ({
  ...log,
  sessionId: facts?.id ?? null,
  cwd: oneLine(facts?.cwd ?? null, 1_000, redact),
  branch: oneLine(facts?.branch ?? null, MAX_TITLE, redact),
  title: oneLine(facts?.title ?? null, MAX_TITLE, redact),
  firstPrompt: oneLine(facts?.firstPrompt ?? null, MAX_PROMPT, redact),
  startedAt: facts?.startedAt ?? null,
  lastAt: facts?.lastAt ?? log.mtime,
  parentId: facts?.parentId ?? null,
});

// Databases: the agent may be writing one at this moment, and its content is hostile. It is opened for reading alone and for a
// moment; only plain tables are asked, because a view or a computed column would be somebody's program.

/** When the database last changed, in epoch ms, by its file or the log beside it; null where there is none. */
const changedAt = async (path: string): Promise<number | null> => {
  const times = await Promise.all(
    [path, `${path}-wal`].map(async (file) => {
      try {
        const stat = await lstat(file);
        return stat.isFile() ? stat.mtimeMs : null;
      } catch (error) {
        if (isMissing(error) || errorCodeOf(error) === "EACCES") return null;
        throw error;
      }
    }),
  );
  const [own = null] = times;
  return own === null ? null : Math.max(...times.map((time) => time ?? 0));
};

const isPlain = (db: BetterSqlite3.Database, table: string): boolean =>
  db
    .prepare<[string], number>(
      "SELECT count(*) FROM sqlite_schema WHERE name = ? AND type = 'table' AND rootpage > 0",
    )
    .pluck()
    .get(table) === 1 &&
  db
    .prepare<[string], number>("SELECT count(*) FROM pragma_table_xinfo(?) WHERE hidden <> 0")
    .pluck()
    .get(table) === 0;

/** Null where there is no such database, or one of its tables is no plain table. */
export const withForeignDb = <T>(
  path: string,
  tables: readonly string[],
  work: (rows: ReadRows) => T,
): T | null => {
  let db: BetterSqlite3.Database;
  try {
    db = new BetterSqlite3(path, { readonly: true, fileMustExist: true, timeout: 20 });
  } catch (error) {
    if (errorCodeOf(error) === "SQLITE_CANTOPEN") return null;
    throw error;
  }
  try {
    db.pragma("trusted_schema = OFF");
    db.pragma("cell_size_check = ON");
    if (!tables.every((table) => isPlain(db, table))) return null;
    return work((sql, ...values) => db.prepare<(string | number)[], LogLine>(sql).all(...values));
  } finally {
    db.close();
  }
};

const SESSIONS_AT_ONCE = 20;

type ChangedSessions = ReturnType<DatabaseHistory["listSessions"]>;

/** The sessions of a database that have changed since `begin`, some at once; `since`: from when on they were asked for. */
export async function* changedSessions(
  list: (since: number, limit: number) => Promise<ChangedSessions | null> | ChangedSessions | null,
  begin: number,
): AsyncGenerator<{ found: ChangedSessions; since: number }> {
  let since = begin;
  let limit = SESSIONS_AT_ONCE;
  for (;;) {
    const found = (await list(since, limit)) ?? [];
    yield { found, since };
    if (found.length < limit) return;
    const newest = found.at(-1)?.changedAt ?? since;
    // More than that have the same time.
    if (newest === since) limit *= 2;
    since = newest;
  }
}

/** Logs that are read side by side: their time is mostly waiting. */
const SIDE_BY_SIDE = 4;
const ROWS_PER_WRITE = 25;

export class Scan {
  private readonly deps: ConstructorParameters<typeof Scan>[0];
  /** What is in the index, by path. */
  private known: Map<string, Omit<KnownLog, "path">> | null = null;
  private databases = new Map<string, { mtime: number; newest: number }>();
  private pending: LogRow[] = [];
  private running: Promise<void> | null = null;
  private isClosed = false;
  private readonly pace = createPace();

  constructor(deps: {
    accountsOf: (adapter: AgentAdapter) => Promise<readonly Account[]>;
    adapters: () => readonly AgentAdapter[];
    db: HistoryDb;
    /** Takes secrets out of a text. */
    redact: (text: string) => string;
    logger: Logger;
  }) {
    this.deps = deps;
  }

  get isRunning(): boolean {
    return this.running !== null;
  }

  /** Scans everything; joins a scan that is under way. */
  refresh(): Promise<void> {
    this.running ??= this.look().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.running?.catch(() => {
      // Whoever asked for the scan has its error.
    });
  }

  private async look(): Promise<void> {
    const known = await this.load();
    for (const adapter of this.deps.adapters()) {
      const { agentType, history } = adapter;
      if (history === undefined) continue;
      const gone = new Set([...known].filter(([, row]) => row.agent === agentType).map(([path]) => path));
      try {
        for (const { dataDir } of await this.deps.accountsOf(adapter))
          if (history.kind === "files") await this.lookAtFiles({ agentType, dataDir }, history, gone);
          else await this.lookAtDatabase({ agentType, file: join(dataDir, history.file) }, history, gone);
      } catch (error) {
        this.deps.logger.warn({ agent: agentType, error }, "the sessions of an agent could not be looked at");
        continue;
      }
      if (this.isClosed) return;
      this.forget([...gone]);
    }
    this.flush();
  }

  private async load(): Promise<Map<string, Omit<KnownLog, "path">>> {
    if (this.known !== null) return this.known;
    const known = new Map<string, Omit<KnownLog, "path">>();
    for (const rows of this.deps.db.known(HOST_TARGET)) {
      for (const { path, ...row } of rows) known.set(path, row);
      await this.pace();
    }
    this.known = known;
    return known;
  }

  private async lookAtFiles(
    { agentType, dataDir }: { agentType: string; dataDir: string },
    history: FileHistory,
    gone: Set<string>,
  ): Promise<void> {
    for (const root of history.roots) {
      const found = findLogs(dataDir, root);
      const work = async (): Promise<void> => {
        for (let next = await found.next(); next.done !== true && !this.isClosed; next = await found.next()) {
          gone.delete(next.value.path);
          await this.lookAtFile(agentType, history, next.value);
          await this.pace();
        }
      };
      await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
    }
  }

  private async lookAtFile(agent: string, history: FileHistory, { path, below }: FoundLog): Promise<void> {
    try {
      const before = this.known?.get(path);
      if (before !== undefined) {
        const { size, mtimeMs } = await lstat(path);
        if (before.size === size && before.mtime === mtimeMs) return;
      }
      await withLog(path, async (log) => {
        const facts = await headOf(log, history, below);
        this.put({ path, agent, size: log.size, mtime: log.mtimeMs }, facts);
      });
    } catch (error) {
      this.deps.logger.warn({ agent, error }, "a session's log could not be read");
    }
  }

  private async lookAtDatabase(
    { agentType: agent, file }: { agentType: string; file: string },
    history: DatabaseHistory,
    gone: Set<string>,
  ): Promise<void> {
    const mtime = await changedAt(file);
    if (mtime === null) return;
    const before = this.databases.get(file);
    const keep = (): void => {
      for (const path of gone) if (path.startsWith(`${file}#`)) gone.delete(path);
    };
    if (before?.mtime === mtime) return keep();
    let newest = before?.newest ?? 0;
    const list = (since: number, limit: number) =>
      withForeignDb(file, history.tables, (rows) => history.listSessions(rows, since, limit));
    try {
      for await (const { found, since } of changedSessions(list, newest)) {
        newest = since;
        for (const { facts, changedAt: at } of found)
          this.put({ path: `${file}#${facts.id}`, agent, size: null, mtime: at }, facts);
        await this.pace();
        if (this.isClosed) break;
      }
      for (const id of withForeignDb(file, history.tables, (rows) => history.listIds(rows)) ?? [])
        gone.delete(`${file}#${id}`);
      this.databases.set(file, { mtime, newest });
    } catch (error) {
      keep();
      this.deps.logger.warn({ agent, error }, "the database of sessions could not be read");
    }
  }

  private put(log: KnownLog, facts: SessionFacts | null): void {
    this.pending.push(toLogRow({ ...log, target: HOST_TARGET }, facts, this.deps.redact));
    if (this.pending.length >= ROWS_PER_WRITE) this.flush();
  }

  private flush(): void {
    const rows = this.pending.splice(0);
    if (rows.length === 0) return;
    this.deps.db.put(rows);
    for (const { path, agent, size, mtime } of rows) this.known?.set(path, { agent, size, mtime });
  }

  private forget(paths: readonly string[]): void {
    for (let from = 0; from < paths.length; from += ROWS_PER_WRITE)
      this.deps.db.remove(paths.slice(from, from + ROWS_PER_WRITE));
    for (const path of paths) this.known?.delete(path);
  }
}
