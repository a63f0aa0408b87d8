// Reads what answers used from the agents' logs, each byte once. It goes on only while somebody asks it to: what is left is read
// when the question comes again.
import { lstat } from "node:fs/promises";
import { HOST_TARGET, type Account } from "../../core/model/runtime.ts";
import { errorCodeOf, isMissing } from "../../core/model/errors.ts";
import type { AgentAdapter } from "../../core/ports/agentAdapter.ts";
import type { DatabaseHistory, FileHistory, UsageReader, UsageRecord } from "../../core/ports/agentFiles.ts";
import type { Logger } from "../../core/ports/logger.ts";
import { databaseOf } from "./remoteLogs.ts";
import { withForeignDb, findLogs } from "./scan.ts";
import { type HistoryDb, type SessionRow, toUsageRows, type UsageMark } from "./historyDb.ts";
import { linesWith, openLog, createPace, parseLine, readStretches, StretchSpace } from "./logFile.ts";

interface UsageLog {
  agent: string;
  path: string;
  sessionId: string;
}

const SESSIONS_AT_ONCE = 100;
/** Bytes that a mark of an answer has at most. */
const MAX_MARK = 200;

/** Where reading may go on: only at the beginning of a line, because the log may have been written again meanwhile. */
const startIn = async (
  log: { size: number; read(start: number, end: number): Promise<Buffer> },
  mark: UsageMark | null,
): Promise<number> => {
  if (mark === null || mark.readTo === 0 || mark.readTo > log.size) return 0;
  const before = await log.read(mark.readTo - 1, mark.readTo);
  return before[0] === 10 ? mark.readTo : 0;
};

const recordsIn = async (
  lines: Buffer,
  mark: RegExp,
  reader: UsageReader,
  pace: () => Promise<void> | void,
): Promise<UsageRecord[]> => {
  const records: UsageRecord[] = [];
  for (const { from, end, isWhole } of linesWith(lines, new RegExp(mark.source, "g"), MAX_MARK)) {
    if (!isWhole) break;
    const line = parseLine(lines.toString("utf8", from, end));
    if (line !== null) records.push(...reader.read(line));
    await pace();
  }
  return records;
};

export class UsageScan {
  private readonly deps: ConstructorParameters<typeof UsageScan>[0];
  private readonly space = new StretchSpace();
  private readonly pace = createPace();
  private work: AsyncGenerator<void> | null = null;
  private last: Promise<unknown> = Promise.resolve();

  constructor(deps: {
    accountsOf: (adapter: AgentAdapter) => Promise<readonly Account[]>;
    adapters: () => readonly AgentAdapter[];
    db: HistoryDb;
    logger: Logger;
  }) {
    this.deps = deps;
  }

  /** Reads on for about `limitMs`; true once everything is read. */
  run(limitMs: number): Promise<boolean> {
    const next = this.last.then(() => this.read(limitMs));
    this.last = next.catch(() => {
      // Whoever asked has the error.
    });
    return next;
  }

  async close(): Promise<void> {
    await this.last;
    await this.work?.return(undefined);
  }

  private async read(limitMs: number): Promise<boolean> {
    const began = performance.now();
    this.work ??= this.steps();
    for (;;) {
      const { done } = await this.work.next();
      if (done === true) {
        this.work = null;
        return true;
      }
      if (performance.now() - began > limitMs) return false;
      await this.pace();
    }
  }

  private async *steps(): AsyncGenerator<void> {
    for (const adapter of this.deps.adapters()) {
      const { agentType, history } = adapter;
      if (history === undefined) continue;
      for (const row of this.sessions(agentType)) {
        yield;
        if (history.kind === "database") this.readDatabase(history, row);
        else yield* this.readFile(history, row);
      }
      if (history.kind === "files") yield* this.readRoots(adapter, history);
    }
  }

  private *sessions(agent: string): Generator<SessionRow> {
    for (let last: SessionRow | null = null; ;) {
      const rows: SessionRow[] = this.deps.db.after(
        { target: [HOST_TARGET], agent: [agent] },
        last,
        SESSIONS_AT_ONCE,
      );
      yield* rows;
      if (rows.length < SESSIONS_AT_ONCE) return;
      last = rows.at(-1) ?? null;
    }
  }

  private async *readRoots(adapter: AgentAdapter, history: FileHistory): AsyncGenerator<void> {
    for (const { dataDir } of await this.deps.accountsOf(adapter))
      for (const root of history.usage.roots)
        for await (const { path, below } of findLogs(dataDir, root)) {
          const sessionId = root.file.exec(below)?.[1] ?? "";
          yield* this.readFile(history, { agent: adapter.agentType, path, sessionId });
        }
  }

  private readDatabase(history: DatabaseHistory, { agent, path, mtime, sessionId }: SessionRow): void {
    const { db, logger } = this.deps;
    if (db.usage.markOf(path)?.mtime === mtime) return;
    try {
      const records =
        withForeignDb(databaseOf({ target: HOST_TARGET, path }), history.tables, (rows) =>
          history.readUsage(rows, sessionId),
        ) ?? [];
      db.usage.put(toUsageRows(records, { target: HOST_TARGET, agent, sessionId }), {
        path,
        size: null,
        mtime,
        readTo: 0,
        state: "",
      });
    } catch (error) {
      logger.warn({ agent, error }, "what a session used could not be read");
    }
  }

  private async isRead({ path }: UsageLog): Promise<boolean> {
    const mark = this.deps.db.usage.markOf(path);
    if (mark === null) return false;
    try {
      const { size, mtimeMs } = await lstat(path);
      return mark.size === size && mark.mtime === mtimeMs;
    } catch (error) {
      if (isMissing(error) || errorCodeOf(error) === "EACCES") return true;
      throw error;
    }
  }

  private async *readFile({ usage }: FileHistory, one: UsageLog): AsyncGenerator<void> {
    if (await this.isRead(one)) return;
    const log = await openLog(one.path);
    if (log === null) return;
    const { agent, path, sessionId } = one;
    try {
      const mark = this.deps.db.usage.markOf(path);
      const start = await startIn(log, mark);
      const reader = usage.createReader(path, start === 0 ? null : (mark?.state ?? null));
      const stretches = readStretches(log, this.space, start);
      for await (const { lines, end } of stretches) {
        const records = await recordsIn(lines, usage.mark, reader, this.pace);
        // A last line that is half written is read when it is whole.
        const readTo = end - (lines.length - (lines.lastIndexOf(10) + 1));
        const isEnd = end >= log.size;
        this.deps.db.usage.put(toUsageRows(records, { target: HOST_TARGET, agent, sessionId }), {
          path,
          size: isEnd ? log.size : -1,
          mtime: log.mtimeMs,
          readTo,
          state: reader.state(),
        });
        yield;
      }
    } finally {
      await log.close();
    }
  }
}
