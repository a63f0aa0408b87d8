// What is known of an agent's activity, part by part: who told it last, and what clients see of it.
import type { ActivitySource, ActivityView } from "../model/activity.ts";

export interface Told<T> {
  value: T;
  source: ActivitySource;
  at: number;
}

type Parts = { [F in keyof ActivityView]: Told<ActivityView[F]> | null };

/** The pane's title as it was looked at, and what the agent says in it of its session. */
interface LookedAtTitle {
  raw: string;
  folder: string | null;
  told: Told<string> | null;
}

export interface ActivityState extends Parts {
  /** `session_title` is what the agent's own files say, which goes before this. */
  paneTitle: LookedAtTitle | null;
  /** What clients see, and since when. */
  shown: ActivityView | null;
  shownAt: number;
}

export const NO_ACTIVITY: ActivityState = {
  prompt: null,
  session_title: null,
  paneTitle: null,
  tool: null,
  said: null,
  folder: null,
  repository: null,
  branch: null,
  worktree: null,
  work_tree: null,
  turn_began_at: null,
  shown: null,
  shownAt: -Infinity,
};
