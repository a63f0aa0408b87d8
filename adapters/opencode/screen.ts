// Reads the visible screen of opencode. Positive proof or nothing: a dialog is the block that ends the screen, a turn is
// read around the input box; history higher up never counts, and the title holds no state.
import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";
import { ofWholeScreen, visibleLines } from "../common/screenText.ts";
import { readDialog } from "./screen/dialogs.ts";
import { findInputBox } from "./screen/layout.ts";
import { readTurn } from "./screen/turn.ts";

/** State and request that the bottom of the screen positively shows, or null. */
export const readOpencodeScreen = (screen: Screen): Reading | null => {
  const lines = visibleLines(screen);
  const dialog = readDialog(lines, screen, screen.styledLines);
  if (dialog !== null) return ofWholeScreen(screen, dialog);
  const box = findInputBox(lines);
  return box === null ? null : readTurn(box);
};
