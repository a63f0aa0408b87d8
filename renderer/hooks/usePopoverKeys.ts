// The keyboard of the popover. Keys belong to the list unless the person types or a dialog is open; buttons keep what the
// platform gives them, and a reply keeps everything. After a refusal no key does anything until the person moves.
import { useEffect, useEffectEvent } from "react";
import type { KeyHold } from "../state/keyHold.ts";
import { commandOf, type KeyCommand } from "../../ui/actions/keys.ts";

const isCheckbox = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement && target.type === "checkbox";
const isOtherButton = (target: EventTarget | null): boolean =>
  isCheckbox(target) || (target instanceof HTMLButtonElement && target.dataset["row"] === undefined);

/** `run` says whether there was something to do: otherwise Esc closes the popover. */
export const usePopoverKeys = (hold: KeyHold, run: (command: KeyCommand) => boolean): void => {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.defaultPrevented || document.querySelector("dialog[open]") !== null) return;
    const { target } = event;
    if (target instanceof HTMLTextAreaElement) return;
    const isTyping = target instanceof HTMLInputElement && !isCheckbox(target);
    if (!hold.lets(event.key)) {
      // What is typed into a field stays there.
      if (!isTyping || event.key === "Enter") event.preventDefault();
      return;
    }
    // Scrollable boxes keep their arrows.
    if (target instanceof HTMLPreElement && event.key.startsWith("Arrow")) return;
    const command = commandOf(event.key, { isTyping, isOnButton: isOtherButton(target) });
    if (command === null) return;
    event.preventDefault();
    if (!run(command) && command === "escape") window.close();
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
