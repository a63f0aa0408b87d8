// Finds the lines that watches wait for. Patterns are a person's, lines are an agent's: each look has a deadline, and a pattern
// that runs into it is given up.
import { compilePattern, createDeadline, PatternTimeout } from "../../../core/pattern/pattern.ts";
import type { WatchJob } from "../../../core/model/job.ts";
import type { Matched } from "./decide.ts";
import { takeNewLines, type ScreenMemory } from "./screenLines.ts";

/** For all lines of one look. */
const LIMIT_MS = 20;
/** Of one line, in characters: longer ones are compared as far as that. */
const MAX_LINE = 1_000;

interface Watching {
  readonly expression: RegExp;
  readonly screens: Map<string, ScreenMemory>;
  readonly matched: Map<string, Matched>;
  isTooSlow: boolean;
}

export class LineMatcher {
  private readonly deadline = createDeadline();
  private readonly watching = new Map<string, Watching>();
  /** The last look at each screen: a screen that rests may not be looked at again before its next line. */
  private readonly latest = new Map<string, readonly string[]>();
  /** Those whose screen was the same at two looks: at the next such look no line can be new, nor become complete. */
  private readonly resting = new Set<string>();

  /** Follows exactly the jobs that wait for lines. */
  follow(jobs: readonly WatchJob[]): void {
    const wanted = new Map(
      jobs.flatMap(({ jobId, condition }) =>
        condition.kind === "match" ? [[jobId, condition.pattern]] : [],
      ),
    );
    for (const jobId of this.watching.keys()) if (!wanted.has(jobId)) this.watching.delete(jobId);
    for (const [jobId, pattern] of wanted)
      if (!this.watching.has(jobId))
        this.watching.set(jobId, {
          expression: compilePattern(pattern),
          screens: new Map([...this.latest].map(([id, lines]) => [id, takeNewLines(null, lines).memory])),
          matched: new Map(),
          isTooSlow: false,
        });
  }

  /** `isWanted`: whether the job is about this runtime. True: a line matched, or a pattern took too long. */
  noteScreen(runtimeId: string, lines: readonly string[], isWanted: (jobId: string) => boolean): boolean {
    const seen = this.latest.get(runtimeId);
    const isSame = seen?.length === lines.length && seen.every((line, index) => line === lines[index]);
    if (isSame && this.resting.has(runtimeId)) return false;
    if (isSame) this.resting.add(runtimeId);
    else this.resting.delete(runtimeId);
    this.latest.set(runtimeId, lines);
    let isNews = false;
    for (const [jobId, one] of this.watching) {
      if (one.isTooSlow || !isWanted(jobId)) continue;
      const { memory, added, hasGap } = takeNewLines(one.screens.get(runtimeId) ?? null, lines);
      one.screens.set(runtimeId, memory);
      const found = this.find(one, added);
      const newest = found.at(-1);
      isNews ||= newest !== undefined || one.isTooSlow;
      if (newest === undefined) continue;
      const before = one.matched.get(runtimeId);
      one.matched.set(runtimeId, {
        newest,
        count: (before?.count ?? 0) + found.length,
        hasGap: hasGap || before?.hasGap === true,
      });
    }
    return isNews;
  }

  private find(one: Watching, lines: readonly string[]): string[] {
    // The deadline of a look starts a thread.
    if (lines.length === 0) return [];
    // A machine that is held up for a moment makes any pattern slow, once.
    const found = this.tryToFind(one, lines) ?? this.tryToFind(one, lines);
    one.isTooSlow = found === null;
    return found ?? [];
  }

  /** Null: it took too long. */
  private tryToFind({ expression }: Watching, lines: readonly string[]): string[] | null {
    try {
      return this.deadline.run(LIMIT_MS, () =>
        lines.map((line) => line.slice(0, MAX_LINE)).filter((line) => expression.test(line)),
      );
    } catch (error) {
      if (error instanceof PatternTimeout) return null;
      throw error;
    }
  }

  /** Something matched and was not told yet. */
  get isWaiting(): boolean {
    return [...this.watching.values()].some(({ matched }) => matched.size > 0);
  }

  /** What matched and was not told yet. */
  get matched(): ReadonlyMap<string, ReadonlyMap<string, Matched>> {
    return new Map([...this.watching].map(([jobId, one]) => [jobId, one.matched]));
  }

  /** Jobs whose pattern took too long. */
  get tooSlow(): string[] {
    return [...this.watching].filter(([, { isTooSlow }]) => isTooSlow).map(([jobId]) => jobId);
  }

  told(jobId: string, runtimeId: string): void {
    this.watching.get(jobId)?.matched.delete(runtimeId);
  }

  forget(runtimeId: string): void {
    this.latest.delete(runtimeId);
    this.resting.delete(runtimeId);
    for (const { screens } of this.watching.values()) screens.delete(runtimeId);
  }
}
