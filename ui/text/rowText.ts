// The words of a row, and what lists do with rows before drawing them: machines and health, the order of a flat list, state and
// place, the worktree, what the agent does now, age, badge, totals. The popover, the picker, the command line and the
// notifications take their words from here. Pure.
import { BACKGROUND_SERVER, DEFAULT_SERVER, placeIdOf } from "../../core/model/shortRef.ts";
import type { PaneView, TargetView } from "../../core/model/view.ts";
import type { PullRequest } from "../../core/model/workspace.ts";
import type { CanonicalState } from "../../core/model/state.ts";
import {
  askedLine,
  REASON_WORDS,
  rowTitle,
  STATE_WORDS,
  folderOf,
  formatAge,
} from "../../core/model/words.ts";
import { displayLine } from "./displayText.ts";
import type { RunningTool } from "../../core/model/evidence.ts";

// Machines: how much of a pane's place has to be said. One machine needs no name, and with one tmux server an id is enough.

export interface Machines {
  hasMachines: boolean;
  /** Then `%12` is one pane, wherever it is typed. */
  hasOneServer: boolean;
}

/** Machines that are left alone do not count, nor do tmux servers that are not running. */
export const machinesOf = (targets: readonly TargetView[]): Machines => {
  const watched = targets.filter(({ enabled }) => enabled);
  const servers = watched.flatMap(({ servers: all }) => all.filter(({ status }) => status !== "no_server"));
  return { hasMachines: watched.length > 1, hasOneServer: watched.length === 1 && servers.length === 1 };
};

/** The reference to type: `%12`, or `vm1/%12` where it could be another pane. */
export const refText = (pane: PaneView, { hasOneServer }: Machines): string =>
  hasOneServer ? placeIdOf(pane) : pane.short_ref;

// Health of a target.

/** Empty for a healthy target. */
export const HEALTH_WORDS: Readonly<Record<TargetView["health"], string>> = {
  ok: "",
  degraded: "slow or failing",
  down: "unreachable",
};

/** The same for a target's own row, where an empty text would say nothing. */
export const targetWord = ({ enabled, health, kind }: TargetView): string => {
  if (!enabled) return "switched off";
  return HEALTH_WORDS[health] || (kind === "local" ? "watched" : "reachable");
};

// Order: who needs a person first, the longest wait on top; then the others as they come.

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Those that need a person, the longest wait first. */
export const waitingOf = (panes: readonly PaneView[]): PaneView[] =>
  panes
    .filter(({ needs_action }) => needs_action)
    .toSorted(
      (a, b) => byText(a.since ?? "", b.since ?? "") || byText(a.identity.pane_ref, b.identity.pane_ref),
    );

export const needsFirst = (panes: readonly PaneView[]): PaneView[] => [
  ...waitingOf(panes),
  ...panes.filter(({ needs_action }) => !needs_action),
];

// State, place and request: each on one line.

/** Words of the reasons that this version knows; a newer daemon may send others. */
export const KNOWN_REASONS: ReadonlyMap<string, string> = new Map(Object.entries(REASON_WORDS));

/** A reason that is not known is said in the words of its own code. */
const reasonWords = (code: string | null): string =>
  code === null ? "" : (KNOWN_REASONS.get(code) ?? displayLine(code.replaceAll("_", " ")));

/** `needs approval · asks to edit`; the reason is left out where it only repeats the state. */
export const stateText = (state: CanonicalState, reasonCode: string | null): string => {
  const reason = reasonWords(reasonCode);
  return reason === "" || reason === STATE_WORDS[state]
    ? STATE_WORDS[state]
    : `${STATE_WORDS[state]} · ${reason}`;
};

export const paneState = (pane: PaneView): string =>
  pane.state === null ? "no agent" : stateText(pane.state, pane.reason_code);

/** The window's name. The pane's id is in the row's title. */
export const paneName = (pane: PaneView): string =>
  displayLine(pane.window_name) || (pane.background?.id ?? `window ${pane.window_index}`);

export const agentName = (pane: PaneView): string => displayLine(pane.agent_name ?? pane.agent ?? "no agent");

/** A target, with its server where that is not the usual one. */
export const placeName = ({ target, server }: { target: string; server: string }): string =>
  server === DEFAULT_SERVER || server === BACKGROUND_SERVER ? target : `${target}:${server}`;

/** `inside ssh`: where nothing but its screen is known; else empty. */
export const insideText = ({ inside }: PaneView): string =>
  inside === null ? "" : `inside ${displayLine(inside)}`;

/** The whole place of a pane, for tooltips and the inbox: `host / work / 2 build / %5 / inside ssh`. */
export const panePlace = (pane: PaneView): string => {
  const { target, tmux_server: server, session_name: session, pane_id: id } = pane.identity;
  if (id === null) return [target, BACKGROUND_SERVER, placeIdOf(pane)].join(" / ");
  return [
    placeName({ target, server }),
    displayLine(session),
    `${pane.window_index} ${paneName(pane)}`,
    id,
    ...(pane.inside === null ? [] : [insideText(pane)]),
  ].join(" / ");
};

/** A pane's place and what it does, for use in a question. */
export const panePlaceAndState = (pane: PaneView): string => `${panePlace(pane)}: ${paneState(pane)}`;

/** What is asked, on one line; empty when nothing is. */
export const requestLine = ({ request }: PaneView): string => (request === null ? "" : askedLine(request));

/** A row for screen readers: place, state, and what it asks or else what it says of its work. */
export const paneLabel = (pane: PaneView): string => {
  const asked = requestLine(pane);
  const said = asked === "" && pane.progress !== null ? displayLine(pane.progress) : asked;
  return `${paneName(pane)}, ${agentName(pane)}, ${paneState(pane)}${said === "" ? "" : `: ${said}`}`;
};

/** The live region's text about panes that began to need a person; empty for none. */
export const waitAnnouncement = (panes: readonly PaneView[]): string => {
  const [first] = panes;
  if (first === undefined) return "";
  if (panes.length > 1) return `${panes.length} more panes need you`;
  return `${paneLabel(first)}, in ${displayLine(first.identity.session_name)}`;
};

// The worktree: what is not committed, and who else works there.

/** `+12 −3 ↑2`: lines in files that git knows, and commits that its upstream lacks; without lines, how many files. */
export const changesText = ({ workspace }: PaneView): string => {
  const changes = workspace?.changes ?? null;
  if (changes === null) return "";
  const { files, added, removed, ahead } = changes;
  const hasLines = (added ?? 0) + (removed ?? 0) > 0;
  const lines = hasLines
    ? `+${added ?? 0} \u{2212}${removed ?? 0}`
    : files > 0
      ? `${files} ${files === 1 ? "file" : "files"}`
      : "";
  const commits = (ahead ?? 0) > 0 ? `\u{2191}${ahead ?? 0}` : "";
  return [lines, commits].filter((part) => part !== "").join(" ");
};

/** `shares folder with work:1.0 and 2 others`, for a detail: a row has a mark for it. Empty where nobody else works there. */
export const sharesText = ({ workspace }: PaneView, { hasMachines }: { hasMachines: boolean }): string => {
  const [first, ...others] = workspace?.shares_with ?? [];
  if (first === undefined) return "";
  const name = displayLine(hasMachines ? first.short_ref : first.place);
  const more = others.length === 0 ? "" : ` and ${others.length} ${others.length === 1 ? "other" : "others"}`;
  return `shares folder with ${name}${more}`;
};

/**
 * `conflicts with work:1.0 (fix/tax) in src/a.ts and 2 other files`, one sentence for each agent in the way, for a detail: a row has
 * a mark for it.
 */
export const conflictTexts = ({ workspace }: PaneView, { hasMachines }: { hasMachines: boolean }): string[] =>
  (workspace?.conflicts ?? []).map(({ kind, with: side, files, more_files: more }) => {
    const [first = "", ...others] = files;
    const left = others.length + more;
    const named = `${displayLine(first)}${left === 0 ? "" : ` and ${left} other ${left === 1 ? "file" : "files"}`}`;
    const branch = side.branch === null ? "" : ` (${displayLine(side.branch)})`;
    const who = `${displayLine(hasMachines ? side.short_ref : side.place)}${branch}`;
    return kind === "merge"
      ? `conflicts with ${who} in ${named}`
      : `both edit ${named}: this agent and ${who}`;
  });

// The pull request of its branch.

const REQUEST_STATES: Readonly<Record<PullRequest["state"], string>> = {
  draft: "draft",
  open: "open",
  approved: "approved",
  changes_requested: "changes requested",
  merged: "merged",
  closed: "closed",
};

/** Characters of a check's name in a row. */
const MAX_CHECK = 30;

/** `lint failed`, `lint and 2 others failed`; empty where there are none. */
const checksText = ({ checks }: PullRequest, maxName: number): string => {
  if (checks === null) return "";
  if (checks.state !== "failed") return `checks ${checks.state === "passed" ? "passed" : "are running"}`;
  if (checks.failed === null) return "checks failed";
  const name = displayLine(checks.failed);
  const short = name.length <= maxName ? name : `${name.slice(0, maxName - 1)}…`;
  const others = checks.failed_count - 1;
  return `${short}${others > 0 ? ` and ${others} ${others === 1 ? "other" : "others"}` : ""} failed`;
};

/** `#12`; GitLab writes `!12`. */
export const requestNumber = ({ forge, number }: PullRequest): string =>
  `${forge === "gitlab" ? "!" : "#"}${number}`;

/** `#12 open, lint failed`. What is over is not checked any more. */
export const requestWords = (request: PullRequest): string => {
  const isOver = request.state === "merged" || request.state === "closed";
  const checks = isOver ? "" : checksText(request, MAX_CHECK);
  return `${requestNumber(request)} ${REQUEST_STATES[request.state]}${checks === "" ? "" : `, ${checks}`}`;
};

/** For the second line of a row, which may have room for the beginning only: that it is open goes without saying. */
const shortRequest = (request: PullRequest): string =>
  requestWords(request).replace(` ${REQUEST_STATES.open}, `, " ");

/** Of a row as a column of a list; empty without one. */
export const pullRequestText = ({ workspace }: PaneView): string =>
  workspace === null || workspace.pull_request === null ? "" : requestWords(workspace.pull_request);

/** `pull request #12: approved, checks passed: “Split refunds”`, and why nothing newer is known of it, for a detail. */
export const pullRequestTexts = ({ workspace }: PaneView): string[] => {
  if (workspace === null) return [];
  const { pull_request: request, pull_request_problem: problem } = workspace;
  const words =
    request === null
      ? []
      : [REQUEST_STATES[request.state], checksText(request, MAX_CHECK * 4)].filter((part) => part !== "");
  return [
    ...(request === null
      ? []
      : [
          `${request.forge === "gitlab" ? "merge" : "pull"} request ${requestNumber(request)}: ${words.join(", ")}: “${displayLine(request.title)}”`,
        ]),
    ...(problem === null ? [] : [`no news of pull requests: ${displayLine(problem)}`]),
  ];
};

// What the agent does now: the end of a row's second line.

/** Verb by the name of the tool, lower case and without underscores. */
const VERBS: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:bash|shell|exec|execcommand|runshellcommand|localshell|command|terminal|powershell|eval)$/,
    "running",
  ],
  [
    /^(?:edit|write|multiedit|notebookedit|writefile|replace|patch|applypatch|create|strreplace|update)$/,
    "editing",
  ],
  [/^(?:read|readfile|view|readmanyfiles|notebookread|cat)$/, "reading"],
  [/^(?:grep|glob|search|searchfilecontent|find|ls|list|listdirectory|rg|codesearch)$/, "searching"],
  [/^(?:webfetch|fetch|fetchwebpage)$/, "fetching"],
  [/^(?:websearch|googlewebsearch)$/, "searching the web for"],
];

/** `running npm test`, `editing src/refunds.ts`; of other tools their own name. */
const toolWords = ({ name, subject }: RunningTool): string => {
  const plain = name.toLowerCase().replaceAll(/[_\s-]/g, "");
  const verb = VERBS.find(([names]) => names.test(plain))?.[1];
  const on = displayLine(subject ?? "");
  if (verb !== undefined && on !== "") return `${verb} ${on}`;
  return `using ${displayLine(name)}${on === "" ? "" : ` ${on}`}`;
};

/** Reasons that add nothing to the state's icon. */
const SILENT: ReadonlySet<string> = new Set(["fresh", "demoted", "turn_ended"]);

/** The parts in order, each once; a part that another one has in it is left out. */
const joined = (...parts: readonly string[]): string =>
  parts
    .filter((part, index) => part !== "" && parts.findIndex((other) => other.includes(part)) === index)
    .join(" · ");

/**
 * The running tool, what the agent said last, or why it is in its state; then what it says beside that: attempts, queued prompts,
 * background work, the words of an error. Empty where the state's icon says it all.
 */
export const workText = (pane: PaneView): string => {
  const { state, activity, progress, reason_code: code } = pane;
  const tool = activity?.tool ?? null;
  const said = displayLine(activity?.said ?? "");
  const reason = SILENT.has(code ?? "") ? "" : reasonWords(code);
  const beside = displayLine(progress ?? "");
  switch (state) {
    case "running": {
      // A wait before the next attempt is worth more than the tool before it.
      const isTold = tool === null || code === "retrying" || code === "compacting";
      return joined(isTold ? reason : toolWords(tool), beside);
    }
    case "completed":
    case "idle":
      return joined(reason, said, beside);
    case "waiting_approval":
    case "waiting_input":
      // What it asks is shown by itself.
      return beside;
    case "error":
    case "unknown":
      return joined(reason === "" ? STATE_WORDS[state] : reason, beside);
    case null:
      return "no agent";
  }
};

export { rowTitle } from "../../core/model/words.ts";

export interface RowPart {
  kind:
    | "agent"
    | "account"
    | "machine"
    | "session"
    | "place"
    | "branch"
    | "changes"
    | "shared"
    | "conflict"
    | "pull_request"
    | "muted"
    | "work"
    | "armed";
  text: string;
}

/**
 * The second line, part by part: agent, account and machine (only where there are several), the session where no head names it,
 * repository (else the folder; or what it is inside of) and branch, what is not committed there, its pull request, marks where another agent works
 * there too, where their worktrees conflict, and where it is muted, what it does now, and what is armed
 * for it. Empty parts are left out.
 */
export const rowParts = (
  pane: PaneView,
  { hasMachines, hasSession = false }: { hasMachines: boolean; hasSession?: boolean },
): RowPart[] => {
  const { activity, identity } = pane;
  const request = pane.workspace?.pull_request ?? null;
  const account = displayLine(pane.account ?? "");
  const session = displayLine(identity.session_name);
  const place = insideText(pane) || displayLine(activity?.repository ?? "") || folderOf(pane);
  const parts: RowPart[] = [
    { kind: "agent", text: agentName(pane).replace(` (${account})`, "") },
    { kind: "account", text: account },
    { kind: "machine", text: hasMachines ? displayLine(identity.target) : "" },
    // Often a session has the name of its folder, or is the title.
    {
      kind: "session",
      text: hasSession && session !== place && session !== rowTitle(pane).text ? session : "",
    },
    { kind: "place", text: place },
    { kind: "branch", text: displayLine(activity?.branch ?? "") },
    { kind: "changes", text: changesText(pane) },
    { kind: "pull_request", text: request === null ? "" : shortRequest(request) },
    { kind: "shared", text: (pane.workspace?.shares_with.length ?? 0) === 0 ? "" : "shared" },
    { kind: "conflict", text: (pane.workspace?.conflicts.length ?? 0) === 0 ? "" : "conflict" },
    { kind: "muted", text: pane.muted === null ? "" : "muted" },
    { kind: "work", text: workText(pane) },
    { kind: "armed", text: displayLine(pane.armed ?? "") },
  ];
  return parts.filter(({ text }) => text !== "");
};

/** Since when the row's age counts: the turn while it works, else the state. Null: nobody knows. */
export const rowSince = ({ state, since, activity }: PaneView): string | null =>
  state === "running" ? (activity?.turn_began_at ?? since) : since;

/** `3m`; empty where nobody knows. */
export const rowAge = (pane: PaneView, now: number): string => {
  const since = rowSince(pane);
  return since === null ? "" : formatAge(now - Date.parse(since));
};

const BADGES = {
  command: "Approve",
  edit: "Edit",
  plan: "Plan",
  trust: "Trust",
  tool: "Approve",
  question: "Question",
  other: "Asks",
} as const;

interface CardBadge {
  tone: "approval" | "question" | "error";
  text: string;
}

const ERROR_BADGES: Readonly<Record<string, string>> = {
  usage_limit: "Limit",
  rate_limited: "Limit",
  auth_failed: "Sign in",
  crashed: "Crashed",
};

/** The one word of a card that says why it is there; null for a row that needs nobody. */
export const cardBadge = ({ state, request, reason_code: reason }: PaneView): CardBadge | null => {
  if (state === "error") return { tone: "error", text: ERROR_BADGES[reason ?? ""] ?? "Error" };
  if (state !== "waiting_approval" && state !== "waiting_input") return null;
  const tone = state === "waiting_approval" ? "approval" : "question";
  if (request !== null) return { tone, text: BADGES[request.kind] };
  if (reason === "auth_needed") return { tone, text: "Sign in" };
  return { tone, text: state === "waiting_approval" ? "Approve" : "Question" };
};

/** What is counted and chosen by: a state, or what finished and nobody has looked at. */
export type Counted = CanonicalState | "unread";

/** It ended, and nobody has looked since. What is unknown by now, as on a machine that is gone, may go on again. */
export const isUnread = ({ unread_since: since, state }: PaneView): boolean =>
  since !== null && state !== "unknown";

/** Of those, what finished: a crash counts as needing the person. */
export const isUnreadDone = (pane: PaneView): boolean => isUnread(pane) && !pane.needs_action;

interface Total {
  key: "needs" | "working" | "done" | "unknown";
  count: number;
  /** `4 need you`. */
  text: string;
  /** What it counts; a click on it shows only these. */
  states: readonly Counted[];
}

const NEEDS = ["waiting_approval", "waiting_input", "error"] as const;

/**
 * The totals in words, those of nothing left out: `4 need you`, `8 working`, `2 done`, `1 unknown`. What was seen is not done any
 * more.
 */
export const totalsOf = (counts: Readonly<Record<Counted, number>>): Total[] => {
  const needs = NEEDS.reduce((sum, state) => sum + counts[state], 0);
  const totals: Total[] = [
    { key: "needs", count: needs, text: `${needs} ${needs === 1 ? "needs" : "need"} you`, states: NEEDS },
    { key: "working", count: counts.running, text: `${counts.running} working`, states: ["running"] },
    { key: "done", count: counts.unread, text: `${counts.unread} done`, states: ["unread"] },
    { key: "unknown", count: counts.unknown, text: `${counts.unknown} unknown`, states: ["unknown"] },
  ];
  return totals.filter(({ count }) => count > 0);
};
