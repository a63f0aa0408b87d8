// The lines of two texts: which were replaced by which (`diffLists`), which are the same line before and after a change
// (`likeness`), and what one side changed (`editsOf`). Lines that occur once on both sides are fixed points; between them the
// shortest edit is looked for, up to a limit, so that two texts that have nothing in common cost no minutes.
import { diffArrays } from "diff";

// Likeness: which lines of two texts are one line, before and after somebody changed it.

/**
 * Spaces are a match of their own: a pattern that has to end at a word would begin again at each of a million spaces. A sign that
 * repeats is one word, as in a line that is drawn with signs.
 */
const PART = /\s+|[\p{L}\p{N}_]+|([^\s\p{L}\p{N}_])\1*/gu;
const SPACE = /^\s/;

export interface Word {
  /** The spaces before it. */
  readonly lead: string;
  readonly text: string;
}

export const readWords = (line: string): Word[] => {
  const words: Word[] = [];
  let lead = "";
  for (const part of line.match(PART) ?? []) {
    if (SPACE.test(part)) lead = part;
    else {
      words.push({ lead, text: part });
      lead = "";
    }
  }
  return words;
};

/** What lies between what all lines begin and end with alike; the cuts are before a space, so that each part has whole words. */
export const differingParts = (lines: readonly string[]): { start: string; parts: string[]; end: string } => {
  const [first = "", ...others] = lines;
  const shortest = Math.min(...lines.map(({ length }) => length));
  let start = 0;
  while (start < shortest && others.every((line) => line[start] === first[start])) start += 1;
  while (start > 0 && !isCut(first, start)) start -= 1;
  let end = 0;
  while (start + end < shortest && others.every((line) => line.at(-1 - end) === first.at(-1 - end))) end += 1;
  while (end > 0 && !isCut(first, first.length - end)) end -= 1;
  return {
    start: first.slice(0, start),
    parts: lines.map((line) => line.slice(start, line.length - end)),
    end: first.slice(first.length - end),
  };
};

/** The character at a cut is the first space after a word, in all lines. */
const isCut = (line: string, at: number): boolean =>
  SPACE.test(line[at] ?? "") && !SPACE.test(line[at - 1] ?? " ");

/** Whether a line has the word, found without reading all of its words. */
export const hasWord = (line: string, word: string): boolean => {
  if (!IN_WORD.test(word)) return line.includes(word);
  const wordEnd = /[^\p{L}\p{N}_]/gu;
  for (let at = line.indexOf(word); at >= 0;) {
    wordEnd.lastIndex = at;
    const end = wordEnd.exec(line)?.index ?? line.length;
    const isBegin = !ENDS_IN_WORD.test(line.slice(Math.max(0, at - 2), at));
    if (isBegin && end === at + word.length) return true;
    // A part of a longer word, which is not searched again.
    at = line.indexOf(word, end);
  }
  return false;
};

const IN_WORD = /[\p{L}\p{N}_]/u;
const ENDS_IN_WORD = /[\p{L}\p{N}_]$/u;

export const wordsOf = (line: string): string[] => readWords(line).map(({ text }) => text);

const MIN_SHARE = 0.6;
/** Longer ones are compared by what they begin and end with, where that is enough: their words are many. */
const LONG = 4_000;

const lengthOf = (words: readonly string[]): number => words.reduce((sum, word) => sum + word.length, 0);

/**
 * How much two lines have in common, if they are the same line before and after a change; 0 where they are two lines. Most of
 * the shorter one is in the longer, as words or at both ends.
 */
export const likeness = (before: string, after: string): number => {
  const [shorter, longer] = [before.trim(), after.trim()].toSorted((a, b) => a.length - b.length);
  if (shorter === undefined || longer === undefined || shorter === "") return 0;
  if (shorter.length > LONG) {
    const alike = alikeAtEnds(shorter, longer);
    if (alike >= shorter.length * MIN_SHARE) return alike + 1;
  }
  const known = new Set(wordsOf(longer));
  const shared = lengthOf(wordsOf(shorter).filter((word) => known.has(word)));
  if (shared >= shorter.length * MIN_SHARE) return shared + 1;
  return alikeAtEnds(shorter, longer) >= shorter.length * MIN_SHARE ? 1 : 0;
};

const alikeAtEnds = (shorter: string, longer: string): number => {
  let common = 0;
  while (common < shorter.length && shorter[common] === longer[common]) common += 1;
  let ending = 0;
  while (common + ending < shorter.length && shorter.at(-1 - ending) === longer.at(-1 - ending)) ending += 1;
  return common + ending;
};

/** Beyond that, lines are not compared one by one. */
const MAX_COMPARED = 1_000;

/** Which lines of a hunk are the same line, changed: those that are most alike, in order. */
const findPairs = (before: readonly string[], after: readonly string[]): [number, number][] => {
  if (before.length * after.length > MAX_COMPARED) return [];
  // best[i][j]: how much the lines from i and j on have in common at most.
  const best = [...before, ""].map(() => Array.from({ length: after.length + 1 }, () => 0));
  const alike = before.map((line) => after.map((other) => likeness(line, other)));
  const at = (i: number, j: number) => best[i]?.[j] ?? 0;
  const paired = (i: number, j: number) => {
    const own = alike[i]?.[j] ?? 0;
    return own === 0 ? 0 : own + at(i + 1, j + 1);
  };
  for (let i = before.length - 1; i >= 0; i -= 1)
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const row = best[i];
      if (row !== undefined) row[j] = Math.max(at(i + 1, j), at(i, j + 1), paired(i, j));
    }
  const pairs: [number, number][] = [];
  for (let [i, j] = [0, 0]; i < before.length && j < after.length;)
    if (paired(i, j) > 0 && paired(i, j) === at(i, j)) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  return pairs;
};

/** Lines `[aStart, aEnd)` of one text stand where lines `[bStart, bEnd)` of the other do. */
interface Hunk {
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

interface DiffLine {
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

/** What one side did to the lines of a text. */
export interface Edits {
  /** New lines before line `i` of the base; one past the last is the end. */
  readonly added: ReadonlyMap<number, string>;
  /** Changed lines of the base; null where it was removed. */
  readonly changed: ReadonlyMap<number, string | null>;
  /** Every line that is new. */
  readonly lines: ReadonlySet<string>;
}

export const editsOf = (base: readonly string[], side: readonly string[]): Edits => {
  const added = new Map<number, string>();
  const changed = new Map<number, string | null>();
  for (const { aStart, aEnd, bStart, bEnd } of diffLists(base, side)) {
    const pairs = findPairs(base.slice(aStart, aEnd), side.slice(bStart, bEnd));
    let [at, own] = [aStart, bStart];
    for (const [i, j] of [...pairs, [aEnd - aStart, bEnd - bStart] as const]) {
      for (; at < aStart + i; at += 1) changed.set(at, null);
      if (own < bStart + j) added.set(at, side.slice(own, bStart + j).join(""));
      if (at < aEnd) changed.set(at, side[bStart + j] ?? "");
      [at, own] = [at + 1, bStart + j + 1];
    }
  }
  return { added, changed, lines: new Set([...added.values()].flatMap(splitLines)) };
};

/** A line that two people do not write by chance; an empty one, a fence or a "yes" they do. */
export const isTelling = (line: string): boolean => EIGHT_SIGNS.test(line);

const EIGHT_SIGNS = /(?:[\p{L}\p{N}][^\p{L}\p{N}]*){8}/u;
