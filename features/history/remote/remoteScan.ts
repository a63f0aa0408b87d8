// Keeps the index true for machines behind SSH that are connected: of each machine it reads the newest logs, if they have
// changed, and asks their databases. A machine that is slow, wrong or gone only says so in the list, and stops no other.
import type { DatabaseHistory, FileHistory } from "../../../core/ports/agentFiles.ts";
import type { FeatureContext, FeatureTarget } from "../../../core/ports/feature.ts";
import type { HistoryDb, KnownLog } from "../historyDb.ts";
import { toLogRow, headOf, TAIL_BYTES } from "../scan.ts";
import { RemoteDbProblem, withRemoteDb } from "./remoteDb.ts";
import { remoteKey, listRemoteLogs, readRemoteHeads, withRemoteLog, type RemoteLog } from "./remoteLogs.ts";
import { AgtmuxError } from "../../../core/model/errors.ts";
import { endsWithin } from "../../../core/model/endsWithin.ts";
import { HOST_TARGET } from "../../../core/model/runtime.ts";
import { createPace } from "../logFile.ts";

// Keeps the index true for sessions that agents on other machines keep in databases: the newest of each database are asked for, when it
// has changed.

const SESSIONS_AT_ONCE = 20;

interface Looked {
  /** Of the sessions that are there, as the index names them. */
  paths: string[];
  /** What could not be asked; its sessions stay. */
  problem: RemoteDbProblem | null;
}

/** How the index names a session of a database. */
const keyOf = (target: string, file: string, id: string): string => remoteKey(target, `${file}#${id}`);

class RemoteDatabases {
  private readonly deps: ConstructorParameters<typeof RemoteDatabases>[0];
  /** When each had changed last, and the newest of its sessions. */
  private readonly looked = new Map<string, { mtime: number; newest: number }>();

  constructor(deps: {
    context: FeatureContext;
    db: HistoryDb;
    /** Of one database. */
    maxSessions: number;
  }) {
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

/** Of one machine; older ones are found there. */
const MAX_LOGS = 200;
/** Whose beginnings come in one answer. */
const LOGS_AT_ONCE = 10;
/** A machine is not asked again sooner. */
const FRESH_MS = 30_000;
const CLOSE_LIMIT_MS = 1_000;
/** How long a list waits for machines. */
const PATIENCE_MS = 4_000;

interface FoundLog extends RemoteLog {
  agent: string;
  history: FileHistory;
}

export class RemoteScan {
  private readonly deps: ConstructorParameters<typeof RemoteScan>[0];
  private readonly looked = new Map<string, { at: number; problem: string | null }>();
  private readonly running = new Map<string, { since: number; look: Promise<void> }>();
  private readonly pace = createPace();
  private readonly databases: RemoteDatabases;
  private isClosed = false;

  constructor(deps: { context: FeatureContext; db: HistoryDb }) {
    this.deps = deps;
    this.databases = new RemoteDatabases({ ...deps, maxSessions: MAX_LOGS });
  }

  /** True once every machine was looked at, or has taken so long that a list without it is better. Never rejects. */
  async refresh(limitMs: number): Promise<boolean> {
    const { db, context } = this.deps;
    const names = this.names();
    for (const gone of db.targets().filter((name) => name !== HOST_TARGET && !names.includes(name)))
      for (const rows of db.known(gone)) db.remove(rows.map(({ path }) => path));
    const looks = Promise.all(names.map((name) => this.refreshOne(name)));
    if (await endsWithin(looks, limitMs, context.clock)) return true;
    const now = context.clock.now();
    return [...this.running.values()].every(({ since }) => Math.abs(now - since) > PATIENCE_MS);
  }

  /** @throws AgtmuxError E_TARGET_UNKNOWN */
  checkNames(wanted: readonly string[]): void {
    const names = [HOST_TARGET, ...this.names()];
    for (const name of wanted)
      if (!names.includes(name))
        throw new AgtmuxError("E_TARGET_UNKNOWN", `there is no target '${name.slice(0, 64)}'`);
  }

  /** What is missing in the list, one line for each machine. */
  problems(wanted?: readonly string[]): string[] {
    return [...this.problemsByName(wanted)].map(([name, problem]) => `${name}: ${problem}`);
  }

  /** Machines of which not every session is known, with the reason; also those that were never reached. */
  problemsByName(wanted?: readonly string[]): ReadonlyMap<string, string> {
    const problems = new Map<string, string>();
    for (const name of this.names()) {
      if (wanted?.includes(name) === false) continue;
      const problem = this.running.has(name)
        ? "its sessions are still being read"
        : (this.looked.get(name)?.problem ?? null);
      if (problem !== null) problems.set(name, problem);
    }
    return problems;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const looks = Promise.all([...this.running.values()].map(({ look }) => look));
    // A machine that does not answer must not keep the daemon from ending; what it says later is dropped.
    await endsWithin(looks, CLOSE_LIMIT_MS, this.deps.context.clock);
  }

  /** Machines behind SSH that are configured or show rows. */
  names(): string[] {
    const { context } = this.deps;
    const watched = context.rows.all().map(({ identity }) => identity.target);
    return [...new Set([...context.config().targets.map(({ name }) => name), ...watched])].filter(
      (name) => name !== HOST_TARGET,
    );
  }

  private refreshOne(name: string): Promise<void> {
    const { clock } = this.deps.context;
    const before = this.looked.get(name);
    const running = this.running.get(name);
    if (running !== undefined) return running.look;
    if (before !== undefined && Math.abs(clock.now() - before.at) < FRESH_MS) return Promise.resolve();
    const look = this.look(name)
      .then(
        () => null,
        (error: unknown) => {
          this.deps.context.logger.info(
            { target: name, error },
            "the sessions of a target could not be read",
          );
          return error instanceof AgtmuxError || error instanceof RemoteDbProblem
            ? error.message
            : "its sessions could not be read";
        },
      )
      .then((problem) => {
        this.looked.set(name, { at: clock.now(), problem });
        this.running.delete(name);
      });
    this.running.set(name, { since: clock.now(), look });
    return look;
  }

  private async look(name: string): Promise<void> {
    const { db, context } = this.deps;
    const target = context.target(name);
    if (target.kind !== "ssh") return;
    const found = await this.list(target);
    if (this.isClosed) return;
    const known = new Map([...db.known(name)].flat().map((row) => [row.path, row]));
    const inDatabases = await this.databases.look(name, target, known);
    const paths = new Set([...found.map(({ path }) => remoteKey(name, path)), ...inDatabases.paths]);
    db.remove([...known.keys()].filter((path) => !paths.has(path)));
    const changed = found.filter(({ path, size, mtime }) => {
      const before = known.get(remoteKey(name, path));
      return before?.size !== size || before.mtime !== mtime;
    });
    for (const [, logs] of Map.groupBy(changed, ({ history }) => history.headBytes))
      for (let from = 0; from < logs.length && !this.isClosed; from += LOGS_AT_ONCE)
        await this.read(name, target, logs.slice(from, from + LOGS_AT_ONCE));
    if (inDatabases.problem !== null) throw inDatabases.problem;
  }

  /** The newest of all agents. */
  private async list(target: FeatureTarget): Promise<FoundLog[]> {
    const found: FoundLog[] = [];
    for (const { agentType: agent, history } of this.deps.context.adapters())
      if (history?.kind === "files")
        for (const root of history.roots)
          for (const log of await listRemoteLogs(target, root, MAX_LOGS))
            found.push({ ...log, agent, history });
    return found.toSorted((one, other) => other.mtime - one.mtime).slice(0, MAX_LOGS);
  }

  private async read(name: string, target: FeatureTarget, logs: readonly FoundLog[]): Promise<void> {
    const { db, context } = this.deps;
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
