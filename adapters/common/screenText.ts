// The small vocabulary of screen readers: blank lines, indentation, trimmed frames, and a reading put together.
import type { Confidence, Status } from "../../core/model/state.ts";
import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";
import { oneLine } from "./payload.ts";
import { promptRequest, type RequestFields } from "./promptRequest.ts";

/** More than any terminal shows; keeps a hostile screen cheap. */
export const MAX_LINES = 500;
export const MAX_COLUMNS = 1_000;

export const isBlank = (line: string): boolean => line.trim() === "";
export const indentOf = (line: string): number => line.length - line.trimStart().length;

/** The screen's lines without trailing blanks and without the empty rest below the last text. */
export const visibleLines = (screen: Screen): string[] => {
  const lines = screen.lines.slice(-MAX_LINES).map((line) => line.slice(0, MAX_COLUMNS).trimEnd());
  while (lines.length > 0 && lines.at(-1) === "") lines.pop();
  return lines;
};

export const joined = (lines: readonly string[]): string =>
  lines
    .map((line) => line.trim())
    .join(" ")
    .trim();

/** Whether a row goes on in the one below it because its next word had no room: an agent that wraps text by words left it there. */
export const isWrapped = (row: string, below: string, columns: number): boolean => {
  const word = below.trimStart().split(" ", 1)[0] ?? "";
  return word !== "" && !isBlank(row) && row.length + 1 + word.length > columns;
};

/** A reading without a request. */
export const shows = (
  status: Status,
  confidence: Confidence,
  matched: string,
  isSteady = false,
): Reading => ({ status, confidence, matched: oneLine(matched), request: null, isSteady });

/** A reading of an open dialog. `dialogTop`: index of its first row among the rows that are read. */
export const asks = (
  status: Status,
  confidence: Confidence,
  matched: string,
  request: RequestFields,
  dialogTop?: number,
): Reading => ({
  status,
  confidence,
  matched: oneLine(matched),
  request: promptRequest(request),
  isSteady: false,
  ...(dialogTop === undefined ? {} : { dialogTop }),
});

/** A reading whose dialog begins so many rows further down. */
export const movedDown = (reading: Reading | null, rows: number): Reading | null =>
  reading?.dialogTop === undefined ? reading : { ...reading, dialogTop: reading.dialogTop + rows };

/** What was read of a screen of which rows or columns were left out is not all that it asks, and its rows are not those of the pane. */
export const ofWholeScreen = (screen: Screen, reading: Reading | null): Reading | null => {
  if (reading === null || reading.request === null) return reading;
  if (screen.lines.length <= MAX_LINES && screen.lines.every((line) => line.length <= MAX_COLUMNS))
    return reading;
  const { dialogTop: _dialogTop, ...rest } = reading;
  return { ...rest, request: { ...reading.request, isWhole: false } };
};

/** Keys from the chosen option to another in a list in which Up and Down move and Enter chooses. */
export const movesTo = (index: number, selected: number): string[] => [
  ...Array<string>(Math.abs(index - selected)).fill(index > selected ? "Down" : "Up"),
  "Enter",
];
