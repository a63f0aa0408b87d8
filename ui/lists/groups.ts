// Arranges panes as the popover shows them: the inbox of those that need a person, then one group per target and session.
// Pure; it orders, filters and counts, and knows nothing of pixels.
import { countStates } from "../../core/model/needs.ts";
import type { PaneView, TargetView } from "../../core/model/view.ts";
import { STATE_WORDS } from "../../core/model/words.ts";
import { searchFor } from "../text/displayText.ts";
import { HEALTH_WORDS, KNOWN_REASONS, waitingOf, isUnreadDone, type Counted } from "../text/rowText.ts";

export interface Filter {
  text: string;
  /** Empty: all states. */
  states: ReadonlySet<Counted>;
}

export type StateCounts = Readonly<Record<Counted, number>>;

export interface Group {
  /** Target, server and session; stable across changes. */
  key: string;
  target: string;
  server: string;
  session: string;
  health: TargetView["health"];
  /** Why the target or this server is not well; null while it is. */
  problem: string | null;
  /** Over all panes of the group that pass the filter, those in the inbox included. */
  counts: StateCounts;
  /** All that pass the filter, in the feed's order. */
  members: readonly PaneView[];
  /** Without those in the inbox, by place. */
  panes: readonly PaneView[];
  inboxCount: number;
}

/** A missing part of the list: a target or a server that cannot be read. */
export interface Problem {
  key: string;
  text: string;
}

export interface Overview {
  /** Over the panes that the search leaves, whatever states are chosen: a click on a total is how its states are chosen. */
  counts: StateCounts;
  /** Longest wait first. */
  inbox: readonly PaneView[];
  groups: readonly Group[];
  problems: readonly Problem[];
  /** Panes known. */
  total: number;
  /** Panes that pass the filter. */
  shown: readonly PaneView[];
}

/** Names as people sort them: `win-2` before `win-10`. */
export const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** Counts by state, as in the daemon's roll-up, and of what finished and nobody has looked at. */
export const countRows = (panes: readonly PaneView[]): StateCounts => ({
  ...countStates(panes),
  unread: panes.filter(isUnreadDone).length,
});

/** Target, server and session of a pane as one key: the names of the first two hold no line breaks. */
export const sessionKeyOf = ({ identity }: PaneView): string =>
  `${identity.target}\n${identity.tmux_server}\n${identity.session_name}`;

/** Everything that a row says, and the words by which people know a pane. */
const searchText = (pane: PaneView): string => {
  const { identity, activity, request } = pane;
  const parts = [
    activity?.prompt,
    activity?.session_title,
    activity?.said,
    activity?.tool?.name,
    activity?.tool?.subject,
    activity?.folder,
    activity?.repository,
    activity?.branch,
    activity?.worktree,
    identity.target,
    identity.session_name,
    pane.short_ref,
    pane.window_name,
    pane.title,
    pane.agent,
    pane.agent_name,
    pane.state === null ? null : STATE_WORDS[pane.state],
    KNOWN_REASONS.get(pane.reason_code ?? ""),
    pane.progress,
    request?.title,
    request?.body,
    ...(request?.options ?? []).map(({ label }) => label),
  ];
  return parts.filter((part) => part !== null && part !== undefined).join("\n");
};

/** The same agent in the same pane, whatever it is called by now. */
const isSameAgent = (left: PaneView, right: PaneView | null): boolean =>
  left.identity.pane_ref === right?.identity.pane_ref &&
  left.identity.runtime_id === right.identity.runtime_id;

const isChosen = (pane: PaneView, states: Filter["states"]): boolean =>
  states.size === 0 ||
  (pane.state !== null && states.has(pane.state)) ||
  (states.has("unread") && isUnreadDone(pane));

export const byPlace = (left: PaneView, right: PaneView): number =>
  left.window_index - right.window_index ||
  left.pane_index - right.pane_index ||
  collator.compare(left.short_ref, right.short_ref);

const isLocal = (targets: ReadonlyMap<string, TargetView>, name: string): boolean =>
  targets.get(name)?.kind === "local";

const problemOf = (target: TargetView | undefined, server: string): string | null => {
  if (target === undefined) return null;
  if (target.health !== "ok")
    return target.health_reason ?? (target.health === "down" ? "can't be reached" : "slow");
  return target.servers.find((known) => known.tmux_server === server)?.problem ?? null;
};

const findProblems = (targets: ReadonlyMap<string, TargetView>): Problem[] => {
  const problems: Problem[] = [];
  for (const target of targets.values()) {
    if (target.health !== "ok") {
      const reason = target.health_reason === null ? "" : `: ${target.health_reason}`;
      problems.push({
        key: target.target,
        text: `${target.target} is ${HEALTH_WORDS[target.health]}${reason}`,
      });
    }
    for (const server of target.servers)
      if (server.status === "error")
        problems.push({
          key: `${target.target}:${server.tmux_server}`,
          text: `${target.target}: can't read tmux server ${server.tmux_server}${server.problem === null ? "" : `: ${server.problem}`}`,
        });
  }
  return problems;
};

const makeGroup = (
  key: string,
  first: PaneView,
  panes: readonly PaneView[],
  targets: ReadonlyMap<string, TargetView>,
): Group => {
  const { target, tmux_server: server, session_name: session } = first.identity;
  const rest = panes.filter((pane) => !pane.needs_action);
  return {
    key,
    target,
    server,
    session,
    health: targets.get(target)?.health ?? "ok",
    problem: problemOf(targets.get(target), server),
    counts: countRows(panes),
    members: panes,
    panes: rest.toSorted(byPlace),
    inboxCount: panes.length - rest.length,
  };
};

const isSameList = <T>(left: readonly T[], right: readonly T[]): boolean =>
  left.length === right.length && left.every((item, index) => item === right[index]);

const findGroups = (
  shown: readonly PaneView[],
  targets: ReadonlyMap<string, TargetView>,
  before: readonly Group[],
): readonly Group[] => {
  const known = new Map(before.map((group) => [group.key, group]));
  const members = Map.groupBy(shown, sessionKeyOf);
  const groupOf = (key: string, first: PaneView, panes: readonly PaneView[]): Group => {
    const group = known.get(key);
    return group !== undefined && isSameList(group.members, panes)
      ? group
      : makeGroup(key, first, panes, targets);
  };
  const groups = [...members].flatMap(([key, panes]) => {
    const [first] = panes;
    return first === undefined ? [] : [groupOf(key, first, panes)];
  });
  return groups.toSorted(
    (left, right) =>
      Number(isLocal(targets, right.target)) - Number(isLocal(targets, left.target)) ||
      collator.compare(left.target, right.target) ||
      collator.compare(left.server, right.server) ||
      collator.compare(left.session, right.session),
  );
};

/** The last result and the targets from which it was made. Unchanged parts are used again as the same objects. */
export interface Arranged {
  readonly targets: ReadonlyMap<string, TargetView>;
  readonly overview: Overview;
}

/**
 * Local targets first, then by name; sessions by name, with numbers in their natural order. `kept` is shown whether the filter
 * finds it or not.
 */
export const arrange = (
  panes: Iterable<PaneView>,
  targets: ReadonlyMap<string, TargetView>,
  filter: Filter,
  before: Arranged | null = null,
  kept: PaneView | null = null,
): Overview => {
  const all = [...panes];
  const isFound = searchFor(filter.text);
  const found = all.filter((pane) => isSameAgent(pane, kept) || isFound(() => searchText(pane)));
  const shown = found.filter((pane) => isSameAgent(pane, kept) || isChosen(pane, filter.states));
  // A group shows the health of its target.
  const known = before !== null && before.targets === targets ? before.overview : null;
  return {
    counts: countRows(found),
    inbox: waitingOf(shown),
    groups: findGroups(shown, targets, known?.groups ?? []),
    problems: known?.problems ?? findProblems(targets),
    total: all.length,
    shown,
  };
};
