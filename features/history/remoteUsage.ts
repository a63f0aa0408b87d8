// Reads what agents used on other machines while somebody asks (`RemoteUsage`), as it is read on this one; each pass over a machine
// is a `UsageLook`. A machine that is slow or away holds nobody up: what is missing is said.
import { AgtmuxError } from "../../core/model/errors.ts";
import type { AgentAdapter } from "../../core/ports/agentAdapter.ts";
import type {
  DatabaseHistory,
  FileHistory,
  FileUsage,
  UsageReader,
  UsageRecord,
} from "../../core/ports/agentFiles.ts";
import type { FeatureTarget } from "../../core/ports/feature.ts";
import { type HistoryDb, type SessionRow, toUsageRows } from "./historyDb.ts";
import { createPace, parseLine, MAX_LINE_BYTES } from "./logFile.ts";
import { RemoteDbProblem, withRemoteDb } from "./remoteDb.ts";
import { RemoteReader } from "./remoteReader.ts";
import { databaseOf, listRemoteLogs, readMarkedLines, remoteKey, remotePath } from "./remoteLogs.ts";

/** Of one machine, as many as are listed of it; and logs of sub-agents. */
const MAX_SESSIONS = 200;
const MAX_SUBAGENTS = 500;
const SESSIONS_AT_ONCE = 20;
/** Of one log at once. Where its lines are more than may come over, it is searched again in smaller stretches. */
const STRETCH_BYTES = 64 * 1024 * 1024;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** Searched over there in one pass, of one log and of all. */
const MAX_BYTES_PER_LOG = 2 * STRETCH_BYTES;
const MAX_BYTES = 1024 * 1024 * 1024;
/** The size of a log, in the index, of which only a part was read. */
const UNFINISHED = -1;

interface UsageLog {
  target: string;
  agent: string;
  sessionId: string;
  /** Over there. */
  path: string;
  size: number;
  mtime: number;
}

/** One pass over another machine: only the lines that say what was used come over, within bounds by log and in all. */
class UsageLook {
  private readonly deps: ConstructorParameters<typeof UsageLook>[0];
  private readonly pace = createPace();
  private left = MAX_BYTES;
  private isWhole = true;

  constructor(deps: {
    name: string;
    target: FeatureTarget;
    db: HistoryDb;
    /** False once nobody asks any more. */
    mayGoOn: () => boolean;
  }) {
    this.deps = deps;
  }

  /** Null, or what is missing. */
  async readAll(adapters: readonly AgentAdapter[]): Promise<string | null> {
    const { db, name } = this.deps;
    let problem: RemoteDbProblem | null = null;
    for (const adapter of adapters) {
      const { agentType: agent, history } = adapter;
      if (history === undefined) continue;
      const rows = db.list({ target: [name], agent: [agent] }, { limit: MAX_SESSIONS, offset: 0 });
      if (history.kind === "files") await this.readFiles(adapter, history, rows);
      else {
        const failed = await this.readDatabase(history, rows);
        problem ??= failed;
      }
    }
    if (problem !== null) return problem.message;
    return this.isWhole ? null : "not all of what was used there is read; ask again";
  }

  private async readFiles(
    adapter: AgentAdapter,
    history: FileHistory,
    rows: readonly SessionRow[],
  ): Promise<void> {
    const { name, target } = this.deps;
    const agent = adapter.agentType;
    for (const row of rows) {
      const { sessionId, size, mtime } = row;
      if (size !== null)
        await this.readFile(history.usage, {
          target: name,
          agent,
          sessionId,
          path: remotePath(row),
          size,
          mtime,
        });
    }
    for (const { dataDir } of await target.accounts(adapter))
      for (const root of history.usage.roots)
        for (const log of await listRemoteLogs({ target, dataDir }, root, MAX_SUBAGENTS)) {
          const sessionId = root.file.exec(log.below)?.[1] ?? "";
          const { path, size, mtime } = log;
          await this.readFile(history.usage, { target: name, agent, sessionId, path, size, mtime });
        }
  }

  private async readFile(usage: FileUsage, log: UsageLog): Promise<void> {
    try {
      await this.readStretches(usage, log);
    } catch (error) {
      if (error instanceof AgtmuxError) throw error;
      // The logs after it still count.
      this.isWhole = false;
    }
  }

  private async readStretches(usage: FileUsage, { path, size, mtime, ...of }: UsageLog): Promise<void> {
    const { db, target } = this.deps;
    const key = remoteKey(of.target, path);
    const mark = db.usage.markOf(key);
    if (mark?.size === size && mark.mtime === mtime) return;
    let at = mark === null || mark.readTo > size ? 0 : mark.readTo;
    let state = at === 0 ? null : (mark?.state ?? null);
    // Behind what was read whole a line begins, unless the log was written again meanwhile.
    let beginsLine = mark?.size !== UNFINISHED;
    const stop = at + MAX_BYTES_PER_LOG;
    let longest = STRETCH_BYTES;
    while (at < size) {
      if (!this.deps.mayGoOn() || this.left <= 0 || at >= stop) {
        this.isWhole = false;
        return;
      }
      const length = Math.min(longest, size - at);
      const read = await readMarkedLines(target, path, {
        start: at,
        length,
        beginsLine,
        mark: usage.mark,
        maxBytes: MAX_ANSWER_BYTES,
      });
      this.left -= length;
      if (read === "too much" && longest > MAX_ANSWER_BYTES) longest = MAX_ANSWER_BYTES;
      if (read === "too much") continue;
      if (read === null || !this.deps.mayGoOn()) return;
      const reader = usage.createReader(path, read.start === at ? state : null);
      const records = await this.recordsOf(read.lines, reader);
      state = reader.state();
      const isEnd = read.start + length >= size;
      // A line that is longer than a stretch is passed over.
      at = isEnd || read.end > read.start ? read.end : read.start + length;
      db.usage.put(toUsageRows(records, of), {
        path: key,
        size: isEnd ? size : UNFINISHED,
        mtime,
        readTo: at,
        state,
      });
      beginsLine = false;
      if (isEnd) return;
    }
  }

  private async recordsOf(lines: readonly string[], reader: UsageReader): Promise<UsageRecord[]> {
    const records: UsageRecord[] = [];
    for (const line of lines) {
      const parsed = line.length > MAX_LINE_BYTES ? null : parseLine(line);
      if (parsed !== null) records.push(...reader.read(parsed));
      await this.pace();
    }
    return records;
  }

  /** Null, or why it cannot be asked; the agents after it still count. */
  private async readDatabase(
    history: DatabaseHistory,
    rows: readonly SessionRow[],
  ): Promise<RemoteDbProblem | null> {
    const { db, mayGoOn } = this.deps;
    const changed = rows.filter(({ path, mtime }) => db.usage.markOf(path)?.mtime !== mtime);
    try {
      for (const [file, own] of Map.groupBy(changed, databaseOf))
        for (let from = 0; from < own.length && mayGoOn(); from += SESSIONS_AT_ONCE)
          await this.readSessions(file, history, own.slice(from, from + SESSIONS_AT_ONCE));
      return null;
    } catch (error) {
      if (error instanceof RemoteDbProblem) return error;
      throw error;
    }
  }

  private async readSessions(
    file: string,
    history: DatabaseHistory,
    rows: readonly SessionRow[],
  ): Promise<void> {
    const found = await withRemoteDb({ target: this.deps.target, file }, history.tables, (ask) =>
      rows.map(({ sessionId }) => history.readUsage(ask, sessionId)),
    );
    if (found === null || !this.deps.mayGoOn()) return;
    for (const [index, { path, mtime, target, agent, sessionId }] of rows.entries()) {
      const records = toUsageRows(found[index] ?? [], { target, agent, sessionId });
      this.deps.db.usage.put(records, { path, size: null, mtime, readTo: 0, state: "" });
      await this.pace();
    }
  }
}

/** Nobody asks any more. */
const WANTED_MS = 30_000;

export class RemoteUsage extends RemoteReader {
  protected override readonly what = {
    noun: "what was used there",
    are: "is",
    patienceMs: 8_000,
  } as const;
  private wantedAt = Number.NEGATIVE_INFINITY;

  override run(limitMs: number): Promise<boolean> {
    this.wantedAt = this.context.clock.now();
    return super.run(limitMs);
  }

  protected override read(name: string, target: FeatureTarget): Promise<string | null> {
    const mayGoOn = (): boolean =>
      !this.isClosed && Math.abs(this.context.clock.now() - this.wantedAt) < WANTED_MS;
    return new UsageLook({ name, target, db: this.db, mayGoOn }).readAll(this.context.adapters());
  }
}
