// Reads the visible screen and the title of Codex. Positive proof or nothing: an input box at the bottom is read by its
// surroundings and the title, a dialog by its footer, selector and heading. History higher up never counts.
import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";
import { MAX_COLUMNS, ofWholeScreen, visibleLines } from "../common/screenText.ts";
import { readDialog } from "./screen/dialogs.ts";
import { findComposer } from "./screen/layout.ts";
import { readTurn } from "./screen/turn.ts";

/** State and request that the bottom of the screen positively shows, or null. */
export const readCodexScreen = (screen: Screen): Reading | null => {
  const lines = visibleLines(screen);
  if (lines.length === 0) return null;
  const title = screen.title.slice(0, MAX_COLUMNS);
  const dialog = readDialog(lines, title, screen.width);
  if (dialog !== null) return ofWholeScreen(screen, dialog);
  const composer = findComposer(lines);
  return composer === null ? null : readTurn(composer, title);
};
