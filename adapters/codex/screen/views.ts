// Views of Codex's own: menus, lists, settings, its transcript, its command center. Keys are commands there. A view is known by its
// place and by the row that explains its keys, not by its title. Source: views recorded with 0.169.0, with and without the
// alternate screen.
import type { Reading } from "../../../core/ports/agentAdapter.ts";
import { isKeyHints, readKeyHints } from "../../common/keyHints.ts";
import { isBlank, joined, shows } from "../../common/screenText.ts";
import { IN_MENU } from "../../common/signals.ts";

/** A narrow pane wraps them. */
const MAX_HINT_ROWS = 3;
/** Dialogs are cancelled or answered; one whose heading is not known may wait for an answer. */
const DIALOG_HINTS = /press enter to confirm or esc to cancel|enter to submit/i;
const GO_BACK = /^press enter to (?:confirm|continue) or esc to go back$/i;
/** A search of the conversation, or of what was asked before, below the box for prompts: it takes the keys. */
const SEARCH = /^ {2}(?:Find|[a-z-]*search):(?: |$)/;
const SHORTCUTS = /\? for shortcuts/;
/** In an empty box. The shortcuts stand below it, unless something else has the keys. */
const HINT = /^› Ask (?:Codex to do anything|a follow-up question)$/;

const inMenu = (row: string): Reading => shows(IN_MENU, "high", row.trim());

/** The view that ends the screen where the box for prompts is not on it; null where its end explains no keys. */
export const readViewAtBottom = (lines: readonly string[]): Reading | null => {
  const from = lines.findLastIndex(isBlank) + 1;
  const rows = lines.slice(Math.max(from, lines.length - MAX_HINT_ROWS));
  const all = joined(rows.map((row) => `  ${row.trim()}`));
  if (DIALOG_HINTS.test(all) || SHORTCUTS.test(all)) return null;
  const last = lines.at(-1) ?? "";
  const pair = rows
    .slice(-2)
    .map((row) => row.trim())
    .join("  ");
  return GO_BACK.test(last.trim()) || isKeyHints(last) || isKeyHints(pair) ? inMenu(last) : null;
};

/**
 * The view that is open above or below the box for prompts and takes the keys. `text`: the box's. A dialog in the middle of the
 * conversation leaves rows of that below itself.
 */
export const readViewAtBox = (box: {
  text: string;
  above: readonly string[];
  footer: readonly string[];
}): Reading | null => {
  const below = box.footer.find((row) => SEARCH.test(row) || readKeyHints(row).leaves);
  if (below !== undefined) return inMenu(below);
  if (box.footer.some((row) => SHORTCUTS.test(row))) return null;
  const hints = (HINT.test(box.text) ? box.above : box.above.slice(-1)).findLast(isKeyHints);
  return hints === undefined ? null : inMenu(hints);
};
