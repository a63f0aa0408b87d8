import { expect, test } from "vitest";
import type { Reading } from "../ports/agentAdapter.ts";
import type { PaneCapture } from "./paneClient.ts";
import { landmarks } from "./screenReading.ts";

const capture = (rows: readonly string[], cursorY: number): PaneCapture =>
  ({ rows, rawRows: rows, cursorY }) as PaneCapture;
const reading = (matched: string): Reading => ({ matched }) as Reading;
const ROWS = ["* thinking (12s, esc to stop)", "│ > │", "", "? for shortcuts"];

test.each([
  [
    "the row of the cursor and the row that told the state",
    1,
    reading("? for"),
    ["│ > │", "? for shortcuts"],
  ],
  ["no row that counts while there is another", 1, reading("esc to stop"), ["│ > │"]],
  ["a row that counts where there is no other", 2, reading("esc to stop"), ["* thinking (12s, esc to stop)"]],
  ["the row of the cursor where nothing was recognised", 3, null, ["? for shortcuts"]],
  ["nothing where the cursor is below the last row", 9, null, []],
  ["nothing for what was told by a file", 2, reading("session file: idle"), []],
])("%s", (_name, cursorY, read, rows) => {
  expect(landmarks(capture(ROWS, cursorY), read)).toEqual(rows);
});
