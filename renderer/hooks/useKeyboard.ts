// The keyboard of the popover. Keys belong to the list unless the person types or a dialog is open. Buttons keep their usual
// keys, and a reply keeps all keys. After a refusal no key does anything until the person moves.
import { useEffect, useEffectEvent, type RefObject } from "react";
import type { PaneView } from "../../core/model/view.ts";
import { optionReasons } from "../../ui/actions/disabledReasons.ts";
import { commandOf, type KeyCommand, type MoveCommand } from "../../ui/actions/keyboard.ts";
import { actionOf, answerPrompt, type PaneActionId } from "../../ui/actions/paneActions.ts";
import { moveSelection } from "../../ui/lists/rows.ts";
import { displaySentence } from "../../ui/text/displayText.ts";
import { isOneLine } from "../../ui/text/requestText.ts";
import { isFiltered } from "../state/listStore.ts";
import { actionContextOf, usePopover, type Popover } from "../state/popover.ts";
import type { ShownRows } from "./useRows.ts";

interface Keyboard extends Popover {
  shown: ShownRows;
  inputRef: RefObject<HTMLInputElement | null>;
  onHelp: () => void;
  onSettings: () => void;
}

/** The collapsed row shows the whole request: one line, and nothing of it cut off. */
const isShownInFull = (pane: PaneView): boolean => {
  const row = document.querySelector(`[data-ref="${CSS.escape(pane.identity.pane_ref)}"] [data-asked]`);
  const isUncut = row !== null && row.scrollWidth <= row.clientWidth;
  return isUncut && pane.request !== null && isOneLine(pane.request);
};

/**
 * Runs the action of a key on a pane. If it is not possible, the row says why. Keys answer only a request that is seen in full.
 */
const act = (pane: PaneView, command: PaneActionId | { option: number }, keyboard: Keyboard): void => {
  const { list, surface } = keyboard;
  const ref = pane.identity.pane_ref;
  const context = actionContextOf(keyboard, pane);
  const isOpen = list.getState().openKey === ref;
  const refuse = (kind: Parameters<typeof surface.refuse>[1], why: string): void => {
    list.open(ref);
    surface.refuse(pane, kind, displaySentence(why));
  };
  if (typeof command === "object") {
    const reasons = optionReasons(pane, context);
    const why = reasons.length < command.option ? "there is no such option" : reasons[command.option - 1];
    if (typeof why === "string") return refuse("answer", why);
    // The options are in the expanded row only.
    return isOpen ? answerPrompt(pane, { kind: "option", number: command.option }, surface) : list.open(ref);
  }
  const action = actionOf(command);
  const why = action.disabledReason(pane, context);
  if (why !== null) return refuse(action.kind, why);
  if (action.isAnswer === true && !isOpen && !isShownInFull(pane)) return list.open(ref);
  action.run(pane, surface);
};

const activate = ({ shown, list, surface }: Keyboard): void => {
  const row = shown.selected ?? shown.rows.find((candidate) => candidate.key === shown.tabKey);
  if (row?.kind === "pane") actionOf("attach").run(row.pane, surface);
  else if (row !== undefined) list.toggle(row);
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
    if (selected?.kind === "pane" || (selected !== undefined && !list.isExpanded(selected)))
      list.toggle(selected);
  },
  collapse: ({ shown: { selected }, list }) => {
    if (selected !== undefined && list.isExpanded(selected)) list.toggle(selected);
  },
  filter: ({ inputRef }) => inputRef.current?.focus(),
  agents: ({ list }) => list.go("agents"),
  sessions: ({ list }) => list.go("sessions"),
  targets: ({ list }) => list.go("targets"),
  help: ({ onHelp }) => onHelp(),
  settings: ({ onSettings }) => onSettings(),
};

const isMove = (command: KeyCommand): command is MoveCommand =>
  typeof command === "string" && command in MOVES;

/** Says whether there was something to do. */
const run = (command: KeyCommand, keyboard: Keyboard): boolean => {
  const { selected } = keyboard.shown;
  if (isMove(command)) return MOVES[command](keyboard) !== false;
  if (selected?.kind === "pane") act(selected.pane, command, keyboard);
  // No pane is selected: what is typed next must not act on another.
  else keyboard.hold.hold();
  return true;
};

const isCheckbox = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement && target.type === "checkbox";
const isOtherButton = (target: EventTarget | null): boolean =>
  isCheckbox(target) || (target instanceof HTMLButtonElement && target.dataset["row"] === undefined);

export const useKeyboard = (options: Omit<Keyboard, keyof Popover>): void => {
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
    // Scrollable boxes keep their arrows.
    if (target instanceof HTMLPreElement && event.key.startsWith("Arrow")) return;
    const command = commandOf(event.key, { isTyping, isOnButton: isOtherButton(target) });
    if (command === null) return;
    event.preventDefault();
    // If there is nothing else to close, Esc closes the popover.
    if (!run(command, { ...popover, ...options }) && command === "escape") window.close();
  });
  // Space presses a button when it is let go.
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
