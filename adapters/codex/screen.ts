// Reads the visible screen and the title of Codex: views that take the keys, the input box and the turn above it, a draft; dialogs
// are read in dialogs.ts. Positive proof or nothing: an input box counts by the lines above it and the title. The title's spinner
// is the only proof while answer text streams; end marks count only as the last thing said. Source: recorded with 0.169.0.
import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";
import { isKeyHints, readKeyHints } from "../common/selector.ts";
import {
  isBlank,
  joined,
  shows,
  MAX_COLUMNS,
  indentOf,
  isWrapped,
  ofWholeScreen,
  visibleLines,
  styledRows,
  typedOf,
} from "../common/screenText.ts";
import {
  IN_MENU,
  COMPACTING,
  COMPLETED,
  FRESH,
  HIDDEN,
  INTERRUPTED,
  RETRYING,
  THINKING,
  TOOL,
} from "../common/events.ts";
import { countOf, fails, progressOf, quoteOf, retryIn, withProgress } from "../common/progress.ts";
import { isWaiting } from "../../core/model/state.ts";
import { errorStatusOf, FAILED_TURN } from "./stateFiles.ts";
import { ACTION_TITLE, readDialog } from "./dialogs.ts";

// Views: menus, lists, settings, the transcript, the command center. Keys are commands there. A view is known by its place and by
// the row that explains its keys, not by its title. Source: views recorded with 0.169.0, with and without the alternate screen.

/** A narrow pane wraps the row of keys. */
const MAX_HINT_ROWS = 3;
/** Rows of dialogs, not of views: even a dialog whose heading is not known may wait for an answer. */
const DIALOG_HINTS = /press enter to confirm or esc to cancel|enter to submit/i;
const GO_BACK = /^press enter to (?:confirm|continue) or esc to go back$/i;
/** A search of the conversation or of earlier prompts, below the box for prompts: it takes the keys. */
const SEARCH = /^ {2}(?:Find|[a-z-]*search):(?: |$)/;
const SHORTCUTS = /\? for shortcuts/;
/** In an empty box. Shortcuts stand below it, unless something else takes the keys. */
const HINT = /^› Ask (?:Codex to do anything|a follow-up question)$/;

const inMenu = (row: string): Reading => shows(IN_MENU, "high", row.trim());

/** The view at the end of a screen without a box for prompts; null where the last rows explain no keys. */
const readViewAtBottom = (lines: readonly string[]): Reading | null => {
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
 * The view above or below the box for prompts that takes the keys. `text`: the box's. A dialog in the middle of the conversation
 * has rows of the conversation below it.
 */
const readViewAtBox = (box: {
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

// Input box and turn: the conversation stands in column 0 (`›` the person, `•` the agent, `■` notices) with its continuation
// indented by two; dialogs and footers are indented by two as well.

/** The input box at the bottom with what stands above it. */
interface Composer {
  text: string;
  /** Non-empty lines above, nearest last. */
  above: readonly string[];
  /** Non-empty lines below. */
  footer: readonly string[];
}

const PROMPT = /^› ?/;
/** Replaces the prompt's sign: what is typed runs as a command. */
const SHELL_PROMPT = /^!(?: |$)/;
/** A draft whose menu is open: commands, skills and files. */
const MENU_DRAFT = /^› (?:\/|(?:\S.*\s)?[$@]\S*$)/;
const NUMBERED = /^› \d{1,2}\. \S/;
const MAX_FOOTER_LINES = 4;
/** What the lines below the input box are known to say. */
const FOOTER =
  /\? for shortcuts|← for agents|ctrl ?\+ ?c again to (quit|exit)|esc again to|tab to queue|shift\+tab to cycle|f2 to view|context left|\d+% (context|left)|\S · (~|\/|[A-Z]:)/;

/** Null where no input box with a known footer is at the bottom: dialogs, menus and overlays replace it. */
const findComposer = (lines: readonly string[]): Composer | null => {
  const at = lines.findLastIndex((line) => PROMPT.test(line) || SHELL_PROMPT.test(line));
  const text = lines[at];
  if (text === undefined || NUMBERED.test(text)) return null;
  let end = at + 1;
  while (end < lines.length && !isBlank(lines[end] ?? "")) end += 1;
  const footer = lines.slice(end).filter((line) => !isBlank(line));
  if (footer.length === 0 || footer.length > MAX_FOOTER_LINES) return null;
  if (footer.some((line) => indentOf(line) < 2) || !footer.some((line) => FOOTER.test(line))) return null;
  return { text, above: lines.slice(0, at).filter((line) => !isBlank(line)), footer };
};

/** As SEARCH, also right after the colon. */
const FINDING = /^ {2}(?:Find|[a-z-]*search):/;
/** In this mode of the box keys are commands. */
const VIM_NORMAL = /\bVim: Normal\b/;
/** At the beginning by default; `tui.terminal_title` may put other items before it, or leave it out. */
const SPINNER_TITLE = /^[\u2801-\u28ff] | [\u2801-\u28ff]( \||$)/;
/** Its sign blinks, and `tui.animations = false` leaves it out. */
const WORKING = /^[^\s›■].{0,81}\((\d+[hms] ?)+ • esc to interrupt\)/;
/** `• Reconnecting... 2/5 (9s • …)`. */
const ATTEMPT = /^(?:[•◦] )?\S*(?:Reconnecting|Retrying)\S* (\d+)\/(\d+) \(/i;
/** Several words: one alone (Working, Thinking) says no more than the state. */
const HEADING = /^(?:[•◦] )?([^\s•◦]\S* \S.{0,80}?) \((?:\d+[hms] ?)+ •/;
/** In the running line; a narrow pane cuts it with `…`. */
const WORKING_TERMINALS = / · (\d+) background terminals?\b/;
const QUEUED_ENTRY = /^ {2,4}↳ \S/;
const FINISHED = /^ {2}Worked for <?\d+[dhms]( \d+[hms])*( •.*)?$/;
const BANNER = /^ {2}>_ OpenAI Codex \(v[\d.]/;
const OPEN_TOOL = /^• (Running|Calling|Waiting for) /;
/** Each item begins in column 0 with a sign. */
const ITEM = /^[\p{S}\p{P}] /u;
/** Begins a message, an action or a notice. */
const SAID = /^[›•◦■✗✔⚠] /;
/** Said after a turn without ending or beginning one. */
const NOTICE = /^• (Model changed to|Permissions updated|Approval policy changed|Session renamed)/;
/** Between the last message and the input box; the pane's edge cuts it. */
const TERMINALS = /^ {2}(\d+) background terminals? running( ·|$)/;
/** Queued messages are listed between the working line and the input box. */
const MAX_BELOW_WORKING = 16;

/** The last line in column 0 with the indented lines below it. A wrapped notice continues in column 0. */
const lastBlock = (above: readonly string[], width: number): readonly string[] => {
  const last = Math.max(
    0,
    above.findLastIndex((line) => indentOf(line) === 0),
  );
  let start = last;
  while (
    start > 0 &&
    !ITEM.test(above[start] ?? "") &&
    isWrapped(above[start - 1] ?? "", above[start] ?? "", width)
  )
    start -= 1;
  return above.slice((above[start] ?? "").startsWith("■ ") ? start : last);
};

/** The running line, where only queued messages stand below it; null where something was said or ended since. */
const findWorking = (above: readonly string[]): string | null => {
  const at = above.findLastIndex((line) => WORKING.test(line));
  const after = above.slice(at + 1);
  if (at < 0 || after.length > MAX_BELOW_WORKING) return null;
  const isPast = (line: string): boolean =>
    FINISHED.test(line) || (indentOf(line) === 0 && !line.startsWith("• Queued"));
  return after.some(isPast) ? null : (above[at] ?? null);
};

/** What the running line says beside the state: attempts, a heading of its own, background terminals; and queued prompts. */
const progressAt = (working: string, above: readonly string[]): string | null => {
  const after = above.slice(above.lastIndexOf(working) + 1);
  const heading = HEADING.exec(working)?.[1];
  const terminals = Number(WORKING_TERMINALS.exec(working)?.[1] ?? 0);
  const isQueued = after.some((line) => line.startsWith("• Queued"));
  return progressOf(
    retryIn(working, ATTEMPT),
    quoteOf(heading === undefined || ATTEMPT.test(working) ? null : heading),
    countOf(terminals, "background terminal"),
    isQueued ? countOf(after.filter((line) => QUEUED_ENTRY.test(line)).length, "queued prompt") : null,
  );
};

const readWorking = (working: string, above: readonly string[], width: number): Reading => {
  if (/reconnecting|retrying/i.test(working)) return shows(RETRYING, "high", working);
  if (/compacting/i.test(working)) return shows(COMPACTING, "high", working);
  const block = lastBlock(above.slice(0, above.lastIndexOf(working)), width);
  const isTool = WORKING_TERMINALS.test(working) || OPEN_TOOL.test(block[0] ?? "");
  return shows(isTool ? TOOL : THINKING, "high", working);
};

const withoutNotices = (above: readonly string[], width: number): readonly string[] => {
  let kept = TERMINALS.test(above.at(-1) ?? "") ? above.slice(0, -1) : above;
  for (;;) {
    const block = lastBlock(kept, width);
    const [head = "", ...rest] = block;
    const isWhole = rest.every((line, index) => isWrapped(block[index] ?? "", line, width));
    if (!NOTICE.test(head) || !isWhole) return kept;
    kept = kept.slice(0, -block.length);
  }
};

/**
 * Codex's banner, where nothing was said since. Without the alternate screen a shell's rows stand above it; a banner below a row of
 * a conversation is a quote.
 */
const findBanner = (all: readonly string[]): string | null => {
  const at = all.findLastIndex((line) => BANNER.test(line));
  const above = all.slice(0, Math.max(0, at)).findLast((line) => indentOf(line) === 0);
  const hasBegun = all.slice(at + 1).some((line) => indentOf(line) === 0);
  return hasBegun || (above !== undefined && SAID.test(above)) ? null : (all[at] ?? null);
};

/** How the last turn ended, or that none began; null where neither is said. */
const readEnd = (all: readonly string[], width: number): Reading | null => {
  const above = withoutNotices(all, width);
  const last = above.at(-1) ?? "";
  if (FINISHED.test(last)) return shows(COMPLETED, "high", last);
  const block = lastBlock(above, width);
  const head = block[0] ?? "";
  if (head.startsWith("■ ")) {
    const text = joined(block).slice(2);
    if (text.startsWith("Conversation interrupted")) return shows(INTERRUPTED, "high", text);
    return FAILED_TURN.test(text) ? fails(errorStatusOf(text), text) : null;
  }
  const banner = findBanner(all);
  return banner === null ? null : shows(FRESH, "high", banner);
};

/** Programs that keep running after the turn that started them. */
const terminalsBelow = (above: readonly string[]): string | null =>
  countOf(Number(TERMINALS.exec(above.at(-1) ?? "")?.[1] ?? 0), "background terminal");

/** Null while text streams without a spinner in the title, and where title and text contradict each other. */
const readTurn = ({ above }: Composer, title: string, width: number): Reading | null => {
  const working = findWorking(above);
  if (working !== null) return withProgress(readWorking(working, above, width), progressAt(working, above));
  const end = readEnd(above, width);
  if (!SPINNER_TITLE.test(title)) return end === null ? null : withProgress(end, terminalsBelow(above));
  if (end !== null) return null;
  const block = lastBlock(above, width);
  return shows(OPEN_TOOL.test(block[0] ?? "") ? TOOL : THINKING, "high", `title: ${title}`);
};

/** State and request that the bottom of the screen positively shows, or null; a view that takes the keys is `IN_MENU`. */
export const readCodexScreen = (screen: Screen): Reading | null => {
  const lines = visibleLines(screen);
  if (lines.length === 0) return null;
  const title = screen.title.slice(0, MAX_COLUMNS);
  const dialog = readDialog(lines, title, screen.width);
  if (dialog !== null) return ofWholeScreen(screen, dialog);
  const composer = findComposer(lines);
  if (composer === null)
    return (
      readViewAtBottom(lines) ??
      // A terminal that was reset shows only those rows of a dialog that have changed since.
      (ACTION_TITLE.test(title) ? shows(HIDDEN, "low", `title: ${title}`) : null)
    );
  const { text, footer } = composer;
  if (SHELL_PROMPT.test(text)) return shows(IN_MENU, "high", footer.join(" "));
  return (
    readViewAtBox(composer) ??
    readTurn(composer, title, screen.width) ??
    (MENU_DRAFT.test(text) ? shows(IN_MENU, "high", text) : null)
  );
};

// Draft: what somebody typed. `findBox` also finds a scrolled box, for which `findComposer` gives null.

/** Sign and blank, or the indentation of the rows below. */
const INDENT = 2;

/** At the right edge of the first row of a box that is scrolled; it is drawn dim. */
const SCROLLED = /\s{2}↑$/;

/** A draft of many rows fills the screen below its sign, and its first rows scroll out. */
const findScrolledBox = (lines: readonly string[], start: number): { start: number; end: number } | null => {
  const end = lines.findLastIndex((line) => !isBlank(line)) + 1;
  const below = lines.slice(start + 1, end);
  return below.every((line) => isBlank(line) || indentOf(line) >= INDENT) ? { start, end } : null;
};

/** The rows of the box: from its sign to the gap above its known footer. Null where there is none. */
const findBox = (lines: readonly string[]): { start: number; end: number } | null => {
  const start = lines.findLastIndex((line) => PROMPT.test(line));
  if (SCROLLED.test(lines[start] ?? "")) return findScrolledBox(lines, start);
  const end = lines.findLastIndex(isBlank);
  if (start < 0 || end <= start || NUMBERED.test(lines[start] ?? "")) return null;
  const footer = lines.slice(end + 1);
  if (footer.length > MAX_FOOTER_LINES || footer.some((line) => indentOf(line) < 2)) return null;
  const below = lines.slice(start + 1, end);
  if (below.some((line) => !isBlank(line) && indentOf(line) < INDENT)) return null;
  return footer.some((line) => FOOTER.test(line)) ? { start, end } : null;
};

/**
 * What somebody typed into the box; the hint in an empty one is drawn dim. "": it is empty; null: no box is visible, or its
 * footer is not. Source: drafts recorded with 0.169.0.
 */
export const readDraft = (screen: Screen): string | null => {
  // Keys go to a search below the box, or are an editor's commands.
  const below = screen.lines.slice(screen.lines.findLastIndex((line) => PROMPT.test(line)) + 1);
  if (below.some((line) => FINDING.test(line) || VIM_NORMAL.test(line))) return null;
  const rows = styledRows(screen);
  const box = findBox(screen.lines.map((line) => line.trimEnd()));
  return rows === null || box === null ? null : typedOf(rows.slice(box.start, box.end), INDENT);
};

// Own screen: the cursor stands in the box and is shown, and on the alternate screen the box is at its bottom. While a dialog is open,
// it is hidden, and the dialog is at the bottom, or at the start of the agent above its place in the box that is not drawn yet.
// Pagers, editors and shells show it, and elsewhere. Source: each recording of 0.169.0.

/** The box and what is below it take so many rows. */
const BOX_ROWS = 3;

export const isOwnScreen = (screen: Screen): boolean => {
  const { cursor, isAlternate, height } = screen;
  if (cursor === undefined) return false;
  const lines = visibleLines(screen);
  if (isWaiting(readCodexScreen(screen)?.status.state ?? "unknown")) {
    const isAtStart = cursor.x === 1 && cursor.y === height - BOX_ROWS;
    return !cursor.isVisible && cursor.x > 0 && (lines.length >= height - 1 || isAtStart);
  }
  const box = findBox(lines);
  const isAtBottom = FOOTER.test(lines.at(-1) ?? "") && (!isAlternate || lines.length >= height);
  const isInBox = box !== null && cursor.y >= box.start && cursor.y < box.end && cursor.x >= INDENT;
  return cursor.isVisible && isInBox && isAtBottom;
};
