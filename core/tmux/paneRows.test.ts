import { assert, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { foldRows, parseRows, rowFormat } from "./topology.ts";

const NONCE = "ab12";
const NUMBERS = "%3 $1 @2 0 1 4242 1 0 1 0 80 24 5 6 7 1700000000 0  /dev/pts/3";
const line = (title: string, windowName: string, sessionName: string, numbers = NUMBERS): string =>
  `<${NONCE}>${numbers}<${NONCE}>${title}<${NONCE}>${windowName}<${NONCE}>${sessionName}<${NONCE}>`;

describe("parseRows", () => {
  it("reads any text between the marks, and only text without control characters leaves", () => {
    const text = string({ unit: "binary", maxLength: 60 });
    assert(
      property(text, text, text, (title, windowName, sessionName) => {
        const listing = [line(title, windowName, sessionName), line("t", "w", "s")].join("\n").split("\n");
        const { rows, malformed } = parseRows(listing, NONCE);
        expect([rows.length, malformed]).toEqual([2, 0]);
        expect(rows[1]).toMatchObject({
          title: "t",
          windowName: "w",
          sessionName: "s",
          paneId: "%3",
          panePid: 4242,
        });
        expect([rows[0]?.title, rows[0]?.windowName, rows[0]?.sessionName].join("")).not.toMatch(/\p{Cc}/u);
      }),
    );
  });

  it.each([
    ["another number of fields", line("t", "w", "s", `${NUMBERS} 1`)],
    ["a field that is no number", line("t", "w", "s", NUMBERS.replace("4242", "x"))],
    ["an id of another kind", line("t", "w", "s", NUMBERS.replace("%3", "@3"))],
    ["a row that was cut", line("t", "w", "s").slice(0, -20)],
    ["a line of something else", "usage: list-panes"],
  ])("skips and counts %s, and keeps the rest", (_, bad) => {
    const good = line("t", "w", "s");
    const { rows, malformed } = parseRows([bad, good], NONCE);
    if (bad.endsWith(">") || bad.startsWith("usage")) expect([rows.length, malformed]).toEqual([1, 1]);
    else expect(malformed).toBeGreaterThan(0);
    expect(parseRows([good, bad], NONCE)).toMatchObject({ rows: [{ paneId: "%3" }] });
  });

  it.each([true, false])("asks for no field that costs a process-table read: %s", (tellsPaneOutput) => {
    expect(rowFormat(NONCE, { tellsPaneOutput })).not.toContain("pane_current");
  });
});

const rows = (sessions: readonly [string, boolean][]) =>
  parseRows(
    sessions.map(([id, isGrouped]) =>
      line(
        "t",
        "w",
        id,
        NUMBERS.replace("$1", id).replace("1700000000 0", `1700000000 ${Number(isGrouped)}`),
      ),
    ),
    NONCE,
  ).rows;

const fold = (sessions: readonly [string, boolean][]) =>
  foldRows(rows(sessions)).map((pane) => [pane.sessionId, ...pane.alsoIn.map((also) => also.sessionId)]);

describe("foldRows", () => {
  it("lets the ungrouped session stand for a pane, else the lowest id by number", () => {
    expect(
      fold([
        ["$10", true],
        ["$9", true],
      ]),
    ).toEqual([["$9", "$10"]]);
    expect(
      fold([
        ["$1", true],
        ["$10", false],
        ["$2", true],
      ]),
    ).toEqual([["$10", "$1", "$2"]]);
  });
});
