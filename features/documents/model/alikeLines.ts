// Which lines of two texts are one line, before and after somebody changed it.

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
    // A part of a longer word, which is not looked at again.
    at = line.indexOf(word, end);
  }
  return false;
};

const IN_WORD = /[\p{L}\p{N}_]/u;
const ENDS_IN_WORD = /[\p{L}\p{N}_]$/u;

export const wordsOf = (line: string): string[] => readWords(line).map(({ text }) => text);

const MIN_SHARE = 0.6;
/** Longer ones are told by what they begin and end with, where that is enough: their words are many. */
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

/** So many characters do they have in common at both ends. */
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
export const findPairs = (before: readonly string[], after: readonly string[]): [number, number][] => {
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
