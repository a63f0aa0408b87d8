// Where the YAML at the head of a document ends; no YAML is read here, so that what only skips it need not load the parser.
import { AgtmuxError } from "../../../core/model/errors.ts";
import { lineEndOf, type LineEnd } from "./lineEnds.ts";

export interface SplitDocument {
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
