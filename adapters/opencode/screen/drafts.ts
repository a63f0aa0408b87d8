// What somebody typed into opencode's input box: the rows between its upper margin and the row that names agent and model. Source:
// drafts recorded with 1.18.33.
import type { Screen } from "../../../core/ports/agentAdapter.ts";
import { isBlank } from "../../common/screenText.ts";
import { type StyledCell, styledRows, typedOf } from "../../common/styledText.ts";
import { findInputBox, withoutSideBar } from "./layout.ts";

const HINT = /^Ask anything… ".*"$/;
/** Between agent and model, in the colour of what is not typed. In a shell's box it is not there. */
const SEPARATOR = "·";

const textOf = (cells: readonly StyledCell[]): string => cells.map(({ char }) => char).join("");
const wordsOf = (cells: readonly StyledCell[]): StyledCell[] => cells.filter(({ char }) => char !== " ");

/** Bar and margin. */
const withoutBar = (row: readonly StyledCell[]): readonly StyledCell[] =>
  row.slice(row.findIndex(({ char }) => char === "┃") + 1);

const isHint = (row: readonly StyledCell[], colour: string): boolean =>
  HINT.test(textOf(row).trim()) && wordsOf(row).every((cell) => cell.colour === colour);

/** "": it is empty; null: there is no box, it is not for prompts, or its colours do not tell the hint. */
export const readDraft = (screen: Screen): string | null => {
  const rows = styledRows(screen);
  const column = withoutSideBar(
    screen.lines.map((line) => line.trimEnd()),
    screen.width,
  );
  const box = findInputBox(column.lines);
  if (rows === null || box === null) return null;
  const inside = rows.slice(box.start, box.end).map((row) => withoutBar(row.slice(0, column.width)));
  const modelAt = inside.findLastIndex((row) => !isBlank(textOf(row)));
  const separator = inside[modelAt]?.find(({ char }) => char === SEPARATOR);
  if (separator === undefined) return null;
  const typed = inside.slice(0, modelAt);
  const shown = typed.filter((row) => !isBlank(textOf(row)));
  if (shown.length === 1 && HINT.test(textOf(shown[0] ?? []).trim()))
    return isHint(shown[0] ?? [], separator.colour) && separator.colour !== ""
      ? ""
      : textOf(shown[0] ?? []).trim();
  return typedOf(typed, 2);
};
