// Reads the visible screen and the title of Codex. Positive proof or nothing: a dialog by its footer, selector and heading,
// else an input box at the bottom by the lines above it and the title. The title's spinner is the only proof while answer text
// streams; end marks count only as the last thing said. Source: frames and titles recorded with 0.169.0.
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
import { errorStatusOf, FAILED_TURN } from "./stateFiles.ts";
import { ACTION_TITLE, readDialog } from "./dialogs.ts";

// Views of Codex's own: menus, lists, settings, its transcript, its command center. Keys are commands there. A view is known by its
// place and by the row that explains its keys, not by its title. Source: views recorded with 0.169.0, with and without the
// alternate screen.

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
 * The view that is open above or below the box for prompts and takes the keys. `text`: the box's. A dialog in the middle of the
 * conversation leaves rows of that below itself.
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

// The parts of a Codex screen: the conversation stands in column 0 (`›` the person, `•` the agent, `■` notices) with its
// continuation indented by two; dialogs and footers are indented by two as well. Source: frames recorded with 0.169.0.

/** The input box at the bottom with what stands above it. */
interface Composer {
  text: string;
  /** Non-empty lines above, nearest last. */
  above: readonly string[];
  /** Those below it. */
  footer: readonly string[];
}

const PROMPT = /^› ?/;
/** Instead of the prompt's: what is typed there runs as a command. */
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
/** In the running line, which ends in `…` where it has no room. */
const WORKING_TERMINALS = / · (\d+) background terminals?\b/;
const QUEUED_ENTRY = /^ {2,4}↳ \S/;
const FINISHED = /^ {2}Worked for <?\d+[dhms]( \d+[hms])*( •.*)?$/;
const BANNER = /^ {2}>_ OpenAI Codex \(v[\d.]/;
const OPEN_TOOL = /^• (Running|Calling|Waiting for) /;
/** What begins in column 0 has a sign before it. */
const ITEM = /^[\p{S}\p{P}] /u;
/** Begins what somebody said, what was done, or a notice. */
const SAID = /^[›•◦■✗✔⚠] /;
/** Said after a turn without ending or beginning one. */
const NOTICE = /^• (Model changed to|Permissions updated|Approval policy changed|Session renamed)/;
/** Between the last message and the input box; the pane's edge cuts it. */
const TERMINALS = /^ {2}(\d+) background terminals? running( ·|$)/;
/** Queued messages are listed between the working line and the input box. */
const MAX_BELOW_WORKING = 16;

/** The last line of column 0 with what hangs below it. A notice goes on in column 0 where it is wrapped. */
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

/** The running line, when nothing was said or ended after it: only what waits in the queue stands there. */
const findWorking = (above: readonly string[]): string | null => {
  const at = above.findLastIndex((line) => WORKING.test(line));
  const after = above.slice(at + 1);
  if (at < 0 || after.length > MAX_BELOW_WORKING) return null;
  const isPast = (line: string): boolean =>
    FINISHED.test(line) || (indentOf(line) === 0 && !line.startsWith("• Queued"));
  return after.some(isPast) ? null : (above[at] ?? null);
};

/** What the running line says beside the work: attempts, background terminals, a heading of its own; and what is queued. */
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
 * Its banner, when nothing was said since. Without the alternate screen a shell's rows stand above it; what hangs below a row of a
 * conversation is quoted there.
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

/** Programs that live on after the turn that started them. */
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
      // A terminal that was reset shows only those rows of a dialog that changed since.
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

/** Sign and blank, or the indentation of the rows below. */
const INDENT = 2;

/** At the right edge of the first row of a box that is scrolled; it is drawn dim. */
const SCROLLED = /\s{2}↑$/;

/** A draft of many rows takes all that is below its sign, and its first rows go out of sight. */
const findScrolledBox = (lines: readonly string[], start: number): { start: number; end: number } | null => {
  const end = lines.findLastIndex((line) => !isBlank(line)) + 1;
  const below = lines.slice(start + 1, end);
  return below.every((line) => isBlank(line) || indentOf(line) >= INDENT) ? { start, end } : null;
};

/** The rows of the box: from its sign to the gap above what is known to stand below it. Null where there is none. */
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
 * What somebody typed into the box; the hint in an empty one is drawn dim. "": it is empty; null: there is none in sight, as where it
 * has grown so far that what stands below it is not. Source: drafts recorded with 0.169.0.
 */
export const readDraft = (screen: Screen): string | null => {
  // Keys go into a search below the box, or are commands of an editor.
  const below = screen.lines.slice(screen.lines.findLastIndex((line) => PROMPT.test(line)) + 1);
  if (below.some((line) => FINDING.test(line) || VIM_NORMAL.test(line))) return null;
  const rows = styledRows(screen);
  const box = findBox(screen.lines.map((line) => line.trimEnd()));
  return rows === null || box === null ? null : typedOf(rows.slice(box.start, box.end), INDENT);
};
