// In a view without rows Esc goes back by one step. Dialogs and open menus handle Esc themselves.
import { useEffect, useEffectEvent } from "react";

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
