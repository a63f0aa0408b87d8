// Puts one value into the text of `config.json` and leaves every other byte as the person wrote it.
import { parseJsonTree, type JsonNode } from "./jsonTree.ts";

/** Text of a list or scalar on one line, as a person would write it. */
const renderValue = (value: unknown): string =>
  Array.isArray(value) ? `[${value.map((item) => JSON.stringify(item)).join(", ")}]` : JSON.stringify(value);

const renderProperty = ([key = "", ...rest]: readonly string[], value: unknown): string =>
  `${JSON.stringify(key)}: ${rest.length === 0 ? renderValue(value) : `{ ${renderProperty(rest, value)} }`}`;

const valueAt = (object: JsonNode, key: string): JsonNode | undefined =>
  object.children.findLast((property) => property.value === key)?.children[0];

const splice = (text: string, start: number, end: number, replacement: string): string =>
  text.slice(0, start) + replacement + text.slice(end);

/** Adds a property at the end of an object, on its own line if the others have their own lines. */
const appendProperty = (text: string, object: JsonNode, property: string): string => {
  const last = object.children.at(-1);
  if (last === undefined) {
    const inner = object.parent === null ? `{\n  ${property}\n}` : `{ ${property} }`;
    return splice(text, object.start, object.end, inner);
  }
  const before = text.slice(object.start + 1, object.children[0]?.start);
  const lead = /\r?\n[ \t]*$/.exec(before)?.[0] ?? " ";
  return splice(text, last.end, last.end, `,${lead}${property}`);
};

/**
 * `text` null: there is no file yet. `path`: the keys from the top; objects that are missing on the way are created.
 * @throws JsonSyntaxError for text that is not JSON, Error when something on the way is not an object.
 */
export const editConfig = (
  text: string | null,
  path: readonly [string, ...string[]],
  value: unknown,
): string => {
  if (text === null) return `{\n  ${renderProperty(path, value)}\n}\n`;
  let object = parseJsonTree(text);
  for (const [index, key] of path.entries()) {
    if (object.kind !== "object")
      throw new Error(`editConfig: ${path.slice(0, index).join(".")} is no object`);
    const found = valueAt(object, key);
    if (found === undefined) return appendProperty(text, object, renderProperty(path.slice(index), value));
    object = found;
  }
  return splice(text, object.start, object.end, renderValue(value));
};
