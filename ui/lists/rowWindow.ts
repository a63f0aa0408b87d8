// Which rows of a long list are worth having in the document. Heights are in any unit (CSS pixels, lines of a terminal) and known before drawing; an
// expanded row reports its own once it was measured.

export interface RowWindow {
  /** First and last index to draw, both included; `last` is -1 for an empty list. */
  first: number;
  last: number;
}

/** Tops of all rows, plus one more entry: the height of the whole list. */
export const rowTops = (heights: readonly number[]): number[] => {
  const tops = [0];
  for (const height of heights) tops.push((tops.at(-1) ?? 0) + height);
  return tops;
};

/** Index of the row at an offset. */
const rowAt = (tops: readonly number[], offset: number): number => {
  let [low, high] = [0, tops.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((tops[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
};

/** `overscan` rows are added on both sides so that scrolling and tabbing find something. */
export const findWindow = (
  tops: readonly number[],
  scrollTop: number,
  viewHeight: number,
  overscan: number,
): RowWindow => {
  const count = tops.length - 1;
  if (count <= 0) return { first: 0, last: -1 };
  return {
    first: Math.max(rowAt(tops, scrollTop) - overscan, 0),
    last: Math.min(rowAt(tops, scrollTop + viewHeight) + overscan, count - 1),
  };
};

/** Where to scroll so that a row is in view; the present offset when it already is. */
export const scrollToShow = (
  tops: readonly number[],
  index: number,
  scrollTop: number,
  viewHeight: number,
): number => {
  const [top, bottom] = [tops[index] ?? 0, tops[index + 1] ?? 0];
  if (top < scrollTop) return top;
  if (bottom > scrollTop + viewHeight) return Math.min(top, bottom - viewHeight);
  return scrollTop;
};
