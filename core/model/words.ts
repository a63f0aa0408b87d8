// What people read, in one vocabulary for every surface and for notifications: text made safe, durations, requests, titles of rows,
// transcripts, states, reasons, ages, conditions of watches. Pure. Only types are imported, so that a command which prints a table
// does not load a schema library. More words of a row are in ui/text/rowText.ts.
import type { RequestView } from "./request.ts";
import type { AwakeView, PaneView } from "./view.ts";
import type { HistoryEntry } from "./history.ts";
import type { ActivityEvidence, RunningTool } from "./evidence.ts";
import type { CanonicalState, ReasonCode } from "./state.ts";
import type { WatchCondition } from "./job.ts";

/** Who tells the person of an agent that notifies by itself: the agent, agtmux, or both. */
export const NOTIFIERS = ["both", "agtmux", "agent"] as const;
export type Notifier = (typeof NOTIFIERS)[number];

// How the popover may look.
export const THEMES = ["system", "light", "dark"] as const;
/** Per cent of the size that the browser gives. */
export const TEXT_SIZES = [85, 100, 115, 130, 150, 200] as const;
export interface Appearance {
  theme: (typeof THEMES)[number];
  textSize: (typeof TEXT_SIZES)[number];
}

// Safe text: of agents, tmux and repositories, in the same way on every surface. Characters that a terminal or
// a bidi algorithm would obey, and characters that nobody would see, become visible marks. Nothing is lost: the marks can be
// read back, because the sign that begins a mark is itself marked.

/**
 * Control characters but newline and tab; white space that is no blank; marks of direction; everything for which nothing is drawn,
 * assigned or not: joiners, fillers, selectors, tags; and the sign that begins a mark.
 */
const MARKED =
  /[^\P{Cc}\n\t]|[^\P{Z} ]|[^\P{Cf}\u200d]|(?!\u200d|\ufe0e|\ufe0f)\p{Default_Ignorable_Code_Point}|[\ufff9-\ufffb\u27e8]/u
    .source;
/** Both join the parts of an emoji; only there they have a visible effect. */
const OUTSIDE_EMOJI =
  "(?<![\\p{Emoji}\\p{M}])[\\ufe0e\\ufe0f]|(?<![\\p{Extended_Pictographic}\\ufe0f\\p{Emoji_Modifier}])\\u200d|\\u200d(?!\\p{Extended_Pictographic})";
const TO_MARK = new RegExp(`${MARKED}|${OUTSIDE_EMOJI}`, "gu");

const mark = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;

/** Text over several lines: newlines and tabs stay. Two texts that differ are shown differently. */
export const visibleText = (text: string): string => text.replace(TO_MARK, mark);

/** Text over several lines for a terminal, which draws a tab as blanks: tabs are marked too. */
export const visibleOnTerminal = (text: string): string => visibleText(text).replaceAll("\t", mark);

/** Text for one line: white space at the ends is removed, and any run within becomes one blank. */
export const visibleLine = (text: string): string => visibleText(text.replace(/\s+/g, " ").trim());

// Durations as people write them: `500ms`, `30s`, `5m`, `2h`, `1d`; a bare number means seconds.

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Longest duration, about a thousand years: longer ones do not fit a timer or a time. */
const LONGEST_MS = 3e13;

/** Milliseconds, above zero; null when the text is not a duration or is too long. */
export const readDuration = (text: string): number | null => {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text.trim()) ?? [];
  if (number === undefined) return null;
  const ms = Number(number) * (UNIT_MS[unit ?? "s"] ?? 1_000);
  return ms > 0 && ms <= LONGEST_MS ? ms : null;
};

// Requests: what has to be judged comes first, and what the person sees anyway is left out.

type Asked = Pick<RequestView, "kind" | "title" | "body" | "tool_name" | "content">;

/** Titles that say no more than the kind of the request, as the agents draw and send them (recorded). */
const PLAIN_COMMAND =
  /^(?:(?:bash|shell|terminal)?(?: ?command)?|run(?: a)? command|confirm shell command|would you like to run the following command\?|do you want to run this command\?|allow execution of \[\w+\]\?|allow tool: \w+)$/i;
const PLAIN_EDIT =
  /^(?:(?:edit|write|update|create)(?: (?:a )?file)?|apply this change\?|would you like to make the following edits\?|allow tool: \w+)$/i;
/** Around the path of the file, which stands in the body too. */
const ABOUT_FILE =
  /^(?:(?:edit|write|update|create|confirm edit:|confirm write:) (\S.*)|do you want to (?:make this edit to|write|create|overwrite|update|edit) (\S.*)\?)$/i;

const isOfFile = (title: string, body: string): boolean => {
  const match = ABOUT_FILE.exec(title);
  const file = match?.[1] ?? match?.[2] ?? "";
  return file !== "" && (body === file || body.endsWith(`/${file}`) || file.endsWith(`/${body}`));
};

const isPlain = ({ kind, tool_name: tool }: Asked, title: string, body: string): boolean => {
  if (kind === "command") return PLAIN_COMMAND.test(title) || title === tool;
  return kind === "edit" && (PLAIN_EDIT.test(title) || isOfFile(title, body));
};

/** What the title says beyond the kind and the body; empty where it adds nothing, so that no surface says it twice. */
export const requestHeading = (request: Asked): string => {
  const title = visibleLine(request.title);
  const body = visibleLine(request.body ?? "");
  if (title === body || (request.kind === "question" && body.startsWith(title)))
    return body === "" ? title : "";
  return body !== "" && isPlain(request, title, body) ? "" : title;
};

/** What the agent's model says of the request, in a sentence that says whose words these are; empty where it says nothing. */
export const remarkText = ({ remark = null }: { remark?: string | null | undefined }): string =>
  remark === null || remark.trim() === "" ? "" : `The agent says: ${remark}`;

/** `+12 −3 in 2 places`: what an edit adds and removes, and in how many runs of changed lines. */
export const changeSummary = (content: string): string => {
  let [added, removed, places] = [0, 0, 0];
  let isInside = false;
  for (const line of content.split("\n")) {
    const [sign] = line;
    const isChange = sign === "+" || sign === "-";
    if (sign === "+") added += 1;
    else if (sign === "-") removed += 1;
    if (isChange && !isInside) places += 1;
    isInside = isChange;
  }
  return `+${added} −${removed} in ${places} ${places === 1 ? "place" : "places"}`;
};

/** The request on one line, what is to be judged first: the command, the file and the size of its change, the question. */
export const askedLine = (request: Asked): string => {
  const body = visibleLine(request.body ?? "");
  const heading = requestHeading(request);
  switch (request.kind) {
    case "command":
    case "question":
      return [body, heading].filter((part) => part !== "").join(" · ");
    case "edit": {
      const content = request.content ?? null;
      const change = content === null ? "" : changeSummary(content);
      return [body, heading, change].filter((part) => part !== "").join(" · ");
    }
    case "plan":
    case "trust":
    case "tool":
    case "other":
      if (heading === "" || body === "") return heading || body;
      return heading.includes(body) ? heading : `${heading}: ${body}`;
  }
};

// Titles of rows: the work, where any source reports it.

interface RowTitle {
  text: string;
  /** What the person calls it, what they asked, the agent's own name for its session, or only the name of the window or the folder. */
  source: "name" | "prompt" | "session" | "window" | "folder";
}

/** A prompt of fewer words (`yes`, `go on`) says nothing of the work. */
const TELLING_WORDS = 3;
/** Scripts that are written without blanks: that many of their characters are a sentence. */
const isUnspaced = (text: string): boolean =>
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]{6}/u.test(
    text,
  );

const isTelling = (text: string): boolean => text.split(" ").length >= TELLING_WORDS || isUnspaced(text);

/** What tmux calls a window by itself: the program in front. */
const PROGRAMS = new Set([
  ..."ash bash csh dash elvish fish ksh mksh nu powershell pwsh sh tcsh xonsh zsh".split(" "),
  ..."bun deno node npm npx pnpm python python3 ruby ssh sudo tmux uv yarn".split(" "),
]);
const SIGNS = /^(?:[\u2800-\u28ff·✢✳✶✻✽●○◇✦✋⏳\u{1f514}*•-]\ufe0f?\s*)+(?=\S)/u;
/** `user@host:` as shells write it before the folder. */
const HOST = /^[\w.-]+@[\w.-]+:\s*/;

const lastName = (path: string): string => path.split("/").findLast((name) => name !== "") ?? "";

/** The window's name without spinner and host; a path by its last part; empty where it only names the program. */
const nameOfWindow = (pane: PaneView): string => {
  const bare = visibleLine(pane.window_name).replace(SIGNS, "").replace(HOST, "");
  const name = /^[~/]\S*$/.test(bare) ? lastName(bare) : bare;
  const own = [pane.agent, pane.agent_name].map((one) => (one ?? "").toLowerCase());
  const low = name.toLowerCase();
  return name === "~" || PROGRAMS.has(low.replace(/^-/, "")) || own.includes(low) ? "" : name;
};

/** The last part of the folder in which the agent works; empty where it is not known. */
export const folderOf = ({ activity }: PaneView): string => visibleLine(lastName(activity?.folder ?? ""));

/** The person's own name for it; else the last prompt's first line; one that says nothing gives way to the session's name; else the window's name, else the folder. */
export const rowTitle = (pane: PaneView): RowTitle => {
  if (pane.name !== null) return { text: visibleLine(pane.name), source: "name" };
  const prompt = visibleLine(pane.activity?.prompt ?? "");
  const session = visibleLine(pane.activity?.session_title ?? "");
  if (prompt !== "" && (session === "" || isTelling(prompt))) return { text: prompt, source: "prompt" };
  if (session !== "") return { text: session, source: "session" };
  const folder = folderOf(pane);
  const name = nameOfWindow(pane);
  if (name !== "" && name !== folder) return { text: name, source: "window" };
  if (folder !== "") return { text: folder, source: "folder" };
  return { text: visibleLine(pane.window_name) || `window ${pane.window_index}`, source: "window" };
};

// Transcripts as text: every line bears the mark of who is quoted, so that nothing in it can pass for somebody else's words.

type Role = HistoryEntry["role"];

/** The first two characters of every line of an entry. */
const MARKS: Readonly<Record<Role, string>> = { user: "> ", agent: "  ", tool: "* ", note: "! " };

/** An empty line between entries, except within a run of calls. `clean` gives an entry's lines without control characters. */
export const transcriptLines = (
  entries: readonly { readonly role: Role; readonly text: string }[],
  clean: (text: string) => readonly string[],
): string[] =>
  entries.flatMap(({ role, text }, index) => {
    const isRun = role === "tool" && entries[index - 1]?.role === "tool";
    const lines = clean(text).map((line) => `${MARKS[role]}${line}`.trimEnd());
    return index === 0 || isRun ? lines : ["", ...lines];
  });

// States, reasons and ages.

export const STATE_WORDS: Readonly<Record<CanonicalState, string>> = {
  error: "error",
  waiting_approval: "needs approval",
  waiting_input: "needs answer",
  running: "running",
  completed: "done",
  idle: "idle",
  unknown: "unknown",
};

/** Every state, most urgent first (the record's own order). */
export const STATE_NAMES: readonly string[] = Object.keys(STATE_WORDS);

export const isStateName = (text: string): text is CanonicalState => Object.hasOwn(STATE_WORDS, text);

/** After the name of who is in it: `<agent> needs approval`. */
export const STATE_CLAUSES: Readonly<Record<CanonicalState, string>> = {
  error: "has an error",
  waiting_approval: "needs approval",
  waiting_input: "needs an answer",
  running: "is running",
  completed: "is done",
  idle: "is idle",
  unknown: "is in an unknown state",
};

const COUNTED: Readonly<Record<CanonicalState, readonly [one: string, many: string]>> = {
  error: ["error", "errors"],
  waiting_approval: ["needs approval", "need approval"],
  waiting_input: ["needs answer", "need answer"],
  running: ["running", "running"],
  completed: ["done", "done"],
  idle: ["idle", "idle"],
  unknown: ["unknown", "unknown"],
};

/** `2 errors`, `1 needs approval`, `3 running`: how many are in a state, in words. */
export const stateCount = (state: CanonicalState, count: number): string => {
  const [one, many] = COUNTED[state];
  return `${count} ${count === 1 ? one : many}`;
};

/** A reason as the end of "it is …": short, and without the state's own word where that would add nothing. */
export const REASON_WORDS: Readonly<Record<ReasonCode, string>> = {
  api_error: "API error",
  rate_limited: "rate limited",
  usage_limit: "usage limit reached",
  auth_failed: "sign-in failed",
  crashed: "crashed",
  permission_tool: "asks to use a tool",
  permission_edit: "asks to edit",
  plan: "plan to approve",
  trust: "asks for trust",
  question: "question",
  onboarding: "first-run setup",
  auth_needed: "sign-in needed",
  thinking: "thinking",
  tool: "using a tool",
  subagent: "sub-agent at work",
  background_task: "background task",
  retrying: "retrying",
  compacting: "compacting",
  turn_ended: "turn ended",
  fresh: "at its prompt",
  demoted: "at its prompt",
  interrupted: "interrupted",
  no_signal: "no signal yet",
  stale_signal: "signal too old",
  unsupported_signal: "not readable",
  conflicting_signals: "signals disagree",
  unbound: "not matched to a pane",
  in_menu: "a view is open",
  suspended: "suspended",
  target_unreachable: "target unreachable",
};

const UNITS: readonly (readonly [ms: number, unit: string])[] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
  [1_000, "s"],
];

/** A duration in milliseconds by its largest whole unit: `3m`, `2h`, `<1s` below one second and for anything negative. */
export const formatAge = (durationMs: number): string => {
  for (const [unitMs, name] of UNITS)
    if (durationMs >= unitMs) return `${Math.floor(durationMs / unitMs)}${name}`;
  return "<1s";
};

/** `kept awake: 2 agents work`, and where it is not: `may fall asleep: it isn't on power`. */
export const awakeText = ({ is_on: isOn, working, text_due_at: dueAt, problem }: AwakeView): string => {
  const reasons = [
    ...(working === 0 ? [] : [working === 1 ? "1 agent works" : `${working} agents work`]),
    ...(dueAt === null ? [] : ["a text is due within the hour"]),
  ].join(", ");
  return isOn ? `kept awake: ${reasons}` : `may fall asleep although ${reasons}: ${problem ?? "unknown"}`;
};

/** What surfaces say of a newer agtmux. */
export const newerReleaseText = (version: string): string =>
  `a newer agtmux, ${version}, is there: 'agtmux upgrade' says how to get it`;

/** A tool and what it works on, as one text. */
export const toolText = ({ name, subject }: RunningTool): string =>
  subject === null ? name : `${name} ${subject}`;

export const ACTIVITY_WORDS: Readonly<Record<ActivityEvidence["field"], string>> = {
  prompt: "asked",
  session_title: "session",
  tool: "runs",
  said: "said",
  folder: "folder",
  repository: "repository",
  branch: "branch",
  worktree: "worktree",
  work_tree: "worktree root",
  turn_began_at: "turn began",
};

// Conditions: what a watch waits for, as people type it and as they read it.

/** All forms, for whoever typed another one. */
export const CONDITION_FORMS =
  "quiet:<duration>, match:<pattern>, state:<state>, needs-action, done, conflict, checks:failed, checks:passed, pr:approved or gone";

/** What stands on the row of an agent of which the person is told when it is done. */
export const TELLS_DONE = "tells when done";

const isState = (text: string): text is CanonicalState => Object.hasOwn(STATE_CLAUSES, text);

/** Conditions that are one word. */
const ONE_WORD = ["needs-action", "done", "conflict", "gone"] as const;
const isOneWord = (kind: string): kind is (typeof ONE_WORD)[number] => ONE_WORD.some((one) => one === kind);

/** Null: it is none. A state may stand alone. */
export const readCondition = (text: string): WatchCondition | null => {
  const [, kind = "", value = ""] = /^([a-z-]+)(?:[:=](.*))?$/s.exec(text) ?? [];
  const forMs = kind === "quiet" ? readDuration(value) : null;
  if (forMs !== null) return { kind: "quiet", forMs };
  if (kind === "match" && value !== "") return { kind, pattern: value };
  if (kind === "checks" && (value === "failed" || value === "passed")) return { kind, are: value };
  if (kind === "pr" && value === "approved") return { kind, is: value };
  if (value === "" && isOneWord(kind)) return { kind };
  const state = kind === "state" ? value : text;
  return isState(state) ? { kind: "state", state } : null;
};

const durationWords = (ms: number): string => {
  const [size, unit] = UNITS.find(([one]) => ms >= one && ms % one === 0) ?? [1, "ms"];
  return `${ms / size}${unit}`;
};

/** As it would be typed. */
export const conditionText = (condition: WatchCondition): string => {
  switch (condition.kind) {
    case "quiet":
      return `quiet:${durationWords(condition.forMs)}`;
    case "match":
      return `match:${condition.pattern}`;
    case "state":
      return `state:${condition.state}`;
    case "needs-action":
    case "done":
    case "conflict":
    case "gone":
      return condition.kind;
    case "checks":
      return `checks:${condition.are}`;
    case "pr":
      return `pr:${condition.is}`;
  }
};

/** What came true, without a word of the agent's. */
export const happenedText = (condition: WatchCondition): string => {
  switch (condition.kind) {
    case "quiet":
      return `has shown nothing new for ${durationWords(condition.forMs)}`;
    case "match":
      return `printed what matches '${condition.pattern}'`;
    case "state":
      return STATE_CLAUSES[condition.state];
    case "needs-action":
      return "needs you";
    case "done":
      return "is done";
    case "conflict":
      return "has a conflict with another agent's worktree";
    case "checks":
      return condition.are === "failed"
        ? "has a pull request whose checks failed"
        : "has a pull request whose checks passed";
    case "pr":
      return "has a pull request that is approved";
    case "gone":
      return "has ended";
  }
};
