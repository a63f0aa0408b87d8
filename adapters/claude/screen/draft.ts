// What somebody typed into the input box of Claude Code, and in which mode its editor is.
import type { Screen } from "../../../core/ports/agentAdapter.ts";
import { styledRows, typedOf } from "../../common/styledText.ts";
import { ownColumns } from "./columns.ts";
import { readFlatDraft } from "./flat.ts";
import { findInputBox, INDENT } from "./layout.ts";
import { signOfOtherBox } from "./views.ts";

/** What is typed behind any other sign is no prompt: `!` runs it in a shell. */
const SIGN_OF_PROMPTS = /^[❯>]$/;

/**
 * What somebody typed into the box; the hint in an empty one is drawn dim. "": it is empty; null: there is none, it is not for
 * prompts, or not all of it is in sight. Source: drafts recorded with 2.1.329.
 */
export const readDraft = (screen: Screen): string | null => {
  const rows = styledRows(screen);
  const { screen: own, columns } = ownColumns(screen);
  const lines = own.lines.map((line) => line.trimEnd());
  const box = findInputBox(lines, own.width);
  if (box === null) return readFlatDraft(screen);
  if (rows === null || !SIGN_OF_PROMPTS.test(box.text.slice(0, 1)) || signOfOtherBox(box) !== null)
    return null;
  const inBox = rows.slice(box.start, box.end);
  if (columns === null) return typedOf(inBox, INDENT);
  const cells = inBox.map((row) => row.slice(columns.from, columns.to));
  const isSame = cells.every(
    (row, index) =>
      row
        .map(({ char }) => char)
        .join("")
        .trimEnd() === lines[box.start + index],
  );
  return isSame ? typedOf(cells, INDENT) : null;
};

const MODE = /^-- ([A-Z][A-Z -]*) -- /;

/**
 * The mode of the box's editor, by the agent's own line: where vim's keys are switched on, it names each mode but the normal one.
 * Recorded with 2.1.329.
 */
export const readInputMode = (screen: Screen): "text" | "commands" | "none" | null => {
  const { screen: own } = ownColumns(screen);
  const box = findInputBox(
    own.lines.map((line) => line.trimEnd()),
    own.width,
  );
  if (box === null || box.footer === "") return null;
  const mode = MODE.exec(box.footer)?.[1];
  if (mode === undefined) return "none";
  return mode === "INSERT" ? "text" : "commands";
};
