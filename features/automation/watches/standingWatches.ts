// The watches of the rules file. They tell of whichever agent fits, now or later, as long as they stand there: nobody arms them, and they
// never end by themselves. What was so before they stood there, or before the daemon ran, is no news and is not told.
import type { WatchJob } from "../../../core/model/job.ts";
import type { PaneView } from "../../../core/model/view.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import { isBelow } from "../rules/judgeRequest.ts";
import { hashOf, watchOf, type Rule } from "../rules/ruleFile.ts";
import type { Watched } from "./decide.ts";

/** The time for which messages are counted. */
const FLOOD_MS = 600_000;

export interface StandingWatch {
  readonly rule: Rule;
  readonly hash: string;
  readonly job: WatchJob;
}

interface Memory {
  readonly beganAt: number;
  /** When it told lately, epoch ms. */
  told: number[];
  isStopped: boolean;
}

const isInFolder = ({ when: { cwd } }: Rule, { activity }: PaneView): boolean => {
  const folder = activity?.folder ?? null;
  return cwd === undefined || (folder !== null && cwd.some((above) => isBelow(folder, above)));
};

export class StandingWatches {
  private readonly context: Pick<FeatureContext, "rules" | "redact">;
  private readonly rulesNow: () => readonly Rule[];
  private readonly memories = new Map<string, Memory>();
  private standing: readonly StandingWatch[] = [];

  constructor(context: StandingWatches["context"], rulesNow: () => readonly Rule[]) {
    this.context = context;
    this.rulesNow = rulesNow;
  }

  get count(): number {
    return this.standing.length;
  }

  /** Those of the file as it is now. */
  follow(now: number): readonly StandingWatch[] {
    const rules = this.rulesNow();
    this.standing = rules.flatMap((rule) => {
      const condition = watchOf(rule);
      if (condition === null) return [];
      const hash = hashOf(rule, rules);
      const { beganAt, told } = this.memoryOf(hash, now);
      const { targets, agents, sessions } = rule.when;
      const job: WatchJob = {
        // Another text is another watch.
        jobId: `rule:${hash}`,
        kind: "watch",
        createdAt: beganAt,
        surface: "rules.json",
        subject: {
          filters: {
            ...(targets === undefined ? {} : { target: targets }),
            ...(agents === undefined ? {} : { agent: agents }),
            ...(sessions === undefined ? {} : { session: sessions }),
          },
        },
        condition,
        channel: rule.channel ?? null,
        state: "armed",
        expiresAt: Number.POSITIVE_INFINITY,
        runs: told.length,
        maxRuns: rule.limit,
      };
      return [{ rule, hash, job }];
    });
    const hashes = new Set(this.standing.map(({ hash }) => hash));
    for (const hash of this.memories.keys()) if (!hashes.has(hash)) this.memories.delete(hash);
    return this.standing;
  }

  jobs(): WatchJob[] {
    return this.standing.map(({ job }) => job);
  }

  find(jobId: string): StandingWatch | null {
    return this.standing.find(({ job }) => job.jobId === jobId) ?? null;
  }

  /** Those of whom it tells: in its folders, and only of what came to be since it stands there. `goneAt`: when those that are gone ended. */
  about(
    { rule, job }: StandingWatch,
    watched: ReadonlyMap<string, Watched>,
    goneAt: (runtimeId: string) => number | null,
  ): Map<string, Watched> {
    const { kind } = job.condition;
    const isNew = (runtimeId: string, { row: { since }, isGone }: Watched): boolean => {
      if (isGone) return (goneAt(runtimeId) ?? 0) >= job.createdAt;
      if (kind === "quiet" || kind === "match") return true;
      return since !== null && Date.parse(since) >= job.createdAt;
    };
    return new Map([...watched].filter(([id, one]) => isInFolder(rule, one.row) && isNew(id, one)));
  }

  /** Puts on record that it tells. */
  record({ rule, hash }: StandingWatch, row: PaneView, now: number, outcome: string): void {
    this.insert(rule, hash, {
      at: now,
      runtimeId: row.identity.runtime_id ?? "",
      ref: row.identity.pane_ref,
      outcome,
    });
    this.memories.get(hash)?.told.push(now);
  }

  /** Puts on record, once, why it tells nothing more. */
  stop({ rule, hash }: StandingWatch, now: number, why: string): void {
    const memory = this.memories.get(hash);
    if (memory === undefined || memory.isStopped) return;
    this.insert(rule, hash, { at: now, runtimeId: "", ref: "", outcome: `stopped: ${why}` });
    memory.isStopped = true;
  }

  private memoryOf(hash: string, now: number): Memory {
    const memory = this.memories.get(hash) ?? { beganAt: now, told: [], isStopped: false };
    this.memories.set(hash, memory);
    memory.told = memory.told.filter((at) => Math.abs(now - at) < FLOOD_MS);
    return memory;
  }

  private insert(
    { name }: Rule,
    hash: string,
    run: { at: number; runtimeId: string; ref: string; outcome: string },
  ): void {
    const { rules, redact } = this.context;
    rules.insertRuleRun({
      ...run,
      rule: name,
      hash,
      fingerprint: "",
      verdict: "tell",
      command: "",
      outcome: redact(run.outcome).slice(0, 500),
      actionId: null,
    });
  }
}
