import { describe, expect, it } from "vitest";
import type { DiffHunk, FileDiff } from "../../core/model/treeDiff.ts";
import { commentedLine, diffRows, lineParts, moveFile, moveRow, type DiffRow } from "./diffRows.ts";

const fileWith = (
  lines: readonly string[],
  change: Partial<FileDiff> = {},
  hunk: Partial<DiffHunk> = {},
): FileDiff => ({
  identity: { path: "a.ts" },
  old_path: null,
  change: "modified",
  is_untracked: false,
  is_binary: false,
  added: 0,
  removed: 0,
  hunks: lines.length === 0 ? [] : [{ old_start: 1, new_start: 1, heading: "", lines: [...lines], ...hunk }],
  left_out: null,
  ...change,
});
const rowsOf = (
  files: readonly FileDiff[],
  isSplit = false,
  toggled: ReadonlySet<string> = new Set(),
): DiffRow[] => diffRows({ items: [...files] }, { isSplit, toggled });
const short = (row: DiffRow): string => {
  if (row.kind !== "line") return row.kind;
  return [row.old, row.new]
    .map((side) =>
      side === null ? "" : `${side.line}${{ same: " ", added: "+", removed: "-" }[side.kind]}${side.text}`,
    )
    .join("|");
};
const LINES = [" a", "-b", "-c", "+B", " d", "+e"];

describe("the rows of a diff", () => {
  it("are lines under each other, or beside each other", () => {
    expect(rowsOf([fileWith(LINES)]).map(short)).toEqual([
      "file",
      "1 a|1 a",
      "2-b|",
      "3-c|",
      "|2+B",
      "4 d|3 d",
      "|4+e",
    ]);
    expect(rowsOf([fileWith(LINES)], true).map(short)).toEqual([
      "file",
      "1 a|1 a",
      "2-b|2+B",
      "3-c|",
      "4 d|3 d",
      "|4+e",
    ]);
  });

  it("have keys of their own, in both arrangements", () => {
    for (const isSplit of [false, true]) {
      const keys = rowsOf([fileWith(LINES), fileWith(LINES, { identity: { path: "b" } })], isSplit).map(
        ({ key }) => key,
      );
      expect(new Set(keys).size).toBe(keys.length);
    }
  });

  it("fold large files, and have no lines where there are none", () => {
    const large = fileWith(
      Array.from({ length: 401 }, () => "+x"),
      { identity: { path: "large" } },
    );
    const binary = fileWith([], { is_binary: true, identity: { path: "binary" } });
    expect(rowsOf([large, binary]).map(short)).toEqual(["file", "file"]);
    expect(rowsOf([large, binary], false, new Set(["large", "binary"]))).toHaveLength(403);
  });

  it("are moved over without stopping between hunks, and file by file", () => {
    const file = fileWith(["+a"]);
    const [hunk] = file.hunks;
    const rows = rowsOf([
      { ...file, hunks: hunk === undefined ? [] : [hunk, { ...hunk, new_start: 9 }] },
      fileWith(["+z"]),
    ]);
    expect(rows.map(short)).toEqual(["file", "|1+a", "gap", "|9+a", "file", "|1+z"]);
    expect(moveRow(rows, 1, 1)).toBe(3);
    expect(moveRow(rows, 3, -1)).toBe(1);
    expect(moveRow(rows, 5, 20)).toBe(5);
    expect(moveRow([], -1, 0)).toBe(0);
    expect(moveRow(rows, 1, 0)).toBe(1);
    expect(moveFile(rows, 1, 1)).toBe(4);
    expect(moveFile(rows, 5, -1)).toBe(4);
    expect(moveFile(rows, 0, -1)).toBe(0);
  });

  it("say which line a comment is about", () => {
    const rows = rowsOf([fileWith(LINES)]);
    expect(commentedLine(rows[0])).toBe(null);
    expect(commentedLine(rows[2])).toEqual({ path: "a.ts", side: "old", line: 2, quoted: "b" });
    expect(commentedLine(rowsOf([fileWith(LINES)], true)[2])).toEqual({
      path: "a.ts",
      side: "new",
      line: 2,
      quoted: "B",
    });
  });

  it("mark the words that differ, and only where the lines have words in common", () => {
    const parts = (removed: string, added: string) => {
      const row = rowsOf([fileWith([`-${removed}`, `+${added}`])], true)[1];
      if (row?.kind !== "line" || row.old === null || row.new === null) throw new Error("no pair");
      return [row.old, row.new].map((side) =>
        lineParts(side)
          .map(({ text, isChanged }) => (isChanged ? `[${text}]` : text))
          .join(""),
      );
    };
    expect(parts("const a = 1;", "const b = 1;")).toEqual(["const [a] = 1;", "const [b] = 1;"]);
    expect(parts("import x", "return y")).toEqual(["import x", "return y"]);
    expect(parts("same words", "same words\r")).toEqual(["same words", "same words[⟨U+000D⟩]"]);
    expect(parts("one\u001B[31m two\r", "one\u001B[31m 2\r")).toEqual([
      "one⟨U+001B⟩[31m [two]",
      "one⟨U+001B⟩[31m [2]",
    ]);
  });
});
