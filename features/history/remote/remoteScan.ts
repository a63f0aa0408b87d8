// Keeps the index true for machines behind SSH that are connected: of each machine it reads the newest logs, if they have
// changed, and asks their databases. A machine that is slow, wrong or gone only says so in the list, and stops no other.
import { AgtmuxError } from "../../../core/model/errors.ts";
import { endsWithin } from "../../../core/model/endsWithin.ts";
import { HOST_TARGET } from "../../../core/model/runtime.ts";
import type { FileHistory } from "../../../core/ports/agentHistory.ts";
import type { FeatureContext, FeatureTarget } from "../../../core/ports/feature.ts";
import type { HistoryDb } from "../historyDb.ts";
import { headOf, TAIL_BYTES, toLogRow } from "../logRow.ts";
import { createPace } from "../pace.ts";
import { RemoteDatabases } from "./remoteDatabases.ts";
import { RemoteDbProblem } from "./remoteDb.ts";
import { listRemoteLogs, readRemoteHeads, remoteKey, withRemoteLog, type RemoteLog } from "./remoteLogs.ts";

/** Of one machine; older ones are found there. */
const MAX_LOGS = 200;
/** Whose beginnings come in one answer. */
const LOGS_AT_ONCE = 10;
/** A machine is not asked again sooner. */
const FRESH_MS = 30_000;
const CLOSE_LIMIT_MS = 1_000;
/** How long a list waits for machines. */
const PATIENCE_MS = 4_000;

export interface RemoteScanDeps {
  context: Pick<
    FeatureContext,
    "config" | "rows" | "target" | "adapters" | "redact" | "ids" | "clock" | "logger"
  >;
  db: HistoryDb;
}

interface FoundLog extends RemoteLog {
  agent: string;
  history: FileHistory;
}

export class RemoteScan {
  private readonly deps: RemoteScanDeps;
  private readonly looked = new Map<string, { at: number; problem: string | null }>();
  private readonly running = new Map<string, { since: number; look: Promise<void> }>();
  private readonly pace = createPace();
  private readonly databases: RemoteDatabases;
  private isClosed = false;

  constructor(deps: RemoteScanDeps) {
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
    const { config, rows } = this.deps.context;
    const watched = rows.all().map(({ identity }) => identity.target);
    return [...new Set([...config().targets.map(({ name }) => name), ...watched])].filter(
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
