// Reads the visible screen and the title of Codex. Positive proof or nothing: an input box at the bottom is read by its
// surroundings and the title, a dialog by its footer, selector and heading. History higher up never counts.
import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";
import { readDialog } from "./screen/dialogs.ts";
import { findComposer } from "./screen/layout.ts";
import { readTurn } from "./screen/turn.ts";

/** More lines than any terminal shows; keeps a hostile screen cheap. */
const MAX_LINES = 500;
const MAX_COLUMNS = 1_000;

/** State and request that the bottom of the screen positively shows, or null. */
export const readCodexScreen = (screen: Screen): Reading | null => {
  const lines = screen.lines.slice(-MAX_LINES).map((line) => line.slice(0, MAX_COLUMNS).trimEnd());
  while (lines.length > 0 && lines.at(-1) === "") lines.pop();
  if (lines.length === 0) return null;
  const title = screen.title.slice(0, MAX_COLUMNS);
  const dialog = readDialog(lines, title);
  if (dialog !== null) return dialog;
  const composer = findComposer(lines);
  return composer === null ? null : readTurn(composer, title);
};
