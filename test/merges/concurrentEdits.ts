// Made-up documents that an agent and a person change at the same time, and what must hold for the merged text. Every piece
// of text that a side adds has a word of its own, so that it can be found, counted and put into order afterwards.
import { mergeTexts } from "../../features/documents/model/mergeTexts.ts";

export interface Concurrent {
  readonly base: string;
  readonly agent: string;
  readonly person: string;
  /** Whole lines that a side added, in the order of its text. */
  readonly lines: readonly string[];
  /** Words that nobody removed, each of them once in the merged text. */
  readonly kept: readonly string[];
}

type Random = () => number;

/** The same numbers for the same seed (mulberry32). */
export const randomFrom = (seed: number): Random => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

const below = (random: Random, limit: number): number => Math.floor(random() * limit);
const pick = <T>(random: Random, from: readonly [T, ...T[]]): T =>
  from[below(random, from.length)] ?? from[0];

/** Lines that documents have many of. */
const COMMON = ["", "", "- [ ] todo", "```", "yes", "---", "> quote"] as const;

let used = 0;
/** As different from each other as words are: a counter, stirred. */
const newWord = (letter: string): string =>
  `${letter}${(Math.imul((used += 1), 0x9e3779b1) >>> 0).toString(36)}x`;

const newLine = (random: Random, letter: string): string => {
  const words = [newWord(letter)];
  for (let more = below(random, 4); more > 0; more -= 1) words.push(newWord(letter));
  return words.join(" ");
};

const makeBase = (random: Random): string[] => {
  const lines = ["<!-- agent:exchange mode=append -->"];
  for (let count = below(random, 14); count > 0; count -= 1)
    lines.push(random() < 0.4 ? pick(random, COMMON) : newLine(random, "b"));
  return [...lines, "<!-- /agent:exchange -->"];
};

interface Side {
  lines: string[];
  readonly added: string[];
}

/** One thing that somebody does to a text. */
const edit = (random: Random, side: Side, letter: string): void => {
  const { lines } = side;
  const at = below(random, lines.length + 1);
  const line = lines[at] ?? "";
  const kind = random();
  if (kind < 0.45 || at === lines.length) {
    const block: string[] = [];
    for (let count = 1 + below(random, 3); count > 0; count -= 1)
      block.push(random() < 0.25 ? pick(random, COMMON) : newLine(random, letter));
    side.added.push(...block.filter((one) => one.startsWith(letter)));
    lines.splice(at, 0, ...block);
  } else if (kind < 0.7 && /^b\w+x/.test(line)) {
    const words = line.split(" ");
    words.splice(below(random, words.length + 1), 0, newWord(letter));
    lines[at] = words.join(" ");
    forget(side, line);
  } else if (kind < 0.85) {
    lines.splice(at, 1);
    forget(side, line);
  } else {
    const made = newLine(random, letter);
    lines[at] = made;
    forget(side, line);
    side.added.push(made);
  }
};

/** A line that its own author changed or removed again is no longer one that has to be there. */
const forget = ({ added }: Side, line: string): void => {
  const at = added.indexOf(line);
  if (at >= 0) added.splice(at, 1);
};

const wordsOf = (text: string): string[] => text.match(/[abps]\w*x\b/g) ?? [];

/** `least`: how many edits each side makes at least. */
export const makeConcurrent = (random: Random, least = 0): Concurrent => {
  const base = makeBase(random);
  const agent: Side = { lines: [...base], added: [] };
  const person: Side = { lines: [...base], added: [] };
  // What was typed and saved before the agent began stands in both, where the baseline is older.
  if (random() < 0.2) {
    const at = below(random, base.length + 1);
    const shared = `${newWord("s")} shared by both of them`;
    agent.lines.splice(at, 0, shared);
    person.lines.splice(at, 0, shared);
  }
  for (let count = least + below(random, 5); count > 0; count -= 1) edit(random, agent, "a");
  for (let count = least + below(random, 5); count > 0; count -= 1) edit(random, person, "p");
  const join = (lines: readonly string[]) => `${lines.join("\n")}${random() < 0.9 ? "\n" : ""}`;
  const texts = { base: join(base), agent: join(agent.lines), person: join(person.lines) };
  const inAll = wordsOf(texts.base).filter(
    (word) => texts.agent.includes(word) && texts.person.includes(word),
  );
  const added = [...wordsOf(texts.agent), ...wordsOf(texts.person)].filter((word) => !word.startsWith("b"));
  return { ...texts, lines: [...agent.added, ...person.added], kept: [...new Set([...inAll, ...added])] };
};

const inOrder = (text: string, letter: string): string[] =>
  wordsOf(text).filter((word) => word.startsWith(letter));

/** Of equal lines, such as empty ones, nobody can tell afterwards which was removed and which added. */
const withoutCommon = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !COMMON.some((one) => one === line))
    .join("\n");

/** What is wrong with the merge; null where nothing is. */
export const findFault = (
  { base, agent, person, lines, kept }: Concurrent,
  merge: typeof mergeTexts = mergeTexts,
): string | null => {
  const merged = merge(base, agent, person);
  const counts = new Map<string, number>();
  for (const word of wordsOf(merged)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const lost = kept.filter((word) => !counts.has(word));
  if (lost.length > 0) return `lost: ${lost.join(" ")}`;
  const doubled = [...counts]
    .filter(([word, count]) => count > 1 && !word.startsWith("b"))
    .map(([word]) => word);
  if (doubled.length > 0) return `twice: ${doubled.join(" ")}`;
  const all = new Set(merged.split("\n"));
  const torn = lines.filter((line) => !all.has(line));
  if (torn.length > 0) return `torn: ${torn.join(" | ")}`;
  for (const [letter, side] of [
    ["a", agent],
    ["p", person],
  ] as const)
    if (inOrder(merged, letter).join(" ") !== inOrder(side, letter).join(" ")) return `order of ${letter}`;
  const again = merge(base, agent, merged);
  // Where a side only removes, what the other put elsewhere may be removed as well.
  const addsText = inOrder(agent, "a").length > 0;
  if (addsText && withoutCommon(again) !== withoutCommon(merged)) return "not the same when it is made again";
  return null;
};
