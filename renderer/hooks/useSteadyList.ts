// Keeps what is below the pointer in its place while rows come, go and change their height above it: the list is scrolled by as
// much as they moved. A short list is made high enough for that.
import { useEffect, useLayoutEffect, useRef } from "react";
import type { HeldRow } from "../state/heldCards.ts";
import { usePopover } from "../state/popover.ts";
import { useStore } from "../state/store.ts";

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

/** From the first movement of a mouse or its wheel over the list until it leaves or a key is pressed; one that only lies there does not count. */
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
    list.addEventListener("pointermove", move, { passive: true });
    // Who scrolls reads there.
    list.addEventListener("wheel", begin, { passive: true });
    list.addEventListener("pointerleave", end);
    window.addEventListener("keydown", end, true);
    return () => {
      list.removeEventListener("pointermove", move);
      list.removeEventListener("wheel", begin);
      list.removeEventListener("pointerleave", end);
      window.removeEventListener("keydown", end, true);
      end();
    };
  }, [list, pointing]);
};
