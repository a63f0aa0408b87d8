// What an agent is doing, beside its state: which source told each part last, and when a change of it is told. It makes no
// transition; of what is stored with one, a restart takes it up again.
import {
  ACTIVITY_FIELDS,
  MAX_ACTIVITY_TEXT,
  type Place,
  type ActivityEvidence,
  type ActivitySource,
  type ActivityView,
  type RunningTool,
} from "../model/activity.ts";
import type { Resolution } from "../model/resolution.ts";
import { isWaiting, type CanonicalState } from "../model/state.ts";
import { toolText } from "../model/words.ts";
import type { ToldActivity } from "../ports/agentAdapter.ts";
import type { ActivityState, Told } from "./activityState.ts";
import type { RuntimeEntry } from "./liveState.ts";

/** Changes of it alone are told at most this often: tools begin and end many times a second. */
const ACTIVITY_INTERVAL_MS = 3_000;
/** Of a text of any length. */
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

/** The source that saw it last. Between a hook and a file about tools, hooks know more: a file lags behind. */
const isNewer = (before: Told<unknown> | null, source: ActivitySource, at: number): boolean =>
  before === null || at > before.at || (at === before.at && source === "hook");

/** What an event or the agent's own log told at `at` (epoch ms). */
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
    // Of tools that run beside each other the one that began last is shown.
    if (line === null || !isEnd) next.tool = { value: line, source, at };
    else if (isSameTool(next.tool?.value ?? null, line)) next.tool = { value: null, source, at };
  }
  entry.activity = next;
};

/** A folder that the agent's events named stays; git's files are read of the folder that is shown. */
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
 * The title that the agent gave its pane. One that was restored counts until somebody knows better: the title, or the file
 * that names the session.
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
  // Nobody saw it begin where nothing was known before.
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

/** True when a part has changed and the last change was told long enough ago. */
export const isActivityDue = (entry: RuntimeEntry, now: number): boolean =>
  now - entry.activity.shownAt >= ACTIVITY_INTERVAL_MS &&
  !isSameActivity(wanted(entry), entry.activity.shown);

/** Takes what is known into what clients see; a row that is told of anyway (`isTold`) takes it along at once. */
export const showActivity = (entry: RuntimeEntry, now: number, isTold: boolean): void => {
  if (!isTold && !isActivityDue(entry, now)) return;
  const shown = wanted(entry);
  if (!isSameActivity(shown, entry.activity.shown))
    entry.activity = { ...entry.activity, shown, shownAt: now };
};

/** As it was stored with the last transition; who told it is not known any more, so anybody's later word counts. */
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

/** Who told what of the row, and when. */
export const activityEvidence = ({ activity }: RuntimeEntry): ActivityEvidence[] =>
  ACTIVITY_FIELDS.flatMap((field) => {
    const told = field === "session_title" ? sessionTitleOf(activity) : activity[field];
    const value = activity.shown?.[field] ?? null;
    if (told === null || value === null) return [];
    const at = new Date(told.at).toISOString();
    return [{ field, value: typeof value === "string" ? value : toolText(value), source: told.source, at }];
  });
