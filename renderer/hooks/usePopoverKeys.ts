// The keyboard of the popover. Keys belong to the list unless the person types or a dialog is open; buttons keep what the
// platform gives them, and a reply keeps everything.
import { useEffect, useEffectEvent } from "react";
import { commandOf, type KeyCommand } from "../state/keys.ts";

const isCheckbox = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement && target.type === "checkbox";
const isOtherButton = (target: EventTarget | null): boolean =>
  isCheckbox(target) || (target instanceof HTMLButtonElement && target.dataset["row"] === undefined);

/** `run` says whether there was something to do: otherwise Esc closes the popover. */
export const usePopoverKeys = (run: (command: KeyCommand) => boolean): void => {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.defaultPrevented || document.querySelector("dialog[open]") !== null) return;
    const { target } = event;
    if (target instanceof HTMLTextAreaElement) return;
    // Scrollable boxes keep their arrows.
    if (target instanceof HTMLPreElement && event.key.startsWith("Arrow")) return;
    const command = commandOf(event.key, {
      isTyping: target instanceof HTMLInputElement && !isCheckbox(target),
      isOnButton: isOtherButton(target),
    });
    if (command === null) return;
    event.preventDefault();
    if (!run(command) && command === "escape") window.close();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKeyDown(event);
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);
};
