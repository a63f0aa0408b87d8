// Keeps the index true for sessions that agents on other machines keep in databases: the newest of each database are asked for, when it
// has changed.
import type { DatabaseHistory } from "../../../core/ports/agentHistory.ts";
import type { FeatureContext, FeatureTarget } from "../../../core/ports/feature.ts";
import type { HistoryDb, KnownLog } from "../historyDb.ts";
import { toLogRow } from "../logRow.ts";
import { RemoteDbProblem, withRemoteDb } from "./remoteDb.ts";
import { remoteKey } from "./remoteLogs.ts";

const SESSIONS_AT_ONCE = 20;

interface RemoteDatabasesDeps {
  context: Pick<FeatureContext, "adapters" | "redact">;
  db: HistoryDb;
  /** Of one database. */
  maxSessions: number;
}

interface Looked {
  /** Of the sessions that are there, as the index names them. */
  paths: string[];
  /** What could not be asked; its sessions stay. */
  problem: RemoteDbProblem | null;
}

/** How the index names a session of a database. */
const keyOf = (target: string, file: string, id: string): string => remoteKey(target, `${file}#${id}`);

export class RemoteDatabases {
  private readonly deps: RemoteDatabasesDeps;
  /** When each had changed last, and the newest of its sessions. */
  private readonly looked = new Map<string, { mtime: number; newest: number }>();

  constructor(deps: RemoteDatabasesDeps) {
    this.deps = deps;
  }

  async look(name: string, target: FeatureTarget, known: ReadonlyMap<string, KnownLog>): Promise<Looked> {
    const paths: string[] = [];
    let problem: RemoteDbProblem | null = null;
    for (const { agentType, history } of this.deps.context.adapters()) {
      if (history?.kind !== "database") continue;
      const file = `${await target.homeDir()}/${history.file}`;
      try {
        const ids = await this.lookAt({ name, target, file }, agentType, history);
        if (ids !== null) paths.push(...ids.map((id) => keyOf(name, file, id)));
        else paths.push(...[...known.keys()].filter((path) => path.startsWith(keyOf(name, file, ""))));
      } catch (error) {
        if (!(error instanceof RemoteDbProblem)) throw error;
        problem = error;
        paths.push(...[...known.keys()].filter((path) => path.startsWith(keyOf(name, file, ""))));
      }
    }
    return { paths, problem };
  }

  /** The ids of all sessions that are there now; null: nothing has changed. */
  private async lookAt(
    { name, target, file }: { name: string; target: FeatureTarget; file: string },
    agent: string,
    history: DatabaseHistory,
  ): Promise<readonly string[] | null> {
    const [own, log] = await Promise.all([target.files.stat(file), target.files.stat(`${file}-wal`)]);
    if (own === null) return [];
    const mtime = Math.max(own.mtimeMs, log?.mtimeMs ?? 0);
    const key = remoteKey(name, file);
    const before = this.looked.get(key);
    if (before?.mtime === mtime) return null;
    const db = { target, file };
    const { maxSessions } = this.deps;
    const begun = await withRemoteDb(db, history.tables, (rows) => ({
      ids: history.listIds(rows),
      since: history.changedBefore(rows, maxSessions),
    }));
    if (begun === null) return [];
    let since = Math.max(begun.since, before?.newest ?? 0);
    let limit = SESSIONS_AT_ONCE;
    for (let count = 0; count < 2 * maxSessions;) {
      const found =
        (await withRemoteDb(db, history.tables, (rows) => history.listSessions(rows, since, limit))) ?? [];
      const rows = found.map(({ facts, changedAt }) =>
        toLogRow(
          { path: keyOf(name, file, facts.id), target: name, agent, size: null, mtime: changedAt },
          facts,
          this.deps.context.redact,
        ),
      );
      this.deps.db.put(rows);
      count += found.length;
      const newest = found.at(-1)?.changedAt ?? since;
      if (found.length < limit) break;
      if (newest === since) limit *= 2;
      since = newest;
    }
    this.looked.set(key, { mtime, newest: since });
    return begun.ids;
  }
}
