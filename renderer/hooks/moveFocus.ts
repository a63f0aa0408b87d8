// The focus in a list whose rows are buttons: arrows within it, and where it goes when the element that has it goes away.
import { useCallback, useLayoutEffect, useRef, type KeyboardEvent, type RefObject } from "react";

/** Arrows go from row to row; other keys are the popover's. */
export const moveFocus = (event: KeyboardEvent<HTMLElement>): void => {
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  if (step === undefined || !(event.target instanceof HTMLButtonElement)) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLButtonElement>(":scope > li > button")];
  const next = rows[rows.indexOf(event.target) + step];
  if (!rows.includes(event.target) || next === undefined) return;
  event.preventDefault();
  next.focus();
};

export interface KeptFocus {
  /** Names the row by a selector; null: none. */
  readonly keep: (item: string | null) => void;
  /** The person goes elsewhere. */
  readonly forget: () => void;
}

/** Gives the focus to the row it was about, wherever that is now. `ref`: of the part of the page in which the row is. */
export const useKeptFocus = (ref: RefObject<HTMLElement | null>): KeptFocus => {
  const itemRef = useRef<string | null>(null);
  const keep = useCallback((item: string | null) => {
    itemRef.current = item;
  }, []);
  const forget = useCallback(() => keep(null), [keep]);
  useLayoutEffect(() => {
    if (itemRef.current === null || document.activeElement !== document.body) return;
    const row = ref.current?.querySelector<HTMLElement>(itemRef.current);
    (row ?? ref.current?.querySelector<HTMLElement>("button[aria-expanded]"))?.focus();
  });
  return { keep, forget };
};
