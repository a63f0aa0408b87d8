// Reads the visible screen of pi: dialogs, the turn, views that take the keys, a draft. The input box stands between two rules
// with the folder and the usage below it; a turn in progress is written into the upper rule, an extension's dialog stands between
// the rules. The title holds no state. What a dialog asks is never whole by its rows: escape sequences in it reach the terminal,
// so that they may draw anything. Source: frames recorded with 0.87.1.
import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";
import { failureOfText, fails, retryIn, withProgress } from "../common/progress.ts";
import {
  withoutBlankEnds,
  asks,
  indentOf,
  isBlank,
  joined,
  ofWholeScreen,
  shows,
  visibleLines,
  styledRows,
  typedOf,
  blockAbove,
} from "../common/screenText.ts";
import { withRoles, isKeyHints } from "../common/selector.ts";
import {
  COMPACTING,
  COMPLETED,
  FRESH,
  IN_MENU,
  INTERRUPTED,
  RETRYING,
  THINKING,
  TOOL,
  TOOL_APPROVAL,
} from "../common/events.ts";
import { isAborted } from "../piFamily/normalize.ts";
import { isPermissionTitle } from "../piFamily/promptRequest.ts";
import { readSelector } from "../piFamily/screen.ts";

const RULE = /^─{12,}$/;
const WORKING_RULE = /^──+ [\u2800-\u28ff] (\S.*?) ─+$/u;
const USAGE = /(^|\s)(\?|\d+(\.\d+)?%)\/\d+(\.\d+)?[kM]\b/;
const DIALOG_FOOTER = /^ ↑↓ navigate {2}enter select {2}escape\/ctrl\+c cancel\s*$/;
const RETRY = /Retrying \((\d+)\/(\d+)\) in \d+s/;
/** Stands in the line of the usage once an answer came. */
const ANSWERED = /(^|\s)↓\d/;
const ELAPSED = /^ Elapsed \d/;
const TOOK = /^ Took \d/;
const FAILURE = /^ Error: (\S.*)$/;
/** A turn that the person stopped, also while it waited to try again. */
const ABORTED = /^ (Operation aborted|Aborted after \d+ retry attempts?)$/;
const REPORT_HINT = /^ If this looks like a pi bug, /;
const MAX_FOOTER_LINES = 4;
const MAX_BOX_LINES = 40;
/** Columns that stay free at both sides of a dialog's text. */
const FRAME_COLUMNS = 2;

interface Box {
  upper: string;
  inside: readonly string[];
  above: readonly string[];
  /** The first line below it. */
  below: string;
  /** The line below it with what the session used. */
  usage: string;
  /** Index on the screen of its upper rule. */
  top: number;
}

/** The box at the bottom; null without its two rules and the usage line below. `maxBelow`: how many lines may be there. */
const findBox = (lines: readonly string[], maxBelow = MAX_FOOTER_LINES): Box | null => {
  const lower = lines.findLastIndex((line) => RULE.test(line));
  const below = lines.slice(lower + 1).filter((line) => !isBlank(line));
  const usage = below.find((line) => USAGE.test(line));
  if (lower < 1 || below.length > maxBelow || usage === undefined) return null;
  for (let index = lower - 1; index >= 0 && lower - index <= MAX_BOX_LINES; index -= 1) {
    const line = lines[index] ?? "";
    if (RULE.test(line) || WORKING_RULE.test(line))
      return {
        upper: line,
        inside: lines.slice(index + 1, lower),
        above: lines.slice(0, index),
        below: below[0] ?? "",
        usage,
        top: index,
      };
  }
  return null;
};

/** Recorded with 0.87.1 for an extension that asks; what options with other words do is up to the extension. */
const ROLES = { approve: /^Yes$/, always: /^(?!)/, deny: /^No$/ };
const NO_ROLES = { approve: /^(?!)/, always: /^(?!)/, deny: /^(?!)/ };

/** Only a dialog that asks for a permission: the same selector serves the menus that a person opens, which are no wait. */
const readDialog = ({ inside, top }: Box, width: number): Reading | null => {
  const footer = inside.findLastIndex((line) => !isBlank(line));
  if (!DIALOG_FOOTER.test(inside[footer] ?? "")) return null;
  const end = inside.slice(0, footer).findLastIndex((line) => !isBlank(line)) + 1;
  const first = inside.slice(0, end).findLastIndex(isBlank) + 1;
  const rows = withoutBlankEnds(inside.slice(0, first)).map((line) => line.replace(/^ /, ""));
  const title = joined(rows.filter((line) => !isBlank(line)));
  const options = readSelector(inside.slice(first, end));
  if (options === null || !title.endsWith("?") || !isPermissionTitle(title)) return null;
  return asks(TOOL_APPROVAL, "medium", `${title} / ${(inside[footer] ?? "").trim()}`, {
    top,
    kind: "other",
    title,
    body: rows.join("\n"),
    columns: Math.max(1, width - FRAME_COLUMNS),
    options: withRoles(options, options.length === 2 ? ROLES : NO_ROLES),
  });
};

const lastBlock = (above: readonly string[]): readonly string[] => blockAbove(above, above.length).lines;

const readWork = ({ upper, above }: Box): Reading | null => {
  const word = WORKING_RULE.exec(upper)?.[1];
  const nearby = above.filter((line) => !isBlank(line)).slice(-2);
  const retry = [word ?? "", ...nearby].find((line) => RETRY.test(line));
  if (retry !== undefined)
    return withProgress(
      shows(RETRYING, word === undefined ? "medium" : "high", retry),
      retryIn(retry, RETRY),
    );
  if (word === undefined) return null;
  if (/compact/i.test(word)) return shows(COMPACTING, "high", word);
  const isTool = lastBlock(above).some((line) => ELAPSED.test(line));
  return shows(isTool ? TOOL : THINKING, "high", isTool ? `${word} / ${nearby.at(-1)?.trim() ?? ""}` : word);
};

/** Without the text that stands below a failure. */
const withoutHint = (above: readonly string[]): readonly string[] => {
  let end = above.length;
  while (end > 0 && (isBlank(above[end - 1] ?? "") || REPORT_HINT.test(above[end - 1] ?? ""))) end -= 1;
  return above.slice(0, end);
};

/** The last block of a turn that failed or was interrupted; null for any other. */
const readMark = (block: readonly string[]): Reading | null => {
  const last = block.at(-1) ?? "";
  if (ABORTED.test(last)) return shows(INTERRUPTED, "high", last.trim());
  const failure = FAILURE.exec(block[0] ?? "")?.[1];
  if (failure === undefined || !block.every((line) => indentOf(line) >= 1)) return null;
  const text = joined([failure, ...block.slice(1)]);
  // A tool was stopped, and with it the request that followed.
  const matched = `Error: ${text}`;
  return isAborted(text) ? shows(INTERRUPTED, "high", matched) : fails(failureOfText(text), text, matched);
};

const readRest = ({ upper, inside, above, usage }: Box): Reading | null => {
  if (!RULE.test(upper) || inside.some((line) => DIALOG_FOOTER.test(line))) return null;
  const rest = withoutHint(above);
  const block = lastBlock(rest);
  const mark = readMark(block);
  if (mark !== null) return mark;
  // An answer ends the turn that it belongs to. A block alone below a mark may be a notice, and one of a tool is no answer.
  const before = withoutHint(rest.slice(0, rest.length - block.length));
  const isAnswer = readMark(lastBlock(before)) === null && !TOOK.test(block.at(-1) ?? "");
  return ANSWERED.test(usage) && isAnswer
    ? shows(COMPLETED, "medium", usage.trim())
    : shows(FRESH, "medium", "input box between two plain rules");
};

/** The marked entry of a list. */
const MARKED = /^ ?[›→] \S/;

/** A list that a person opened stands between the rules: it explains its keys, or has a margin above its entries. */
const readView = ({ inside }: Box): Reading | null => {
  const row =
    inside.findLast(isKeyHints) ??
    (isBlank(inside[0] ?? "x") ? inside.find((line) => MARKED.test(line)) : undefined);
  return row === undefined ? null : shows(IN_MENU, "high", row.trim());
};

/** A draft that has a menu as long as something fits: below the box, between its lower rule and the folder. */
const MENU_DRAFT = /^(?:\/|(?:\S.*\s)?@\S*$)/;
const MENU_ROW = /^(?:→ | {2})\S/;
const MENU_ROWS = 16;

const readMenu = (box: Box | null): Reading | null => {
  const [draft = "", ...more] = box?.inside ?? [];
  const isOpen = more.length === 0 && MENU_DRAFT.test(draft) && MENU_ROW.test(box?.below ?? "");
  return isOpen ? shows(IN_MENU, "high", draft) : null;
};

/** State and request that the bottom of the screen positively shows, or null; a view that takes the keys is `IN_MENU`. */
export const readPiScreen = (screen: Screen): Reading | null => {
  const lines = visibleLines(screen);
  const box = findBox(lines);
  if (box === null) return readMenu(findBox(lines, MAX_FOOTER_LINES + MENU_ROWS));
  const dialog = ofWholeScreen(screen, readDialog(box, screen.width));
  return dialog ?? readView(box) ?? readWork(box) ?? readMenu(box) ?? readRest(box);
};

/**
 * What somebody typed into the box, which has no sign and no hint. "": it is empty; null: there is none. Menus that a person
 * opens stand in it, too, and are no empty box. Source: drafts recorded with 0.87.1.
 */
export const readPiDraft = (screen: Screen): string | null => {
  const rows = styledRows(screen);
  const box = findBox(screen.lines.map((line) => line.trimEnd()));
  if (rows === null || box === null) return null;
  return typedOf(rows.slice(box.top + 1, box.top + 1 + box.inside.length), 0);
};
