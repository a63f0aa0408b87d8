import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundPart, expiryText, fitsAtOnce } from "./requestText.ts";
import { displayText } from "./displayText.ts";
import { partOf } from "../../test/fakes/partOf.ts";

describe("a request fits at once", () => {
  it.each([
    ["one command", { body: "make test" }, true],
    ["twelve lines", { body: Array(12).fill("make").join("\n") }, true],
    ["thirteen lines", { body: Array(13).fill("make").join("\n") }, false],
    ["one long line", { body: "x".repeat(600) }, false],
    ["a path and what is written to it", { body: "a.ts", content: "+one\n+two" }, true],
    ["a path and a long difference", { body: "a.ts", content: Array(40).fill("+x").join("\n") }, false],
    ["nothing", { body: null }, true],
  ])("%s: %j", (_name, request, fits) =>
    expect(fitsAtOnce(partOf({ content: undefined, remark: undefined, ...request }))).toBe(fits),
  );
});

it.each([
  [600_000, "in 10m."],
  [45_000, "in 45\u00a0s."],
  [-1, "any moment now."],
  [null, ""],
])("%s ms before a request ends, says %j", (leftMs, end) => {
  const at = leftMs === null ? null : new Date(leftMs).toISOString();
  const text = expiryText(partOf({ body: "make", expires_at: at }), 0);
  expect(text).toBe(end === "" ? "" : `The agent continues without an answer ${end}`);
});

describe("a part that is bounded", () => {
  const LINE = "x".repeat(44);

  it("is all there, to the letter, where it fits", () => {
    expect(boundPart({ kind: "command", text: "make\n  test" }, 4)).toBe("make\n  test");
  });

  it("begins with the line before the first change", () => {
    const text = `${" a\n".repeat(20)}+b\n+c\n+d\n+e`;
    expect(boundPart({ kind: "change", text }, 4)).toBe(" a\n+b\n+c\n+d");
  });

  it("leaves out the rest of a long line", () => {
    expect(boundPart({ kind: "command", text: LINE.repeat(9) }, 4)).toBe(LINE.repeat(4));
    expect(boundPart({ kind: "command", text: `${LINE}${LINE}\n${LINE.repeat(3)}` }, 4)).toBe(
      `${LINE}${LINE}\n${LINE}${LINE}`,
    );
  });

  it("is never taller than its bound, unless it is all there", () => {
    const text = fc.array(fc.constantFrom("a", "\n", "+", " ", "\u202e", "日", "\t", LINE), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(text, fc.constantFrom("change" as const, "command" as const), (pieces, kind) => {
        const all = pieces.join("");
        const shown = boundPart({ kind, text: all }, 4);
        expect(shown === displayText(all) || shown.split("\n").length <= 4).toBe(true);
      }),
    );
  });
});
