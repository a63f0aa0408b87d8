// What one side did to the lines of a text.
import { findPairs } from "./alikeLines.ts";
import { diffLists, splitLines } from "./diffLines.ts";

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
