import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KeyReader, type KeyInput } from "./terminal.ts";

const names = (inputs: readonly KeyInput[]): string[] =>
  inputs.map((input) => (input.kind === "key" ? input.key.name : `paste:${input.text}`));

const read = (...reads: string[]): string[] => {
  const reader = new KeyReader();
  return reads.flatMap((text) => names(reader.read(text)));
};

describe("the key reader", () => {
  it("names keys as a browser does", () => {
    expect(read("aé😀\r\t\u007F\u001B[A\u001B[B\u001BOC\u001B[5~\u001B[H\u0003")).toEqual(
      "a é 😀 Enter Tab Backspace ArrowUp ArrowDown ArrowRight PageUp Home Ctrl-C".split(" "),
    );
  });

  it("gives the same keys however their bytes are split over reads", () => {
    const piece = fc.constantFrom(
      "a",
      "d",
      "1",
      "\u001B[A",
      "\u001B[1;5C",
      "\u001BOB",
      "\u001B[200~a\rd\u001B[201~",
      "\u001B]0;a\u0007",
      "\u001B[?62;4c",
      "\r",
      "é",
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 8 }),
        fc.array(fc.nat(60), { maxLength: 6 }),
        (pieces, cuts) => {
          const text = pieces.join("");
          const at = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length].toSorted(
            (x, y) => x - y,
          );
          const parts = at.slice(1).map((end, index) => text.slice(at[index], end));
          expect(read(...parts)).toEqual(read(text));
        },
      ),
    );
  });

  it("makes no keys of what is pasted, whatever is in it", () => {
    expect(read("\u001B[200~a\u001B[Ady\r1", "a\u001B[20", "1~d")).toEqual(["paste:a\u001B[Ady\r1a", "d"]);
  });

  it("makes no keys of answers of the terminal, of keys with a modifier and of unknown sequences", () => {
    expect(
      read(
        "\u001B]11;rgb:aaaa/dddd/1111\u0007\u001B[?1;2c\u001BP1$r0m\u001B\\\u001B[1;5A\u001B[99~\u001B[<0;1;1M\u001Ba",
      ),
    ).toEqual([]);
  });

  it("tells a lone Escape once nothing follows, and drops the rest of a sequence that comes too late", () => {
    const reader = new KeyReader();
    expect(names(reader.read("\u001B"))).toEqual([]);
    expect(reader.isWaiting).toBe(true);
    expect(names(reader.settle())).toEqual(["Escape"]);
    expect(names(reader.read("[A"))).toEqual(["ArrowUp"]);
    expect(names(reader.read("\u001B[1"))).toEqual([]);
    expect(names(reader.settle())).toEqual([]);
    expect(names(reader.read(";5Da"))).toEqual(["a"]);
  });

  it("never ends in the middle: every text leaves it ready for the next key", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("\u001B", "[", "O", "A", "a", "1", "~", "]", "\u0007", "\r") }),
        (text) => {
          const reader = new KeyReader();
          reader.read(text);
          reader.settle();
          // At most a string or a sequence is still open: its end closes it.
          reader.read("\u0007");
          reader.read("A");
          reader.settle();
          expect(names(reader.read("j")).at(-1)).toBe("j");
        },
      ),
    );
  });
});
