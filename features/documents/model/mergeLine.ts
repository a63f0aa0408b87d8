// A line that two people changed at the same time becomes one line, word by word.
import { differingParts, readWords, type Word } from "./alikeLines.ts";
import { diffLists } from "./diffLines.ts";

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
export const mergeLine = (base: string, agent: string, person: string): string => {
  if (agent === person) return agent;
  const [from, own, other] = [base, agent, person].map((line) => line.replace(END_OF_LINE, ""));
  const end = END_OF_LINE.exec(person)?.[0] ?? END_OF_LINE.exec(agent)?.[0] ?? "";
  const { start, parts, end: alike } = differingParts([from ?? "", own ?? "", other ?? ""]);
  const [left = "", ours = "", theirs = ""] = parts;
  return start + mergeWords(left, ours, theirs) + alike + end;
};
