// Which lines of two texts are one line, before and after somebody changed it.

const WORD = /(\s*)([\p{L}\p{N}_]+|[^\s\p{L}\p{N}_])/gu;

export interface Word {
  /** The spaces before it. */
  readonly lead: string;
  readonly text: string;
}

export const readWords = (line: string): Word[] =>
  [...line.matchAll(WORD)].map(([, lead = "", text = ""]) => ({ lead, text }));

export const wordsOf = (line: string): string[] => readWords(line).map(({ text }) => text);

const MIN_SHARE = 0.6;

const lengthOf = (words: readonly string[]): number => words.reduce((sum, word) => sum + word.length, 0);

/**
 * How much two lines have in common, if they are the same line before and after a change; 0 where they are two lines. Most of
 * the shorter one is in the longer, as words or at both ends.
 */
export const likeness = (before: string, after: string): number => {
  const [shorter, longer] = [before.trim(), after.trim()].toSorted((a, b) => a.length - b.length);
  if (shorter === undefined || longer === undefined || shorter === "") return 0;
  const known = new Set(wordsOf(longer));
  const shared = lengthOf(wordsOf(shorter).filter((word) => known.has(word)));
  if (shared >= shorter.length * MIN_SHARE) return shared + 1;
  let common = 0;
  while (common < shorter.length && shorter[common] === longer[common]) common += 1;
  let ending = 0;
  while (common + ending < shorter.length && shorter.at(-1 - ending) === longer.at(-1 - ending)) ending += 1;
  return common + ending >= shorter.length * MIN_SHARE ? 1 : 0;
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
