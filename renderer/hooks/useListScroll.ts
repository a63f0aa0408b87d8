// Scroll and focus of lists: `useSteadyList` keeps what is below the pointer in its place, `moveFocus` and `useKeptFocus` move the
// focus in lists of buttons, `useSelectedInView` and `useOpenInView` scroll to the selected row and to the one opened last.
import {
  useEffect,
  useLayoutEffect,
  useRef,
  useCallback,
  type KeyboardEvent,
  type RefObject,
  useEffectEvent,
} from "react";
import type { HeldRow } from "./useRows.ts";
import { usePopover } from "../state/popover.ts";
import { useStore } from "../state/store.ts";
import { scrollToShow } from "../../ui/lists/rows.ts";
import { viewOf } from "./useReadCards.ts";

// Steady list: while rows come, go and change their height above the pointer, the list is scrolled by as much as they moved. A
// short list is made high enough for that.

/** The tops of rows by their keys; the place of a card stands for it, wherever its pane is listed now. */
const topsByKey = (rows: readonly HeldRow[], tops: readonly number[]): ReadonlyMap<string, number> => {
  const byKey = new Map(rows.map((row, index) => [row.key, tops[index] ?? 0]));
  for (const [index, row] of rows.entries())
    if (row.kind === "gone") byKey.set(row.cardKey, tops[index] ?? 0);
  return byKey;
};

export const useSteadyList = (
  list: HTMLElement | null,
  rows: readonly HeldRow[],
  tops: readonly number[],
): void => {
  const { pointing } = usePopover();
  const isPointing = useStore(pointing);
  const keyRef = useRef<string | null>(null);
  const topsRef = useRef<ReadonlyMap<string, number>>(new Map());
  useEffect(() => {
    if (list === null) return;
    const note = ({ target }: PointerEvent) => {
      const slot = target instanceof Element ? target.closest<HTMLElement>("[data-key]") : null;
      keyRef.current = slot?.dataset["key"] ?? null;
    };
    list.addEventListener("pointerover", note, { passive: true });
    return () => list.removeEventListener("pointerover", note);
  }, [list]);
  useLayoutEffect(() => {
    const before = topsRef.current;
    topsRef.current = topsByKey(rows, tops);
    const content = list?.firstElementChild;
    if (list === null || !(content instanceof HTMLElement)) return;
    if (!isPointing) {
      content.style.removeProperty("min-height");
      return;
    }
    const key = keyRef.current ?? "";
    const moved = (topsRef.current.get(key) ?? 0) - (before.get(key) ?? 0);
    if (moved === 0 || !before.has(key) || !topsRef.current.has(key)) return;
    const top = list.scrollTop + moved;
    content.style.setProperty("min-height", `${top + list.clientHeight}px`);
    list.scrollTo({ top });
  }, [list, rows, tops, isPointing]);
};

/** A mouse points from its first move or wheel over the list until it leaves or a key is pressed; one at rest does not count. */
export const usePointing = (list: HTMLElement | null): void => {
  const { pointing } = usePopover();
  useEffect(() => {
    if (list === null) return;
    const put = (isPointing: boolean) => () => {
      if (pointing.getState() !== isPointing) pointing.set(isPointing);
    };
    const [begin, end] = [put(true), put(false)];
    const move = ({ pointerType }: PointerEvent) => {
      if (pointerType === "mouse") begin();
    };
    const aborter = new AbortController();
    const { signal } = aborter;
    list.addEventListener("pointermove", move, { passive: true, signal });
    // Whoever scrolls reads there.
    list.addEventListener("wheel", begin, { passive: true, signal });
    list.addEventListener("pointerleave", end, { signal });
    window.addEventListener("keydown", end, { capture: true, signal });
    return () => {
      aborter.abort();
      end();
    };
  }, [list, pointing]);
};

// Focus in a list whose rows are buttons: arrows within it, and where it goes when the element that has it goes away.

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

/**
 * Gives the focus to the row it was on, wherever that is now. `ref`: the part of the page in which the row is. `keep` names the
 * row by a selector (null: none); `forget`: the person goes elsewhere.
 */
export const useKeptFocus = (ref: RefObject<HTMLElement | null>) => {
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

interface ListScroll {
  list: HTMLElement | null;
  rows: readonly HeldRow[];
  /** Tops of all rows in CSS pixels. */
  tops: readonly number[];
  selectedIndex: number;
}

/** What is wanted in view of a row, best first: all of it, a card with its answers, and its head with what it asks. */
const extentsOf = (slot: Element): { top: number; bottom: number }[] => {
  const { top, bottom } = slot.getBoundingClientRect();
  const endOf = (part: Element | null) => part?.getBoundingClientRect().bottom ?? bottom;
  const asked = endOf(slot.querySelector("[data-asked]"));
  const head = slot.querySelector("[data-ref]")?.getBoundingClientRect().top ?? top;
  return [
    { top, bottom },
    { top, bottom: endOf(slot.querySelector("[aria-label=Answers]")) },
    { top, bottom: asked },
    { top: head, bottom: asked },
  ];
};

/** What can be seen of the list at most, once the popover around it is scrolled. */
const roomOf = (list: Element): number => Math.min(list.clientHeight, window.innerHeight);

/** The best of them that fits; none where the row is higher than what can be seen. */
const fittingOf = (list: Element, slot: Element) =>
  extentsOf(slot).find(({ top, bottom }) => bottom - top <= roomOf(list));

/** How far a row has to move up to be in view: wholly, or from its head on where it is higher than what can be seen. */
const missingOf = (list: Element, slot: Element): number => {
  const view = viewOf(list);
  const fitting = fittingOf(list, slot);
  if (fitting === undefined) return slot.getBoundingClientRect().top - view.top;
  if (fitting.top < view.top) return fitting.top - view.top;
  return Math.max(0, fitting.bottom - view.bottom);
};

/** In a low window the popover is scrolled beside the list. */
const outerOf = (list: Element): Element | null => {
  for (let one = list.parentElement; one !== null; one = one.parentElement)
    if (one.scrollHeight > one.clientHeight && getComputedStyle(one).overflowY !== "visible") return one;
  return null;
};

const listTopOf = (list: Element): number =>
  Math.round(list.getBoundingClientRect().top + (outerOf(list)?.scrollTop ?? 0));

const isHigher = (list: Element, index: number): boolean => {
  const slot = list.querySelector(`[data-index="${index}"]`);
  return slot !== null && fittingOf(list, slot) === undefined;
};

const showRow = (list: Element, index: number): Element | null => {
  const slot = list.querySelector(`[data-index="${index}"]`);
  if (slot === null) return null;
  const fitting = fittingOf(list, slot);
  const view = viewOf(list);
  // It fits only into all of the list.
  if (fitting !== undefined && fitting.bottom - fitting.top > view.bottom - view.top) {
    const { top, bottom } = list.getBoundingClientRect();
    outerOf(list)?.scrollBy({ top: bottom > view.bottom ? bottom - view.bottom : top - view.top });
  }
  list.scrollBy({ top: missingOf(list, slot) });
  const left = missingOf(list, slot);
  if (Math.abs(left) >= 1) {
    outerOf(list)?.scrollBy({ top: left });
    list.scrollBy({ top: missingOf(list, slot) });
  }
  return slot;
};

/** What there was to show when the list was last scrolled for it. */
interface Shown {
  key: string | null;
  asked: string | null;
  top: number;
  height: number;
  viewHeight: number;
  /** Of the list in the popover, however far that is scrolled: notices above the list move it. */
  listTop: number;
  isPointing: boolean;
}

const askedBy = (row: HeldRow | undefined): string | null =>
  row?.kind === "pane" && row.pane.needs_action ? (row.pane.prompt_fingerprint ?? "") : null;

/**
 * The selected row, once for each request, which grows when the keyboard moved the selection; the row is focused too. A selected
 * card is kept in view whatever comes, goes or changes its height: keys answer only what can be read. Whoever points at the list
 * or writes keeps what is below the pointer, and the text; whoever reads on in a card that is higher than the window, the place.
 */
export const useSelectedInView = (
  { list, rows, tops, selectedIndex }: ListScroll,
  focusRequest: number,
  viewHeight: number,
): void => {
  const { pointing } = usePopover();
  const isPointing = useStore(pointing);
  const shownRef = useRef<Shown | null>(null);
  // Effects run again when the list comes back from the settings; a request is still carried out only once.
  const doneRequestRef = useRef(0);
  const row = rows[selectedIndex];
  const key = row?.key ?? null;
  const asked = askedBy(row);
  const show = useEffectEvent((element: Element) => {
    const before = shownRef.current;
    const [top, end] = [tops[selectedIndex] ?? 0, tops[selectedIndex + 1] ?? 0];
    const listTop = listTopOf(element);
    const now = { key, asked, top, height: end - top, viewHeight, listTop, isPointing };
    shownRef.current = now;
    if (focusRequest > doneRequestRef.current) {
      doneRequestRef.current = focusRequest;
      showRow(element, selectedIndex)
        ?.querySelector<HTMLElement>("[data-row]")
        ?.focus({ preventScroll: true });
      return;
    }
    if (asked === null || isPointing || document.activeElement instanceof HTMLTextAreaElement) return;
    const isSame = before?.key === key && before.asked === asked && before.height === now.height;
    // Nothing happened to it: whoever scrolled it away wants to see something else.
    const isSameView = before?.viewHeight === viewHeight && before.listTop === listTop;
    if (isSame && isSameView && before.top === top && before.isPointing === isPointing) return;
    if (isSame && isSameView && isHigher(element, selectedIndex)) element.scrollBy({ top: top - before.top });
    else showRow(element, selectedIndex);
  });
  // After each drawing, because any of it can move the row. A list that has just taken the place of another view is not there yet.
  useLayoutEffect(() => {
    if (list !== null) show(list);
  });
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

/** What every row that can be selected is given. Not in a component: a file that exports more is reloaded as a page. */
export interface RowProps {
  isSelected: boolean;
  /** The one row that the tab key reaches. */
  isTabStop: boolean;
  onFocus: () => void;
}

/** The list and the keyboard find the row by these. */
export const rowAttributes = (kind: string, { isSelected, isTabStop, onFocus }: RowProps) => ({
  "data-row": kind,
  "data-selected": isSelected,
  tabIndex: isTabStop ? 0 : -1,
  onFocus,
});
