// Whether a text shows a change already, so that a change which is made twice counts once.
import { wordsOf } from "./alikeLines.ts";
import { splitLines } from "./diffLines.ts";
import { isTelling, type Edits } from "./lineEdits.ts";

/** How often; both begin and end with a line end, which neighbours share. */
const count = (text: string, part: string): number => {
  let found = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length - 1)) found += 1;
  return found;
};

/** Whether a line of `text` has every word that `to` has and `from` has not. */
const hasWords = (from: string, to: string, lines: readonly string[]): boolean => {
  const known = new Set(wordsOf(from));
  const words = wordsOf(to).filter((word) => !known.has(word));
  return lines.some((line) => words.every((word) => line.includes(word)));
};

/** The parts of a block between its empty lines. */
const withoutBlank = (block: string): string[] => block.match(/(?:[^\n]*\S[^\n]*\n)+/g) ?? [];

/** Whether `text` shows all that `edits` did already, so that a change which is made twice counts once. */
export const isMade = (
  { added, changed }: Edits,
  base: readonly string[],
  side: string,
  text: string,
): boolean => {
  const all = [...added.values()].flatMap(withoutBlank);
  const saying = all.filter((block) => /[\p{L}\p{N}]/u.test(block));
  const blocks = saying.length > 0 ? saying : all;
  const times = (within: string, block: string) => count(`\n${within}`, `\n${block}`);
  if (!blocks.every((block) => times(text, block) >= times(side, block))) return false;
  const lines = splitLines(text);
  // Of lines that a document has many of, nobody can tell which are gone.
  const whole = base.join("");
  const isTold = (line: string) => isTelling(line) && times(whole, line) === 1;
  const telling = [...changed].filter(([at, line]) => line !== null || isTold(base[at] ?? ""));
  if (blocks.length === 0 && telling.length === 0) return false;
  return telling.every(([at, line]) => {
    const before = base[at] ?? "";
    if (line === null) return times(text, before) <= times(side, before);
    return blocks.length === 0 ? times(text, line) >= times(side, line) : hasWords(before, line, lines);
  });
};

/**
 * The same once both sides share lines that the base did not have: whether nothing of the agent's is missing but lines that
 * the document has anyway.
 */
export const isLeftMade = (
  { changed, lines }: Edits,
  base: readonly string[],
  text: ReadonlySet<string>,
): boolean => {
  const known = new Set(base);
  const isThere = (line: string) => known.has(line) || text.has(line) || !/[\p{L}\p{N}]/u.test(line);
  return (
    [...lines].every(isThere) &&
    [...changed].every(([at, line]) => line === null || hasWords(base[at] ?? "", line, [...text]))
  );
};
