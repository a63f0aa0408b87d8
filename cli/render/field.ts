// The fields of panes, windows and sessions by name: the columns that a person or a script may choose. Each has a cell for a table
// and the raw value for a script. Tables of chosen columns are not grouped, so that they keep the requested order.
import type { Counts, PaneView, SessionView, WindowView } from "../../core/model/view.ts";
import {
  type Machines,
  refText,
  requestLine,
  rowAge,
  rowParts,
  rowSince,
  rowTitle,
  workText,
  changesText,
  pullRequestText,
} from "../../ui/text/rowText.ts";
import type { Since } from "../parse/values.ts";
import { renderFoot, stateCell, describeCounts } from "./mark.ts";
import { type Measure, type Paint, renderTable, type Cell, type Column } from "./table.ts";
import type { ReasonCode } from "../../core/model/state.ts";
import { formatAge, REASON_WORDS, toolText } from "../../core/model/words.ts";
import { BACKGROUND_SERVER, DEFAULT_SERVER, formatTarget } from "../../core/model/shortRef.ts";
import { cleanLine } from "./clean.ts";

/** The version or time after which a pane's change is marked in a table. */
export interface Marks {
  readonly changedSince?: Since;
}

export interface RenderOptions extends Marks, Machines {
  readonly paint: Paint;
  readonly width: number | null;
  /** However narrow it is: nobody looks at a pipe twice. */
  readonly hasAllColumns?: boolean;
  readonly measure: Measure;
  /** Epoch ms that ages are counted to. */
  readonly now: number;
}

export interface Field<T> extends Column {
  cell(item: T, options: RenderOptions): Cell;
  /** Null or empty: there is none. */
  raw(item: T, now: number): string | number | boolean | null;
}

/** Characters that would end a field or a line, control a terminal, or hide text; and the backslash, which begins an escape. */
// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const UNSAFE = /[\\\u0000-\u001F\u007F-\u009F\u2028\u2029\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
const SHORT: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r" };

/** One field of `--plain`, escaped without loss or ambiguity. */
const plainField = (value: string | number | boolean | null): string =>
  value === null || value === ""
    ? "-"
    : String(value).replace(
        UNSAFE,
        (char) => SHORT[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );

export const renderPlain = <T>(items: readonly T[], fields: readonly Field<T>[], now: number): string[] =>
  items.map((item) => fields.map((field) => plainField(field.raw(item, now))).join("\t"));

interface ListOf<T> {
  readonly summary: Counts;
  readonly problems: readonly string[];
  readonly items: readonly T[];
}

/** Titles and one row per item. */
export const renderRows = <T>(
  items: readonly T[],
  fields: readonly Field<T>[],
  options: RenderOptions,
): string[] => {
  const rows = items.map((item) => fields.map((field) => field.cell(item, options)));
  return renderTable(fields, rows, options);
};

/** One row per item in the list's own order. `noun`: what an item is. */
export const renderFlat = <T>(
  list: ListOf<T>,
  fields: readonly Field<T>[],
  noun: string,
  options: RenderOptions,
): string[] => {
  const foot = renderFoot(list, noun, options);
  return list.items.length === 0
    ? [`No ${noun}s here.`, ...foot]
    : [...renderRows(list.items, fields, options), "", ...foot];
};

// Panes, by the names that `--columns` knows.

const isReasonCode = (code: string): code is ReasonCode => Object.hasOwn(REASON_WORDS, code);

const reasonOf = (pane: PaneView): string =>
  pane.reason_code !== null && isReasonCode(pane.reason_code)
    ? REASON_WORDS[pane.reason_code]
    : cleanLine(pane.reason_code ?? pane.title);

/** The agent's request, in one line; else the reason of its state and what it says of its work; else the pane's title. */
export const describePane = (pane: PaneView): string => {
  if (pane.request !== null) return cleanLine(requestLine(pane));
  return pane.progress === null ? reasonOf(pane) : `${reasonOf(pane)} · ${cleanLine(pane.progress)}`;
};

/** `target` or `target:server`, as in references. */
export const describeTarget = (target: string, server: string): string =>
  cleanLine(formatTarget(target, server));

/** A session by its name, with the machine where there are several, and the tmux server where it is not the default one. */
const describeSession = (
  {
    target,
    tmux_server,
    session_name,
  }: Pick<PaneView["identity"], "target" | "tmux_server" | "session_name">,
  { hasMachines }: Machines,
): string => {
  const isUsual = tmux_server === DEFAULT_SERVER || tmux_server === BACKGROUND_SERVER;
  const machine = hasMachines ? (isUsual ? target : formatTarget(target, tmux_server)) : tmux_server;
  const isPlain = !hasMachines && isUsual;
  return cleanLine(isPlain ? session_name : `${machine}/${session_name}`);
};

export const describeWindow = (pane: PaneView): string =>
  pane.background !== null ? "-" : `${pane.window_index}:${cleanLine(pane.window_name)}.${pane.pane_index}`;

const ageCell = (since: string | null, now: number): Cell => ({
  text: since === null ? "" : formatAge(now - Date.parse(since)),
});

/** Printed before the age of a row that changed. */
export const CHANGED = "●";

/** Whether a pane came into its state after the moment or version that is marked. */
export const isChanged = (pane: PaneView, { changedSince }: Marks): boolean => {
  if (changedSince === undefined || pane.state === null) return false;
  const { version, time } = changedSince;
  if (version !== null) return pane.state_version > version;
  return time !== null && pane.since !== null && Date.parse(pane.since) >= time;
};

const secondsSince = (at: string, now: number): number =>
  Math.max(0, Math.floor((now - Date.parse(at)) / 1_000));

/** `work:1.0`, which can be typed as a reference. */
const describePlace = ({ identity, background, window_index, pane_index }: PaneView): string =>
  background === null ? `${identity.session_name}:${window_index}.${pane_index}` : identity.session_name;

/** The repository, else the folder, the branch, what is not committed, and whether others work there too. */
const describeWhere = (pane: PaneView): string =>
  rowParts(pane, { hasMachines: false })
    .filter(({ kind }) => kind !== "agent" && kind !== "work")
    .map(({ text: part }) => part)
    .join(" · ");

const whole = (title: string): Column => ({ title, min: null });

/** A field with the same text for people and for scripts. */
const text = (
  column: Column,
  raw: (pane: PaneView) => string | number | boolean | null,
): Field<PaneView> => ({
  ...column,
  cell: (pane) => {
    const value = raw(pane);
    return { text: value === null ? "-" : cleanLine(String(value)) };
  },
  raw,
});

/** Words of a row that are made for showing: cleaned, with marks for what nobody would see. */
const words = (column: Column, raw: (pane: PaneView) => string): Field<PaneView> => ({
  ...column,
  cell: (pane) => ({ text: raw(pane) }),
  raw,
});

export const PANE_FIELDS = {
  state: {
    title: "STATE",
    min: 16,
    least: 4,
    cell: (pane, { paint }) => stateCell(pane.state, paint),
    raw: (pane) => pane.state,
  },
  reason: text({ title: "REASON", min: 8 }, (pane) => pane.reason_code),
  progress: text({ title: "PROGRESS", min: 10 }, (pane) => pane.progress),
  prompt: text({ title: "PROMPT", min: 10 }, (pane) => pane.activity?.prompt ?? null),
  session_title: text({ title: "SESSION TITLE", min: 10 }, (pane) => pane.activity?.session_title ?? null),
  running_tool: text({ title: "RUNNING", min: 10 }, ({ activity }) =>
    activity?.tool === null || activity?.tool === undefined ? null : toolText(activity.tool),
  ),
  said: text({ title: "SAID", min: 10 }, (pane) => pane.activity?.said ?? null),
  folder: text({ title: "FOLDER", min: 8 }, (pane) => pane.activity?.folder ?? null),
  repository: text({ title: "REPOSITORY", min: 6 }, (pane) => pane.activity?.repository ?? null),
  branch: text({ title: "BRANCH", min: 6 }, (pane) => pane.activity?.branch ?? null),
  worktree: text({ title: "WORKTREE", min: 6 }, (pane) => pane.activity?.worktree ?? null),
  work_tree: text({ title: "WORKTREE ROOT", min: 8 }, (pane) => pane.activity?.work_tree ?? null),
  changes: words({ title: "CHANGES", min: 6 }, changesText),
  changed_files: text(
    { ...whole("FILES"), align: "right" },
    (pane) => pane.workspace?.changes?.files ?? null,
  ),
  added: text({ ...whole("ADDED"), align: "right" }, (pane) => pane.workspace?.changes?.added ?? null),
  removed: text({ ...whole("REMOVED"), align: "right" }, (pane) => pane.workspace?.changes?.removed ?? null),
  ahead: text({ ...whole("AHEAD"), align: "right" }, (pane) => pane.workspace?.changes?.ahead ?? null),
  behind: text({ ...whole("BEHIND"), align: "right" }, (pane) => pane.workspace?.changes?.behind ?? null),
  not_looked_at: text({ title: "NOT LOOKED AT", min: 8 }, (pane) => pane.workspace?.not_looked_at ?? null),
  shares_with: text({ title: "SHARES WITH", min: 8 }, (pane) => {
    const refs = (pane.workspace?.shares_with ?? []).map(({ short_ref }) => short_ref);
    return refs.length === 0 ? null : refs.join(" ");
  }),
  conflicts: text({ title: "CONFLICTS", min: 8 }, (pane) => {
    const refs = new Set((pane.workspace?.conflicts ?? []).map(({ with: side }) => side.short_ref));
    return refs.size === 0 ? null : [...refs].join(" ");
  }),
  pull_request: words({ title: "PULL REQUEST", min: 8 }, pullRequestText),
  pull_request_url: text({ title: "PAGE", min: 8 }, (pane) => pane.workspace?.pull_request?.url ?? null),
  turn_age: {
    title: "TURN",
    min: null,
    align: "right",
    cell: (pane, options) => ageCell(pane.activity?.turn_began_at ?? null, options.now),
    raw: (pane, now) => {
      const beganAt = pane.activity?.turn_began_at ?? null;
      return beganAt === null ? null : secondsSince(beganAt, now);
    },
  },
  confidence: text(whole("CONFIDENCE"), (pane) => pane.confidence),
  needs_action: text(whole("NEEDS ACTION"), (pane) => pane.needs_action),
  age: {
    title: "AGE",
    min: null,
    align: "right",
    cell: (pane, options) => {
      const { text: shown } = ageCell(pane.since, options.now);
      return isChanged(pane, options) ? { text: `${CHANGED} ${shown}` } : { text: shown };
    },
    raw: (pane, now) => (pane.since === null ? null : secondsSince(pane.since, now)),
  },
  since: text(whole("SINCE"), (pane) => pane.since),
  unread_since: text(whole("UNREAD"), (pane) => pane.unread_since),
  confirmed_at: text(whole("CONFIRMED"), (pane) => pane.confirmed_at),
  muted_until: text(whole("MUTED"), ({ muted }) => (muted === null ? null : (muted.until ?? "it ends"))),
  name: text({ title: "NAME", min: 8 }, (pane) => pane.name),
  agent: text({ title: "AGENT", min: 5 }, (pane) => pane.agent),
  agent_name: text({ title: "AGENT", min: 5 }, (pane) => pane.agent_name),
  target: text({ title: "TARGET", min: 6 }, ({ identity }) => identity.target),
  tmux_server: text({ title: "SERVER", min: 6 }, ({ identity }) => identity.tmux_server),
  session: {
    title: "SESSION",
    min: 8,
    cell: ({ identity }, options) => ({ text: describeSession(identity, options) }),
    raw: ({ identity }) => identity.session_name,
  },
  window: {
    title: "WINDOW",
    min: 8,
    cell: (pane) => ({ text: describeWindow(pane) }),
    raw: (pane) => pane.window_name,
  },
  window_id: text(whole("WINDOW ID"), ({ identity }) => identity.window_id),
  pane_id: text(whole("PANE"), ({ identity }) => identity.pane_id),
  title: text({ title: "TITLE", min: 8 }, (pane) => pane.title),
  what: {
    title: "WHAT",
    min: 10,
    cell: (pane) => ({ text: describePane(pane) }),
    raw: (pane) => describePane(pane),
  },
  kind: text(whole("KIND"), (pane) => pane.request?.kind ?? null),
  tool: text({ title: "TOOL", min: 4 }, (pane) => pane.request?.tool_name ?? null),
  request: text({ title: "REQUEST", min: 10 }, (pane) => pane.request?.title ?? null),
  body: text({ title: "BODY", min: 10 }, (pane) => pane.request?.body ?? null),
  prompt_fingerprint: text(whole("PROMPT FINGERPRINT"), (pane) => pane.prompt_fingerprint),
  state_version: text({ ...whole("VERSION"), align: "right" }, (pane) => pane.state_version),
  runtime_id: text(whole("RUNTIME"), ({ identity }) => identity.runtime_id),
  ref: {
    title: "REF",
    min: null,
    cell: (pane, { paint, ...machines }) => ({
      text: refText(pane, machines),
      paint: (ref) => paint("dim", ref),
    }),
    raw: ({ identity }) => identity.pane_ref,
  },
  short_ref: text(whole("SHORT REF"), (pane) => pane.short_ref),
  inside: text(whole("INSIDE"), (pane) => pane.inside),
  task: words({ title: "TASK", min: 16, least: 8 }, (pane) => rowTitle(pane).text),
  where: words({ title: "WHERE", min: 8 }, describeWhere),
  now: words({ title: "NOW", min: 10 }, (pane) => requestLine(pane) || workText(pane)),
  place: text({ title: "PLACE", min: 8 }, describePlace),
  row_age: {
    title: "AGE",
    min: null,
    align: "right",
    cell: (pane, options) => {
      const shown = rowAge(pane, options.now);
      return { text: isChanged(pane, options) ? `${CHANGED} ${shown}` : shown };
    },
    raw: (pane, now) => {
      const since = rowSince(pane);
      return since === null ? null : secondsSince(since, now);
    },
  },
} as const satisfies Record<string, Field<PaneView>>;

// Windows and sessions, by the names that `--columns` knows.

type Group = WindowView | SessionView;

/** The numbers are cut only where nothing else makes the table fit. */
const NARROW = { min: 6, least: 3, align: "right" } as const satisfies Partial<Column>;
const WHOLE = { min: null, align: "right" } as const satisfies Partial<Column>;

const count = <T extends Group>(column: Column, of: (group: T) => number): Field<T> => ({
  ...column,
  cell: (group) => ({ text: String(of(group)) }),
  raw: of,
});

const topState = {
  title: "TOP STATE",
  min: 16,
  least: 4,
  cell: ({ top_state }: Group, { paint }: RenderOptions) => stateCell(top_state, paint),
  raw: ({ top_state }: Group) => top_state,
} as const;

/** `3 running, 1 idle` as `state=number` pairs for scripts. */
const states = {
  title: "AGENT STATES",
  min: 10,
  cell: ({ by_state }: Group, { width }: RenderOptions) => ({
    text: describeCounts(by_state, (_colour, text) => text, width === null ? null : 0),
  }),
  raw: ({ by_state }: Group) => pairs(by_state),
} as const;

const pairs = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .filter(([, number]) => number > 0)
    .map(([name, number]) => `${name}=${number}`)
    .join(",");

export const WINDOW_FIELDS = {
  state: topState,
  window: {
    title: "WINDOW",
    min: 8,
    cell: ({ window_index, window_name }) => ({ text: `${window_index}:${cleanLine(window_name)}` }),
    raw: ({ window_name }) => window_name,
  },
  window_id: {
    title: "ID",
    min: null,
    cell: ({ identity }) => ({ text: identity.window_id }),
    raw: ({ identity }) => identity.window_id,
  },
  target: {
    title: "TARGET",
    min: 6,
    cell: ({ identity }) => ({ text: describeTarget(identity.target, identity.tmux_server) }),
    raw: ({ identity }) => identity.target,
  },
  tmux_server: {
    title: "SERVER",
    min: 6,
    cell: ({ identity }) => ({ text: cleanLine(identity.tmux_server) }),
    raw: ({ identity }) => identity.tmux_server,
  },
  session: {
    title: "SESSION",
    min: 8,
    cell: ({ identity }, options) => ({ text: describeSession(identity, options) }),
    raw: ({ identity }) => identity.session_name,
  },
  panes: count({ title: "PANES", ...NARROW }, (window) => window.pane_count),
  agents: count({ title: "AGENTS", ...NARROW }, (window) => window.agent_count),
  waiting: count({ title: "WAITING", ...NARROW }, (window) => window.waiting_count),
  running: count({ title: "RUNNING", ...NARROW }, (window) => window.running_count),
  states,
} as const satisfies Record<string, Field<WindowView>>;

const describeAgents = (session: SessionView): string =>
  Object.entries(session.by_agent)
    .map(([agent, number]) => `${number} ${cleanLine(agent)}`)
    .join(", ");

const targetsOf = ({ targets }: SessionView, separator: string): string =>
  targets.map(({ target, tmux_server }) => describeTarget(target, tmux_server)).join(separator);

const nameOf = (session: SessionView, machines: Machines): string => {
  const { target, tmux_server, session_name } = session.identity;
  return target === null
    ? `${cleanLine(session_name)} (${targetsOf(session, ", ")})`
    : describeSession({ target, tmux_server: tmux_server ?? DEFAULT_SERVER, session_name }, machines);
};

export const SESSION_FIELDS = {
  state: topState,
  session: {
    title: "SESSION",
    min: 10,
    cell: (session, options) => ({ text: nameOf(session, options) }),
    raw: ({ identity }) => identity.session_name,
  },
  target: {
    title: "TARGET",
    min: 6,
    cell: (session) => ({ text: targetsOf(session, ", ") }),
    raw: (session) => targetsOf(session, ","),
  },
  windows: count({ title: "WINDOWS", ...WHOLE }, (session) => session.window_count),
  panes: count({ title: "PANES", ...WHOLE }, (session) => session.pane_count),
  agents: count({ title: "AGENTS", ...WHOLE }, (session) => session.agent_count),
  waiting: count({ title: "WAITING", ...WHOLE }, (session) => session.waiting_count),
  running: count({ title: "RUNNING", ...WHOLE }, (session) => session.running_count),
  by_agent: {
    title: "BY AGENT",
    min: 8,
    cell: (session) => ({ text: describeAgents(session) }),
    raw: ({ by_agent }) => pairs(by_agent),
  },
  states,
} as const satisfies Record<string, Field<SessionView>>;
