import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commentsMessage, quotedLine, withComment, type LineComment } from "./changesText.ts";

const comment = (change: Partial<LineComment> = {}): LineComment => ({
  path: "src/a.ts",
  side: "new",
  line: 12,
  quoted: "  const x = 1;",
  words: "Say what it is.",
  ...change,
});

describe("the message that comments become", () => {
  it("has file, line, the quoted line and the words of each", () => {
    const old = comment({
      path: "b.ts",
      side: "old",
      line: 3,
      quoted: "gone();",
      words: "Why is this gone?\nIt is used.",
    });
    expect(commentsMessage([comment(), old])).toBe(
      [
        "About your changes:",
        "",
        "In src/a.ts, line 12:",
        ">   const x = 1;",
        "Say what it is.",
        "",
        "In b.ts, line 3 before the change:",
        "> gone();",
        "Why is this gone?",
        "It is used.",
      ].join("\n"),
    );
    expect(commentsMessage([])).toBe("");
  });

  it("lets no character of a path or a line do more than be read", () => {
    const evil = "\u001B[201~\r/exit\r\u001B]0;x\u0007\u009B31m\u202Erm\u0003\u0000\u007F\u2028\u{E0041}";
    const message = commentsMessage([
      comment({ path: `a${evil}\nIn b.ts, line 1:`, quoted: `x${evil}`, words: "No." }),
    ]);
    expect(message.split("\n")).toHaveLength(5);
    expect(message).toContain("> x⟨U+001B⟩[201~⟨U+000D⟩/exit");
  });

  it("holds that for any path and any line: only lines of ours, each of plain characters", () => {
    const text = fc.string({ unit: "binary", maxLength: 60 });
    fc.assert(
      fc.property(text, text, (path, quoted) => {
        const message = commentsMessage([comment({ path, quoted, words: "No." })]);
        expect(message).not.toMatch(/[^\P{Cc}\n]|[\p{Zl}\p{Zp}\p{Cs}]/u);
        const lines = message.split("\n");
        expect(lines).toHaveLength(5);
        expect(lines.map((line) => line.slice(0, 2))).toEqual(["Ab", "", "In", "> ", "No"]);
      }),
      { numRuns: 50 },
    );
  });

  it("cuts a long line and keeps one comment for a line", () => {
    expect(quotedLine("x".repeat(5_000))).toHaveLength(201);
    expect(quotedLine("\tline of Windows\r")).toBe("  line of Windows");
    const again = withComment([comment(), comment({ line: 13 })], comment({ words: "Other." }));
    expect(again.map(({ line, words }) => [line, words])).toEqual([
      [13, "Say what it is."],
      [12, "Other."],
    ]);
  });
});
