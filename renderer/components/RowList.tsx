// Draws the rows that are in view and a few around them. Heights are known beforehand, but for the one expanded row, which
// is measured; the selected row is always in the document, so that the focus never falls out of it.
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
import { findWindow, rowTops, scrollToShow } from "../state/rowWindow.ts";
import type { Row } from "../state/rows.ts";
import { requestLine } from "../text/paneText.ts";
import styles from "./RowList.module.css";

const HEIGHTS = { heading: 30, group: 30, note: 26, pane: 46, askingPane: 64 } as const;
const OVERSCAN = 6;

const heightOf = (row: Row): number =>
  row.kind === "pane" && requestLine(row.pane) !== "" ? HEIGHTS.askingPane : HEIGHTS[row.kind];

interface RowListProps {
  rows: readonly Row[];
  selectedKey: string | null;
  /** The expanded pane's row, whose height is what it measures. */
  openKey: string | null;
  /** Grows when the selection was moved by the keyboard: the row is then scrolled to and focused. */
  focusRequest: number;
  renderRow: (row: Row) => ReactNode;
}

/** Height of the element and how far it is scrolled, in CSS pixels. */
const useViewport = (element: HTMLElement | null) => {
  const [view, setView] = useState({ top: 0, height: 600 });
  useLayoutEffect(() => {
    if (element === null) return;
    const update = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(update);
    observer.observe(element);
    element.addEventListener("scroll", update, { passive: true });
    update();
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", update);
    };
  }, [element]);
  return view;
};

const MeasuredRow = ({ onHeight, children }: { onHeight: (height: number) => void; children: ReactNode }) => {
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => onHeight(element.offsetHeight));
    observer.observe(element);
    onHeight(element.offsetHeight);
    return () => observer.disconnect();
  }, [onHeight]);
  return <div ref={ref}>{children}</div>;
};

export const RowList = ({ rows, selectedKey, openKey, focusRequest, renderRow }: RowListProps) => {
  const [element, setElement] = useState<HTMLDivElement | null>(null);
  const [openHeight, setOpenHeight] = useState<{ key: string; height: number } | null>(null);
  const view = useViewport(element);
  const tops = useMemo(
    () =>
      rowTops(
        rows.map((row) =>
          row.key === openKey && openHeight?.key === openKey ? openHeight.height : heightOf(row),
        ),
      ),
    [rows, openKey, openHeight],
  );
  const onHeight = useCallback(
    (height: number) =>
      setOpenHeight((before) => {
        if (openKey === null) return null;
        return before?.key === openKey && before.height === height ? before : { key: openKey, height };
      }),
    [openKey],
  );
  const selectedIndex = rows.findIndex((row) => row.key === selectedKey);

  // Runs when asked only: following the selection while rows move around it would tear the list from under the pointer.
  const showSelected = useEffectEvent(() => {
    if (element === null || selectedIndex < 0) return;
    element.scrollTo({ top: scrollToShow(tops, selectedIndex, element.scrollTop, element.clientHeight) });
    element
      .querySelector<HTMLElement>(`[data-index="${selectedIndex}"] [data-row]`)
      ?.focus({ preventScroll: true });
  });
  useEffect(() => {
    if (focusRequest > 0) showSelected();
  }, [focusRequest]);

  const { first, last } = findWindow(tops, view.top, view.height, OVERSCAN);
  const indices = new Set<number>();
  for (let index = first; index <= last; index += 1) indices.add(index);
  if (selectedIndex >= 0) indices.add(selectedIndex);
  return (
    <div ref={setElement} className={styles.scroll}>
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
                style={{ transform: `translateY(${tops[index] ?? 0}px)` }}
              >
                {row.key === openKey ? (
                  <MeasuredRow onHeight={onHeight}>{renderRow(row)}</MeasuredRow>
                ) : (
                  renderRow(row)
                )}
              </div>
            );
          })}
      </div>
    </div>
  );
};
