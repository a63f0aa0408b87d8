// What a person armed, for the popover and the picker: what a job does and when, about whom, why it waits; and the list. Pure.
import type { JobView } from "../../core/model/job.ts";
import type { PaneView } from "../../core/model/view.ts";
import { formatAge, STATE_CLAUSES } from "../../core/model/words.ts";
import { displayLine, displaySentence, searchFor } from "./displayText.ts";
import { agentName, paneName } from "./rowText.ts";

const STATES: ReadonlyMap<string, string> = new Map(Object.entries(STATE_CLAUSES));

/** A condition as it was typed, as the end of "when …". */
const conditionWords = (when: string): string => {
  const [kind = "", ...more] = when.split(":");
  const value = displayLine(more.join(":"));
  switch (kind) {
    case "quiet":
      return `it runs with nothing new for ${value}`;
    case "match":
      return `it prints ${value}`;
    case "state":
      return `it ${STATES.get(value) ?? `is ${value}`}`;
    case "needs-action":
      return "it needs you";
    case "done":
      return "its turn is over";
    case "gone":
      return "it has ended";
    default:
      return displayLine(when);
  }
};

export const isArmed = ({ state }: JobView): boolean => state === "armed" || state === "held";

/** A text is shown while it waits; afterwards it is kept nowhere. */
const textTitle = (job: JobView): string => {
  if (job.text !== null) return displayLine(job.text);
  if (isArmed(job)) return "A text kept only in memory";
  return job.runs > 0 ? "A text that was sent" : "A text that was not sent";
};

export const jobTitle = (job: JobView): string =>
  job.kind === "send"
    ? textTitle(job)
    : `Tell me ${job.repeated ? "each time" : "when"} ${conditionWords(job.when)}`;

/** A day and a time of this week: nothing is armed for longer. */
const dayAndTime = (iso: string): string =>
  new Date(iso).toLocaleString(undefined, { weekday: "short", hour: "2-digit", minute: "2-digit" });

/** What happens to a text for the end of a limit. */
export const goOnText = (text: string, { next_at: next }: JobView): string =>
  `“${text}” is sent ${next === null ? "then" : dayAndTime(next)} if the agent is idle and its input box is empty. Until then, see Automation.`;

const sendTime = ({ when, next_at: next }: JobView): string => {
  const at = next === null ? "" : dayAndTime(next);
  if (when === "ready") return "once it is idle";
  if (at === "") return displayLine(when);
  return when === "at" ? at : `${displayLine(when)}, next ${at}`;
};

const paneWords = (pane: PaneView, { hasMachines }: { hasMachines: boolean }): string[] => [
  agentName(pane),
  ...(hasMachines ? [displayLine(pane.identity.target)] : []),
  `${displayLine(pane.identity.session_name)} / ${paneName(pane)}`,
];

/** About whom, when a text is sent, and over which channel somebody is told. `pane`: its agent's row, if that is still there. */
export const jobPlace = (job: JobView, pane: PaneView | null, around: { hasMachines: boolean }): string =>
  [
    ...(pane === null ? [displayLine(job.about)] : paneWords(pane, around)),
    ...(job.kind === "send" && isArmed(job) ? [sendTime(job)] : []),
    ...(job.channel === null ? [] : [`over ${displayLine(job.channel)}`]),
  ].join(" · ");

/** What keeps it from being done now; empty where nothing does. */
export const jobObstacle = ({ waits_for: why }: JobView): string =>
  why === null ? "" : displaySentence(`waits: ${why}`);

/** Where it stands: `3h left`, or how it ended. */
export const jobStatus = ({ state, expires_at: until, runs }: JobView, now: number): string => {
  const left = `${formatAge(Math.max(0, Date.parse(until) - now))} left`;
  switch (state) {
    case "armed":
      return runs > 0 ? `${runs} × done, ${left}` : left;
    case "held":
      return "held";
    case "done":
    case "expired":
    case "cancelled":
    case "stopped":
      return state;
  }
};

/** That everything armed is paused, as a sentence for the head of the view; empty where it is not. */
export const pauseText = (pausedAt: string | null, now: number): string =>
  pausedAt === null
    ? ""
    : `Paused for ${formatAge(Math.max(0, now - Date.parse(pausedAt)))}: nothing is sent.`;

// The list: what is armed in the order in which it was armed, then what ended, the newest first.

export interface JobRow {
  readonly job: JobView;
  /** The row of its agent; null where it has ended, or is whichever fits. */
  readonly pane: PaneView | null;
}

interface JobFilter {
  readonly text: string;
  /** Only those about this agent; null: all. */
  readonly runtimeId: string | null;
}

/** `items`: newest first, as the daemon gives them. */
export const arrangeJobs = (
  items: readonly JobView[],
  panes: Iterable<PaneView>,
  { text, runtimeId }: JobFilter,
): { armed: JobRow[]; ended: JobRow[] } => {
  const byRuntime = new Map([...panes].map((pane) => [pane.identity.runtime_id, pane]));
  const isFound = searchFor(text);
  const rows = items
    .filter((job) => runtimeId === null || job.runtime_id === runtimeId)
    .map((job) => ({ job, pane: job.runtime_id === null ? null : (byRuntime.get(job.runtime_id) ?? null) }))
    .filter(({ job, pane }) =>
      isFound(() =>
        [jobTitle(job), jobPlace(job, pane, { hasMachines: true }), job.job_id, job.state].join("\n"),
      ),
    );
  return {
    armed: rows.filter(({ job }) => isArmed(job)).toReversed(),
    ended: rows.filter(({ job }) => !isArmed(job)),
  };
};
