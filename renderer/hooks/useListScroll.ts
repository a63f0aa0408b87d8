// Where the list is scrolled to without a wheel: the row that the keyboard selected, the row that was opened last, and the next
// prompt of the selected row.
import { useEffect, useEffectEvent, useRef } from "react";
import { scrollToShow } from "../../ui/lists/rowWindow.ts";
import type { HeldRow } from "../state/heldCards.ts";
import { usePopover } from "../state/popover.ts";

interface ListScroll {
  list: HTMLElement | null;
  rows: readonly HeldRow[];
  /** Tops of all rows in CSS pixels. */
  tops: readonly number[];
  selectedIndex: number;
}

/** Once for each request: it grows when the keyboard moved the selection. The row is focused too. */
export const useSelectedInView = ({ list, tops, selectedIndex }: ListScroll, focusRequest: number): void => {
  // Runs only on request: if it followed the selection while rows move, the list would jump under the pointer.
  const showSelected = useEffectEvent(() => {
    if (list === null || selectedIndex < 0) return;
    list.scrollTo({ top: scrollToShow(tops, selectedIndex, list.scrollTop, list.clientHeight) });
    list
      .querySelector<HTMLElement>(`[data-index="${selectedIndex}"] [data-row]`)
      ?.focus({ preventScroll: true });
  });
  // Effects run again when the list comes back from the settings; a request is still carried out only once.
  const doneRequestRef = useRef(0);
  useEffect(() => {
    // A list that has just taken the place of another view is not there yet.
    if (list === null || focusRequest <= doneRequestRef.current) return;
    doneRequestRef.current = focusRequest;
    showSelected();
  }, [list, focusRequest]);
};

/** As much of the row as fits, once its height is known: `openKey` is null until then. */
export const useOpenInView = ({ list, rows, tops }: ListScroll, openKey: string | null): void => {
  const showOpen = useEffectEvent((key: string) => {
    const index = rows.findIndex((row) => row.key === key);
    if (list === null || index < 0) return;
    list.scrollTo({ top: scrollToShow(tops, index, list.scrollTop, list.clientHeight) });
    // A person who writes must see the text.
    if (document.activeElement instanceof HTMLTextAreaElement)
      document.activeElement.closest("section")?.scrollIntoView({ block: "nearest" });
  });
  const shownKeyRef = useRef<string | null>(null);
  useEffect(() => {
    if (openKey !== null && openKey !== shownKeyRef.current) showOpen(openKey);
    shownKeyRef.current = openKey;
  }, [openKey]);
};

/** Scrolls until the prompt ends in view, as far as the head of its row stays in view. */
const showPrompt = (list: HTMLElement, prompt: Element): void => {
  const view = list.getBoundingClientRect();
  const row = prompt.closest("[data-key]") ?? prompt;
  const below = prompt.getBoundingClientRect().bottom - view.bottom;
  list.scrollBy({ top: Math.min(Math.max(below, 0), row.getBoundingClientRect().top - view.top) });
};

/**
 * The next prompt of a selected row: the row may have been scrolled to its output, or stand elsewhere in the list now, and what
 * a key answers must be read first. Whoever points at the list or writes keeps what is below the pointer, and the text.
 */
export const usePromptInView = ({ list, rows, selectedIndex }: ListScroll): void => {
  const { pointing } = usePopover();
  const selected = rows[selectedIndex];
  const key = selected?.key ?? null;
  const fingerprint = selected?.kind === "pane" ? selected.pane.prompt_fingerprint : null;
  const show = useEffectEvent((asked: string) => {
    if (list === null || pointing.getState() || document.activeElement instanceof HTMLTextAreaElement) return;
    const prompt = list.querySelector(`[data-asked="${CSS.escape(asked)}"]`);
    if (prompt !== null) showPrompt(list, prompt);
  });
  const shownRef = useRef({ key, fingerprint });
  useEffect(() => {
    const before = shownRef.current;
    shownRef.current = { key, fingerprint };
    if (fingerprint !== null && before.key === key && before.fingerprint !== fingerprint) show(fingerprint);
  }, [key, fingerprint]);
};
