// Brings the next prompt of the selected row into view: the row may have been scrolled to its output, or have moved to another
// place of the list, and what is answered by a key must be read first.
import { useEffect, useEffectEvent, useRef } from "react";
import type { HeldRow } from "../state/heldCards.ts";
import { usePopover } from "../state/popover.ts";

/** Scrolls until the prompt ends in view, as far as the head of its row stays in view. */
const show = (list: HTMLElement, asked: Element): void => {
  const view = list.getBoundingClientRect();
  const row = asked.closest("[data-key]") ?? asked;
  const below = asked.getBoundingClientRect().bottom - view.bottom;
  list.scrollBy({ top: Math.min(Math.max(below, 0), row.getBoundingClientRect().top - view.top) });
};

/** A person who points at the list or writes keeps what is below the pointer, and the text. */
export const useShownPrompt = (list: HTMLElement | null, selected: HeldRow | undefined): void => {
  const { pointing } = usePopover();
  const key = selected?.key ?? null;
  const fingerprint = selected?.kind === "pane" ? selected.pane.prompt_fingerprint : null;
  const showPrompt = useEffectEvent((asked: string) => {
    if (list === null || pointing.getState() || document.activeElement instanceof HTMLTextAreaElement) return;
    const prompt = list.querySelector(`[data-asked="${CSS.escape(asked)}"]`);
    if (prompt !== null) show(list, prompt);
  });
  const shownRef = useRef({ key, fingerprint });
  useEffect(() => {
    const before = shownRef.current;
    shownRef.current = { key, fingerprint };
    if (fingerprint !== null && before.key === key && before.fingerprint !== fingerprint)
      showPrompt(fingerprint);
  }, [key, fingerprint]);
};
