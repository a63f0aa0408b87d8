// Which view is shown, which of its rows are selected and expanded, and which dialogs are open: all state of the popover that
// comes neither from the feed nor from actions on panes.
import * as z from "zod";
import type { PaneView } from "../../core/model/view.ts";
import type { Question, TextQuestion } from "../../ui/actions/questions.ts";
import type { Filter } from "../../ui/lists/groups.ts";
import { type Row, parentOf, viewOf, type TabKind, type View } from "../../ui/lists/rows.ts";
import { fitsAtOnce } from "../../ui/text/requestText.ts";
import { Store } from "./store.ts";
import { readStored, writeStored, type Keeper } from "./stored.ts";

/** Shown when the host has no terminal to open: the person runs the command. */
interface AttachCommand {
  pane: PaneView;
  command: string;
}

/** A question before something is done. */
export type OpenDialog =
  | { kind: "question"; question: Question }
  | { kind: "text"; question: TextQuestion }
  | { kind: "kill"; pane: PaneView }
  /** What has changed in the worktree of its agent. */
  | { kind: "changes"; pane: PaneView }
  | { kind: "handOver"; pane: PaneView }
  /** A rule about what this pane asks. */
  | { kind: "rule"; pane: PaneView };

interface ListState {
  view: View;
  filter: Filter;
  /** Sessions of one name on several targets are one row. */
  isMerged: boolean;
  /** Keys of groups. */
  collapsed: ReadonlySet<string>;
  selectedKey: string | null;
  openKey: string | null;
  replyKey: string | null;
  /** Long requests that the person unfolded. It is remembered per prompt: another prompt in the same row is folded again. */
  unfolded: ReadonlySet<string>;
  dialog: OpenDialog | null;
  command: AttachCommand | null;
  /** Grows when the keyboard moved the selection; the row is then scrolled into view and focused. */
  focusRequest: number;
}

const NO_FILTER: Filter = { text: "", states: new Set() };
const MERGED_KEY = "agtmux.merged";
const COLLAPSED_KEY = "agtmux.collapsed";
const collapsedSchema = z.array(z.string()).max(5_000);

const unfoldedKey = ({ identity, prompt_fingerprint }: PaneView): string =>
  `${identity.pane_ref} ${prompt_fingerprint}`;

/** The expanded row shows all of the request's text. */
export const isShownWhole = (pane: PaneView, unfolded: ListState["unfolded"]): boolean =>
  pane.request === null || fitsAtOnce(pane.request) || unfolded.has(unfoldedKey(pane));

export const isReplyShown = ({ replyKey }: ListState, key: string): boolean => replyKey === key;

export const isFiltered = ({ filter }: ListState): boolean => filter.text !== "" || filter.states.size > 0;

/** A copy of the set with one key added, or removed if it was there. */
export const toggled = <T>(keys: ReadonlySet<T>, key: T): ReadonlySet<T> => {
  const next = new Set(keys);
  if (!next.delete(key)) next.add(key);
  return next;
};

export class ListStore extends Store<ListState> {
  private readonly keeper: Keeper;

  constructor(keeper: Keeper) {
    super({
      view: { kind: "agents" },
      filter: NO_FILTER,
      isMerged: readStored(keeper, MERGED_KEY, z.boolean(), false),
      collapsed: new Set(readStored(keeper, COLLAPSED_KEY, collapsedSchema, [])),
      selectedKey: null,
      openKey: null,
      replyKey: null,
      unfolded: new Set(),
      dialog: null,
      command: null,
      focusRequest: 0,
    });
    this.keeper = keeper;
  }

  private change(change: Partial<ListState>): void {
    this.set({ ...this.getState(), ...change });
  }

  readonly setFilter = (filter: Filter): void => this.change({ filter });
  clearFilter(): void {
    this.change({ filter: NO_FILTER });
  }

  readonly setMerged = (isMerged: boolean): void => {
    writeStored(this.keeper, MERGED_KEY, isMerged);
    this.change({ isMerged });
  };

  /** Selects by the keyboard: the row takes the focus. */
  select(key: string | null): void {
    this.change({ selectedKey: key, focusRequest: this.getState().focusRequest + 1 });
  }

  /** Selects a row for a person who selected none; it takes the focus where nothing else has it. */
  preselect(key: string): void {
    if (document.activeElement === document.body) this.select(key);
    else this.noteFocus(key);
  }

  /** Selects the row that already got the focus. */
  noteFocus(key: string): void {
    if (this.getState().selectedKey !== key) this.change({ selectedKey: key });
  }

  private show(view: View, selectedKey: string | null): void {
    this.change({
      view,
      openKey: null,
      replyKey: null,
      selectedKey,
      focusRequest: this.getState().focusRequest + 1,
    });
  }

  readonly go = (kind: TabKind): void => {
    if (kind !== this.getState().view.kind) this.show(viewOf(kind), null);
  };

  /** What is armed for one agent. */
  showArmed(runtimeId: string | null): void {
    this.show({ kind: "armed", runtimeId }, null);
  }

  /** The row of an agent among all others. */
  showAgent(key: string): void {
    this.change({ filter: NO_FILTER });
    this.show({ kind: "agents" }, key);
  }

  /** False when there is nothing to go back to. */
  readonly back = (): boolean => {
    const { view } = this.getState();
    const parent = parentOf(view);
    if (parent === null) return false;
    this.show(parent, view.kind === "windows" ? `session:${view.sessionKey}` : null);
    return true;
  };

  isExpanded(row: Row): boolean {
    return row.kind === "group" ? row.isOpen : row.key === this.getState().openKey;
  }

  /** Expands a pane or a group, or collapses it; shows the windows of a session. */
  toggle(row: Row): void {
    const { collapsed, isMerged } = this.getState();
    if (row.kind === "session") {
      const { key: sessionKey, name } = row.session;
      return this.show({ kind: "windows", sessionKey, name, isMerged }, null);
    }
    this.change({ selectedKey: row.key });
    if (row.kind === "pane") this.toggleOpen(row.key);
    if (row.kind === "group") {
      const next = toggled(collapsed, row.key);
      writeStored(this.keeper, COLLAPSED_KEY, [...next]);
      this.change({ collapsed: next });
    }
  }

  open(key: string): void {
    this.change({ selectedKey: key, openKey: key });
  }

  close(): void {
    this.change({ openKey: null, replyKey: null });
  }

  /** Expands a pane, or collapses it together with its reply. */
  toggleOpen(key: string): void {
    const { openKey, replyKey } = this.getState();
    const isLeft = openKey === key;
    this.change({
      selectedKey: key,
      openKey: isLeft ? null : key,
      replyKey: isLeft && replyKey === key ? null : replyKey,
    });
  }

  /** A second call changes nothing: a reply is closed by its own key. */
  showReply(key: string): void {
    this.change({ selectedKey: key, replyKey: key });
  }

  endReply(key: string): void {
    this.change({ replyKey: null });
    this.select(key);
  }

  showWhole(pane: PaneView): void {
    this.change({ unfolded: new Set(this.getState().unfolded).add(unfoldedKey(pane)) });
  }

  showDialog(dialog: OpenDialog): void {
    this.change({ dialog });
  }
  readonly closeDialog = (): void => this.change({ dialog: null });

  readonly showCommand = (command: AttachCommand | null): void => this.change({ command });
}
