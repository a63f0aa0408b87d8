import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonSyntaxError, parseJsonTree, type JsonNode } from "./jsonTree.ts";

const valueOfTree = (node: JsonNode): unknown => {
  if (node.kind === "array") return node.children.map(valueOfTree);
  if (node.kind === "object")
    return Object.fromEntries(
      node.children.map((property) => [property.value, property.children.map(valueOfTree)[0]]),
    );
  return node.value;
};
const isAccepted = (parse: (text: string) => unknown, text: string): boolean => {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
};

const offsetOf = (text: string): number => {
  try {
    parseJsonTree(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.offset;
  }
  return -1;
};

describe("the JSON tree", () => {
  it("holds the value and the text of every node", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2, "\t"), (source, indent) => {
        const text = JSON.stringify(JSON.parse(source), null, indent);
        const check = (node: JsonNode): void => {
          if (node.kind !== "property")
            expect(JSON.parse(text.slice(node.start, node.end))).toEqual(valueOfTree(node));
          node.children.forEach(check);
        };
        check(parseJsonTree(text));
      }),
    );
  });

  it("accepts what JSON.parse accepts and nothing else", () => {
    const broken = fc
      .tuple(
        fc.json(),
        fc.nat(),
        fc.constantFrom("", ",", "}", "]", '"', "\\", "//", "0", "e", "\u0001", "\ufeff"),
      )
      .map(([text, place, piece]) => {
        const at = place % (text.length + 1);
        return text.slice(0, at) + piece + text.slice(at + 1);
      });
    fc.assert(
      fc.property(fc.oneof(fc.json(), broken), (text) => {
        expect(isAccepted(parseJsonTree, text)).toBe(isAccepted(JSON.parse, text));
      }),
      { numRuns: 1_000 },
    );
  });

  it("refuses a long string without its end at once", () => {
    expect(offsetOf(`{"a": "${"x".repeat(1_000_000)}`)).toBe(6);
    expect(offsetOf(`{"a": "${"\\n".repeat(300_000)}`)).toBe(6);
  });

  it("names the place of the first error", () => {
    expect(['{"a": tru}', '{"a": 1,}', "[1 2]", "{", '{"a": 1} x'].map(offsetOf)).toEqual([6, 8, 3, 1, 9]);
  });
});
