// Two people's changes of one text become one text: what an agent answered and what a person typed meanwhile. Lines count as
// whole, and only a line that both changed is merged word by word, so that nothing typed is torn apart. Nothing that either
// side added is lost; what both added at the same place appears once; the agent's comes first.
import {
  differingParts,
  hasWord,
  likeness,
  wordsOf,
  splitLines,
  isTelling,
  type Edits,
  readWords,
  type Word,
  diffLists,
  editsOf,
} from "./diffLines.ts";

// Changes that a text shows already.

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
const isMade = ({ added, changed }: Edits, base: readonly string[], side: string, text: string): boolean => {
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
  // Which of a line's many copies are gone cannot be known.
  const told = [...changed.keys()]
    .map((at) => [base[at] ?? ""])
    .filter((line) => isTelling(line[0] ?? "") && inBase.count(line) === 1);
  return told.length > 0 && told.every((line) => inText.count(line) <= inSide.count(line));
};

/**
 * The same once both sides share lines that the base did not have: whether nothing of the agent's is missing but lines that
 * the document has anyway.
 */
const isLeftMade = (
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

// One line: what two people changed in it at the same time is merged word by word.

const editsOfWords = (base: readonly Word[], side: readonly Word[]) => {
  const added = new Map<number, readonly Word[]>();
  const removed = new Set<number>();
  /** The spaces before words that stayed, where they are others now. */
  const leads = new Map<number, string>();
  const hunks = diffLists(
    base.map(({ text }) => text),
    side.map(({ text }) => text),
  );
  let [at, own] = [0, 0];
  for (const { aStart, aEnd, bStart, bEnd } of [
    ...hunks,
    { aStart: base.length, aEnd: 0, bStart: 0, bEnd: 0 },
  ]) {
    for (; at < aStart; at += 1, own += 1) {
      const lead = side[own]?.lead ?? "";
      if (lead !== base[at]?.lead) leads.set(at, lead);
    }
    if (bStart < bEnd) added.set(aStart, side.slice(bStart, bEnd));
    for (; at < aEnd; at += 1) removed.add(at);
    own = bEnd;
  }
  return { added, removed, leads };
};

const startsWith = (words: readonly Word[], first: readonly Word[]): boolean =>
  first.every(({ text }, index) => words[index]?.text === text);

/** Words put in at the same place of a line; where one begins with the other, that is not repeated. */
const joinWords = (agent: readonly Word[] = [], person: readonly Word[] = []): readonly Word[] => {
  if (startsWith(person, agent)) return person;
  return startsWith(agent, person) ? agent : [...agent, ...person];
};

/** A word has nothing but these; what stands between words is one character. */
const WORD_START = /^[\p{L}\p{N}_]/u;

/** A line that both changed, without the end of the line. */
const mergeWords = (base: string, agent: string, person: string): string => {
  const words = readWords(base);
  const [a, p] = [editsOfWords(words, readWords(agent)), editsOfWords(words, readWords(person))];
  let line = "";
  let last = "";
  const emit = ({ lead, text }: Word) => {
    const isFused = lead === "" && WORD_START.test(last) && WORD_START.test(text);
    line += `${isFused ? " " : lead}${text}`;
    last = text;
  };
  for (const [at, word] of [...words, null].entries()) {
    for (const one of joinWords(a.added.get(at), p.added.get(at))) emit(one);
    if (word === null || a.removed.has(at) || p.removed.has(at)) continue;
    emit({ ...word, lead: a.leads.get(at) ?? p.leads.get(at) ?? word.lead });
  }
  const tail = (text: string) => text.slice(text.trimEnd().length);
  return line + (tail(person) === tail(base) ? tail(agent) : tail(person));
};

const END_OF_LINE = /\r?\n$/;

/** `agent` and `person` both come from `base`; what both put in at the same place follows each other, the agent's first. */
const mergeLine = (base: string, agent: string, person: string): string => {
  if (agent === person) return agent;
  const [from, own, other] = [base, agent, person].map((line) => line.replace(END_OF_LINE, ""));
  const end = END_OF_LINE.exec(person)?.[0] ?? END_OF_LINE.exec(agent)?.[0] ?? "";
  const { start, parts, end: alike } = differingParts([from ?? "", own ?? "", other ?? ""]);
  const [left = "", ours = "", theirs = ""] = parts;
  return start + mergeWords(left, ours, theirs) + alike + end;
};

const ended = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

const isBlank = (lines: readonly string[]): boolean => lines.every((line) => line.trim() === "");

/** What both sides put at the same place: lines that they share at either end appear once. */
const joinAdded = (agent: string, person: string): string => {
  if (person.startsWith(agent)) return person;
  if (agent.startsWith(person)) return agent;
  const [a, p] = [splitLines(agent), splitLines(person)];
  const most = Math.min(a.length, p.length);
  let first = 0;
  while (first < most && a[first] === p[first]) first += 1;
  if (isBlank(a.slice(0, first))) first = 0;
  let last = 0;
  while (first + last < most && a.at(-1 - last) === p.at(-1 - last)) last += 1;
  if (isBlank(a.slice(a.length - last))) last = 0;
  const own = (lines: readonly string[]) => lines.slice(first, lines.length - last).join("");
  return [...a.slice(0, first), own(a), own(p), ...a.slice(a.length - last)].join("");
};

interface Side {
  readonly text: readonly string[];
  readonly edits: Edits;
}

/** The lines that occur once in a text. */
const onceIn = (text: readonly string[]): Set<string> => {
  const counts = new Map<string, number>();
  for (const line of text) counts.set(line, (counts.get(line) ?? 0) + 1);
  return new Set([...counts].filter(([, count]) => count === 1).map(([line]) => line));
};

/**
 * The base with what both sides added to it, so that it counts as nobody's change: what was typed and saved before the agent
 * began, where its baseline is older; and an agent's own text, when it is merged a second time. Null where there is nothing.
 */
const advance = (base: readonly string[], agent: Side, person: Side): string[] | null => {
  const both = [...agent.edits.lines].filter((line) => person.edits.lines.has(line) && isTelling(line));
  if (both.length === 0) return null;
  const known = new Set(base);
  const [a, p] = [onceIn(agent.text), onceIn(person.text)];
  const shared = new Set(both.filter((line) => a.has(line) && p.has(line) && !known.has(line)));
  const at = (index: number) =>
    splitLines(agent.edits.added.get(index) ?? "").filter((line) => shared.has(line));
  return shared.size === 0
    ? null
    : [...base.flatMap((line, index) => [...at(index), line]), ...at(base.length)];
};

/** A line of the base after both: one that was removed by one side and changed by the other stays, as it was changed. */
const mergeChanged = (base: string, agent: Side, person: Side, at: number): string => {
  const [a, p] = [agent.edits.changed.get(at), person.edits.changed.get(at)];
  if (a === undefined) return p === undefined ? base : (p ?? "");
  if (p === undefined) return a ?? "";
  if (a === null) return p === null || agent.edits.lines.has(p) ? "" : p;
  if (p === null) return person.edits.lines.has(a) ? "" : a;
  return mergeLine(base, a, p);
};

/** What a side put before line `at`. Empty lines have no meaning beside lines that the other side removed. */
const addedAt = (side: Side, other: Side, at: number): string => {
  const block = side.edits.added.get(at) ?? "";
  const isRemoved = [at - 1, at].some((line) => other.edits.changed.get(line) === null);
  return isRemoved && block.trim() === "" ? "" : block;
};

/** All three end with a line end, or are empty. */
const mergeEnded = (base: string, agent: string, person: string): string => {
  if (person === base || agent === person) return agent;
  if (agent === base) return person;
  const [first, own, other] = [splitLines(base), splitLines(agent), splitLines(person)];
  let lines = first;
  let a: Side = { text: own, edits: editsOf(lines, own) };
  if (isMade(a.edits, lines, agent, person)) return person;
  let p: Side = { text: other, edits: editsOf(lines, other) };
  const advanced = advance(lines, a, p);
  if (advanced !== null) {
    lines = advanced;
    a = { text: own, edits: editsOf(lines, own) };
    p = { text: other, edits: editsOf(lines, other) };
    if (isLeftMade(a.edits, lines, new Set(other))) return person;
  }
  let merged = "";
  let [added, typed] = ["", ""];
  for (let at = 0; at <= lines.length; at += 1) {
    added += addedAt(a, p, at);
    typed += addedAt(p, a, at);
    const line = at < lines.length ? mergeChanged(lines[at] ?? "", a, p, at) : null;
    // What stands before and after a line that is gone stands at the same place.
    if (line === "") continue;
    merged += joinAdded(added, typed) + (line ?? "");
    [added, typed] = ["", ""];
  }
  return merged;
};

/** `agent` and `person` both come from `base`. Merging a result with `agent` once more gives the same text. */
export const mergeTexts = (base: string, agent: string, person: string): string => {
  const merged = mergeEnded(ended(base), ended(agent), ended(person));
  const isEnded = (text: string) => text === "" || text.endsWith("\n");
  const decides = isEnded(agent) === isEnded(base) ? person : agent;
  // An empty line at the end is more than a line end that is missing.
  return isEnded(decides) || merged.endsWith("\n\n") ? merged : merged.replace(/\n$/, "");
};
