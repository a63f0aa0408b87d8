// The overview as one flat list of rows, so that a thousand panes can be drawn by the window: which rows are drawn, which views
// there are, the rows of each, and moving through them with the keyboard.
import type { PaneView, TargetView } from "../../core/model/view.ts";
import { arrange, type Arranged, type Filter, type Group, type Overview } from "./groups.ts";
import {
  sessionRowKey,
  summariseSessions,
  type SessionSummary,
  type WindowSummary,
  windowsOf,
} from "./sessions.ts";
import { searchFor } from "../text/displayText.ts";

// Drawn rows: which of a long list are worth having in the document. Heights are in any unit (CSS pixels, lines of a terminal)
// and known before drawing; an expanded row reports its own once it was measured.

interface RowWindow {
  /** First and last index to draw, both included; `last` is -1 for an empty list. */
  first: number;
  last: number;
}

/** Tops of all rows, plus one more entry: the height of the whole list. */
export const rowTops = (heights: readonly number[]): number[] => {
  const tops = [0];
  for (const height of heights) tops.push((tops.at(-1) ?? 0) + height);
  return tops;
};

const rowAt = (tops: readonly number[], offset: number): number => {
  let [low, high] = [0, tops.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((tops[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
};

/** `overscan` rows are added on both sides so that scrolling and tabbing find something. */
export const findWindow = (
  tops: readonly number[],
  scrollTop: number,
  viewHeight: number,
  overscan: number,
): RowWindow => {
  const count = tops.length - 1;
  if (count <= 0) return { first: 0, last: -1 };
  return {
    first: Math.max(rowAt(tops, scrollTop) - overscan, 0),
    last: Math.min(rowAt(tops, scrollTop + viewHeight) + overscan, count - 1),
  };
};

/** Where to scroll so that a row is in view; the present offset when it already is. */
export const scrollToShow = (
  tops: readonly number[],
  index: number,
  scrollTop: number,
  viewHeight: number,
): number => {
  const [top, bottom] = [tops[index] ?? 0, tops[index + 1] ?? 0];
  if (top < scrollTop) return top;
  if (bottom > scrollTop + viewHeight) return Math.min(top, bottom - viewHeight);
  return scrollTop;
};

// Views: which one is shown. A further view is one more member here, a place in the tabs, and its drawing in App.

export type View =
  | { kind: "agents" }
  | { kind: "sessions" }
  /** The windows of one session; `isMerged`: of all sessions of that name. */
  | { kind: "windows"; sessionKey: string; name: string; isMerged: boolean }
  | { kind: "targets" }
  /** Sessions that agents keep on disk. */
  | { kind: "history" }
  /** What is armed and what it did; `runtimeId`: for this agent alone. */
  | { kind: "armed"; runtimeId: string | null };

export const TABS = [
  { kind: "agents", label: "Agents", key: "g" },
  { kind: "sessions", label: "Sessions", key: "s" },
  { kind: "targets", label: "Machines", key: "m" },
  { kind: "history", label: "History", key: "h" },
  { kind: "armed", label: "Automation", key: "l" },
] as const satisfies readonly { kind: View["kind"]; label: string; key: string }[];
export type TabKind = (typeof TABS)[number]["kind"];

/** What a tab shows at first. */
export const viewOf = (kind: TabKind): View => (kind === "armed" ? { kind, runtimeId: null } : { kind });

/** What it shows comes from no feed: the view asks for it, and its list is its own. */
export const asksItself = ({ kind }: View): boolean => kind === "history" || kind === "armed";

/** Its rows are agents, each with a detail. */
export const showsAgents = ({ kind }: View): boolean => kind === "agents" || kind === "windows";

export const tabOf = (view: View): TabKind => (view.kind === "windows" ? "sessions" : view.kind);

/** Where Esc leads from a view; null when it closes the popover. */
export const parentOf = (view: View): View | null => {
  switch (view.kind) {
    case "agents":
      return null;
    case "sessions":
    case "targets":
    case "history":
      return { kind: "agents" };
    case "armed":
      return view.runtimeId === null ? { kind: "agents" } : viewOf("armed");
    case "windows":
      return { kind: "sessions" };
  }
};

/** Where a row is shown. It does not repeat what its surroundings say. */
/** `alone`: the only one of its session that is listed there, without a head: its row names the session. */
type RowPlace = "inbox" | "alone" | "session" | "window";

export type Row =
  | { kind: "heading"; key: string; text: string; count: number }
  | { kind: "group"; key: string; group: Group; isOpen: boolean }
  | { kind: "pane"; key: string; pane: PaneView; place: RowPlace }
  | { kind: "session"; key: string; session: SessionSummary }
  | { kind: "window"; key: string; window: WindowSummary }
  | { kind: "target"; key: string; target: TargetView };

const paneRow = (pane: PaneView, place: RowPlace): Row => ({
  kind: "pane",
  key: pane.identity.pane_ref,
  pane,
  place,
});

const groupRows = (group: Group, isOpen: boolean): Row[] => {
  const header: Row = { kind: "group", key: group.key, group, isOpen };
  // All of its agents may be in the inbox: nothing is shown twice, so the group has no head either.
  if (group.panes.length === 0) return [];
  return isOpen ? [header, ...group.panes.map((pane) => paneRow(pane, "session"))] : [header];
};

/** What a head would say of its machine is still said by one. */
const isAlone = ({ panes, health }: Group): boolean => panes.length === 1 && health === "ok";

const agentRows = (overview: Overview, collapsed: ReadonlySet<string>): Row[] => {
  const inbox: Row[] =
    overview.inbox.length === 0
      ? []
      : [
          { kind: "heading", key: "inbox", text: "Needs you", count: overview.inbox.length },
          ...overview.inbox.map((pane) => paneRow(pane, "inbox")),
        ];
  // First, so that none seems to belong to the group above it.
  const alone = overview.groups.filter(isAlone).flatMap(({ panes }) => panes);
  return [
    ...inbox,
    ...alone.map((pane) => paneRow(pane, "alone")),
    ...overview.groups
      .filter((group) => !isAlone(group))
      .flatMap((group) => groupRows(group, !collapsed.has(group.key))),
  ];
};

const windowRows = (overview: Overview, view: Extract<View, { kind: "windows" }>): Row[] =>
  windowsOf(overview.shown.filter((pane) => sessionRowKey(pane, view.isMerged) === view.sessionKey)).flatMap(
    (window): Row[] => [
      { kind: "window", key: window.key, window },
      ...window.panes.map((pane) => paneRow(pane, "window")),
    ],
  );

/** Unwell ones first. */
const targetRows = (targets: ReadonlyMap<string, TargetView>, text: string): Row[] => {
  const isFound = searchFor(text);
  const rank = { down: 0, degraded: 1, ok: 2 } as const;
  return [...targets.values()]
    .filter((target) =>
      isFound(() => [target.target, target.connection_ref ?? "", target.health_reason ?? ""].join("\n")),
    )
    .toSorted(
      (left, right) =>
        rank[left.health] - rank[right.health] ||
        Number(right.kind === "local") - Number(left.kind === "local") ||
        left.target.localeCompare(right.target),
    )
    .map((target) => ({ kind: "target", key: `target:${target.target}`, target }));
};

interface RowSource {
  view: View;
  overview: Overview;
  targets: ReadonlyMap<string, TargetView>;
  /** Keys of groups. */
  collapsed: ReadonlySet<string>;
  /** What is searched for; the overview is filtered by it already. */
  text: string;
  /** Sessions of one name on several targets are one row. */
  isMerged: boolean;
}

export const listRows = ({ view, overview, targets, collapsed, text, isMerged }: RowSource): Row[] => {
  switch (view.kind) {
    case "agents":
      return agentRows(overview, collapsed);
    case "sessions":
      return summariseSessions(overview.shown, targets, isMerged).map((session) => ({
        kind: "session",
        key: `session:${session.key}`,
        session,
      }));
    case "windows":
      return windowRows(overview, view);
    case "targets":
      return targetRows(targets, text);
    // They come from no feed: the view asks for them.
    case "history":
    case "armed":
      return [];
  }
};

const isSame = (left: Row, right: Row): boolean => {
  switch (right.kind) {
    case "pane":
      return left.kind === "pane" && left.pane === right.pane && left.place === right.place;
    case "group":
      return left.kind === "group" && left.group === right.group && left.isOpen === right.isOpen;
    case "heading":
      return left.kind === "heading" && left.count === right.count && left.text === right.text;
    case "target":
      return left.kind === "target" && left.target === right.target;
    // Their sums are computed again every time.
    case "session":
    case "window":
      return false;
  }
};

/** Equal rows are replaced by the earlier objects, because the same object need not be drawn again. */
const keepRows = (rows: readonly Row[], before: readonly Row[]): Row[] => {
  const known = new Map(before.map((row) => [row.key, row]));
  return rows.map((row) => {
    const old = known.get(row.key);
    return old !== undefined && isSame(old, row) ? old : row;
  });
};

const canSelect = (row: Row): boolean => {
  switch (row.kind) {
    case "pane":
    case "session":
    case "target":
      return true;
    // A folded one stands for its panes.
    case "group":
      return !row.isOpen;
    case "heading":
    case "window":
      return false;
  }
};

const waitingKeys = (rows: readonly Row[]): string[] =>
  rows.flatMap((row) => (row.kind === "pane" && row.pane.needs_action ? [row.key] : []));

/** The next row after `key` that waits, from the top again after the last one; null when there is no other. */
export const nextWaiting = (
  rows: readonly Row[],
  key: string | null,
  isSkipped: (key: string) => boolean,
): string | null => {
  const at = rows.findIndex((row) => row.key === key);
  const waiting = [...waitingKeys(rows.slice(at + 1)), ...waitingKeys(rows.slice(0, Math.max(at, 0)))];
  return waiting.find((one) => !isSkipped(one)) ?? null;
};

/**
 * The key of the next row after `key` (before it, going up) that can be selected; stays at the ends. With nothing selected, the
 * first row (or the last, going up). Null when there is nothing to select.
 */
export const moveSelection = (rows: readonly Row[], key: string | null, step: 1 | -1): string | null => {
  const at = rows.findIndex((row) => row.key === key);
  const following = step === 1 ? rows.slice(at + 1) : rows.slice(0, at === -1 ? undefined : at).toReversed();
  return following.find(canSelect)?.key ?? (at === -1 ? null : key);
};

/** The open group in whose part of the list a pane's row stands; undefined for a card and for a row of another view. */
export const groupAbove = (rows: readonly Row[], key: string): Row | undefined => {
  const at = rows.findIndex((row) => row.key === key);
  const row = rows[at];
  return row?.kind === "pane" && row.place === "session"
    ? rows.slice(0, at).findLast(({ kind }) => kind === "group")
    : undefined;
};

/**
 * Arranges the feed's panes for each batch, and returns the same objects for what did not change: of a thousand rows one
 * batch changes a few, and only those are drawn again. The memory also keeps the selected pane in the list while the same search
 * no longer finds it, because a reply renames a row; all else depends on the input alone.
 */
export class RowMemory {
  private arranged: Arranged | null = null;
  private filter: Filter | null = null;
  private rows: readonly Row[] = [];

  arrange(
    panes: ReadonlyMap<string, PaneView>,
    targets: ReadonlyMap<string, TargetView>,
    filter: Filter,
    selectedKey: string | null,
  ): Overview {
    const isSameSearch = filter.text === this.filter?.text && filter.states === this.filter.states;
    const before = isSameSearch && selectedKey !== null ? this.arranged : null;
    const kept = before?.overview.shown.find(({ identity }) => identity.pane_ref === selectedKey) ?? null;
    const overview = arrange(panes.values(), targets, filter, this.arranged, kept);
    [this.arranged, this.filter] = [{ targets, overview }, filter];
    return overview;
  }

  list(source: RowSource): readonly Row[] {
    this.rows = keepRows(listRows(source), this.rows);
    return this.rows;
  }
}
