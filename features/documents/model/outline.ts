// The sections of a document, with how much each of them costs to read.
import { lineAt, scanMarkdown } from "./scanMarkdown.ts";
import { splitFrontmatter } from "./splitFrontmatter.ts";

/** As it is printed; the names are agent-doc's. */
export interface Section {
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
