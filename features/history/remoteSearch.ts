// Looks inside sessions on other machines: one search there says which logs have the text, and only their lines with it come over.
// Which logs have it is remembered for a while, because a search asks piece by piece.
import { endsWithin } from "../../core/model/endsWithin.ts";
import type { FeatureContext, FeatureTarget } from "../../core/ports/feature.ts";
import type { HistoryDb, SessionRow } from "./historyDb.ts";
import { withRemoteDb } from "./remoteDb.ts";
import { databaseOf, findInRemoteLogs, remotePath } from "./remoteLogs.ts";

const FRESH_MS = 60_000;
const MAX_REMEMBERED = 20;
/** How long a piece of a search waits for a machine. */
const MAX_WAIT_MS = 1_000;
const MAX_LOGS = 500;

interface Asked {
  at: number;
  answer: Promise<ReadonlySet<string> | Error>;
}

export class RemoteSearch {
  private readonly context: FeatureContext;
  private readonly asked = new Map<string, Asked>();

  constructor(context: FeatureContext) {
    this.context = context;
  }

  /** The paths of logs with the text; an error where the machine does not say; null: it still searches, ask again. */
  async pathsWith(
    db: HistoryDb,
    target: string,
    pattern: string,
  ): Promise<ReadonlySet<string> | Error | null> {
    const { clock } = this.context;
    const key = JSON.stringify([target, pattern]);
    let asked = this.asked.get(key);
    if (asked === undefined || Math.abs(clock.now() - asked.at) > FRESH_MS) {
      for (const old of [...this.asked.keys()].slice(0, -MAX_REMEMBERED)) this.asked.delete(old);
      asked = { at: clock.now(), answer: this.find(db, target, pattern) };
      this.asked.set(key, asked);
    }
    const { answer } = asked;
    return (await endsWithin(answer, MAX_WAIT_MS, clock)) ? answer : null;
  }

  private async findInDatabases(
    target: FeatureTarget,
    rows: readonly SessionRow[],
    pattern: string,
  ): Promise<string[]> {
    const found: string[] = [];
    for (const [file, of] of Map.groupBy(rows, databaseOf)) {
      const history = this.context.adapters().find(({ agentType }) => agentType === of[0]?.agent)?.history;
      if (history?.kind !== "database") continue;
      const ids = await withRemoteDb({ target, file }, history.tables, (ask) =>
        history.idsWith(ask, pattern, MAX_LOGS),
      );
      const matching = new Set(ids);
      found.push(...of.filter(({ sessionId }) => matching.has(sessionId)).map(remotePath));
    }
    return found;
  }

  private async find(db: HistoryDb, name: string, pattern: string): Promise<ReadonlySet<string> | Error> {
    try {
      const rows = db.list({ target: [name] }, { limit: MAX_LOGS, offset: 0 });
      const target = this.context.target(name);
      const logs = rows.filter(({ size }) => size !== null).map(remotePath);
      const found = logs.length === 0 ? [] : await findInRemoteLogs(target, logs, pattern);
      const inDatabases = await this.findInDatabases(
        target,
        rows.filter(({ size }) => size === null),
        pattern,
      );
      return new Set([...found, ...inDatabases]);
    } catch (error) {
      // The search goes on without this machine, and says so.
      return error instanceof Error ? error : new Error(String(error));
    }
  }
}
