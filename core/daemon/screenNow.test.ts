import { describe, expect, it } from "vitest";
import { createClaudeAdapter } from "../../adapters/claude/index.ts";
import { loadRecording, screenOf } from "../../adapters/testkit/recordings.ts";
import { fileURLToPath } from "node:url";
import { describeScreen, matchingRows } from "./adapterService.ts";

const RECORDINGS = fileURLToPath(new URL("../../test/fixtures/recordings/claude", import.meta.url));
const screenNow = (frame: string) =>
  describeScreen(screenOf(loadRecording(RECORDINGS, frame)), createClaudeAdapter(), (text) =>
    text.replaceAll("lab", "***"),
  );

describe("the rows that match", () => {
  const LINES = ["one", "Do you want", "to   proceed?", "Esc to cancel", "", "ok"];
  it.each([
    ["a part of a row", "cancel", [3]],
    ["a quote over two rows", "Do you want to proceed?", [1, 2]],
    ["two quotes", "Do you want / Esc to cancel", [1, 3]],
    ["what is not there", "title: working", []],
    ["what is too short to mean anything", "o", []],
  ])("are found for %s", (_what, matched, rows) => {
    expect(matchingRows(LINES, matched)).toEqual(rows);
  });
});

it("shows the dialog's rows with those around them, redacted", () => {
  const shown = screenNow("waiting_approval");
  expect(shown).toMatchObject({ state: "waiting_approval", reason_code: "permission_tool" });
  const matched = shown.lines.filter(({ is_match }) => is_match).map(({ text }) => text.trim());
  expect(matched).toEqual(["Do you want to proceed?", expect.stringContaining("Esc to cancel")]);
  const rows = shown.lines.map(({ row }) => row);
  expect(rows).toContain((shown.lines.find(({ is_match }) => is_match)?.row ?? 0) - 2);
  expect(JSON.stringify(shown)).not.toContain("lab");
});

it("says that nothing is recognised", () => {
  const screen = { lines: ["$ ls"], title: "", isAlternate: false, width: 80, height: 24 };
  expect(describeScreen(screen, createClaudeAdapter(), (text) => text)).toEqual({
    state: null,
    reason_code: null,
    matched: null,
    lines: [],
  });
});
