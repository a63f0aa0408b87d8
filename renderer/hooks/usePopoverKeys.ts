// The keyboard of the popover. Keys belong to the list unless the person types or a dialog is open; buttons keep what the
// platform gives them.
import { useEffect, useEffectEvent } from "react";

export interface PopoverKeyActions {
  move: (step: 1 | -1) => void;
  /** Enter on a row. */
  activate: () => void;
  /** Space or →, ←. */
  expand: () => void;
  collapse: () => void;
  focusFilter: () => void;
  /** Esc: true when there was something to leave; otherwise the popover closes. */
  escape: () => boolean;
}

const isTyping = (target: EventTarget | null): boolean => target instanceof HTMLInputElement;
const isOtherButton = (target: EventTarget | null): boolean =>
  target instanceof HTMLButtonElement && target.dataset["row"] === undefined;

const actionFor = (event: KeyboardEvent, actions: PopoverKeyActions): (() => void) | null => {
  const typing = isTyping(event.target);
  switch (event.key) {
    case "Escape":
      return () => {
        if (!actions.escape()) window.close();
      };
    case "ArrowDown":
      return () => actions.move(1);
    case "ArrowUp":
      return () => actions.move(-1);
    case "Enter":
      return isOtherButton(event.target) ? null : actions.activate;
    case "j":
      return typing ? null : () => actions.move(1);
    case "k":
      return typing ? null : () => actions.move(-1);
    case "/":
      return typing ? null : actions.focusFilter;
    case " ":
      return typing || isOtherButton(event.target) ? null : actions.expand;
    case "ArrowRight":
      return typing ? null : actions.expand;
    case "ArrowLeft":
      return typing ? null : actions.collapse;
    default:
      return null;
  }
};

export const usePopoverKeys = (actions: PopoverKeyActions): void => {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (document.querySelector("dialog[open]") !== null) return;
    // Scrollable boxes keep their arrows.
    if (event.target instanceof HTMLPreElement && event.key.startsWith("Arrow")) return;
    const action = actionFor(event, actions);
    if (action === null) return;
    event.preventDefault();
    action();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKeyDown(event);
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);
};
