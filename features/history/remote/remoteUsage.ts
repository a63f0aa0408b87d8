// Reads what agents used on other machines while somebody asks, like the reading of this machine's. A machine that is slow or away holds
// nobody up: what is missing is said.
import { endsWithin } from "../../../core/model/endsWithin.ts";
import { AgtmuxError } from "../../../core/model/errors.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import type { HistoryDb } from "../historyDb.ts";
import { UsageLook } from "./usageLook.ts";

/** A machine is not asked again sooner. */
const FRESH_MS = 30_000;
/** How long an answer waits for machines. */
const PATIENCE_MS = 8_000;
/** Nobody asks any more. */
const WANTED_MS = 30_000;
const CLOSE_LIMIT_MS = 1_000;

interface RemoteUsageDeps {
  context: Pick<FeatureContext, "target" | "adapters" | "clock" | "logger">;
  db: HistoryDb;
  /** Machines whose sessions are in the index. */
  names: () => readonly string[];
}

export class RemoteUsage {
  private readonly deps: RemoteUsageDeps;
  private readonly done = new Map<string, { at: number; problem: string | null }>();
  private readonly running = new Map<string, { since: number; work: Promise<void> }>();
  private wantedAt = Number.NEGATIVE_INFINITY;
  private isClosed = false;

  constructor(deps: RemoteUsageDeps) {
    this.deps = deps;
  }

  /** Reads on for about `limitMs`; true once everything is read, or takes so long that an answer without it is better. Never rejects. */
  async run(limitMs: number): Promise<boolean> {
    const { clock } = this.deps.context;
    this.wantedAt = clock.now();
    const all = Promise.all(this.deps.names().map((name) => this.runOne(name)));
    if (await endsWithin(all, limitMs, clock)) return true;
    return [...this.running.values()].every(({ since }) => Math.abs(clock.now() - since) > PATIENCE_MS);
  }

  /** What is missing in the sums, one line for each machine. */
  problems(wanted?: readonly string[]): string[] {
    return this.deps.names().flatMap((name) => {
      if (wanted?.includes(name) === false) return [];
      if (this.running.has(name)) return [`${name}: what was used there is still being read`];
      const problem = this.done.get(name)?.problem ?? null;
      return problem === null ? [] : [`${name}: ${problem}`];
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const works = Promise.all([...this.running.values()].map(({ work }) => work));
    // What a machine says later is dropped.
    await endsWithin(works, CLOSE_LIMIT_MS, this.deps.context.clock);
  }

  private runOne(name: string): Promise<void> {
    const { clock, logger } = this.deps.context;
    const running = this.running.get(name);
    if (running !== undefined) return running.work;
    const before = this.done.get(name);
    if (before !== undefined && Math.abs(clock.now() - before.at) < FRESH_MS) return Promise.resolve();
    const work = this.read(name)
      .catch((error: unknown) => {
        if (error instanceof AgtmuxError) return error.message;
        logger.info({ target: name, error }, "what was used on a target could not be read");
        return "what was used there could not be read";
      })
      .then((problem) => {
        this.done.set(name, { at: clock.now(), problem });
        this.running.delete(name);
      });
    this.running.set(name, { since: clock.now(), work });
    return work;
  }

  /** Null, or what is missing. */
  private async read(name: string): Promise<string | null> {
    const { context, db } = this.deps;
    const target = context.target(name);
    if (target.kind !== "ssh") return null;
    const mayGoOn = (): boolean =>
      !this.isClosed && Math.abs(context.clock.now() - this.wantedAt) < WANTED_MS;
    return new UsageLook({ name, target, db, mayGoOn }).readAll(context.adapters());
  }
}
