// Asks machines behind SSH that are connected, each on its own and not too often. A machine that is slow, wrong or gone holds
// nobody up and stops no other: what is missing is said.
import { AgtmuxError } from "../../core/model/errors.ts";
import { endsWithin } from "../../core/model/endsWithin.ts";
import { HOST_TARGET } from "../../core/model/runtime.ts";
import type { FeatureContext, FeatureTarget } from "../../core/ports/feature.ts";
import type { HistoryDb } from "./historyDb.ts";
import { createPace } from "./logFile.ts";
import { RemoteDbProblem } from "./remoteDb.ts";

/** A machine is not asked again sooner. */
const FRESH_MS = 30_000;
const CLOSE_LIMIT_MS = 1_000;

export abstract class RemoteReader {
  protected readonly context: FeatureContext;
  protected readonly db: HistoryDb;
  protected readonly pace = createPace();
  protected isClosed = false;
  /** What is read, as messages name it, and how long an answer waits for machines. */
  protected abstract readonly what: { noun: string; are: "is" | "are"; patienceMs: number };
  private readonly done = new Map<string, { at: number; problem: string | null }>();
  private readonly running = new Map<string, { since: number; work: Promise<void> }>();

  constructor(context: FeatureContext, db: HistoryDb) {
    this.context = context;
    this.db = db;
  }

  /** Reads on for about `limitMs`; true once all is read, or takes too long to wait for. Never rejects. */
  async run(limitMs: number): Promise<boolean> {
    const { clock } = this.context;
    const all = Promise.all(this.names().map((name) => this.runOne(name)));
    if (await endsWithin(all, limitMs, clock)) return true;
    return [...this.running.values()].every(
      ({ since }) => Math.abs(clock.now() - since) > this.what.patienceMs,
    );
  }

  /** What is missing, one line for each machine. */
  problems(wanted?: readonly string[]): string[] {
    return [...this.problemsByName(wanted)].map(([name, problem]) => `${name}: ${problem}`);
  }

  /** Machines of which not everything is known, with the reason; also those that were never reached. */
  problemsByName(wanted?: readonly string[]): ReadonlyMap<string, string> {
    const problems = new Map<string, string>();
    for (const name of this.names()) {
      if (wanted?.includes(name) === false) continue;
      const problem = this.running.has(name)
        ? `${this.what.noun} ${this.what.are} still being read`
        : (this.done.get(name)?.problem ?? null);
      if (problem !== null) problems.set(name, problem);
    }
    return problems;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const works = Promise.all([...this.running.values()].map(({ work }) => work));
    // A machine that does not answer must not keep the daemon from ending; what it says later is dropped.
    await endsWithin(works, CLOSE_LIMIT_MS, this.context.clock);
  }

  /** Machines behind SSH that are configured or show rows. */
  protected names(): string[] {
    const watched = this.context.rows.all().map(({ identity }) => identity.target);
    return [...new Set([...this.context.config().targets.map(({ name }) => name), ...watched])].filter(
      (name) => name !== HOST_TARGET,
    );
  }

  /** Null, or what is missing. */
  protected abstract read(name: string, target: FeatureTarget): Promise<string | null>;

  private runOne(name: string): Promise<void> {
    const { clock, logger } = this.context;
    const running = this.running.get(name);
    if (running !== undefined) return running.work;
    const before = this.done.get(name);
    if (before !== undefined && Math.abs(clock.now() - before.at) < FRESH_MS) return Promise.resolve();
    const work = this.readConnected(name)
      .catch((error: unknown) => {
        if (error instanceof AgtmuxError || error instanceof RemoteDbProblem) return error.message;
        logger.info({ target: name, error }, `${this.what.noun} could not be read`);
        return `${this.what.noun} could not be read`;
      })
      .then((problem) => {
        this.done.set(name, { at: clock.now(), problem });
        this.running.delete(name);
      });
    this.running.set(name, { since: clock.now(), work });
    return work;
  }

  private async readConnected(name: string): Promise<string | null> {
    const target = this.context.target(name);
    return target.kind === "ssh" ? this.read(name, target) : null;
  }
}
