// What is known of an agent's activity, part by part: who told it last, and what clients see of it.
import type { ActivitySource, ActivityView } from "../model/activity.ts";

export interface Told<T> {
  value: T;
  source: ActivitySource;
  at: number;
}

type Parts = { [F in keyof ActivityView]: Told<ActivityView[F]> | null };

export interface ActivityState extends Parts {
  /** What clients see, and since when. */
  shown: ActivityView | null;
  shownAt: number;
}

export const NO_ACTIVITY: ActivityState = {
  prompt: null,
  tool: null,
  said: null,
  folder: null,
  branch: null,
  worktree: null,
  turn_began_at: null,
  shown: null,
  shownAt: -Infinity,
};
