// Reads the visible screen of Claude Code. Positive proof or nothing: an input box at the bottom is read by its
// surroundings, a dialog by its footer and selector, anything else gives no reading. History higher up never counts.
import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";
import { movedDown, ofWholeScreen, visibleLines } from "../common/screenText.ts";
import { readDialog } from "./screen/dialogs.ts";
import { findInputBox } from "./screen/layout.ts";
import { readTurn } from "./screen/turn.ts";

/** State and request that the bottom of the screen positively shows, or null. */
export const readClaudeScreen = (screen: Screen): Reading | null => {
  const lines = visibleLines(screen);
  if (lines.length === 0) return null;
  const box = findInputBox(lines, screen.width);
  if (box === null) return ofWholeScreen(screen, readDialog(lines, screen.width));
  // The inline renderer (2.1.197) may leave an old box above a dialog, whose rule then looks like the box's lower one.
  const below = movedDown(readDialog(box.below, screen.width), lines.length - box.below.length);
  return ofWholeScreen(screen, below) ?? readTurn(box, screen.title);
};
