// Panes without an agent that a person watches: nothing else captures them, so they are captured here, once a second and a few at
// most. A capture that takes long delays only the next one of the same pane.
import type { WatchJob } from "../../../core/model/job.ts";
import type { PaneView } from "../../../core/model/view.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";

/** Captured side by side. */
export const MAX_BARE_PANES = 20;
const MARK = "pane:";

/** Stands where a job names a runtime. A pane is the same as long as its tmux server has it. */
export const bareKeyOf = ({ target, tmux_server, pane_id }: PaneView["identity"]): string =>
  `${MARK}${target}/${tmux_server}/${pane_id}`;

export const isBareKey = (key: string): boolean => key.startsWith(MARK);

/** Keys of the panes that these jobs watch. */
export const bareKeysOf = (jobs: readonly WatchJob[]): Set<string> =>
  new Set(
    jobs.flatMap(({ subject }) =>
      "runtimeId" in subject && isBareKey(subject.runtimeId) ? [subject.runtimeId] : [],
    ),
  );

export class BarePanes {
  private readonly context: FeatureContext;
  private readonly onScreen: (key: string, lines: readonly string[]) => void;
  /** As last seen since the daemon's start. */
  private readonly seen = new Map<string, PaneView>();
  private readonly looking = new Set<string>();

  constructor(context: FeatureContext, onScreen: (key: string, lines: readonly string[]) => void) {
    this.context = context;
    this.onScreen = onScreen;
  }

  /** Their rows now, and how those that have gone were last; of one that was not seen yet nothing is known. */
  look(jobs: readonly WatchJob[]): Map<string, { row: PaneView; isGone: boolean }> {
    const wanted = bareKeysOf(jobs);
    for (const key of this.seen.keys()) if (!wanted.has(key)) this.seen.delete(key);
    if (wanted.size === 0) return new Map();
    const there = new Map(this.context.rows.all().map((row) => [bareKeyOf(row.identity), row]));
    for (const key of [...wanted].slice(0, MAX_BARE_PANES)) {
      const row = there.get(key);
      if (row === undefined) continue;
      this.seen.set(key, row);
      this.read(key, row);
    }
    return new Map([...this.seen].map(([key, row]) => [key, { row, isGone: !there.has(key) }]));
  }

  private read(key: string, row: PaneView): void {
    if (this.looking.has(key)) return;
    this.looking.add(key);
    this.context.rows
      .readScreen(row)
      .then((lines) => {
        if (lines !== null) this.onScreen(key, lines);
      })
      .catch((error: unknown) => {
        this.context.logger.warn({ error }, "a pane that is watched could not be looked at");
      })
      .finally(() => this.looking.delete(key));
  }
}
