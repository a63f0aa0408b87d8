// What an agent is doing, beside its state: its progress line, which ends of turns are unread, and its activity with the source
// that reported each part last. No state follows from any of it, and it makes no transition.
import { compareByTime, orderKeyOf } from "../engine/facts.ts";
import {
  MAX_PROGRESS,
  ROOT_AGENT,
  type Resolution,
  type TurnMarks,
  ACTIVITY_FIELDS,
  MAX_ACTIVITY_TEXT,
  type Place,
  type ActivityEvidence,
  type ActivitySource,
  type ActivityView,
  type RunningTool,
} from "../model/evidence.ts";
import type { RuntimeEntry, ActivityState, Told } from "./liveState.ts";
import { isWaiting, type CanonicalState } from "../model/state.ts";
import { toolText } from "../model/words.ts";
import type { ToldActivity } from "../ports/agentAdapter.ts";

// Progress line: which source gives it, and when a change is reported. It is not stored: after a restart it comes back with the
// next reading, or with the stored event that it rests on. It is cleaned, because text that counts would be a change every second.

/** More than a line of any terminal; keeps hostile text cheap. */
const MAX_INPUT = 1_000;

/** What ticks: spinners, remarks in brackets that count, durations with their preposition, tokens and bytes. */
const TICKING: readonly RegExp[] = [
  /^(?:[\u2800-\u28ff·✢✳✶✻✽∗*•]\s+)+/u,
  /\((?=[^()]*(?:\d\s?(?:ms|[smh]\b|seconds?|tokens?)|esc to))[^()]*\)/gi,
  /\b(?:(?:in|for|after)\s+)?\d+(?:\.\d+)?\s?(?:ms|s|sec|secs|seconds?|m|min|minutes?|h|hours?)\b(?:…|\.{3})?/gi,
  /[↑↓]?\s*\b\d[\d.,]*\s?k?\s?tokens?\b/gi,
  /\b\d+(?:\.\d+)?\s?[kM]?B\b/g,
];

const EDGES = /^[\s·•|,;:—–-]+|[\s·•|,;:—–-]+$/gu;

/** One line without control characters and without anything that counts time or tokens; null where nothing is left. */
export const steadyProgress = (text: string): string | null => {
  const line = text
    .slice(0, MAX_INPUT)
    // oxlint-disable-next-line no-control-regex -- agents' texts are hostile: control characters must not reach a terminal
    .replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ");
  const steady = TICKING.reduce((rest, pattern) => rest.replace(pattern, " "), line)
    .replaceAll(/\s+/g, " ")
    .replaceAll(EDGES, "");
  return steady === "" ? null : steady.slice(0, MAX_PROGRESS);
};

/** A change of the line alone is reported at most this often, so that a counter in it does not become a stream of changes. */
const PROGRESS_INTERVAL_MS = 3_000;

/** A text as an adapter gave it, made steady and free of secrets. */
export const cleanProgress = (
  text: string | null | undefined,
  redact: (text: string, maxLength: number) => string,
): string | null => {
  const steady = steadyProgress(text ?? "");
  return steady === null ? null : redact(steady, MAX_PROGRESS);
};

/** The line of the event that the present state rests on. */
const ofWinningEvent = ({ resolution, facts }: RuntimeEntry): string | null => {
  const winner = resolution?.verdicts.find(({ outcome }) => outcome === "won");
  for (const { eventId, signal } of facts.turns.values())
    if (eventId === winner?.eventId) return steadyProgress(signal.progress ?? "");
  return null;
};

/** How many sub-agents were heard of since the turn began and have not ended. */
const subAgentsAtWork = ({ facts }: RuntimeEntry): number => {
  const turnBegan = facts.boundaries.get(ROOT_AGENT);
  let count = 0;
  for (const [agentId, last] of facts.lastActivity) {
    if (agentId === ROOT_AGENT) continue;
    const ended = facts.boundaries.get(agentId);
    const isOver = [turnBegan, ended].some(
      (edge) => edge !== undefined && compareByTime(last, orderKeyOf(edge)) <= 0,
    );
    if (!isOver) count += 1;
  }
  return count;
};

const ofSubAgents = (entry: RuntimeEntry): string | null => {
  const count = entry.resolution?.status.state === "running" ? subAgentsAtWork(entry) : 0;
  return count === 0 ? null : `${count} sub-agent${count === 1 ? "" : "s"}`;
};

/** A line counts only if it was read in the state that is shown: a spinner's line says nothing of a dialog. */
const wantedProgress = (entry: RuntimeEntry): string | null => {
  const { resolution, progress } = entry;
  if (resolution === null) return null;
  if (resolution.status.state === "unknown")
    return progress.transcript?.state === "unknown" ? progress.transcript.text : null;
  for (const read of [progress.poller, progress.transcript])
    if (read?.state === resolution.status.state && read.text !== null) return read.text;
  return ofWinningEvent(entry) ?? ofSubAgents(entry) ?? progress.files;
};

/** True when the line has changed and its last change was reported long enough ago. */
export const isProgressDue = (entry: RuntimeEntry, now: number): boolean =>
  now - entry.progress.shownAt >= PROGRESS_INTERVAL_MS && wantedProgress(entry) !== entry.progress.shown;

/** Takes the present line into what clients see: at once for a row that is reported anyway (`isTold`). */
export const showProgress = (entry: RuntimeEntry, now: number, isTold: boolean): void => {
  if (!isTold && !isProgressDue(entry, now)) return;
  const shown = wantedProgress(entry);
  if (shown !== entry.progress.shown) entry.progress = { ...entry.progress, shown, shownAt: now };
};

// Unread: which ends of turns count as done, and whether anybody has looked at them since. Pure.

/** Two sources give the end of one turn slightly different times. */
const SAME_END_MS = 1_000;

/** The fact behind the state is that a turn finished, though it may be old by now. */
const isFinished = ({ facts }: RuntimeEntry, { status, verdicts }: Resolution): boolean => {
  if (status.state === "completed") return true;
  if (status.reasonCode !== "demoted") return false;
  const winner = verdicts.find(({ outcome }) => outcome === "won")?.eventId;
  return [...facts.turns.values(), ...facts.observations.values()].some(
    ({ eventId, signal }) => eventId === winner && signal.status?.state === "completed",
  );
};

const done = (doneAt: number): TurnMarks => ({ isInTurn: false, beganAt: null, doneAt, isUnread: true });

/** The marks with which the entry enters the state of `resolution`. */
export const marksAfter = (entry: RuntimeEntry, resolution: Resolution): TurnMarks => {
  const { marks, activity } = entry;
  const { status, since } = resolution;
  const isOlder = marks.doneAt !== null && since <= marks.doneAt;
  switch (status.state) {
    case "running":
    case "waiting_approval":
    case "waiting_input": {
      // Whoever started the next turn does not need the end of the one before.
      const beganAt = activity.turn_began_at === null ? null : Date.parse(activity.turn_began_at.value ?? "");
      return { ...marks, isInTurn: true, beganAt: Number.isNaN(beganAt) ? null : beganAt, isUnread: false };
    }
    case "completed":
      return isOlder ? { ...marks, isInTurn: false } : done(since);
    case "idle":
      // It ended while nobody was looking.
      if (marks.isInTurn && !isOlder && isFinished(entry, resolution)) return done(since);
      return { ...marks, isInTurn: false, isUnread: marks.isUnread && status.reasonCode === "demoted" };
    case "error":
      return status.reasonCode === "crashed" ? done(since) : { ...marks, isInTurn: false, isUnread: false };
    case "unknown":
      return marks;
  }
};

/** One finished turn may follow another without anything seen in between: the state is the same, and its age is not. */
export const marksWhileSame = ({ marks }: RuntimeEntry, { status, since }: Resolution): TurnMarks =>
  status.state === "completed" && marks.doneAt !== null && since - marks.doneAt > SAME_END_MS
    ? done(since)
    : marks;

/** Since when something is unread, epoch ms; null: nothing is. */
export const unreadSince = ({ marks }: RuntimeEntry): number | null => (marks.isUnread ? marks.doneAt : null);

/** The same as clients see it. */
export const isoUnreadSince = (entry: RuntimeEntry): string | null => {
  const at = unreadSince(entry);
  return at === null ? null : new Date(at).toISOString();
};

/** A crashed row that was looked at and whose pane is gone: there is nothing left to do about it. */
export const isSettledCrash = (entry: RuntimeEntry, hasPane: boolean, now: number): boolean =>
  entry.crashedAt !== null && !entry.marks.isUnread && !hasPane && now >= entry.keptUntil;

/** A turn whose state was not known when the daemon ended keeps its age, unless the stored row has it. */
export const restoreTurn = (entry: RuntimeEntry): void => {
  const { beganAt, isInTurn } = entry.marks;
  if (!isInTurn || beganAt === null || entry.activity.turn_began_at !== null) return;
  const value = new Date(beganAt).toISOString();
  entry.activity = { ...entry.activity, turn_began_at: { value, source: "reconciler", at: beganAt } };
};

// Activity: prompt, session title, tool, last words, folder and git, and the begin of the turn.

/** Changes of it alone are reported at most this often: tools begin and end many times a second. */
const ACTIVITY_INTERVAL_MS = 3_000;
/** Characters of a text of any length that are used. */
const LOOKED_AT = 4_000;

export type Redact = (text: string, maxLength: number) => string;

const isInTurn = (state: CanonicalState): boolean => state === "running" || isWaiting(state);

const cleanLine = (text: string, redact: Redact): string | null => {
  const line = redact(text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim(), MAX_ACTIVITY_TEXT);
  return line === "" ? null : line;
};

const linesOf = (text: string): string[] => text.split("\n").filter((one) => one.trim() !== "");

const firstLine = (text: string, redact: Redact): string | null =>
  cleanLine(linesOf(text.slice(0, LOOKED_AT))[0] ?? "", redact);

const lastLine = (text: string, redact: Redact): string | null =>
  cleanLine(linesOf(text.slice(-LOOKED_AT)).at(-1) ?? "", redact);

/** A file in the agent's own folder is named from there. */
const toolLine = (tool: RunningTool, folder: string | null, redact: Redact): RunningTool => {
  const subject = firstLine(tool.subject ?? "", redact);
  const isInside = folder !== null && subject?.startsWith(`${folder}/`) === true;
  return {
    name: cleanLine(tool.name, redact) ?? "tool",
    subject: isInside ? subject.slice(folder.length + 1) : subject,
  };
};

/** `b`: as the event of its end names it, which may leave out what it worked on. */
const isSameTool = (a: RunningTool | null, b: RunningTool): boolean =>
  a !== null && a.name === b.name && (b.subject === null || a.subject === b.subject);

/** The newest report counts; of two at the same time that of a hook, because files lag behind. */
const isNewer = (before: Told<unknown> | null, source: ActivitySource, at: number): boolean =>
  before === null || at > before.at || (at === before.at && source === "hook");

/** What an event or the agent's own log reported at `at` (epoch ms). */
export const noteTold = (
  entry: RuntimeEntry,
  told: ToldActivity,
  { source, at, redact }: { source: ActivitySource; at: number; redact: Redact },
): void => {
  const next = { ...entry.activity };
  const folder = entry.cwd ?? next.folder?.value ?? null;
  const prompt = firstLine(told.promptText ?? "", redact);
  if (prompt !== null && isNewer(next.prompt, source, at)) next.prompt = { value: prompt, source, at };
  const said = lastLine(told.saidText ?? "", redact);
  if (said !== null && isNewer(next.said, source, at)) next.said = { value: said, source, at };
  if (told.sessionTitle !== undefined) {
    const title = firstLine(told.sessionTitle ?? "", redact);
    next.session_title = title === null ? null : { value: title, source, at };
  }
  if (told.folder !== undefined && told.folder !== null)
    next.folder = { value: redact(told.folder, LOOKED_AT), source, at };
  const isHooked = next.tool?.source === "hook" && source !== "hook";
  if (told.tool !== undefined && !isHooked && isNewer(next.tool, source, at)) {
    const { tool } = told;
    const line = tool === null ? null : toolLine(tool, folder, redact);
    const isEnd = tool?.hasEnded === true;
    // Of tools that run in parallel the one that began last is shown.
    if (line === null || !isEnd) next.tool = { value: line, source, at };
    else if (isSameTool(next.tool?.value ?? null, line)) next.tool = { value: null, source, at };
  }
  entry.activity = next;
};

/** A folder that the agent's events named is kept; what git's files say of the folder that is shown is replaced. */
export const notePlace = (entry: RuntimeEntry, place: Place, at: number, redact: Redact): void => {
  const part = (text: string | null, source: ActivitySource): Told<string> | null =>
    text === null ? null : { value: redact(text, MAX_ACTIVITY_TEXT), source, at };
  const isNamed = entry.activity.folder?.source === "hook";
  entry.activity = {
    ...entry.activity,
    folder:
      isNamed || place.folder === null
        ? entry.activity.folder
        : { value: redact(place.folder, LOOKED_AT), source: place.source, at },
    repository: part(place.repository, "git"),
    branch: part(place.branch, "git"),
    worktree: part(place.worktree, "git"),
    work_tree:
      place.workTree === null ? null : { value: redact(place.workTree, LOOKED_AT), source: "git", at },
  };
};

/**
 * The title that the agent gave its pane. A session title that was restored counts until the pane's title, or the file that names
 * the session, replaces it.
 */
export const noteTitle = (entry: RuntimeEntry, raw: string, at: number, redact: Redact): void => {
  const { adapter, activity } = entry;
  const folder = activity.folder?.value ?? null;
  const seen = activity.paneTitle;
  if (seen?.raw === raw && seen.folder === folder) return;
  const value = firstLine(adapter?.titleOfSession?.(raw, folder) ?? "", redact);
  const isSame = value !== null && seen?.told?.value === value;
  const told = value === null ? null : isSame ? seen.told : ({ value, source: "tmux", at } as const);
  const isOld = activity.session_title?.source === "reconciler";
  const isKnownBetter = value !== null || adapter?.readSessionTitle === undefined;
  entry.activity = {
    ...activity,
    paneTitle: { raw, folder, told },
    session_title: isOld && isKnownBetter ? null : activity.session_title,
  };
};

/** The file is asked first: it has the whole title. */
const sessionTitleOf = ({ session_title: named, paneTitle }: ActivityState): Told<string> | null =>
  named?.value === undefined || named.value === null
    ? (paneTitle?.told ?? null)
    : { ...named, value: named.value };

/** A turn begins where work follows anything else but a wait, and ends with the first state that is neither. */
export const noteTurn = (
  entry: RuntimeEntry,
  previous: CanonicalState | null,
  { status, since, verdicts }: Resolution,
): void => {
  if (status.state === "unknown") return;
  if (!isInTurn(status.state)) {
    entry.activity = { ...entry.activity, tool: null, turn_began_at: null };
    return;
  }
  // Where nothing was known before, nobody saw it begin.
  if (previous === null || previous === "unknown" || isInTurn(previous)) return;
  const source = verdicts.find(({ outcome }) => outcome === "won")?.source ?? "poller";
  entry.activity = {
    ...entry.activity,
    turn_began_at: { value: new Date(since).toISOString(), source, at: since },
  };
};

const wanted = ({ activity, resolution }: RuntimeEntry): ActivityView | null => {
  const isWorking = resolution !== null && isInTurn(resolution.status.state);
  const view: ActivityView = {
    prompt: activity.prompt?.value ?? null,
    session_title: sessionTitleOf(activity)?.value ?? null,
    tool: isWorking ? (activity.tool?.value ?? null) : null,
    said: activity.said?.value ?? null,
    folder: activity.folder?.value ?? null,
    repository: activity.repository?.value ?? null,
    branch: activity.branch?.value ?? null,
    worktree: activity.worktree?.value ?? null,
    work_tree: activity.work_tree?.value ?? null,
    turn_began_at: isWorking ? (activity.turn_began_at?.value ?? null) : null,
  };
  return Object.values(view).every((part) => part === null) ? null : view;
};

const isSameActivity = (a: ActivityView | null, b: ActivityView | null): boolean =>
  a === b || JSON.stringify(a) === JSON.stringify(b);

/** True when a part has changed and the last change was reported long enough ago. */
export const isActivityDue = (entry: RuntimeEntry, now: number): boolean =>
  now - entry.activity.shownAt >= ACTIVITY_INTERVAL_MS &&
  !isSameActivity(wanted(entry), entry.activity.shown);

/** Takes what is known into what clients see: at once for a row that is reported anyway (`isTold`). */
export const showActivity = (entry: RuntimeEntry, now: number, isTold: boolean): void => {
  if (!isTold && !isActivityDue(entry, now)) return;
  const shown = wanted(entry);
  if (!isSameActivity(shown, entry.activity.shown))
    entry.activity = { ...entry.activity, shown, shownAt: now };
};

/** As it was stored with the last transition. Its sources are no longer known, so any later report replaces it. */
export const restoreActivity = (stored: ActivityView | null, at: number): ActivityState => {
  const part = <T>(value: T | null | undefined): Told<T> | null =>
    value === null || value === undefined ? null : { value, source: "reconciler", at };
  return {
    prompt: part(stored?.prompt),
    session_title: part(stored?.session_title),
    paneTitle: null,
    tool: part(stored?.tool),
    said: part(stored?.said),
    folder: part(stored?.folder),
    repository: part(stored?.repository),
    branch: part(stored?.branch),
    worktree: part(stored?.worktree),
    work_tree: part(stored?.work_tree),
    turn_began_at: part(stored?.turn_began_at),
    shown: stored,
    shownAt: -Infinity,
  };
};

/** Each part of the shown activity with its source and time. */
export const activityEvidence = ({ activity }: RuntimeEntry): ActivityEvidence[] =>
  ACTIVITY_FIELDS.flatMap((field) => {
    const told = field === "session_title" ? sessionTitleOf(activity) : activity[field];
    const value = activity.shown?.[field] ?? null;
    if (told === null || value === null) return [];
    const at = new Date(told.at).toISOString();
    return [{ field, value: typeof value === "string" ? value : toolText(value), source: told.source, at }];
  });
