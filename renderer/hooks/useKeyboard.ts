// The keyboard of the popover, and Esc in views without rows. Keys belong to the list unless the person types or a dialog is open.
// Buttons keep their usual keys, and a reply keeps all keys. After a refusal no key does anything until the person moves; without a
// selected row, until a text that was begun is over.
import { useEffect, useEffectEvent, type KeyboardEvent as ReactKeyboardEvent, type RefObject } from "react";
import type { PaneView } from "../../core/model/view.ts";
import { optionReasons } from "../../ui/actions/disabledReasons.ts";
import { commandOf, type KeyCommand, type MoveCommand } from "../../ui/actions/keyboard.ts";
import { actionOf, chooseOption, type PaneActionId } from "../../ui/actions/paneActions.ts";
import { groupAbove, moveSelection, nextWaiting, type Row } from "../../ui/lists/rows.ts";
import { displaySentence } from "../../ui/text/displayText.ts";
import { askedOf, isOfCard } from "../state/readGate.ts";
import { isFiltered, isShownWhole } from "../state/listStore.ts";
import { actionContextOf, usePopover, type Popover } from "../state/popover.ts";
import { viewOf } from "./useReadCards.ts";
import type { ShownRows } from "./useRows.ts";

/** In a view without rows Esc goes back by one step. Dialogs and open menus handle Esc themselves. */
export const useEscape = (back: () => void): void => {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
    if (document.querySelector("dialog[open]") !== null) return;
    event.preventDefault();
    back();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKeyDown(event);
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);
};

interface Keyboard extends Popover {
  shown: ShownRows;
  inputRef: RefObject<HTMLInputElement | null>;
  onHelp: () => void;
  onStart: () => void;
  onSettings: () => void;
  /** The time of the key, on the clock of the page. */
  pressedAt: number;
}

/** CSS pixels of the page before that stay in view, so that a line is found again; below the end the buttons fit. */
const PAGE_OVERLAP = 56;

/** A pane's card, from its head to the end of its request (of its head if it asks nothing), and the visible part of the list. */
const findCard = (key: string) => {
  const card = document.querySelector(`[data-card=true]:has([data-ref="${CSS.escape(key)}"])`);
  const list = card?.closest("[data-list]") ?? null;
  if (card === null || list === null) return null;
  const { top, bottom } = card.getBoundingClientRect();
  const last = card.querySelector("[data-asked]") ?? card.querySelector("[data-ref]");
  return { list, top, end: last?.getBoundingClientRect().bottom ?? bottom, view: viewOf(list) };
};

/** Scrolls on in a request that is higher than the window; false at its end. */
const pageOn = (key: string): boolean => {
  const card = findCard(key);
  if (card === null || card.end <= card.view.bottom + 1) return false;
  const { list, end, view } = card;
  list.scrollBy({
    top: Math.min(end - view.bottom, view.bottom - view.top - 2 * PAGE_OVERLAP) + PAGE_OVERLAP,
  });
  return true;
};

/** A card that somebody scrolled away could never be answered. */
const isScrolledAway = (key: string): boolean => {
  const card = findCard(key);
  if (card === null) return false;
  const { top, end, view } = card;
  return end - top > view.bottom - view.top
    ? end < view.top || top > view.bottom
    : top < view.top - 1 || end > view.bottom + 1;
};

/**
 * Runs the action of a key on a pane. If it is not possible, the row says why. Keys answer only a request that was read.
 */
const act = (
  pane: PaneView,
  command: PaneActionId | { option: number },
  keyboard: Popover & Pick<Keyboard, "pressedAt">,
): void => {
  const { surface, gate, list, pressedAt } = keyboard;
  const wasRead = (fingerprint = pane.prompt_fingerprint): boolean => {
    const { pane_ref: key } = pane.identity;
    if (gate.letsKey(key, fingerprint, pressedAt)) return true;
    if (isScrolledAway(key)) list.select(key);
    return false;
  };
  const context = actionContextOf(keyboard, pane);
  const refuse = (kind: Parameters<typeof surface.refuse>[1], why: string): void =>
    surface.refuse(pane, kind, displaySentence(why));
  if (typeof command === "object") {
    const reasons = optionReasons(pane, context);
    const why = reasons.length < command.option ? "there is no such option" : reasons[command.option - 1];
    if (typeof why === "string") return refuse("answer", why);
    return wasRead() ? chooseOption(pane, command.option, surface) : undefined;
  }
  const action = actionOf(command);
  const why = action.disabledReason(pane, context);
  if (why !== null) return refuse(action.kind, why);
  // What puts a card away is decided by what it says, too.
  const isRead = isOfCard(action) ? wasRead(askedOf(pane)) : action.isAnswer !== true || wasRead();
  if (isRead) action.run(pane, surface);
};

/** An open head is no stop: the selection goes on to its first pane. */
const unfold = (row: Row, list: Popover["list"]): void => {
  list.toggle(row);
  const first = row.kind === "group" && !row.isOpen ? row.group.panes[0] : undefined;
  if (first !== undefined) list.select(first.identity.pane_ref);
};

const activate = ({ shown, list, surface }: Keyboard): void => {
  const row = shown.selected ?? shown.rows.find((candidate) => candidate.key === shown.tabKey);
  if (row?.kind === "pane") actionOf("attach").run(row.pane, surface);
  else if (row !== undefined) unfold(row, list);
};

/** Closes the innermost part that is open; false when there is none. */
const escape = ({ shown, list, statuses, inputRef }: Keyboard): boolean => {
  const key = shown.selected?.key;
  const status = key === undefined ? undefined : statuses.getState().get(key);
  if (key !== undefined && status !== undefined && status.kind !== "sending") statuses.clear(key);
  else if (isFiltered(list.getState())) list.clearFilter();
  else if (list.getState().openKey !== null) list.close();
  else if (list.back()) return true;
  else if (document.activeElement === inputRef.current) list.select(shown.tabKey);
  else return false;
  return true;
};

/** False when there was nothing to do. */
const MOVES: Readonly<Record<MoveCommand, (keyboard: Keyboard) => boolean | void>> = {
  escape,
  moveDown: ({ shown, list }) => list.select(moveSelection(shown.rows, list.getState().selectedKey, 1)),
  moveUp: ({ shown, list }) => list.select(moveSelection(shown.rows, list.getState().selectedKey, -1)),
  activate,
  expand: ({ shown: { selected }, list }) => {
    // A card shows first all that it asks, page by page, and then its detail.
    if (selected?.kind === "pane" && !isShownWhole(selected.pane, list.getState().unfolded))
      list.showWhole(selected.pane);
    else if (selected?.kind === "pane" && pageOn(selected.key)) return;
    else if (selected?.kind === "pane" || (selected !== undefined && !list.isExpanded(selected)))
      unfold(selected, list);
  },
  collapse: ({ shown: { selected, rows }, list }) => {
    if (selected === undefined) return;
    const row = list.isExpanded(selected) ? selected : groupAbove(rows, selected.key);
    if (row === undefined) return;
    list.toggle(row);
    if (row.kind === "group") list.select(row.key);
  },
  filter: ({ inputRef }) => inputRef.current?.focus(),
  nextWaiting: ({ shown, list }) => {
    const key = nextWaiting(shown.rows, list.getState().selectedKey, () => false);
    if (key !== null) list.select(key);
  },
  agents: ({ list }) => list.go("agents"),
  sessions: ({ list }) => list.go("sessions"),
  targets: ({ list }) => list.go("targets"),
  history: ({ list }) => list.go("history"),
  armed: ({ shown: { selected }, list }) => {
    const pane = selected?.kind === "pane" ? selected.pane : null;
    if (pane === null || pane.armed === null) list.go("armed");
    else list.showArmed(pane.identity.runtime_id);
  },
  help: ({ onHelp }) => onHelp(),
  start: ({ onStart }) => onStart(),
  settings: ({ onSettings }) => onSettings(),
};

const isMove = (command: KeyCommand): command is MoveCommand =>
  typeof command === "string" && command in MOVES;

/** Says whether there was something to do. */
const run = (command: KeyCommand, keyboard: Keyboard): boolean => {
  const { selected } = keyboard.shown;
  keyboard.gate.clear();
  if (isMove(command)) return MOVES[command](keyboard) !== false;
  if (selected?.kind === "pane") act(selected.pane, command, keyboard);
  // No pane is selected: what is typed next must not act on another.
  else keyboard.hold.holdText();
  return true;
};

const isCheckbox = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement && target.type === "checkbox";
const isOtherButton = (target: EventTarget | null): boolean =>
  isCheckbox(target) || (target instanceof HTMLButtonElement && target.dataset["row"] === undefined);

/** The keys of the answers of a card in a dialog; all others are the dialog's own. */
export const cardKeys =
  (pane: PaneView | null, popover: Popover) =>
  (event: ReactKeyboardEvent): void => {
    const { key, ctrlKey, metaKey, altKey, repeat, target, nativeEvent } = event;
    if (pane === null || ctrlKey || metaKey || altKey || repeat || nativeEvent.isComposing) return;
    const command = commandOf(key, { isTyping: false, isOnButton: isOtherButton(target) });
    const { list } = popover;
    if (command === "expand" && !isShownWhole(pane, list.getState().unfolded)) list.showWhole(pane);
    if (command === null || isMove(command)) return;
    if (typeof command === "string" && actionOf(command).isAnswer !== true) return;
    event.preventDefault();
    popover.gate.clear();
    act(pane, command, { ...popover, pressedAt: event.timeStamp });
  };

export const useKeyboard = (options: Omit<Keyboard, keyof Popover | "pressedAt">): void => {
  const popover = usePopover();
  const { hold } = popover;
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.defaultPrevented || document.querySelector("dialog[open]") !== null) return;
    const { target } = event;
    if (target instanceof HTMLTextAreaElement) return;
    const isTyping = target instanceof HTMLInputElement && !isCheckbox(target);
    if (!hold.lets(event.key)) {
      // Keys that are typed into a field stay there.
      if (!isTyping || event.key === "Enter") event.preventDefault();
      return;
    }
    // A button whose key is held down would answer what comes next, too.
    if (event.repeat && event.key === "Enter" && isOtherButton(target)) {
      event.preventDefault();
      return;
    }
    // Scrollable boxes keep their arrows.
    if (target instanceof HTMLPreElement && event.key.startsWith("Arrow")) return;
    const command = commandOf(event.key, { isTyping, isOnButton: isOtherButton(target) });
    if (command === null) return;
    event.preventDefault();
    // A key that is held down moves; it does nothing to a pane.
    if (event.repeat && !isMove(command)) return;
    // If there is nothing else to close, Esc closes the popover.
    if (!run(command, { ...popover, ...options, pressedAt: event.timeStamp }) && command === "escape")
      window.close();
  });
  // Space presses a button when the key is released.
  const onKeyUp = useEffectEvent((event: KeyboardEvent) => {
    if (event.key === " " && hold.isHeld() && event.target instanceof HTMLButtonElement)
      event.preventDefault();
  });
  useEffect(() => {
    const down = (event: KeyboardEvent) => onKeyDown(event);
    const up = (event: KeyboardEvent) => onKeyUp(event);
    window.addEventListener("keydown", down);
    window.addEventListener("keyup", up);
    return () => {
      window.removeEventListener("keydown", down);
      window.removeEventListener("keyup", up);
    };
  }, []);
};
