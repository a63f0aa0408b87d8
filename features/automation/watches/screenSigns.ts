// What watched screens say from capture to capture: which lines are new (`takeNewLines`), which of them a watch waits for
// (`LineMatcher`), and since when an agent has shown nothing new (`LifeSigns`).
import { compilePattern, createDeadline, PatternTimeout } from "../../../core/pattern/pattern.ts";
import type { WatchJob } from "../../../core/model/job.ts";
import type { Matched } from "./decide.ts";
import type { PaneView } from "../../../core/model/view.ts";

/** What the last capture had. */
export interface ScreenMemory {
  /** How often each row that counted was there. */
  readonly rows: ReadonlyMap<string, number>;
  /** The last row with anything in it: a program may still be writing it. */
  readonly last: string | null;
}

interface NewLines {
  readonly memory: ScreenMemory;
  /** In order, from the top. Empty at the first capture, which only learns what is there. */
  readonly added: readonly string[];
  /** Nothing of the last capture is left: what came in between was not seen. */
  readonly hasGap: boolean;
}

const countRows = (rows: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(row, (counts.get(row) ?? 0) + 1);
  return counts;
};

/** Rows are compared as a set with counts, which also fits programs that redraw the screen in place. */
export const takeNewLines = (before: ScreenMemory | null, lines: readonly string[]): NewLines => {
  const filled = lines.map((line) => line.trimEnd()).filter((line) => line !== "");
  const last = filled.at(-1) ?? null;
  // The last row is complete once another follows it, or once it is the same in the next capture.
  const complete = last !== null && before !== null && before.last === last ? filled : filled.slice(0, -1);
  const rows = countRows(complete);
  const memory = { rows, last };
  if (before === null) return { memory: { rows: countRows(filled), last }, added: [], hasGap: false };
  const left = new Map(before.rows);
  const added = complete.filter((row) => {
    const known = left.get(row) ?? 0;
    left.set(row, known - 1);
    return known <= 0;
  });
  const hasGap = before.rows.size > 0 && complete.length > 0 && added.length === complete.length;
  return { memory, added, hasGap };
};

/** For all new lines of one capture. */
const LIMIT_MS = 20;
/** Of one line, in characters: longer ones are compared as far as that. */
const MAX_LINE = 1_000;

interface Watching {
  readonly expression: RegExp;
  readonly screens: Map<string, ScreenMemory>;
  readonly matched: Map<string, Matched>;
  isTooSlow: boolean;
}

/** Finds the lines that watches wait for. Each capture has a deadline, and a person's pattern that runs into it is given up. */
export class LineMatcher {
  private readonly deadline = createDeadline();
  private readonly watching = new Map<string, Watching>();
  /** The last capture of each screen: one that does not change may not be captured again before its next line. */
  private readonly latest = new Map<string, readonly string[]>();
  /** Those whose last two captures were the same: in another such capture no line can be new, nor become complete. */
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
    // Without lines no deadline is set, which starts a thread.
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

  /** Something matched and was not reported yet. */
  get isWaiting(): boolean {
    return [...this.watching.values()].some(({ matched }) => matched.size > 0);
  }

  /** What matched and was not reported yet. */
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

/** A screen whose last sign is older than this stands still: working agents draw every second. */
const STANDS_AFTER_MS = 5_000;

interface Signs {
  /** It works, or worked when its signs became stale, or its screen stands as it stood at work. */
  isWorking: boolean;
  /** What it does now is not known, and its screen stands as it stood while it worked. */
  isHeld: boolean;
  signAt: number;
  screen: string | null;
  /** What the row says of the work. */
  doing: string;
}

const doingOf = ({ state, reason_code, progress, activity }: PaneView): string =>
  JSON.stringify([state, reason_code, progress, activity]);

/**
 * Since when each working agent has shown nothing new: on its screen (a spinner's seconds prove life), in its state, and in what it
 * is doing. After a start the time counts from there: too late is better than too early.
 */
export class LifeSigns {
  private readonly known = new Map<string, Signs>();

  noteScreen(runtimeId: string, lines: readonly string[], now: number): void {
    const signs = this.known.get(runtimeId);
    if (signs === undefined) return;
    const screen = lines.join("\n");
    if (signs.screen !== null && signs.screen !== screen) {
      signs.signAt = now;
      if (signs.isHeld) signs.isWorking = false;
      signs.isHeld = false;
    }
    signs.screen = screen;
  }

  noteRow(row: PaneView, now: number): void {
    const { runtime_id } = row.identity;
    if (runtime_id === null) return;
    const before = this.known.get(runtime_id);
    const isStale = row.state === "unknown" && row.reason_code === "stale_signal";
    // That its signs became too old is no sign.
    if (before !== undefined && isStale) return;
    // Nor is an unknown state while the screen stood still: an agent that hangs shows what it showed; an end would have been drawn.
    const stoodStill = before !== undefined && now - before.signAt >= STANDS_AFTER_MS;
    if (before?.isWorking === true && row.state === "unknown" && stoodStill) {
      before.isHeld = true;
      return;
    }
    const doing = doingOf(row);
    const isWorking = row.state === "running";
    if (before === undefined)
      this.known.set(runtime_id, { isWorking, isHeld: false, signAt: now, screen: null, doing });
    else {
      if (before.doing !== doing || before.isWorking !== isWorking) before.signAt = now;
      before.isWorking = isWorking;
      before.isHeld = false;
      before.doing = doing;
    }
  }

  /** A pane without an agent: it counts as working as long as it is watched. */
  notePane(key: string, now: number): void {
    if (!this.known.has(key))
      this.known.set(key, { isWorking: true, isHeld: false, signAt: now, screen: null, doing: "" });
  }

  /** All of them gave a sign now. */
  restart(now: number): void {
    for (const signs of this.known.values()) signs.signAt = now;
  }

  /** Until the first of those that work was silent for so long; null: none will be that is not already. */
  soonest(forMs: number, now: number): number | null {
    let soonest: number | null = null;
    for (const { isWorking, signAt } of this.known.values()) {
      const left = signAt + forMs - now;
      if (isWorking && left > 0) soonest = Math.min(soonest ?? left, left);
    }
    return soonest;
  }

  forget(runtimeId: string): void {
    this.known.delete(runtimeId);
  }

  /** Epoch ms; null: it does not work, or nothing is known of it. */
  silentSince(runtimeId: string): number | null {
    const signs = this.known.get(runtimeId);
    return signs?.isWorking === true ? signs.signAt : null;
  }
}
