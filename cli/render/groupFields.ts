// The fields of a window's and of a session's row, by the names that `--columns` knows.
import type { SessionView, WindowView } from "../../core/model/view.ts";
import { DEFAULT_SERVER } from "../../core/model/shortRef.ts";
import type { Machines } from "../../ui/text/machines.ts";
import { cleanLine } from "./clean.ts";
import type { Field, RenderOptions } from "./field.ts";
import { describeCounts, stateCell } from "./mark.ts";
import { describeSession, describeTarget } from "./paneFields.ts";
import type { Column } from "./table.ts";

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
