// Decides what the watches do now: from facts, jobs and the time it makes a list of acts, which the runner performs; and says them
// in words. Pure: it knows nothing of panes and keys, and no act of it reaches one.
import { createHash } from "node:crypto";
import type { WatchCondition, WatchJob } from "../../../core/model/job.ts";
import { NO_AGENT, type PaneView } from "../../../core/model/view.ts";
import type { PullRequest } from "../../../core/model/workspace.ts";
import { conditionText } from "../../../core/model/words.ts";
import { matchesFilters } from "../../../core/api/paneFilter.ts";
import type { ListFilters } from "../../../core/api/calls.ts";
import { isBareKey } from "./barePanes.ts";

/** Why a job ended without what it waited for. */
export const endedText = (condition: WatchCondition): string => `ended before ${conditionText(condition)}`;

export const agentName = ({ agent, agent_name, short_ref }: PaneView): string =>
  agent_name ?? (agent === null ? `The pane ${short_ref}` : "An agent");

/** The same commit of the same pull request is one occasion, however often it is seen. */
export const occasionOf = ({ host, repository, number, commit }: PullRequest): string =>
  createHash("sha256")
    .update(JSON.stringify([host, repository, number, commit]))
    .digest("hex");

/** The shortest time between two messages about new lines of one job. */
export const MATCH_PAUSE_MS = 10_000;

export interface Watched {
  /** As it is, or was last. */
  readonly row: PaneView;
  /** Its runtime has ended. */
  readonly isGone: boolean;
  /** Since when nothing of it moved while it works, epoch ms; null: it does not work. */
  readonly silentSince: number | null;
}

/** Lines that matched and were not reported yet. */
export interface Matched {
  readonly newest: string;
  readonly count: number;
  /** Lines came faster than the captures: others may have matched as well. */
  readonly hasGap: boolean;
}

export interface WatchFacts {
  readonly now: number;
  /** By runtime. */
  readonly watched: ReadonlyMap<string, Watched>;
  /** By job, then by runtime. */
  readonly matched: ReadonlyMap<string, ReadonlyMap<string, Matched>>;
  /** Of each job, the runtimes that it told of and for which its condition has held since. */
  readonly told: ReadonlyMap<string, ReadonlySet<string>>;
  /** When each job told last. */
  readonly toldAt: ReadonlyMap<string, number>;
}

export type WatchAct =
  | {
      readonly kind: "tell";
      readonly job: WatchJob;
      readonly runtimeId: string;
      readonly row: PaneView;
      readonly matched: Matched | null;
    }
  /** Its condition no longer holds: the next time is another one. */
  | { readonly kind: "forget"; readonly job: WatchJob; readonly runtimeId: string }
  | { readonly kind: "expire"; readonly job: WatchJob }
  /** Its agent has ended, so that it can no longer come true. */
  | { readonly kind: "end"; readonly job: WatchJob; readonly row: PaneView };

const hasCrashed = ({ state, reason_code }: PaneView): boolean =>
  state === "error" && reason_code === "crashed";

/** What is unknown may still be under way. */
const isTurnOver = ({ state }: PaneView): boolean =>
  state === "completed" || state === "idle" || state === "error";

const holds = (condition: WatchCondition, { row, isGone, silentSince }: Watched, now: number): boolean => {
  const hasEnded = isGone || hasCrashed(row);
  switch (condition.kind) {
    case "quiet":
      return !hasEnded && silentSince !== null && now - silentSince >= condition.forMs;
    case "state":
      return !isGone && row.state === condition.state;
    case "needs-action":
      return !isGone && row.needs_action;
    case "done":
      return !hasEnded && isTurnOver(row);
    case "conflict":
      return !isGone && (row.workspace?.conflicts.length ?? 0) > 0;
    case "checks":
      return !isGone && row.workspace?.pull_request?.checks?.state === condition.are;
    case "pr":
      return !isGone && row.workspace?.pull_request?.state === condition.is;
    case "gone":
      return hasEnded;
    case "match":
      return false;
  }
};

/** The row of an agent of which nothing is known any more: where it was when a person named it. */
export const lostRow = (identity: PaneView["identity"], agentName: string | null): PaneView => ({
  identity,
  short_ref: identity.pane_ref,
  background: null,
  also_in: [],
  window_index: 0,
  window_name: "",
  pane_index: 0,
  title: "",
  ...NO_AGENT,
  agent_name: agentName,
});

const subjectsOf = ({ subject }: WatchJob, watched: WatchFacts["watched"]): [string, Watched][] => {
  if ("runtimeId" in subject) {
    const { runtimeId, identity, agentName } = subject;
    const known = watched.get(runtimeId);
    if (known !== undefined) return [[runtimeId, known]];
    // Nothing is known of a pane that was not seen yet; an agent that is not known any more ended unseen.
    if (isBareKey(runtimeId)) return [];
    const lost: Watched = { row: lostRow(identity, agentName), isGone: true, silentSince: null };
    return [[runtimeId, lost]];
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked by the call's schema when it was armed
  const filters = subject.filters as ListFilters;
  return [...watched].filter(([, { row }]) => row.agent !== null && matchesFilters(row, filters));
};

const decideMatch = (
  job: WatchJob,
  subjects: readonly [string, Watched][],
  facts: WatchFacts,
): WatchAct[] => {
  const lines = facts.matched.get(job.jobId);
  if (lines === undefined || facts.now - (facts.toldAt.get(job.jobId) ?? -Infinity) < MATCH_PAUSE_MS)
    return [];
  return subjects.flatMap(([runtimeId, { row }]): WatchAct[] => {
    const matched = lines.get(runtimeId);
    return matched === undefined ? [] : [{ kind: "tell", job, runtimeId, row, matched }];
  });
};

const decideJob = (job: WatchJob, facts: WatchFacts): WatchAct[] => {
  const { now, watched, told } = facts;
  const subjects = subjectsOf(job, watched);
  const tells: WatchAct[] = job.condition.kind === "match" ? decideMatch(job, subjects, facts) : [];
  const forgets: WatchAct[] = [];
  for (const [runtimeId, one] of subjects) {
    const wasTold = told.get(job.jobId)?.has(runtimeId) === true;
    const isHeld = holds(job.condition, one, now);
    if (isHeld && !wasTold) tells.push({ kind: "tell", job, runtimeId, row: one.row, matched: null });
    if (!isHeld && wasTold && job.condition.kind !== "match")
      forgets.push({ kind: "forget", job, runtimeId });
  }
  const allowed = tells.slice(0, job.maxRuns - job.runs);
  if (allowed.length + job.runs >= job.maxRuns) return [...allowed, ...forgets];
  if (now >= job.expiresAt) return [...allowed, { kind: "expire", job }];
  // What can no longer come true is said, not waited for.
  if ("runtimeId" in job.subject && allowed.length === 0) {
    const own = subjects[0]?.[1];
    if (own !== undefined && (own.isGone || hasCrashed(own.row))) return [{ kind: "end", job, row: own.row }];
  }
  return [...allowed, ...forgets];
};

export const decide = (jobs: readonly WatchJob[], facts: WatchFacts): WatchAct[] =>
  jobs.flatMap((job) => decideJob(job, facts));
