// What the picker shows now, as one value; and the steps from one to the next that need no terminal and no daemon.
import type { KillSignal, OutputRequest } from "../../core/model/action.ts";
import type { HistoryEntry, HistorySession } from "../../core/model/history.ts";
import type { TreeDiff } from "../../core/model/treeDiff.ts";
import type { PaneView } from "../../core/model/view.ts";
import type { LineComment } from "../../ui/text/changesText.ts";
import type { JobDetail, JobsView } from "../../core/model/job.ts";
import type { RuleDraft, RulesView, RuleView } from "../../core/model/rule.ts";
import type { ActionStatus } from "../../ui/actions/actionStatus.ts";
import type { Question, TextQuestion } from "../../ui/actions/questions.ts";
import { NO_TICKS, type Ticks } from "../../ui/actions/ticks.ts";
import { INITIAL_FEED_STATE, type FeedState } from "../../ui/lists/feedReducer.ts";
import type { DiffRow } from "../../ui/lists/diffRows.ts";
import { moveSelection, RowMemory, type Row, type View } from "../../ui/lists/rows.ts";
import type { DraftVerdict } from "../../ui/text/ruleText.ts";
import type { AgentChoice } from "../../ui/text/limitText.ts";
import type { StartedView, StartForm } from "../../ui/text/sessionText.ts";
import type { StateCounts } from "../../ui/lists/groups.ts";

/** A session whose end is shown; `up`: rows that the view was moved up from there. */
interface OpenSession {
  readonly session: HistorySession;
  readonly entries: readonly HistoryEntry[];
  readonly up: number;
}

/** The sessions that agents keep on disk. */
export interface HistoryMode {
  readonly kind: "history";
  /** Null until the daemon has answered. */
  readonly sessions: readonly HistorySession[] | null;
  /** Of those that fit the search; not all of them are in `sessions`. */
  readonly total: number;
  readonly selected: number;
  readonly search: string;
  readonly isTyping: boolean;
  readonly open: OpenSession | null;
  /** The result of resuming a session; null: none was resumed. */
  readonly said: string | null;
  readonly problem: string | null;
}

/** Automation, and what it did. */
export interface ArmedMode {
  readonly kind: "armed";
  /** Null until the daemon has answered. */
  readonly jobs: JobsView | null;
  readonly rules: RulesView | null;
  /** Only what is armed for this agent; null: all. */
  readonly runtimeId: string | null;
  readonly selectedId: string | null;
  /** One job with its runs, or one rule by its name. */
  readonly open: { kind: "job"; detail: JobDetail } | { kind: "rule"; name: string } | null;
  readonly problem: string | null;
}

/** A rule about what a pane asks, as it would stand in the file. */
export interface RuleMode {
  readonly kind: "rule";
  readonly pane: PaneView;
  readonly verdict: DraftVerdict;
  /** Null until the daemon has answered. */
  readonly draft: RuleDraft | null;
  /** As it stands in the file; null: it isn't there. */
  readonly added: RuleView | null;
  /** Its JSON is shown in place of its words. */
  readonly isJson: boolean;
  readonly problem: string | null;
}

/** What has changed in the worktree of an agent. */
export interface ChangesMode {
  readonly kind: "changes";
  /** As it was when the view was opened. */
  readonly pane: PaneView;
  /** Null until the daemon has answered. */
  readonly diff: TreeDiff | null;
  readonly isSplit: boolean;
  /** Paths of files that the person opened or closed. */
  readonly toggled: ReadonlySet<string>;
  readonly rows: readonly DiffRow[];
  /** Index among the rows. */
  readonly selected: number;
  readonly comments: readonly LineComment[];
  /** The comment that is being written. */
  readonly writing: LineComment | null;
  readonly isSending: boolean;
  /** What became of the comments that were sent. */
  readonly said: string | null;
  readonly problem: string | null;
}

export interface ReplyMode {
  readonly kind: "reply";
  readonly key: string;
  /** The pane as it was when the first letter was typed. */
  readonly begun: PaneView;
  readonly isSending: boolean;
  /** It is to wait until the agent rests. */
  readonly isLater: boolean;
}

/** A text that an action asks for, in one line. */
export interface TextMode {
  readonly kind: "text";
  readonly question: TextQuestion;
  readonly text: string;
  readonly isExtraOn: boolean;
}

export const START_FIELDS = ["agent", "target", "folder", "branch", "text"] as const;
export type StartField = (typeof START_FIELDS)[number];

/** The form by which an agent is started. */
export interface StartMode {
  readonly kind: "start";
  /** Those that can be started; none until the daemon has answered. */
  readonly agents: readonly AgentChoice[];
  readonly machines: readonly string[];
  /** Whose session is handed over; of the text the first row that is shown, and how many have been. Null: it is a start. */
  readonly handOver: { readonly from: PaneView; readonly top: number; readonly readTo: number } | null;
  readonly field: StartField;
  readonly form: StartForm;
  readonly isBusy: boolean;
  /** Null: it was not started yet. */
  readonly started: StartedView | null;
  readonly problem: string | null;
}

/** What the keys go to. */
export type Mode =
  | { kind: "list" }
  | { kind: "search" }
  | { kind: "help" }
  | HistoryMode
  | ArmedMode
  | StartMode
  | RuleMode
  | ChangesMode
  /** One request on the whole screen; `readTo`: how many of its rows were on the screen, from the first without a gap. */
  | { kind: "whole"; key: string; top: number; readTo: number }
  | { kind: "output"; key: string; source: OutputRequest; up: number }
  | ReplyMode
  | TextMode
  /** `back`: what is shown afterwards. */
  | { kind: "question"; question: Question; back: Mode }
  /** `sentence`: what would happen, by the daemon; null until it has said so. */
  | { kind: "kill"; pane: PaneView; signal: KillSignal; sentence: string | null };

/** What the list shows; the rest of the popover's views are modes here. `isMerged`: one row for all sessions of a name. */
export type ListView =
  | Extract<View, { kind: "agents" | "windows" | "targets" }>
  | { kind: "sessions"; isMerged: boolean };

/** The last action, and the words for the pane on which it was. */
export interface ShownStatus {
  readonly name: string;
  readonly status: ActionStatus;
}

export interface PickerState {
  readonly feed: FeedState;
  readonly search: string;
  readonly view: ListView;
  readonly mode: Mode;
  readonly rows: readonly Row[];
  readonly counts: StateCounts | null;
  /** What is missing in the list: targets and servers that cannot be read. */
  readonly problems: readonly string[];
  readonly selectedKey: string | null;
  readonly status: ShownStatus | null;
  /** By pane reference; unsent texts. */
  readonly drafts: ReadonlyMap<string, string>;
  /** What is ticked of questions that take several answers. */
  readonly ticks: Ticks;
}

export const INITIAL_STATE: PickerState = {
  feed: INITIAL_FEED_STATE,
  search: "",
  view: { kind: "agents" },
  mode: { kind: "list" },
  rows: [],
  counts: null,
  problems: [],
  selectedKey: null,
  status: null,
  drafts: new Map(),
  ticks: NO_TICKS,
};

/** By how many rows a key moves the selection of a list; undefined: it does not. */
export const listStep = (key: string, pageRows: number): number | undefined => {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    j: 1,
    ArrowUp: -1,
    k: -1,
    PageDown: pageRows,
    PageUp: -pageRows,
  };
  return steps[key];
};

export const selectedPane = ({ rows, selectedKey }: PickerState): PaneView | null => {
  const row = rows.find(({ key }) => key === selectedKey);
  return row?.kind === "pane" ? row.pane : null;
};

/** The pane and its prompt: another prompt in the same pane is another card. */
export const cardKey = ({ identity, prompt_fingerprint }: PaneView): string =>
  `${identity.pane_ref} ${identity.runtime_id} ${prompt_fingerprint}`;

/** Whether the mode still fits what is selected: the request that is read may have been answered elsewhere. */
export const modeFits = (state: PickerState, before: PickerState): boolean => {
  const { mode } = state;
  switch (mode.kind) {
    case "whole": {
      const [was, is] = [selectedPane(before), selectedPane(state)];
      return is !== null && is.identity.pane_ref === mode.key && was !== null && cardKey(was) === cardKey(is);
    }
    case "reply":
    case "output":
      return state.rows.some(({ key }) => key === mode.key);
    case "list":
    case "search":
    case "help":
    case "history":
    case "armed":
    case "rule":
    case "changes":
    case "start":
    case "text":
    case "question":
    case "kill":
      return true;
  }
};

const firstPane = (rows: readonly Row[]): string | null =>
  rows.find(({ kind }) => kind === "pane")?.key ?? null;

/**
 * Where the selection goes when the list changed: it stays on its row while that row stays in its part of the list; a card that
 * was answered or withdrawn leaves it to the card that follows.
 */
const keepSelection = (before: PickerState, rows: readonly Row[]): string | null => {
  const { selectedKey } = before;
  if (selectedKey === null) return firstPane(rows) ?? moveSelection(rows, null, 1);
  const placeOf = (list: readonly Row[]): string | null => {
    const row = list.find(({ key }) => key === selectedKey);
    return row === undefined ? null : row.kind === "pane" ? row.place : row.kind;
  };
  const [was, is] = [placeOf(before.rows), placeOf(rows)];
  if (is !== null && (is === was || was !== "inbox")) return selectedKey;
  const waits = (row: Row | undefined): row is Row => row?.kind === "pane" && row.place === "inbox";
  const there = new Set(rows.filter(waits).map(({ key }) => key));
  const at = before.rows.findIndex(({ key }) => key === selectedKey);
  const following = before.rows.slice(at + 1).find(({ key }) => there.has(key));
  const next = following ?? rows.findLast(waits);
  if (was === "inbox" && next !== undefined) return next.key;
  if (is !== null) return selectedKey;
  const neighbour = before.rows
    .slice(at + 1)
    .find((row) => row.kind === "pane" && rows.some(({ key }) => key === row.key));
  return neighbour?.key ?? moveSelection(rows, null, -1);
};

const NO_STATES = new Set<never>();
const NOTHING_COLLAPSED: ReadonlySet<string> = new Set();

/** Arranges the list; it keeps what did not change. */
export class Arranger {
  private readonly memory = new RowMemory();

  arrange(before: PickerState, change: Partial<Pick<PickerState, "feed" | "search" | "view">>): PickerState {
    const { feed, search, view } = { ...before, ...change };
    const { panes, targets } = feed;
    const overview = this.memory.arrange(
      panes,
      targets,
      { text: search, states: NO_STATES },
      before.selectedKey,
    );
    const rows = this.memory.list({
      view,
      overview,
      targets,
      collapsed: NOTHING_COLLAPSED,
      text: search,
      isMerged: view.kind === "sessions" && view.isMerged,
    });
    return {
      ...before,
      ...change,
      rows,
      counts: overview.counts,
      problems: overview.problems.map(({ text }) => text),
      selectedKey: keepSelection(before, rows),
    };
  }
}
