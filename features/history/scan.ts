// Keeps the index true: finds the agents' logs, and reads of each that is new or changed as much as tells what it is. One look at
// a time; who asks during one waits for it. A log that cannot be read is passed over, and never stops the others.
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { HOST_TARGET } from "../../core/model/runtime.ts";
import type { AgentAdapter } from "../../core/ports/agentAdapter.ts";
import type { DatabaseHistory, FileHistory, SessionFacts } from "../../core/ports/agentHistory.ts";
import type { Logger } from "../../core/ports/logger.ts";
import { changedAt, withForeignDb } from "./foreignDb.ts";
import type { HistoryDb, KnownLog, LogRow } from "./historyDb.ts";
import { withLog } from "./logFile.ts";
import { headOf, toLogRow } from "./logRow.ts";
import { createPace } from "./pace.ts";
import { findLogs, type FoundLog } from "./walk.ts";

/** Logs that are read side by side: their time is mostly waiting. */
const SIDE_BY_SIDE = 4;
const ROWS_PER_WRITE = 25;
const SESSIONS_AT_ONCE = 20;

export interface ScanDeps {
  homeDir: string;
  adapters: () => readonly Pick<AgentAdapter, "agentType" | "history">[];
  db: HistoryDb;
  /** Takes secrets out of a text. */
  redact: (text: string) => string;
  logger: Logger;
}

export class Scan {
  private readonly deps: ScanDeps;
  /** What is in the index, by path. */
  private known: Map<string, Omit<KnownLog, "path">> | null = null;
  private databases = new Map<string, { mtime: number; newest: number }>();
  private pending: LogRow[] = [];
  private running: Promise<void> | null = null;
  private isClosed = false;
  private readonly pace = createPace();

  constructor(deps: ScanDeps) {
    this.deps = deps;
  }

  get isRunning(): boolean {
    return this.running !== null;
  }

  /** Looks at everything; joins a look that is under way. */
  refresh(): Promise<void> {
    this.running ??= this.look().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.running?.catch(() => {
      // Whoever asked for the look has its error.
    });
  }

  private async look(): Promise<void> {
    const known = await this.load();
    for (const { agentType, history } of this.deps.adapters()) {
      if (history === undefined) continue;
      const gone = new Set([...known].filter(([, row]) => row.agent === agentType).map(([path]) => path));
      try {
        if (history.kind === "files") await this.lookAtFiles(agentType, history, gone);
        else await this.lookAtDatabase(agentType, history, gone);
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

  private async lookAtFiles(agent: string, history: FileHistory, gone: Set<string>): Promise<void> {
    for (const root of history.roots) {
      const found = findLogs(this.deps.homeDir, root);
      const work = async (): Promise<void> => {
        for (let next = await found.next(); next.done !== true && !this.isClosed; next = await found.next()) {
          gone.delete(next.value.path);
          await this.lookAtFile(agent, history, next.value);
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

  private async lookAtDatabase(agent: string, history: DatabaseHistory, gone: Set<string>): Promise<void> {
    const file = join(this.deps.homeDir, history.file);
    const mtime = await changedAt(file);
    if (mtime === null) return;
    const before = this.databases.get(file);
    if (before?.mtime === mtime) {
      gone.clear();
      return;
    }
    let since = before?.newest ?? 0;
    let limit = SESSIONS_AT_ONCE;
    try {
      for (;;) {
        const found =
          withForeignDb(file, history.tables, (rows) => history.listSessions(rows, since, limit)) ?? [];
        for (const { facts, changedAt: at } of found)
          this.put({ path: `${file}#${facts.id}`, agent, size: null, mtime: at }, facts);
        await this.pace();
        const newest = found.at(-1)?.changedAt ?? since;
        if (found.length < limit || this.isClosed) break;
        if (newest === since) limit *= 2;
        since = newest;
      }
      for (const id of withForeignDb(file, history.tables, (rows) => history.listIds(rows)) ?? [])
        gone.delete(`${file}#${id}`);
      this.databases.set(file, { mtime, newest: since });
    } catch (error) {
      gone.clear();
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
