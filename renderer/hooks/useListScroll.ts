// Where the list is scrolled to without a wheel: the row that the keyboard selected, the card that is selected, and the row that
// was opened last.
import { useEffect, useEffectEvent, useLayoutEffect, useRef } from "react";
import { scrollToShow } from "../../ui/lists/rowWindow.ts";
import type { HeldRow } from "../state/heldCards.ts";
import { usePopover } from "../state/popover.ts";
import { useStore } from "../state/store.ts";
import { viewOf } from "./useReadCards.ts";

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
