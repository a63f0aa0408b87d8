import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findWindow, rowTops, scrollToShow } from "./rows.ts";

const heightsArbitrary = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 60 });

describe("rowTops", () => {
  it("are where the rows begin, and where the last one ends", () => {
    expect(rowTops([3, 4, 5])).toEqual([0, 3, 7, 12]);
  });
});

describe("findWindow", () => {
  it("covers every row that touches the view, wherever it is scrolled", () => {
    fc.assert(
      fc.property(
        heightsArbitrary,
        fc.nat(5_000),
        fc.integer({ min: 1, max: 800 }),
        (heights, offset, view) => {
          const tops = rowTops(heights);
          const total = tops.at(-1) ?? 0;
          const scrollTop = Math.min(offset, Math.max(total - view, 0));
          const { first, last } = findWindow(tops, scrollTop, view, 0);
          for (const [index] of heights.entries()) {
            const touches = (tops[index] ?? 0) < scrollTop + view && (tops[index + 1] ?? 0) > scrollTop;
            if (touches) expect(index >= first && index <= last).toBe(true);
          }
        },
      ),
    );
  });

  it("is bounded by the view, not by the list", () => {
    const { first, last } = findWindow(rowTops(Array(1_000).fill(44)), 20_000, 600, 6);
    expect(last - first).toBeLessThan(30);
  });

  it("is empty for an empty list", () =>
    expect(findWindow(rowTops([]), 0, 600, 6)).toEqual({ first: 0, last: -1 }));
});

describe("scrollToShow", () => {
  it("brings a row into view, its top at least", () => {
    fc.assert(
      fc.property(
        heightsArbitrary,
        fc.nat(),
        fc.nat(5_000),
        fc.integer({ min: 50, max: 800 }),
        (heights, pick, scrollTop, view) => {
          const tops = rowTops(heights);
          const index = pick % heights.length;
          const next = scrollToShow(tops, index, scrollTop, view);
          expect(next).toBeLessThanOrEqual(tops[index] ?? 0);
          expect(next + view).toBeGreaterThan(tops[index] ?? 0);
        },
      ),
    );
  });
});
