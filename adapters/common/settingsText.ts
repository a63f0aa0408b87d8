// Edits of settings.json as text: every byte that is not ours stays. An insertion is one contiguous piece placed directly
// behind its predecessor, so a removal can take out exactly what was put in.
// A container that was there before and was empty is marked by its layout: our first entry hugs its opening bracket
// (`[{` or `{"`), which we never write in a container of our own. So removal knows which container to keep, without a record
// elsewhere; after a rewrite by others the mark is gone, and an emptied container is removed with our entry.
import { AgtmuxError } from "../../core/model/errors.ts";
import {
  JsonSyntaxError,
  parseJsonTree,
  type JsonDialect,
  type JsonNode,
} from "../../core/model/jsonTree.ts";

export interface TextStyle {
  eol: string;
  /** One step of indentation; empty when the file is written on one line. */
  indent: string;
}

/** 1-based position for people. */
const positionOf = (text: string, offset: number): string => {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
};

/** Fails with E_INTEGRATION_REFUSED, naming place and path, for whatever the agent's own parser refuses. */
export const parseSettings = (
  path: string,
  text: string,
  dialect: JsonDialect = { hasComments: false },
): JsonNode => {
  let root: JsonNode;
  try {
    root = parseJsonTree(text, dialect);
  } catch (cause) {
    if (!(cause instanceof JsonSyntaxError)) throw cause;
    const place = positionOf(text, cause.offset);
    throw new AgtmuxError("E_INTEGRATION_REFUSED", `${path} is not valid JSON at ${place}.`, { cause });
  }
  if (root.kind !== "object")
    throw new AgtmuxError("E_INTEGRATION_REFUSED", `${path} does not hold a JSON object.`);
  return root;
};

/** The property that counts: the last of equal names, as JSON.parse has it. */
const propertyOf = (object: JsonNode, name: string): JsonNode | undefined =>
  object.children.findLast((property) => property.value === name);

export const valueOf = (object: JsonNode, name: string): JsonNode | undefined =>
  propertyOf(object, name)?.children[0];

export const detectStyle = (text: string): TextStyle => {
  const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? "";
  if (eol === "") return { eol: "", indent: "" };
  return { eol, indent: /(?:\r\n|\n|\r)([ \t]+)\S/.exec(text)?.[1] ?? "  " };
};

/** JSON text of a value at a depth, in the file's style. */
export const renderValue = (value: unknown, style: TextStyle, depth: number): string =>
  style.eol === ""
    ? JSON.stringify(value)
    : JSON.stringify(value, null, style.indent).replaceAll("\n", style.eol + style.indent.repeat(depth));

const lineBreak = (style: TextStyle, depth: number): string =>
  style.eol === "" ? " " : style.eol + style.indent.repeat(depth);

/**
 * Text of a new container that holds `content` alone. Something always stands between the opening bracket and the
 * content: see the module's note on marks.
 */
export const renderContainer = (
  brackets: "[]" | "{}",
  content: string,
  style: TextStyle,
  depth: number,
): string => `${brackets[0]}${lineBreak(style, depth + 1)}${content}${lineBreak(style, depth)}${brackets[1]}`;

const splice = (text: string, start: number, end: number, replacement: string): string =>
  text.slice(0, start) + replacement + text.slice(end);

/** Puts `content` (an element, or a property) last into an existing container at `depth`. */
export const appendTo = (
  text: string,
  container: JsonNode,
  content: string,
  style: TextStyle,
  depth: number,
): string => {
  const last = container.children.at(-1);
  if (last === undefined) return splice(text, container.start + 1, container.start + 1, content);
  return splice(text, last.end, last.end, `,${lineBreak(style, depth + 1)}${content}`);
};

const COMMENT = /\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g;
const hasComment = (text: string): boolean => text.search(COMMENT) >= 0;

/** What stays of the text between two items when one is removed: others' comments, not the comma. */
const commentsOf = (gap: string): string => {
  if (!hasComment(gap)) return "";
  const comma = gap.replaceAll(COMMENT, (comment) => " ".repeat(comment.length)).indexOf(",");
  return comma < 0 ? gap.trimEnd() : (gap.slice(0, comma) + gap.slice(comma + 1)).trimEnd();
};

/** Comments in a container outside its only child: somebody else's words, so the container stays. */
const isCommented = (text: string, container: JsonNode, child: JsonNode): boolean =>
  hasComment(text.slice(container.start, child.start)) || hasComment(text.slice(child.end, container.end));

/** Whether the container existed, empty, before our entry: its only child directly follows the opening bracket. */
const isMarkedAsForeign = (container: JsonNode, child: JsonNode): boolean =>
  child.start === container.start + 1;

/**
 * Takes a child out of its container, and the container too where the child was alone in one that we made. Null when
 * nothing is left of the document.
 */
export const removeNode = (text: string, node: JsonNode): string | null => {
  let target = node;
  for (;;) {
    const container = target.parent;
    if (container === null) {
      const around = text.slice(0, target.start) + text.slice(target.end);
      return hasComment(around) ? splice(text, target.start, target.end, "{}") : null;
    }
    if (container.kind === "property") {
      target = container;
      continue;
    }
    const siblings = container.children;
    const index = siblings.indexOf(target);
    const [previous, next] = [siblings[index - 1], siblings[index + 1]];
    if (previous !== undefined)
      return splice(text, previous.end, target.end, commentsOf(text.slice(previous.end, target.start)));
    if (next !== undefined) {
      const gap = text.slice(target.end, next.start);
      const kept = commentsOf(gap);
      // A line comment ends with its line.
      const rest = kept === "" ? "" : kept.trimStart() + gap.slice(gap.trimEnd().length);
      return splice(text, target.start, next.start, rest);
    }
    if (isMarkedAsForeign(container, target) || isCommented(text, container, target))
      return splice(text, target.start, target.end, "");
    target = container;
  }
};
