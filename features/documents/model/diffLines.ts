// Which lines of a text were replaced by which. Lines that occur once on both sides are fixed points; between them the
// shortest edit is looked for, up to a limit, so that two texts that have nothing in common cost no minutes.
import { diffArrays } from "diff";

/** Lines `[aStart, aEnd)` of one text stand where lines `[bStart, bEnd)` of the other do. */
export interface Hunk {
  readonly aStart: number;
  readonly aEnd: number;
  readonly bStart: number;
  readonly bEnd: number;
}

const MAX_EDITS = 1_000;
/** Of all areas of two texts together: what an area takes grows with the square of its edits. */
const MAX_WORK = 2 * MAX_EDITS * MAX_EDITS;

interface Budget {
  work: number;
}

/** Lines with their ends, so that joining them gives the text. */
export const splitLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

const SAYING = /[\p{L}\p{N}]/u;

/** Pairs of indices of values that both sides have exactly once, in an order that both have. */
const findFixedPoints = (a: readonly string[], b: readonly string[], area: Hunk): [number, number][] => {
  const places = new Map<string, { a: number; b: number }>();
  for (let i = area.aStart; i < area.aEnd; i += 1) {
    const line = a[i] ?? "";
    places.set(line, { a: places.has(line) ? -1 : i, b: -1 });
  }
  const seen = new Set<string>();
  for (let j = area.bStart; j < area.bEnd; j += 1) {
    const line = b[j] ?? "";
    const place = places.get(line);
    if (place !== undefined) place.b = seen.has(line) ? -1 : j;
    seen.add(line);
  }
  const pairs = [...places.values()].filter((place) => place.a >= 0 && place.b >= 0);
  // An empty line says little about where one is.
  const saying = pairs.filter((place) => SAYING.test(a[place.a] ?? ""));
  return longestRising((saying.length > 0 ? saying : pairs).map((place) => [place.a, place.b]));
};

/** The longest subsequence whose second numbers rise (patience sorting); the first ones rise already. */
const longestRising = (pairs: readonly [number, number][]): [number, number][] => {
  const tails: number[] = [];
  const before: number[] = [];
  for (const [index, [, value]] of pairs.entries()) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[tails[middle] ?? 0]?.[1] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    before[index] = tails[low - 1] ?? -1;
    tails[low] = index;
  }
  const rising: [number, number][] = [];
  for (let index = tails.at(-1) ?? -1; index >= 0; index = before[index] ?? -1) {
    const pair = pairs[index];
    if (pair !== undefined) rising.push(pair);
  }
  return rising.toReversed();
};

const trim = (a: readonly string[], b: readonly string[], area: Hunk): Hunk => {
  let { aStart, aEnd, bStart, bEnd } = area;
  while (aStart < aEnd && bStart < bEnd && a[aStart] === b[bStart]) {
    aStart += 1;
    bStart += 1;
  }
  while (aStart < aEnd && bStart < bEnd && a[aEnd - 1] === b[bEnd - 1]) {
    aEnd -= 1;
    bEnd -= 1;
  }
  return { aStart, aEnd, bStart, bEnd };
};

/** The shortest edit within an area; the whole area where that would take too long. */
const diffArea = (a: readonly string[], b: readonly string[], area: Hunk, budget: Budget): Hunk[] => {
  const maxEditLength = Math.min(MAX_EDITS, Math.floor(Math.sqrt(budget.work)));
  const changes = diffArrays(a.slice(area.aStart, area.aEnd), b.slice(area.bStart, area.bEnd), {
    maxEditLength,
  });
  if (changes === undefined) {
    budget.work -= maxEditLength ** 2;
    return [area];
  }
  const edits = changes.reduce((sum, { added, removed, count }) => sum + (added || removed ? count : 0), 0);
  budget.work -= Math.min(edits, maxEditLength) ** 2;
  const hunks: Hunk[] = [];
  let { aStart, bStart } = area;
  let open: Hunk | null = null;
  for (const { added, removed, value } of changes) {
    if (!added && !removed) {
      if (open !== null) hunks.push(open);
      open = null;
      aStart += value.length;
      bStart += value.length;
      continue;
    }
    const from: Hunk = open ?? { aStart, aEnd: aStart, bStart, bEnd: bStart };
    if (removed) aStart += value.length;
    else bStart += value.length;
    open = { ...from, aEnd: aStart, bEnd: bStart };
  }
  return open === null ? hunks : [...hunks, open];
};

const diffWithin = (
  a: readonly string[],
  b: readonly string[],
  area: Hunk,
  out: Hunk[],
  budget: Budget,
): void => {
  const left = trim(a, b, area);
  if (left.aStart === left.aEnd && left.bStart === left.bEnd) return;
  if (left.aStart === left.aEnd || left.bStart === left.bEnd) {
    out.push(left);
    return;
  }
  const fixed = findFixedPoints(a, b, left);
  if (fixed.length === 0) {
    out.push(...diffArea(a, b, left, budget));
    return;
  }
  let { aStart, bStart } = left;
  for (const [aEnd, bEnd] of [...fixed, [left.aEnd, left.bEnd] as const]) {
    diffWithin(a, b, { aStart, aEnd, bStart, bEnd }, out, budget);
    aStart = aEnd + 1;
    bStart = bEnd + 1;
  }
};

/** What has to be replaced to turn `a` into `b`, in order; neighbours are never adjacent on both sides. */
export const diffLists = (a: readonly string[], b: readonly string[]): Hunk[] => {
  const hunks: Hunk[] = [];
  diffWithin(a, b, { aStart: 0, aEnd: a.length, bStart: 0, bEnd: b.length }, hunks, { work: MAX_WORK });
  return hunks;
};

export interface DiffLine {
  readonly kind: "same" | "removed" | "added";
  /** Without its end. */
  readonly text: string;
}

/** Every line of both texts, in the order in which a diff shows them; none where they are equal. */
export const diffOfLines = (before: string, after: string): DiffLine[] => {
  if (before === after) return [];
  const [a, b] = [splitLines(before), splitLines(after)];
  const lines: DiffLine[] = [];
  const add = (kind: DiffLine["kind"], from: readonly string[]) => {
    for (const line of from) lines.push({ kind, text: line.replace(/\n$/, "") });
  };
  let at = 0;
  for (const { aStart, aEnd, bStart, bEnd } of diffLists(a, b)) {
    add("same", a.slice(at, aStart));
    add("removed", a.slice(aStart, aEnd));
    add("added", b.slice(bStart, bEnd));
    at = aEnd;
  }
  add("same", a.slice(at));
  return lines;
};

const SIGNS: Readonly<Record<DiffLine["kind"], string>> = { same: " ", removed: "-", added: "+" };

/** Every line of both texts with `-`, `+` or a space before it; null where they are equal. */
export const lineDiff = (before: string, after: string): string | null =>
  before === after
    ? null
    : diffOfLines(before, after)
        .map(({ kind, text }) => `${SIGNS[kind]}${text}\n`)
        .join("");
