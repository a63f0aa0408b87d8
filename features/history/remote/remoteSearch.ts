// Looks inside sessions on other machines: one search there says which logs have the text, and only their lines with it come over.
// Which logs have it is remembered for a while, because a search asks piece by piece.
import { endsWithin } from "../../../core/model/endsWithin.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import type { HistoryDb } from "../historyDb.ts";
import { findInRemoteLogs, remotePath } from "./remoteLogs.ts";

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
  private readonly context: Pick<FeatureContext, "target" | "clock">;
  private readonly asked = new Map<string, Asked>();

  constructor(context: Pick<FeatureContext, "target" | "clock">) {
    this.context = context;
  }

  /** The paths of logs with the text; an error where the machine does not say; null: it still looks, ask again. */
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

  private async find(db: HistoryDb, name: string, pattern: string): Promise<ReadonlySet<string> | Error> {
    try {
      const rows = db.list({ target: [name] }, { limit: MAX_LOGS, offset: 0 });
      return await findInRemoteLogs(this.context.target(name), rows.map(remotePath), pattern);
    } catch (error) {
      // The search goes on without this machine, and says so.
      return error instanceof Error ? error : new Error(String(error));
    }
  }
}
