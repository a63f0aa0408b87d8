// Two people's changes of one text become one text: what an agent answered and what a person typed meanwhile. Lines count as
// whole, and only a line that both changed is merged word by word, so that nothing typed is torn apart. Nothing that either
// side added is lost; what both added at the same place appears once; the agent's comes first.
import { splitLines } from "./diffLines.ts";
import { isLeftMade, isMade } from "./isMade.ts";
import { editsOf, isTelling, type Edits } from "./lineEdits.ts";
import { mergeLine } from "./mergeLine.ts";

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
