// Whether a text shows a change already, so that a change which is made twice counts once.
import { differingParts, hasWord, likeness, wordsOf } from "./alikeLines.ts";
import { splitLines } from "./diffLines.ts";
import { isTelling, type Edits } from "./lineEdits.ts";

const SAYING = /[\p{L}\p{N}]/u;

/** Where a text has which lines, so that many blocks are counted in it without reading it again for each. */
class LineIndex {
  private readonly lines: readonly string[];
  private readonly places = new Map<string, number[]>();

  constructor(lines: readonly string[]) {
    this.lines = lines;
    for (const [at, line] of lines.entries()) {
      const known = this.places.get(line);
      if (known === undefined) this.places.set(line, [at]);
      else known.push(at);
    }
  }

  /** How often the lines stand there one after the other, each time in lines of its own. */
  count(block: readonly string[]): number {
    let rarest = { offset: 0, places: this.placesOf(block[0]) };
    for (const [offset, line] of block.entries()) {
      const places = this.placesOf(line);
      if (places.length < rarest.places.length) rarest = { offset, places };
    }
    let [found, next] = [0, 0];
    for (const place of rarest.places) {
      const from = place - rarest.offset;
      if (from < next || !block.every((line, offset) => this.lines[from + offset] === line)) continue;
      found += 1;
      next = from + block.length;
    }
    return found;
  }

  private placesOf(line: string | undefined): readonly number[] {
    return (line === undefined ? undefined : this.places.get(line)) ?? [];
  }
}

/** Whether one of the lines is `to`, perhaps changed further: it has every word that `to` has and `from` has not. */
const hasWords = (from: string, to: string, lines: readonly string[]): boolean => {
  if (lines.includes(to)) return true;
  const [, changed = ""] = differingParts([from, to]).parts;
  const words = [...new Set(wordsOf(changed))].filter((word) => !hasWord(from, word));
  return (
    words.length > 0 &&
    lines.some((line) => words.every((word) => hasWord(line, word)) && likeness(line, to) > 0)
  );
};

/** The parts of a block between its empty lines. */
const withoutBlank = (block: string): string[] => block.match(/(?:[^\n]*\S[^\n]*\n)+/g) ?? [];

/**
 * Whether `text` shows all that `edits` did already, so that a change which is made twice counts once. What was added and
 * changed tells; what was removed only where there is nothing else, because a person may have put it elsewhere.
 */
export const isMade = (
  { added, changed }: Edits,
  base: readonly string[],
  side: string,
  text: string,
): boolean => {
  const known = new Set(base);
  const lines = splitLines(text);
  const [inText, inSide] = [new LineIndex(lines), new LineIndex(splitLines(side))];
  const blocks = [...added.values()]
    .flatMap(withoutBlank)
    .map(splitLines)
    .filter((block) => block.some((line) => SAYING.test(line) && !known.has(line)));
  if (!blocks.every((block) => inText.count(block) >= inSide.count(block))) return false;
  const changedTo = [...changed].filter((one): one is [number, string] => one[1] !== null);
  if (!changedTo.every(([at, line]) => hasWords(base[at] ?? "", line, lines))) return false;
  if (blocks.length > 0 || changedTo.length > 0) return true;
  const inBase = new LineIndex(base);
  // Of lines that a document has many of, nobody can tell which are gone.
  const told = [...changed.keys()]
    .map((at) => [base[at] ?? ""])
    .filter((line) => isTelling(line[0] ?? "") && inBase.count(line) === 1);
  return told.length > 0 && told.every((line) => inText.count(line) <= inSide.count(line));
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
  const isThere = (line: string) => known.has(line) || text.has(line) || !SAYING.test(line);
  return (
    [...lines].every(isThere) &&
    [...changed].every(([at, line]) => line === null || hasWords(base[at] ?? "", line, [...text]))
  );
};
