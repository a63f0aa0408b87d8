// Rows as every surface lists them: their order, and the roll-ups of spec 7.6 to windows and sessions.
import { type PaneView, countEach, type SessionView, type WindowView } from "../model/view.ts";
import { countStates } from "../model/needs.ts";
import { isWaiting, topState, type CanonicalState } from "../model/state.ts";

/** First without regard to case, as people sort; then with it, so that the order is total. */
export const byText = (a: string, b: string): number => {
  // Most compared names are equal. Sorting by a language's rules would cost time, and two megabytes.
  if (a === b) return 0;
  const [lowA, lowB] = [a.toLowerCase(), b.toLowerCase()];
  if (lowA !== lowB) return lowA < lowB ? -1 : 1;
  return a < b ? -1 : 1;
};

/** Stable order: target, server, session, window, pane. */
export const byPlace = (a: PaneView, b: PaneView): number =>
  byText(a.identity.target, b.identity.target) ||
  byText(a.identity.tmux_server, b.identity.tmux_server) ||
  byText(a.identity.session_name, b.identity.session_name) ||
  a.window_index - b.window_index ||
  a.pane_index - b.pane_index ||
  byText(a.short_ref, b.short_ref);

// Roll-ups of rows to windows and sessions (spec 7.6).

const statesOf = (panes: readonly PaneView[]): CanonicalState[] =>
  panes.flatMap((pane) => (pane.state === null ? [] : [pane.state]));

const groupBy = (panes: readonly PaneView[], keyOf: (pane: PaneView) => string): PaneView[][] => {
  const groups = new Map<string, PaneView[]>();
  for (const pane of panes) {
    const key = keyOf(pane);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [pane]);
    else group.push(pane);
  }
  return [...groups.values()];
};

const summarise = (panes: readonly PaneView[]) => {
  const states = statesOf(panes);
  return {
    pane_count: panes.length,
    agent_count: states.length,
    top_state: topState(states),
    waiting_count: states.filter(isWaiting).length,
    running_count: states.filter((state) => state === "running").length,
    by_state: countStates(panes),
  };
};

const key = (...parts: (string | number)[]): string => parts.join("\u0000");

export type SessionGrouping = "target-session" | "session-name";

/** What the panes of one window share. */
export const windowOf = ({ identity }: PaneView): string =>
  key(identity.target, identity.tmux_server, identity.session_name, identity.window_id);

/** What the panes of one session share. */
export const sessionOf =
  (grouping: SessionGrouping) =>
  ({ identity }: PaneView): string =>
    grouping === "session-name"
      ? identity.session_name
      : key(identity.target, identity.tmux_server, identity.session_name);

/** One row per window; `panes` must include those without an agent for `pane_count` to be true. */
export const rollUpWindows = (panes: readonly PaneView[]): WindowView[] =>
  groupBy(panes, windowOf).flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { target, tmux_server, session_name, window_id } = first.identity;
    return [
      {
        identity: { target, tmux_server, session_name, window_id },
        window_index: first.window_index,
        window_name: first.window_name,
        ...summarise(group),
      },
    ];
  });

/** One row per target and session, or per session name over all targets when asked to. */
export const rollUpSessions = (panes: readonly PaneView[], grouping: SessionGrouping): SessionView[] =>
  groupBy(panes, sessionOf(grouping)).flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const isMerged = grouping === "session-name";
    const perTarget = groupBy(group, ({ identity }) => key(identity.target, identity.tmux_server));
    return [
      {
        identity: {
          target: isMerged ? null : first.identity.target,
          tmux_server: isMerged ? null : first.identity.tmux_server,
          session_name: first.identity.session_name,
        },
        window_count: new Set(
          group.map(({ identity }) => key(identity.target, identity.tmux_server, identity.window_id)),
        ).size,
        ...summarise(group),
        by_agent: countEach(group.flatMap((pane) => (pane.agent === null ? [] : [pane.agent]))),
        targets: perTarget.flatMap((part) => {
          const [one] = part;
          if (one === undefined) return [];
          return [
            {
              target: one.identity.target,
              tmux_server: one.identity.tmux_server,
              agent_count: statesOf(part).length,
              by_state: countStates(part),
            },
          ];
        }),
      },
    ];
  });
