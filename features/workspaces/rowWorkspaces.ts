// Puts what is known of the worktrees into the rows: always who shares one; what has changed in it only while a surface shows
// rows, or when somebody asks. What was seen is taken back a while after that. git is asked in workTrees.ts.
import type { PaneView } from "../../core/model/view.ts";
import type { SharedWith, WorkspaceView } from "../../core/model/workspace.ts";
import { type Conflicts, sidesOf } from "./conflicts.ts";
import type { PullRequests } from "./pullRequests.ts";
import { keyOf, type Look, type WorkTreeKey, type WorkTrees } from "./workTrees.ts";
import type { FeatureContext, FeatureTarget } from "../../core/ports/feature.ts";

// Sharing: which agents work in the same place, so that one may overwrite what the other does. Pure.

/** The worktree of a row, else its folder; null where it is not known, and for a row without a living agent. */
export const placeOf = ({ identity, state, reason_code, activity }: PaneView): string | null => {
  if (state === null || identity.runtime_id === null || reason_code === "crashed") return null;
  const folder = activity?.work_tree ?? activity?.folder ?? null;
  return folder === null ? null : `${identity.target}\0${folder.replace(/(?<=.)\/+$/, "")}`;
};

/** `work:1.0`, which can be typed as a reference. */
export const nameOf = ({
  identity,
  background,
  short_ref,
  window_index,
  pane_index,
}: PaneView): SharedWith => ({
  short_ref,
  place:
    background === null ? `${identity.session_name}:${window_index}.${pane_index}` : identity.session_name,
});

const MAX_NAMED = 20;

/** By runtime: the others in its place. Rows that share with nobody are not in it. */
export const findSharing = (rows: readonly PaneView[]): ReadonlyMap<string, readonly SharedWith[]> => {
  const byPlace = Map.groupBy(
    rows.filter((row) => placeOf(row) !== null),
    placeOf,
  );
  const sharing = new Map<string, readonly SharedWith[]>();
  for (const together of byPlace.values()) {
    if (together.length < 2) continue;
    // One more than are named, because a row does not name itself.
    const first = together.slice(0, MAX_NAMED + 1);
    for (const row of together) {
      const others = first.filter((other) => other !== row).slice(0, MAX_NAMED);
      sharing.set(row.identity.runtime_id ?? "", others.map(nameOf));
    }
  }
  return sharing;
};

/** While rows are shown, each worktree is probed this often; a probe is two programs of git. */
const EVERY_MS = { local: 10_000, ssh: 30_000 } as const satisfies Record<FeatureTarget["kind"], number>;
/** A probe may take this share of the time. */
const SHARE = 30;
/** Where nothing could be said, it is tried again after this. */
const FAILED_EVERY_MS = 60_000;
/** How often the runner sees which probes are due, and how long changes of rows are gathered. */
const TICK_MS = 1_000;
/** What was seen counts for rows this long after the last surface was closed. */
const KEEP_MS = 60_000;

/** Rows whose folder lies in a worktree, by worktree. */
const treesOf = (rows: readonly PaneView[]): Map<string, WorkTreeKey> =>
  new Map(
    rows.flatMap(({ identity, state, activity }) => {
      const workTree = activity?.work_tree ?? null;
      if (state === null || identity.runtime_id === null || workTree === null) return [];
      const key = { target: identity.target, workTree };
      return [[keyOf(key), key] as const];
    }),
  );

/** What is known of worktrees beside what has changed in them. */
interface Marks {
  conflicts: Pick<Conflicts, "of">;
  pulls: Pick<PullRequests, "of">;
}

const NO_PULLS = { pull_request: null, pull_request_problem: null };

export class RowWorkspaces {
  private readonly context: FeatureContext;
  private readonly trees: WorkTrees;
  private readonly marks: Marks;
  private readonly unsubscribe: () => void;
  private areShown = false;
  private cancelTick: (() => void) | null = null;
  private cancelForget: (() => void) | null = null;
  private isClosed = false;

  constructor(context: FeatureContext, trees: WorkTrees, marks: Marks) {
    this.context = context;
    this.trees = trees;
    this.marks = marks;
    this.unsubscribe = context.rows.onShown((areShown) => this.handleShown(areShown));
  }

  close(): void {
    this.isClosed = true;
    this.unsubscribe();
    this.cancelTick?.();
    this.cancelForget?.();
  }

  /** Rows changed: who shares a folder may have. Returns at once. */
  handleChanges(): void {
    this.plan();
  }

  /** Probes the worktrees of these rows now, unless that was just done. Resolves early after `limitMs`. */
  async look(
    rows: readonly PaneView[],
    { maxAgeMs, limitMs }: { maxAgeMs: number; limitMs: number },
  ): Promise<void> {
    const { clock } = this.context;
    const { promise: limit, resolve } = Promise.withResolvers<void>();
    const cancel = clock.setTimer(limitMs, resolve);
    const looks = [...treesOf(rows).values()].map((key) => this.trees.look(key, maxAgeMs));
    await Promise.race([Promise.all(looks), limit]);
    cancel();
    this.handleNews();
  }

  /** The worktrees of all rows. */
  keys(): WorkTreeKey[] {
    return [...treesOf(this.context.rows.all()).values()];
  }

  /** More is known of worktrees. */
  handleNews(): void {
    this.tell();
    if (!this.areShown && !this.isClosed) this.forgetLater();
  }

  private handleShown(areShown: boolean): void {
    this.areShown = areShown;
    if (!areShown) {
      this.forgetLater();
      return;
    }
    this.cancelForget?.();
    this.cancelForget = null;
    this.plan();
  }

  private forgetLater(): void {
    this.cancelForget?.();
    this.cancelForget = this.context.clock.setTimer(KEEP_MS, () => {
      this.cancelForget = null;
      this.trees.keepOnly(new Set());
      this.tell();
    });
  }

  private plan(): void {
    if (this.isClosed) return;
    this.cancelTick ??= this.context.clock.setTimer(TICK_MS, () => {
      this.cancelTick = null;
      this.tick();
    });
  }

  private tick(): void {
    if (this.areShown) {
      const trees = treesOf(this.context.rows.all());
      this.trees.keepOnly(new Set(trees.keys()));
      for (const key of trees.values())
        if (this.isDue(key)) void this.trees.look(key, 0).then(() => this.tell());
      this.plan();
    }
    this.tell();
  }

  private isDue(key: WorkTreeKey): boolean {
    const last = this.trees.known(key);
    return last === null || this.context.clock.now() - last.at >= this.intervalOf(key, last);
  }

  private intervalOf({ target }: WorkTreeKey, { tookMs, reason }: Look): number {
    const least = reason === null ? EVERY_MS[this.kindOf(target)] : FAILED_EVERY_MS;
    return Math.max(least, SHARE * tookMs);
  }

  private kindOf(target: string): FeatureTarget["kind"] {
    try {
      return this.context.target(target).kind;
    } catch {
      // Not connected: the probe itself says so, and is not made more often.
      return "ssh";
    }
  }

  private tell(): void {
    if (this.isClosed) return;
    const rows = this.context.rows.all();
    const sharing = findSharing(rows);
    const sideOf = sidesOf(rows, nameOf);
    for (const row of rows) {
      const { runtime_id: runtimeId } = row.identity;
      if (runtimeId === null || row.state === null) continue;
      const next = this.workspaceOf(row, sharing, sideOf);
      if (JSON.stringify(next) !== JSON.stringify(row.workspace))
        this.context.rows.setWorkspace(runtimeId, next);
    }
  }

  private workspaceOf(
    { identity, activity }: PaneView,
    sharing: ReturnType<typeof findSharing>,
    sideOf: ReturnType<typeof sidesOf>,
  ): WorkspaceView | null {
    const workTree = activity?.work_tree ?? null;
    const key = workTree === null ? null : { target: identity.target, workTree };
    const look = key === null ? null : this.trees.known(key);
    const conflicts = key === null ? [] : this.marks.conflicts.of(key, sideOf);
    const pulls = key === null ? NO_PULLS : this.marks.pulls.of(key);
    const shares = sharing.get(identity.runtime_id ?? "") ?? [];
    const hasPulls = pulls.pull_request !== null || pulls.pull_request_problem !== null;
    if (look === null && shares.length === 0 && conflicts.length === 0 && !hasPulls) return null;
    return {
      changes: look?.changes ?? null,
      not_looked_at: look?.reason ?? null,
      shares_with: [...shares],
      conflicts,
      ...pulls,
    };
  }
}
