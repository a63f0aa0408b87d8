// Redraws a frame at another width, as the program that drew it might. Modelled: rules and box borders stretch or shrink; text
// inside boxes, behind a left bar and beside a scroll bar keeps its frame; what stands at the right edge stays there; longer
// lines wrap at blanks under their own text; blank runs shrink first, and lines that still do not fit the height leave at the
// top. Not modelled: text that the program wrapped itself is not joined again for a wider pane, tables and columns other than
// the last and centred parts are not moved, hints are not shortened in an agent's own words, nothing is hidden.
import stringWidth from "string-width";
import type { Recording } from "../../adapters/testkit/recordings.ts";

const RULE_RUN = /([─━═╌╍┄┈▄▀▔▁])\1{7,}/gu;
const BOX_TOP_OR_BOTTOM = /^[╭╰┌└├].*[╮╯┐┘┤]$/u;
const BOXED = /^([│┃]) ?(.*?)([│┃])$/u;
const LEFT_BAR = /^(\s*[┃│]\s{0,2})(.*)$/u;
/** What stays left of the text when a line wraps: one sign (bullet, selector, prompt) and a number. */
const MARKER = /^\s*(?:(?:ℹ|[^\p{L}\p{N}\s"'([{<`]{1,2}|\[.\]) +)?(?:\d{1,2}\. +)?/u;
const RIGHT_PART = /^(.*\S)\s{3,}\S.*$/u;
const GAP = /\s{3,}(?=\S)/gu;
const SHORTEST_GAP = 2;
/** The shortest rule; below this the line is cut instead. */
const SHORTEST_RULE = 3;

/** Columns, not characters: some signs are two wide. */
const lengthOf = (text: string): number => stringWidth(text);
const padTo = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - lengthOf(text)));
const cutTo = (text: string, width: number): string => Array.from(text).slice(0, Math.max(0, width)).join("");

/** Adds `delta` columns to the longest run of one rule character, or takes them from the longest ones. */
const stretchRules = (line: string, delta: number): string => {
  const runs = [...line.matchAll(RULE_RUN)].map((run) => ({
    at: run.index,
    length: run[0].length,
    sign: run[1] ?? "",
    drawn: run[0].length,
  }));
  let left = delta;
  for (const run of runs.toSorted((a, b) => b.length - a.length)) {
    const drawn = Math.max(Math.min(run.length, SHORTEST_RULE), run.length + left);
    left -= drawn - run.length;
    run.drawn = drawn;
  }
  let stretched = "";
  let done = 0;
  for (const { at, length, sign, drawn } of runs) {
    stretched += line.slice(done, at) + sign.repeat(drawn);
    done = at + length;
  }
  return stretched + line.slice(done);
};

/** Columns of text: the last gap grows; it shrinks first, then those before it. An indentation stays unless it is the only gap. */
const moveRight = (line: string, delta: number): string => {
  let left = delta;
  let moved = line;
  const gaps = [...line.matchAll(GAP)];
  for (const gap of gaps.filter(({ index }) => index > 0 || gaps.length === 1).toReversed()) {
    const length = Math.max(gap.index === 0 ? 0 : SHORTEST_GAP, gap[0].length + left);
    left -= length - gap[0].length;
    moved = moved.slice(0, gap.index) + " ".repeat(length) + moved.slice(gap.index + gap[0].length);
  }
  return moved;
};

/** Breaks at blanks; a word longer than the line is broken anywhere. Further lines hang under the text of the first. */
export const wrapLine = (line: string, width: number): string[] => {
  if (lengthOf(line) <= width) return [line];
  const marker = MARKER.exec(line)?.[0] ?? "";
  const indent = Math.min(lengthOf(marker), Math.floor(width / 2));
  const lines: string[] = [];
  let rest = Array.from(line);
  let from = indent;
  while (rest.length > width) {
    const blank = rest.lastIndexOf(" ", width);
    const at = blank > from ? blank : width;
    lines.push(rest.slice(0, at).join("").trimEnd());
    rest = [...Array.from(" ".repeat(indent)), ...Array.from(rest.slice(at).join("").trimStart())];
    from = indent;
  }
  return [...lines, rest.join("")];
};

/** One drawn line of a region `from` columns wide, as lines of a region `to` columns wide. */
export const reflowLine = (line: string, from: number, to: number): string[] => {
  const delta = to - from;
  const length = lengthOf(line);
  const indent = lengthOf(line) - lengthOf(line.trimStart());
  const body = line.slice(indent);
  if (delta === 0) return [line];

  const isFull = length >= from - 2;
  if (isFull && BOX_TOP_OR_BOTTOM.test(body)) return [stretchRules(line, delta)];
  const boxed = isFull && indent <= 2 ? BOXED.exec(body) : null;
  if (boxed !== null) {
    const innerFrom = length - indent - 3;
    const inner = reflowLine((boxed[2] ?? "").trimEnd(), innerFrom - 1, innerFrom - 1 + delta);
    return inner.map(
      (text) => `${" ".repeat(indent)}${boxed[1]} ${padTo(text, innerFrom + delta)}${boxed[3]}`,
    );
  }
  // A scroll bar in the last column.
  if (length === from && /[^│┃]\s+[┃│█]$/u.test(` ${line}`)) {
    const bar = Array.from(line).at(-1) ?? "";
    const inner = reflowLine(cutTo(line, length - 1).trimEnd(), from - 1, to - 1);
    return inner.map((text) => `${padTo(text, to - 1)}${bar}`);
  }
  // A rule across the screen, with or without words in it; if it cannot shrink further, it is cut.
  if (isFull && line.search(RULE_RUN) >= 0) return [cutTo(stretchRules(line, delta), to)];
  const left = RIGHT_PART.exec(line)?.[1] ?? null;
  if (length >= from - 6 && (left !== null || indent > from / 2)) {
    const moved = moveRight(line, delta);
    // The left side is what the program keeps when both no longer fit.
    if (lengthOf(moved) <= to) return [moved];
    if (left !== null) return reflowLine(left, from, to);
  }
  const bar = LEFT_BAR.exec(line);
  if (bar !== null) {
    const [, prefix = "", text = ""] = bar;
    const room = to - lengthOf(prefix);
    // A notice at the right of a wider screen.
    if (room < 1) return [cutTo(line, to)];
    return wrapLine(text, room).map((wrapped) => `${prefix}${wrapped}`.trimEnd());
  }
  return wrapLine(line, to);
};

const isBlank = (line: string): boolean => line.trim() === "";

/** The longest run of blank lines, by its start and length. */
const longestBlankRun = (lines: readonly string[]): { start: number; length: number } => {
  let best = { start: 0, length: 0 };
  let start = 0;
  for (const [index, line] of lines.entries()) {
    if (!isBlank(line)) start = index + 1;
    else if (index - start + 1 > best.length) best = { start, length: index - start + 1 };
  }
  return best;
};

/** At most `height` lines: trailing blanks go first, then blank runs shrink to one line, then the top scrolls away. */
export const fitHeight = (lines: readonly string[], height: number): string[] => {
  const kept = [...lines];
  while (kept.length > height && isBlank(kept.at(-1) ?? "x")) kept.pop();
  while (kept.length > height) {
    const { start, length } = longestBlankRun(kept);
    if (length < 2) break;
    kept.splice(start, Math.min(length - 1, kept.length - height));
  }
  return kept.slice(Math.max(0, kept.length - height));
};

/** The frame without its trailing blank lines. */
export const screenRows = (recording: Recording): string[] => {
  const lines = recording.text.split("\n").map((line) => line.trimEnd());
  while (lines.length > 0 && isBlank(lines.at(-1) ?? "x")) lines.pop();
  return lines;
};

export const withLines = (
  recording: Recording,
  lines: readonly string[],
  width = recording.width,
): Recording => {
  const text = fitHeight(lines, recording.height).join("\n");
  return { ...recording, text, ansi: text, width };
};

/** The frame in a pane `width` columns wide and as high as before. */
export const reflow = (recording: Recording, width: number): Recording =>
  withLines(
    recording,
    recording.text.split("\n").flatMap((line) => reflowLine(line.trimEnd(), recording.width, width)),
    width,
  );
