// Reads the visible screen of Claude Code. Positive proof or nothing: an input box at the bottom is read by its
// surroundings, a dialog by its footer and selector, anything else gives no reading. History higher up never counts.
import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";
import { readDialog } from "./screen/dialogs.ts";
import { findInputBox } from "./screen/layout.ts";
import { readTurn } from "./screen/turn.ts";

/** More lines than any terminal shows; keeps a hostile screen cheap. */
const MAX_LINES = 500;
const MAX_COLUMNS = 1_000;

/** State and request that the bottom of the screen positively shows, or null. */
export const readClaudeScreen = (screen: Screen): Reading | null => {
  const lines = screen.lines.slice(-MAX_LINES).map((line) => line.slice(0, MAX_COLUMNS).trimEnd());
  while (lines.length > 0 && lines.at(-1) === "") lines.pop();
  if (lines.length === 0) return null;
  const box = findInputBox(lines, screen.width);
  if (box === null) return readDialog(lines);
  // The inline renderer (2.1.197) may leave an old box above a dialog, whose rule then looks like the box's lower one.
  return readDialog(box.below) ?? readTurn(box, screen.title);
};
