// Keeps the index true for machines behind SSH that are connected: of each machine it reads the newest logs, if they have
// changed, and asks the databases in which its agents keep sessions.
import type { DatabaseHistory, FileHistory } from "../../core/ports/agentFiles.ts";
import type { FeatureTarget } from "../../core/ports/feature.ts";
import type { KnownLog } from "./historyDb.ts";
import { changedSessions, toLogRow, headOf, TAIL_BYTES } from "./scan.ts";
import { RemoteDbProblem, withRemoteDb } from "./remoteDb.ts";
import { remoteKey, listRemoteLogs, readRemoteHeads, withRemoteLog, type RemoteLog } from "./remoteLogs.ts";
import { RemoteReader } from "./remoteReader.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import { HOST_TARGET } from "../../core/model/runtime.ts";

/** Of one machine, and of one database; older ones are found there. */
const MAX_SESSIONS = 200;
/** Whose beginnings come in one answer. */
const LOGS_AT_ONCE = 10;

/** How the index names a session of a database. */
const keyOf = (target: string, file: string, id: string): string => remoteKey(target, `${file}#${id}`);

interface FoundLog extends RemoteLog {
  agent: string;
  history: FileHistory;
}

export class RemoteScan extends RemoteReader {
  protected override readonly what = { noun: "its sessions", are: "are", patienceMs: 4_000 } as const;
  /** When each database had changed last, and the newest of its sessions. */
  private readonly databases = new Map<string, { mtime: number; newest: number }>();

  override run(limitMs: number): Promise<boolean> {
    const names = this.names();
    for (const gone of this.db.targets().filter((name) => name !== HOST_TARGET && !names.includes(name)))
      for (const rows of this.db.known(gone)) this.db.remove(rows.map(({ path }) => path));
    return super.run(limitMs);
  }

  /** @throws AgtmuxError E_TARGET_UNKNOWN */
  checkNames(wanted: readonly string[]): void {
    const names = [HOST_TARGET, ...this.names()];
    for (const name of wanted)
      if (!names.includes(name))
        throw new AgtmuxError("E_TARGET_UNKNOWN", `there is no machine '${name.slice(0, 64)}'`);
  }

  protected override async read(name: string, target: FeatureTarget): Promise<string | null> {
    const { db } = this;
    const found = await this.list(target);
    if (this.isClosed) return null;
    const known = new Map([...db.known(name)].flat().map((row) => [row.path, row]));
    const inDatabases = await this.lookAtDatabases(name, target, known);
    const paths = new Set([...found.map(({ path }) => remoteKey(name, path)), ...inDatabases.paths]);
    db.remove([...known.keys()].filter((path) => !paths.has(path)));
    const changed = found.filter(({ path, size, mtime }) => {
      const before = known.get(remoteKey(name, path));
      return before?.size !== size || before.mtime !== mtime;
    });
    for (const [, logs] of Map.groupBy(changed, ({ history }) => history.headBytes))
      for (let from = 0; from < logs.length && !this.isClosed; from += LOGS_AT_ONCE)
        await this.readHeads(name, target, logs.slice(from, from + LOGS_AT_ONCE));
    return inDatabases.problem;
  }

  /** The sessions that are there, as the index names them, and what could not be asked: its sessions stay. */
  private async lookAtDatabases(
    name: string,
    target: FeatureTarget,
    known: ReadonlyMap<string, KnownLog>,
  ): Promise<{ paths: string[]; problem: string | null }> {
    const paths: string[] = [];
    let problem: string | null = null;
    for (const adapter of this.context.adapters()) {
      const { agentType, history } = adapter;
      if (history?.kind !== "database") continue;
      for (const { dataDir } of await target.accounts(adapter)) {
        const file = `${dataDir}/${history.file}`;
        let ids: readonly string[] | null = null;
        try {
          ids = await this.lookAtDatabase({ name, target, file }, agentType, history);
        } catch (error) {
          if (!(error instanceof RemoteDbProblem)) throw error;
          problem = error.message;
        }
        if (ids !== null) paths.push(...ids.map((id) => keyOf(name, file, id)));
        else paths.push(...[...known.keys()].filter((path) => path.startsWith(keyOf(name, file, ""))));
      }
    }
    return { paths, problem };
  }

  /** The ids of all sessions that are there now; null: nothing has changed. */
  private async lookAtDatabase(
    { name, target, file }: { name: string; target: FeatureTarget; file: string },
    agent: string,
    history: DatabaseHistory,
  ): Promise<readonly string[] | null> {
    const [own, log] = await Promise.all([target.files.stat(file), target.files.stat(`${file}-wal`)]);
    if (own === null) return [];
    const mtime = Math.max(own.mtimeMs, log?.mtimeMs ?? 0);
    const key = remoteKey(name, file);
    const before = this.databases.get(key);
    if (before?.mtime === mtime) return null;
    const there = { target, file };
    const begun = await withRemoteDb(there, history.tables, (rows) => ({
      ids: history.listIds(rows),
      since: history.changedBefore(rows, MAX_SESSIONS),
    }));
    if (begun === null) return [];
    let newest = Math.max(begun.since, before?.newest ?? 0);
    let count = 0;
    const list = (since: number, limit: number) =>
      withRemoteDb(there, history.tables, (rows) => history.listSessions(rows, since, limit));
    for await (const { found, since } of changedSessions(list, newest)) {
      newest = since;
      const rows = found.map(({ facts, changedAt }) => {
        const row = { path: keyOf(name, file, facts.id), target: name, agent, size: null, mtime: changedAt };
        return toLogRow(row, facts, this.context.redact);
      });
      this.db.put(rows);
      count += found.length;
      if (count >= 2 * MAX_SESSIONS) break;
    }
    this.databases.set(key, { mtime, newest });
    return begun.ids;
  }

  /** The newest of all agents. */
  private async list(target: FeatureTarget): Promise<FoundLog[]> {
    const found: FoundLog[] = [];
    for (const adapter of this.context.adapters()) {
      const { agentType: agent, history } = adapter;
      if (history?.kind !== "files") continue;
      for (const { dataDir } of await target.accounts(adapter))
        for (const root of history.roots)
          for (const log of await listRemoteLogs({ target, dataDir }, root, MAX_SESSIONS))
            found.push({ ...log, agent, history });
    }
    return found.toSorted((one, other) => other.mtime - one.mtime).slice(0, MAX_SESSIONS);
  }

  private async readHeads(name: string, target: FeatureTarget, logs: readonly FoundLog[]): Promise<void> {
    const { db, context } = this;
    const headBytes = logs[0]?.history.headBytes ?? 0;
    const nonce = `<${context.ids.nonce()}>`;
    const heads = await readRemoteHeads(target, logs, { headBytes, tailBytes: TAIL_BYTES, nonce });
    for (const [index, { path, below, size, mtime, agent, history }] of logs.entries()) {
      const { head = "", tail = "" } = heads[index] ?? {};
      const log = {
        size,
        read: async (start: number, end: number): Promise<Buffer> => {
          if (start > 0) return Buffer.from(tail, "utf8");
          if (end <= headBytes) return Buffer.from(head, "utf8");
          // Its first prompt stands further behind: this one log is asked for more.
          return (await withRemoteLog(target, path, (whole) => whole.read(start, end))) ?? Buffer.alloc(0);
        },
      };
      const facts = await headOf(log, history, below);
      if (this.isClosed) return;
      const row = { path: remoteKey(name, path), target: name, agent, size, mtime };
      db.put([toLogRow(row, facts, context.redact)]);
      await this.pace();
    }
  }
}
