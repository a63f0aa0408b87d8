// Where code and comments are in a Markdown text, found in one pass. It knows fences, code spans and HTML comments, which is
// all that decides whether a marker counts; it builds no tree, so that a megabyte takes milliseconds.

export interface Range {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

export interface Scan {
  /** Fenced blocks and code spans, in order. */
  readonly codes: readonly Range[];
  /** HTML comments outside of code, in order. */
  readonly comments: readonly Range[];
  /** Where a comment begins that nothing ends. */
  readonly openComments: readonly number[];
  /** What would close the fence that is still open at the end; null where none is. */
  readonly openFence: string | null;
}

const FENCE = /[ \t]*(`{3,}(?=[^`\n]*(?:\n|$))|~{3,})[^\n]*(?:\n|$)/y;
const NEXT = /`+|<!--|\\[^\n]|\n/g;
/** Runs of backticks until the paragraph ends: at an empty line, a fence, or a comment in a line of its own. */
const IN_PARAGRAPH = /(`+)|\n[ \t]*(?=\n|$)|\n[ \t]*(?:```|~~~|<!--)/g;

const isClosing = (line: string, fence: string): boolean => {
  const trimmed = line.trim();
  return trimmed.length >= fence.length && trimmed === (fence[0] ?? "").repeat(trimmed.length);
};

/** End of the fenced block whose content begins at `from`; null where it is never closed. */
const findFenceEnd = (text: string, from: number, fence: string): number | null => {
  for (let start = from; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline + 1;
    if (isClosing(text.slice(start, end), fence)) return end;
    start = end;
  }
  return null;
};

/** The runs of backticks of the paragraph that goes on at `from`, by length, last first. */
const runsOf = (text: string, from: number): { end: number; byLength: Map<number, number[]> } => {
  const byLength = new Map<number, number[]>();
  IN_PARAGRAPH.lastIndex = from;
  for (;;) {
    const match = IN_PARAGRAPH.exec(text);
    if (match?.[1] === undefined) {
      for (const places of byLength.values()) places.reverse();
      return { end: match?.index ?? text.length, byLength };
    }
    const { length } = match[1];
    const places = byLength.get(length);
    if (places === undefined) byLength.set(length, [match.index]);
    else places.push(match.index);
  }
};

/** Looks at `text` from `from` on, which must be the beginning of a line. */
export const scanMarkdown = (text: string, from = 0): Scan => {
  const codes: Range[] = [];
  const comments: Range[] = [];
  const openComments: number[] = [];
  let paragraph = { end: -1, byLength: new Map<number, number[]>() };
  let hasCloser = true;
  let isLineStart = true;
  for (let at = from; at < text.length;) {
    if (isLineStart) {
      FENCE.lastIndex = at;
      const fence = FENCE.exec(text);
      if (fence?.[1] !== undefined) {
        const end = findFenceEnd(text, FENCE.lastIndex, fence[1]);
        codes.push({ start: at, end: end ?? text.length });
        if (end === null) return { codes, comments, openComments, openFence: fence[1] };
        at = end;
        continue;
      }
    }
    NEXT.lastIndex = at;
    const match = NEXT.exec(text);
    if (match === null) break;
    const [found] = match;
    const after = match.index + found.length;
    at = after;
    isLineStart = found === "\n";
    if (found === "<!--") {
      const close: number = hasCloser ? text.indexOf("-->", after) : -1;
      hasCloser = close >= 0;
      if (hasCloser) {
        at = close + 3;
        comments.push({ start: match.index, end: at });
      } else openComments.push(match.index);
    } else if (found.startsWith("`")) {
      if (after > paragraph.end) paragraph = runsOf(text, match.index);
      const places = paragraph.byLength.get(found.length) ?? [];
      while ((places.at(-1) ?? Number.POSITIVE_INFINITY) < after) places.pop();
      const close = places.at(-1);
      if (close !== undefined) {
        at = close + found.length;
        codes.push({ start: match.index, end: at });
      }
    }
  }
  return { codes, comments, openComments, openFence: null };
};

/** 1-based. */
export const lineAt = (text: string, offset: number): number => {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
};

const LINK_COMMENT = /^[ \t]*\[\/\/\]: #[ \t]*\(.*\)[ \t]*(?:\n|$)/gm;

/** Without HTML comments and link reference comments, as the skill compares texts; markers are comments too. */
export const stripComments = (text: string): string => {
  const { comments, codes } = scanMarkdown(text);
  const isCode = (offset: number) => codes.some(({ start, end }) => offset >= start && offset < end);
  const links = [...text.matchAll(LINK_COMMENT)]
    .map(({ index, 0: found }) => ({ start: index, end: index + found.length }))
    .filter(({ start }) => !isCode(start));
  let out = "";
  let at = 0;
  for (const { start, end } of [...comments, ...links].toSorted((a, b) => a.start - b.start)) {
    if (start < at) continue;
    out += text.slice(at, start);
    at = end;
  }
  return out + text.slice(at);
};
