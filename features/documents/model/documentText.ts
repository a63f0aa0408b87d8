// What is in a document's text: code and comments (`scanMarkdown`), named regions (`parseComponents`), line ends, the place of its
// frontmatter (`splitFrontmatter`), and sections (`outlineOf`). Pure, and without a parser of YAML.
import { AgtmuxError } from "../../../core/model/errors.ts";

interface Range {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

interface Scan {
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

/** Scans `text` from `from` on, which must be the beginning of a line. */
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
const lineAt = (text: string, offset: number): number => {
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

// Components: the named regions of a document, `<!-- agent:NAME k=v -->` to `<!-- /agent:NAME -->`, outside of code. What is not
// certain (an open region without an end, one within another) is an error that names the lines, never a guess.

export const MODES = ["replace", "append", "prepend"] as const;
export type Mode = (typeof MODES)[number];

export interface Component {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Offsets of the content between the markers. */
  readonly start: number;
  readonly end: number;
}

const NAME = "[a-zA-Z0-9][a-zA-Z0-9-]*";
const MARKER = new RegExp(`^<!--\\s*(/?)agent:(${NAME})(\\s[^]*)?-->$`);
const ATTRIBUTE = /([\w-]+)=(?:"([^"]*)"|'([^']*)'|(\S+))/g;

const readAttributes = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(ATTRIBUTE)].map(([, key = "", double, single, bare]) => [
      key,
      double ?? single ?? bare ?? "",
    ]),
  );

interface Marker {
  readonly name: string;
  readonly isClose: boolean;
  readonly attributes: string;
  readonly start: number;
  readonly end: number;
}

/** Every marker that counts, in order. */
const findMarkers = (text: string): Marker[] =>
  scanMarkdown(text).comments.flatMap(({ start, end }) => {
    // A long comment is no marker; most comments are not, and need no regular expression.
    if (end - start > 1_000) return [];
    const match = MARKER.exec(text.slice(start, end));
    if (match === null) return [];
    const [, slash, name = "", attributes = ""] = match;
    return [{ name, isClose: slash === "/", attributes, start, end }];
  });

const invalid = (message: string, remedy: string): AgtmuxError =>
  new AgtmuxError("E_DOCUMENT_INVALID", message, { remedy });

/** In the order of the document. @throws AgtmuxError E_DOCUMENT_INVALID for regions that are not closed, or within others. */
export const parseComponents = (text: string): Component[] => {
  const components: Component[] = [];
  let open: Marker | null = null;
  for (const marker of findMarkers(text)) {
    const { name, isClose, start } = marker;
    const line = () => lineAt(text, start);
    if (!isClose) {
      if (open !== null)
        throw invalid(
          `component '${name}' in line ${line()} begins within '${open.name}' of line ${lineAt(text, open.start)}`,
          `Close '${open.name}' with <!-- /agent:${open.name} --> before it, or put the marker into a code block.`,
        );
      open = marker;
      continue;
    }
    if (open?.name !== name)
      throw invalid(
        `line ${line()} closes component '${name}', which is not open`,
        open === null
          ? `Remove <!-- /agent:${name} -->, or add the marker that opens it.`
          : `'${open.name}' of line ${lineAt(text, open.start)} is open: close that first.`,
      );
    components.push({ name, attributes: readAttributes(open.attributes), start: open.end, end: start });
    open = null;
  }
  if (open !== null)
    throw invalid(
      `component '${open.name}' of line ${lineAt(text, open.start)} is not closed`,
      `Add <!-- /agent:${open.name} --> where it ends; a code block that is left open hides it as well.`,
    );
  return components;
};

/** Whether its components can be parsed. A person may be in the middle of changing a marker. */
export const isWhole = (text: string): boolean => {
  try {
    parseComponents(text);
    return true;
  } catch (error) {
    if (error instanceof AgtmuxError) return false;
    throw error;
  }
};

/** @throws AgtmuxError E_DOCUMENT_INVALID where there is none of that name, or several. */
export const findComponent = (text: string, name: string): Component => {
  const all = parseComponents(text);
  const [found, other] = all.filter((one) => one.name === name);
  if (found === undefined) {
    const names = [...new Set(all.map((one) => one.name))];
    throw invalid(
      `the document has no component '${name}'`,
      names.length === 0
        ? `Add <!-- agent:${name} --> and <!-- /agent:${name} --> where its text belongs.`
        : `It has ${names.join(", ")}.`,
    );
  }
  if (other !== undefined)
    throw invalid(
      `the document has component '${name}' twice, in lines ${lineAt(text, found.start)} and ${lineAt(text, other.start)}`,
      "Rename one of them.",
    );
  return found;
};

const isMode = (text: string): text is Mode => MODES.some((mode) => mode === text);

/** @throws AgtmuxError E_DOCUMENT_INVALID for what is no mode. `where` says who wants it. */
const checkMode = (mode: string, where: string): Mode => {
  if (isMode(mode)) return mode;
  throw invalid(`${where} has the unknown mode '${mode}'`, `Use ${MODES.join(", ")}.`);
};

/** Inline attribute > configuration; null where neither says anything. `patch` is what later versions write for `mode`. */
export const explicitMode = (
  { name, attributes }: Component,
  configured: Readonly<Record<string, { readonly mode?: Mode | undefined }>>,
): Mode | null => {
  const inline = attributes["mode"] ?? attributes["patch"];
  if (inline !== undefined) return checkMode(inline, `component '${name}'`);
  return (Object.hasOwn(configured, name) ? configured[name]?.mode : undefined) ?? null;
};

const AGENT_MARKER = /^<!--(?=\s*\/?agent:)/;

interface Contained {
  readonly text: string;
  /** What was changed, for the person; null where nothing was. */
  readonly changed: string | null;
}

/**
 * Content that is put into a component must not end it, nor begin another one, nor leave a code block or a comment open over
 * the marker that ends it. Markers become visible text, and a code block is closed.
 */
export const containText = (content: string): Contained => {
  const { comments, openComments, openFence } = scanMarkdown(content);
  const markers = comments.filter(({ start, end }) => AGENT_MARKER.test(content.slice(start, end)));
  let text = "";
  let at = 0;
  for (const start of [...markers.map((one) => one.start), ...openComments].toSorted((a, b) => a - b)) {
    text += `${content.slice(at, start)}&lt;`;
    at = start + 1;
  }
  text += content.slice(at);
  const isOpen = openFence !== null;
  if (isOpen) text = `${text.replace(/\n*$/, "")}\n${openFence}\n`;
  const changes = [
    ...(at > 0 ? ["marks in it were made visible text"] : []),
    ...(isOpen ? ["a code block in it was closed"] : []),
  ];
  return { text, changed: changes.length === 0 ? null : changes.join(", ") };
};

/** The same for content that reads in another way behind the text that is there: no comment of it is left. */
export const containAll = (content: string): Contained => ({
  text: containText(content.replaceAll("<!--", "&lt;!--")).text,
  changed: "marks in it were made visible text",
});

// Line ends: as the document's first line has them. What is put into it gets the same.

export type LineEnd = "\n" | "\r\n";

export const lineEndOf = (document: string): LineEnd => (/^[^\n]*\r\n/.test(document) ? "\r\n" : "\n");

export const withLineEnds = (text: string, lineEnd: LineEnd): string => text.replaceAll(/\r?\n/g, lineEnd);

// Frontmatter: where the YAML at the head ends. No YAML is read here, so that what only skips it need not load the parser.

interface SplitDocument {
  /** A byte order mark, where the document begins with one. */
  readonly mark: string;
  /** With the end of its last line; null where the document has no frontmatter. */
  readonly yaml: string | null;
  readonly body: string;
  /** Offset of the body. */
  readonly bodyStart: number;
  readonly newline: LineEnd;
}

const OPEN = /^\u{feff}?---[ \t]*\r?\n/u;
const CLOSE = /^---[ \t]*(?:\r?\n|$)/gm;
const LOOKS_LIKE_YAML = /^[A-Za-z_][\w-]*:(?:\s|$)/;

/** @throws AgtmuxError E_DOCUMENT_INVALID for a frontmatter that is not closed. A thematic break at the beginning is none. */
export const splitFrontmatter = (text: string): SplitDocument => {
  const open = OPEN.exec(text)?.[0];
  const newline = lineEndOf(text);
  const mark = text.startsWith("\u{feff}") ? "\u{feff}" : "";
  const none = { mark, yaml: null, body: text.slice(mark.length), bodyStart: mark.length, newline };
  if (open === undefined) return none;
  CLOSE.lastIndex = open.length;
  const close = CLOSE.exec(text);
  if (close !== null) {
    const bodyStart = close.index + close[0].length;
    const yaml = text.slice(open.length, close.index);
    return { mark, yaml, body: text.slice(bodyStart), bodyStart, newline };
  }
  if (LOOKS_LIKE_YAML.test(text.slice(open.length)))
    throw new AgtmuxError("E_DOCUMENT_INVALID", "the frontmatter is not closed", {
      remedy: "Add a line '---' below its last line; nothing was changed.",
    });
  return none;
};

// Sections: with how much each of them costs to read.

/** As it is printed; the names are agent-doc's. */
interface Section {
  readonly heading: string;
  /** 0 for what stands before the first heading. */
  readonly depth: number;
  /** Of the file, from 1 on. */
  readonly line: number;
  /** Below the heading. */
  readonly lines: number;
  /** A token is taken for four bytes. */
  readonly tokens: number;
}

const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\r?$/;
const BYTES_PER_TOKEN = 4;

interface Start {
  heading: string;
  depth: number;
  /** Index of the line below the heading. */
  from: number;
}

const toSection = ({ heading, depth, from }: Start, lines: readonly string[], firstLine: number): Section => {
  const joined = lines.join("\n");
  return {
    heading,
    depth,
    line: firstLine + from - (depth === 0 ? 0 : 1),
    lines: lines.length,
    tokens: Math.ceil(Buffer.byteLength(joined) / BYTES_PER_TOKEN),
  };
};

export const outlineOf = (text: string): Section[] => {
  const { body, bodyStart } = splitFrontmatter(text);
  const firstLine = lineAt(text, bodyStart);
  const { codes, comments } = scanMarkdown(body);
  const hidden = [...codes, ...comments].toSorted((a, b) => a.start - b.start);
  const lines = body.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const starts: Start[] = [{ heading: "(preamble)", depth: 0, from: 0 }];
  let next = 0;
  let offset = 0;
  for (const [index, line] of lines.entries()) {
    while ((hidden[next]?.end ?? Number.POSITIVE_INFINITY) <= offset) next += 1;
    const isHidden = (hidden[next]?.start ?? Number.POSITIVE_INFINITY) <= offset;
    const match = isHidden ? null : HEADING.exec(line);
    if (match !== null)
      starts.push({ heading: match[2] ?? "", depth: match[1]?.length ?? 1, from: index + 1 });
    offset += line.length + 1;
  }
  return starts.flatMap((start, index) => {
    const following = starts[index + 1];
    const own = lines.slice(start.from, following === undefined ? lines.length : following.from - 1);
    const isEmptyPreamble = start.depth === 0 && own.every((line) => line.trim() === "");
    return isEmptyPreamble ? [] : [toSection(start, own, firstLine)];
  });
};
