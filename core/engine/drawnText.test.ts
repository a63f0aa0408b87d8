import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchDrawn } from "./drawnText.ts";

describe("rows show the whole text", () => {
  it.each<[string, string, string[], number | null]>([
    ["on one row", "touch a.txt", ["touch a.txt"], null],
    ["on its own lines", "a\n  b\n\nc", ["a", "  b", "", "c"], 40],
    ["wrapped between words", "rm -rf /tmp/build", ["rm -rf", "/tmp/build"], 12],
    ["wrapped where two blanks stand", "echo a  b", ["echo a", "b"], 7],
    ["wrapped where two blanks and a word have no room", "echo a  bcd", ["echo a", "bcd"], 10],
    ["with the second of two blanks on the next row", "echo a  b", ["echo a", " b"], 7],
    ["wrapped within a word that fills the row", "abcdefgh", ["abcde", "fgh"], 5],
    ["with a blank on a row of its own behind a full one", "aaa bbb cc", ["aaa bbb", "", "cc"], 7],
    ["with blanks at the end of a line", "a  \nb", ["a", "b"], 40],
    ["with a tab", "a\tb\n\tc", ["a   b", "        c"], 40],
    ["wrapped within wide characters", "漢字漢字", ["漢字", "漢字"], 5],
  ])("%s", (_name, text, rows, columns) => {
    expect(matchDrawn(text, rows, columns)).toBe("all");
  });
});

describe("rows show another text", () => {
  it.each<[string, string, string[], number | null]>([
    ["with a blank more", "rm -rf /tmp/build", ["rm -rf / tmp/build"], 80],
    ["with a blank less", "rm -rf / tmp/build", ["rm -rf /tmp/build"], 80],
    ["wrapped where the width explains nothing", "rm -rf /tmp/build", ["rm -rf /", "tmp/build"], 80],
    ["wrapped where a word would have fitted", "rm -rf /tmp", ["rm -rf", "/tmp"], 80],
    ["wrapped where a word would have fitted behind two blanks", "echo a  bcd", ["echo a", "bcd"], 11],
    ["wrapped at no known width", "rm -rf /tmp", ["rm -rf", "/tmp"], null],
    ["in another order", "a one\nb two", ["b two", "a one"], 80],
    ["with a blank row behind one that is not full", "aaa bb cc", ["aaa bb", "", "cc"], 7],
    ["and a row of it", "touch a.txt", ["touch a.txt", "rm -rf build"], 80],
    ["instead of blocks", "echo ▓▓", ["echo ██"], 80],
    ["and nothing", "touch a.txt", [], 80],
    ["and blank rows", "touch a.txt", ["", " "], 80],
    ["by a row that stands anywhere", "rm -rf }", ["}"], 80],
  ])("%s", (_name, text, rows, columns) => {
    expect(matchDrawn(text, rows, columns)).toBe("none");
  });
});

it("words are broken behind a hyphen or a slash only where the agent does so", () => {
  const rows = ["run --dry-run-", "now"];
  expect(matchDrawn("run --dry-run-now", rows, 15, { hasJoints: true })).toBe("all");
  expect(matchDrawn("run --dry-run-now", rows, 15)).toBe("none");
  expect(matchDrawn("run --dry-run-now", rows, 80, { hasJoints: true })).toBe("none");
});

it("a sign before the first row takes columns of that row alone", () => {
  const rows = ["echo aaa", "bb cc dd ee"];
  expect(matchDrawn("echo aaa bb cc dd ee", rows, 12, { inset: 2 })).toBe("all");
  expect(matchDrawn("echo aaa bb cc dd ee", rows, 12)).toBe("none");
  expect(matchDrawn("echo aaa bb cc dd e f", ["echo aaa", "bb cc dd e", "f"], 12, { inset: 2 })).toBe("none");
});

it("rows may show a piece of a text, without a gap", () => {
  const text = Array.from({ length: 9 }, (_, at) => `echo line ${at}`).join("\n");
  const rows = text.split("\n");
  expect(matchDrawn(text, rows.slice(4), 80)).toBe("part");
  expect(matchDrawn(text, rows.slice(0, 4), 80)).toBe("part");
  expect(matchDrawn(text, rows.slice(2, 6), 80)).toBe("part");
  expect(matchDrawn(text, [...rows.slice(0, 2), ...rows.slice(6)], 80)).toBe("none");
  expect(matchDrawn(text, [...rows.slice(6), ...rows.slice(0, 2)], 80)).toBe("none");
  expect(matchDrawn(text, [...rows.slice(4), "rm -rf /"], 80)).toBe("none");
});

it("a piece stands where the dialog draws it: at the beginning or at the end", () => {
  const text = "echo a\necho b\necho a\necho c\necho a";
  expect(matchDrawn(text, ["echo b", "echo a"], 80, { sight: "end" })).toBe("none");
  expect(matchDrawn(text, ["echo c", "echo a"], 80, { sight: "end" })).toBe("part");
  expect(matchDrawn(text, ["echo a", "echo c"], 80, { sight: "start" })).toBe("none");
  expect(matchDrawn(text, ["echo a", "echo b"], 80, { sight: "start" })).toBe("part");
  // However often its first row stands in the text.
  const many = Array.from({ length: 500 }, () => "ls").join("\n");
  expect(matchDrawn(`${many}\nrm x`, ["ls", "rm x"], 80, { sight: "end" })).toBe("part");
});

it("a part of a line that is wrapped has no gap where its rows follow each other", () => {
  const text = "echo one two three four five && rm -rf /tmp/build";
  expect(matchDrawn(text, ["three four five &&", "rm -rf /tmp/build"], 18)).toBe("part");
  expect(matchDrawn(text, ["three four five &&", "rm -rf /", "tmp/build"], 18)).toBe("none");
  expect(matchDrawn(text, ["echo one two three", "&& rm -rf"], 18)).toBe("none");
});

/** As a terminal program wraps: words that fit, longer ones broken. */
const wrap = (line: string, columns: number): string[] => {
  const rows: string[] = [];
  let row = "";
  for (let word of line.split(" ")) {
    if (rows.length > 0 || row !== "") {
      if (row.length + 1 + word.length <= columns) {
        row += ` ${word}`;
        continue;
      }
      rows.push(row);
    }
    for (; word.length > columns; word = word.slice(columns)) rows.push(word.slice(0, columns));
    row = word;
  }
  return [...rows, row];
};

const line = fc
  .array(fc.stringMatching(/^[a-z/."'$|;&-]{3,30}$/), { minLength: 1, maxLength: 12 })
  .map((words) => words.join(" "));

it("every text is found in its own wrapped rows, and no text in those of another", () => {
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 10, max: 250 }),
      (lines, columns) => {
        const text = lines.join("\n");
        const rows = lines.flatMap((one) => wrap(one, columns));
        expect(matchDrawn(text, rows, columns)).toBe("all");
        expect(matchDrawn(`${text}\nx`, rows, columns)).toBe("part");
        expect(matchDrawn(`x${text}`, [`y${rows[0] ?? ""}`, ...rows.slice(1)], columns)).toBe("none");
      },
    ),
  );
});
