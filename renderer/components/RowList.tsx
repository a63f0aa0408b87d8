// Draws the rows that are in view and a few around them. Heights are known beforehand, except for cards and expanded rows, which
// are measured. Selected and expanded rows are always in the document, so that the focus is never lost.
import {
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
} from "react";
import { findWindow, rowTops } from "../../ui/lists/rows.ts";
import type { HeldRow } from "../hooks/useRows.ts";
import { listedOptions } from "../../ui/actions/cardView.ts";
import { lineCount } from "../../ui/text/requestText.ts";
import { usePointing, useSteadyList, useOpenInView, useSelectedInView } from "../hooks/useListScroll.ts";
import { useReadCards } from "../hooks/useReadCards.ts";
import styles from "./RowList.module.css";

/** In rem, as in the style sheets; those of targets and cards are used only until they are measured. */
const HEIGHTS = {
  heading: 1.875,
  group: 2.125,
  window: 1.875,
  session: 2.875,
  target: 5,
  pane: 2.875,
  card: 5.75,
  cardLine: 1.0625,
  cardOption: 1.75,
} as const;
const OVERSCAN = 6;

/** Most requests are folded if they are longer than this. */
const GUESSED_LINES = 8;

const heightOf = (row: HeldRow): number => {
  if (row.kind === "gone") return HEIGHTS.card;
  if (row.kind !== "pane" || !row.pane.needs_action) return HEIGHTS[row.kind];
  const { request } = row.pane;
  if (request === null) return HEIGHTS.card;
  const lines = Math.min(lineCount(request), GUESSED_LINES);
  const options = listedOptions(request).length;
  return HEIGHTS.card + lines * HEIGHTS.cardLine + options * HEIGHTS.cardOption;
};

interface RowListProps {
  rows: readonly HeldRow[];
  selectedKey: string | null;
  /** Rows whose height is not known beforehand: it is measured while they are drawn, and kept. */
  measuredKeys: ReadonlySet<string>;
  /** Rows that stay in the document, because the person works in them. */
  pinnedKeys: ReadonlySet<string>;
  /** The row that was expanded last; as much of it as fits is scrolled into view. */
  openKey: string | null;
  /** Grows when the keyboard moved the selection; the row is then scrolled into view and focused. */
  focusRequest: number;
  renderRow: (row: HeldRow) => ReactNode;
}

const readRem = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;

/** How many CSS pixels one rem is: rows of known height are measured in it, so that the list fits any text size. */
export const useRem = (): number => {
  const [rem, setRem] = useState(readRem);
  useLayoutEffect(() => {
    // Observes an element that grows with the text, because nothing else reports a change of the text size.
    const probe = document.createElement("div");
    probe.setAttribute("aria-hidden", "true");
    Object.assign(probe.style, { position: "absolute", width: "1rem", height: "0", visibility: "hidden" });
    document.body.append(probe);
    const observer = new ResizeObserver(() => setRem(readRem()));
    observer.observe(probe);
    return () => {
      observer.disconnect();
      probe.remove();
    };
  }, []);
  return rem;
};

/** Height of the element and of the window, and how far the element is scrolled, in CSS pixels. */
export const useViewport = (element: HTMLElement | null) => {
  const [view, setView] = useState({ top: 0, height: 600, windowHeight: 600 });
  useLayoutEffect(() => {
    if (element === null) return;
    const update = () =>
      setView({ top: element.scrollTop, height: element.clientHeight, windowHeight: window.innerHeight });
    const observer = new ResizeObserver(update);
    observer.observe(element);
    element.addEventListener("scroll", update, { passive: true });
    window.addEventListener("resize", update);
    update();
    return () => {
      observer.disconnect();
      window.removeEventListener("resize", update);
      element.removeEventListener("scroll", update);
    };
  }, [element]);
  return view;
};

interface SlotContentProps {
  rowKey: string;
  isMeasured: boolean;
  onHeight: (key: string, height: number) => void;
  children: ReactNode;
}

/** The same elements whether the row is measured or not, so that a row keeps the focus when it is expanded. */
const SlotContent = ({ rowKey, isMeasured, onHeight, children }: SlotContentProps) => {
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null || !isMeasured) return;
    const observer = new ResizeObserver(() => onHeight(rowKey, element.offsetHeight));
    observer.observe(element);
    onHeight(rowKey, element.offsetHeight);
    return () => observer.disconnect();
  }, [rowKey, isMeasured, onHeight]);
  return (
    <div ref={ref} className={styles.content}>
      {children}
    </div>
  );
};

/** Tops of all rows in CSS pixels, and where measured rows report their height. */
const useTops = (rows: readonly HeldRow[], measuredKeys: ReadonlySet<string>) => {
  const rem = useRem();
  const [heights, setHeights] = useState<ReadonlyMap<string, number>>(new Map());
  // Most rows are the same objects as in the batch before.
  const [known] = useState(() => new WeakMap<HeldRow, number>());
  const tops = useMemo(() => {
    const knownHeightOf = (row: HeldRow): number => {
      const height = known.get(row) ?? heightOf(row);
      known.set(row, height);
      return height;
    };
    return rowTops(
      rows.map((row) => {
        if (row.kind === "gone") return heights.get(row.cardKey) ?? knownHeightOf(row) * rem;
        const measured = measuredKeys.has(row.key) ? heights.get(row.key) : undefined;
        return measured ?? knownHeightOf(row) * rem;
      }),
    );
  }, [rows, measuredKeys, heights, rem, known]);
  const onHeight = useCallback(
    (key: string, height: number) =>
      setHeights((before) => (before.get(key) === height ? before : new Map(before).set(key, height))),
    [],
  );
  return { tops, onHeight, isMeasured: (key: string) => heights.has(key) };
};

/** A list that comes back takes the focus if it had it, and keeps its scroll position. */
const useFocusOnReturn = (element: HTMLElement | null, selectedIndex: number) => {
  const wasShownRef = useRef(false);
  const focusSelected = useEffectEvent((list: HTMLElement) => {
    if (list.contains(document.activeElement)) return;
    list
      .querySelector<HTMLElement>(`[data-index="${selectedIndex}"] [data-row]`)
      ?.focus({ preventScroll: true });
  });
  useEffect(() => {
    if (element === null) return;
    if (wasShownRef.current) focusSelected(element);
    wasShownRef.current = true;
  }, [element]);
};

export const RowList = ({
  rows,
  selectedKey,
  measuredKeys,
  pinnedKeys,
  openKey,
  focusRequest,
  renderRow,
}: RowListProps) => {
  const [element, setElement] = useState<HTMLDivElement | null>(null);
  const view = useViewport(element);
  const { tops, onHeight, isMeasured } = useTops(rows, measuredKeys);
  const selectedIndex = rows.findIndex((row) => row.key === selectedKey);

  const scroll = { list: element, rows, tops, selectedIndex };
  useSteadyList(element, rows, tops);
  useSelectedInView(scroll, focusRequest, Math.min(view.height, view.windowHeight));
  useOpenInView(scroll, openKey !== null && isMeasured(openKey) ? openKey : null);
  useFocusOnReturn(element, selectedIndex);
  useReadCards(element, selectedKey);
  usePointing(element);

  const { first, last } = findWindow(tops, view.top, view.height, OVERSCAN);
  const indices = new Set<number>();
  for (let index = first; index <= last; index += 1) indices.add(index);
  if (selectedIndex >= 0) indices.add(selectedIndex);
  for (const [index, row] of rows.entries()) if (pinnedKeys.has(row.key)) indices.add(index);
  return (
    <div ref={setElement} className={styles.scroll} data-list="">
      {/* The size of the list is set through the DOM's own properties: the content policy forbids style attributes. */}
      <div className={styles.rows} role="list" aria-label="Agents" style={{ height: tops.at(-1) ?? 0 }}>
        {[...indices]
          .toSorted((left, right) => left - right)
          .map((index) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <div
                key={row.key}
                className={styles.slot}
                role="listitem"
                aria-setsize={rows.length}
                aria-posinset={index + 1}
                data-index={index}
                data-key={row.key}
                style={{
                  transform: `translateY(${tops[index] ?? 0}px)`,
                  ...(row.kind === "gone" ? { height: (tops[index + 1] ?? 0) - (tops[index] ?? 0) } : {}),
                }}
              >
                <SlotContent rowKey={row.key} isMeasured={measuredKeys.has(row.key)} onHeight={onHeight}>
                  {renderRow(row)}
                </SlotContent>
              </div>
            );
          })}
      </div>
    </div>
  );
};
