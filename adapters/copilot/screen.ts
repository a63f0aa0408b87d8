// Reads Copilot CLI's screen. Positive proof or nothing: an input box at the bottom is read by its footer and the newest
// entry above it, a dialog by its frame and footer, anything else gives no reading.
import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";
import { ofWholeScreen, visibleLines } from "../common/screenText.ts";
import { readDialog } from "./screen/dialogs.ts";
import { findInputBox } from "./screen/layout.ts";
import { readTurn } from "./screen/turn.ts";

/** State and request that the bottom of the screen positively shows, or null. */
export const readCopilotScreen = (screen: Screen): Reading | null => {
  const lines = visibleLines(screen);
  const box = findInputBox(lines);
  return box === null ? ofWholeScreen(screen, readDialog(lines, screen.width)) : readTurn(box);
};
