// A tree of JSON text with the place of every value, for edits that keep all other bytes. Strict as JSON.parse, and it
// names the place of the first error, which JSON.parse does not always do.

export interface JsonNode {
  kind: "object" | "array" | "property" | "scalar";
  /** First character, and the one after the last. */
  start: number;
  end: number;
  /** The value of a scalar, or a property's name. */
  value: unknown;
  /** Properties, elements, or a property's value. */
  children: JsonNode[];
  parent: JsonNode | null;
}

export class JsonSyntaxError extends Error {
  readonly offset: number;
  constructor(offset: number) {
    super(`JSON syntax error at offset ${offset}`);
    this.name = "JsonSyntaxError";
    this.offset = offset;
  }
}

const MAX_DEPTH = 500;
const BLANKS = /[ \t\r\n]*/y;
const BLANKS_AND_COMMENTS = /(?:[ \t\r\n]+|\/\/[^\r\n]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)*/y;
// Unrolled, so that a string without its end is refused in one pass.
// oxlint-disable-next-line no-control-regex -- JSON strings must not hold raw control characters
const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;
const PLAIN = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

export interface JsonDialect {
  /** Line and block comments count as white space; commas behind the last item are still refused. */
  hasComments: boolean;
}

/** Throws JsonSyntaxError for whatever JSON.parse refuses, and for nesting beyond 500 levels. */
export const parseJsonTree = (text: string, dialect: JsonDialect = { hasComments: false }): JsonNode => {
  const blanks = dialect.hasComments ? BLANKS_AND_COMMENTS : BLANKS;
  let at = 0;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? null;
    if (found !== null) at += found.length;
    return found;
  };
  const skipBlanks = (): void => void take(blanks);
  const expect = (character: string): void => {
    if (text[at] !== character) throw new JsonSyntaxError(at);
    at += 1;
  };
  const open = (kind: JsonNode["kind"], parent: JsonNode | null): JsonNode => {
    const node: JsonNode = { kind, start: at, end: at, value: null, children: [], parent };
    parent?.children.push(node);
    return node;
  };
  const readString = (): unknown => {
    const token = take(STRING);
    if (token === null) throw new JsonSyntaxError(at);
    return JSON.parse(token);
  };
  const readItems = (node: JsonNode, close: string, readItem: () => void): void => {
    at += 1;
    skipBlanks();
    if (text[at] !== close)
      for (;;) {
        readItem();
        skipBlanks();
        if (text[at] !== ",") break;
        at += 1;
        skipBlanks();
      }
    expect(close);
    node.end = at;
  };
  const readProperty = (parent: JsonNode, depth: number): void => {
    const property = open("property", parent);
    property.value = readString();
    skipBlanks();
    expect(":");
    skipBlanks();
    readValue(property, depth);
    property.end = at;
  };
  const readValue = (parent: JsonNode | null, depth: number): JsonNode => {
    if (depth > MAX_DEPTH) throw new JsonSyntaxError(at);
    const first = text[at];
    const node = open(first === "{" ? "object" : first === "[" ? "array" : "scalar", parent);
    if (node.kind === "object") readItems(node, "}", () => readProperty(node, depth + 1));
    else if (node.kind === "array") readItems(node, "]", () => void readValue(node, depth + 1));
    else if (first === '"') node.value = readString();
    else {
      const token = take(PLAIN);
      if (token === null) throw new JsonSyntaxError(at);
      node.value = JSON.parse(token);
    }
    node.end = at;
    return node;
  };
  skipBlanks();
  const root = readValue(null, 0);
  skipBlanks();
  if (at < text.length) throw new JsonSyntaxError(at);
  return root;
};

/** Keys and indexes from the top. */
export type JsonPath = readonly (string | number)[];

/** The node at the path, or else the deepest existing node on the way, into which a missing key would go. */
export const nodeAt = (root: JsonNode, path: JsonPath): JsonNode => {
  let node = root;
  for (const step of path) {
    const holder = node.kind === "property" ? node.children[0] : node;
    const next =
      typeof step === "number"
        ? holder?.children[step]
        : holder?.children.findLast((child) => child.kind === "property" && child.value === step);
    if (next === undefined) break;
    node = next;
  }
  return node;
};

/** The line of an offset, from 1. */
export const lineOf = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;
