// Reads oh-my-pi's screen: dialogs, the turn, views that take the keys, a draft. The status line with the input corner below it
// ends the screen; a boxed dialog takes their place. The title says running and idle where the screen shows something else; its
// mark for waiting stays on while an approved tool runs, so it proves nothing. Source: frames recorded with 18.2.3.
import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";
import {
  withoutBlankEnds,
  asks,
  isBlank,
  joined,
  indentOf,
  ofWholeScreen,
  shows,
  visibleLines,
  styledRows,
  typedOf,
  blockAbove,
} from "../common/screenText.ts";
import {
  oneLine,
  QUESTION,
  COMPLETED,
  FRESH,
  IN_MENU,
  INTERRUPTED,
  RETRYING,
  THINKING,
  TOOL,
} from "../common/events.ts";
import type { RequestFields } from "../common/promptRequest.ts";
import { withRoles, isKeyHints } from "../common/selector.ts";
import { isEditTool } from "../piFamily/promptRequest.ts";
import { readSelector } from "../piFamily/screen.ts";
import { failureOfText, fails, retryIn, withProgress } from "../common/progress.ts";

// Dialogs: a box that ends the screen, in the place of the input corner, with a footer of its own. Tool boxes and old questions
// in the conversation look alike but never end the screen. What is asked is read row by row, by its place, but an approval is
// never whole by its rows: arguments of a command are not among them, and control characters of what is asked reach the terminal,
// so that they may draw anything.

const TOP = /^╭─+ (\S.*?) ─+╮$/;
const BOTTOM = /^╰─+╯$/;
const DIVIDER = /^├─+┤$/;
const APPROVAL_TITLE = /^Allow tool: (\S+)$/;
const APPROVAL_FOOTER = /^ ?up\/down navigate {2}enter select {2}esc cancel\b/;
const QUESTION_FOOTER = /^ ?Enter (select|toggle|confirm|submit)\b.*\bEsc cancel\b/;
const SUBJECT = /^((?:Command|URL|Query|Pattern|Input|Arguments): )(\S.*)$/;
const FILE = /^(?:File|Path): (\S.*)$/;
const CONTENT = /^Content:$/;
/** Columns of the frame and of the blanks inside it. */
const FRAME_COLUMNS = 4;

interface Box {
  /** Null where its upper edge is not visible. */
  title: string | null;
  /** Lines between the borders, dividers kept as they are. */
  lines: readonly string[];
  /** Index on the screen of its first visible row. */
  top: number;
  /** Every row ends in its border at the right place. */
  isStraight: boolean;
}

const inside = (line: string): string | null => /^│(.*)│$/.exec(line)?.[1]?.trimEnd() ?? null;

/** The box that ends the screen; null where anything stands below it or a line is not a box's. */
const lastBox = (lines: readonly string[]): Box | null => {
  const end = lines.length - 1;
  const edge = lines[end] ?? "";
  if (!BOTTOM.test(edge)) return null;
  const content: string[] = [];
  let isStraight = true;
  for (let index = end - 1; index >= 0; index -= 1) {
    const line = lines[index] ?? "";
    const title = TOP.exec(line)?.[1];
    if (title !== undefined) return { title, lines: content, top: index, isStraight };
    const text = DIVIDER.test(line) ? line : inside(line);
    if (text === null) return null;
    isStraight &&= line.length === edge.length;
    content.unshift(text);
  }
  return { title: null, lines: content, top: 0, isStraight };
};

const isGap = (line: string): boolean => isBlank(line) || DIVIDER.test(line);

const footerAt = (lines: readonly string[], footer: RegExp): number => {
  const last = lines.findLastIndex((line) => !isGap(line));
  return footer.test(lines[last] ?? "") ? last : -1;
};

const rowsOf = (lines: readonly string[]): string[] =>
  withoutBlankEnds(lines).map((line) => line.replace(/^ /, ""));

/** A file is drawn as it would be written, without numbers: a new line cannot be told from a wrapped one. */
const editFields = ([first = "", second, ...content]: readonly string[], columns: number): RequestFields => ({
  kind: "edit",
  title: "",
  body: FILE.exec(first)?.[1] ?? null,
  ...(CONTENT.test(second ?? "") ? { content: content.map((row) => `+${row}`).join("\n"), columns } : {}),
});

const textFields = (kind: "command" | "tool", rows: readonly string[], columns: number): RequestFields => {
  const [first = "", ...rest] = rows;
  const [, label = "", subject = first] = SUBJECT.exec(first) ?? [];
  return {
    kind,
    title: "",
    body: rows.length === 0 ? null : [subject, ...rest].join("\n"),
    columns,
    ...(label === "" ? {} : { inset: label.length }),
  };
};

const fieldsOf = (toolName: string | null, rows: readonly string[], width: number): RequestFields => {
  const columns = Math.max(1, width - FRAME_COLUMNS);
  if (toolName === null)
    return { kind: "other", title: "", body: rows.length === 0 ? null : rows.join("\n"), columns };
  if (isEditTool(toolName)) return editFields(rows, columns);
  return textFields(toolName === "bash" ? "command" : "tool", rows, columns);
};

const ROLES = { approve: /^Approve$/, always: /^(?!)/, deny: /^Deny$/ };

const readApproval = ({ title, lines, top }: Box, width: number): Reading | null => {
  const toolName = title === null ? null : APPROVAL_TITLE.exec(title)?.[1];
  const footer = footerAt(lines, APPROVAL_FOOTER);
  if (toolName === undefined || footer < 0) return null;
  const block = blockAbove(lines, footer, isGap);
  const options = readSelector(block.lines);
  if (options === null || options.map(({ label }) => label).join("/") !== "Approve/Deny") return null;
  const fields = fieldsOf(toolName, rowsOf(lines.slice(0, block.start)), width);
  const name = title ?? "Allow tool";
  return asks(
    {
      state: "waiting_approval",
      reasonCode: fields.kind === "edit" ? "permission_edit" : "permission_tool",
    },
    title === null ? "medium" : "high",
    `${name} / ${(lines[footer] ?? "").trim()}`,
    {
      top,
      ...fields,
      title: name,
      toolName: toolName === null ? null : oneLine(toolName, 200),
      options: withRoles(
        options.map((option) => (option.label === "Deny" ? { ...option, keys: ["Escape"] } : option)),
        ROLES,
      ),
    },
  );
};

const readQuestion = ({ title, lines, top, isStraight }: Box, width: number): Reading | null => {
  if (title === null || !/^Ask\b/.test(title)) return null;
  const footer = footerAt(lines, QUESTION_FOOTER);
  const divider = lines.findIndex((line) => DIVIDER.test(line));
  if (footer < 0 || divider < 1 || divider > footer) return null;
  const rows = rowsOf(lines.slice(0, divider));
  const text = joined(rows.filter((line) => !isBlank(line)));
  const options = readSelector(blockAbove(lines, footer, isGap).lines);
  if (text === "" || options === null) return null;
  return asks(QUESTION, "high", `${text.slice(0, 200)} / ${(lines[footer] ?? "").trim()}`, {
    top,
    kind: "question",
    title: text,
    body: rows.join("\n"),
    columns: Math.max(1, width - FRAME_COLUMNS),
    toolName: "ask",
    options,
    isWhole: isStraight,
  });
};

/** The dialog that ends the screen, or null. `width`: of the pane. */
const readOmpDialog = (lines: readonly string[], width: number): Reading | null => {
  const box = lastBox(lines);
  return box === null ? null : (readApproval(box, width) ?? readQuestion(box, width));
};

// The turn: the status line, and what stands above it.

const CORNER = /^╰─( |$)/;
/** ` π > ⬢ Model > …` at rest, ` ⠴ 11s > ⬢ Model > …` at work. */
const AT_REST = /^ π > \S/;
const AT_WORK = /^ [\u2800-\u28ff] (\d+[hms] ?)+ > \S/u;
const WORKING = /^ {1,3}⎋ \S/;
const RETRY = /\bretrying\b|\bretry \d+\/\d+/i;
const ATTEMPT = /\bretry (\d+)\/(\d+)/i;
const RULE = /^─{12,}$/;
const DISMISSED = /^ Dismissed when you send your next message\./;
const FAILURE = /^ ✘ (\S.*)$/;
const MAX_INPUT_LINES = 12;

/** Index of the status line above the input corner; -1 where they do not end the screen. */
const findStatus = (lines: readonly string[]): number => {
  const corner = lines.findLastIndex((line) => CORNER.test(line));
  if (corner < 0 || lines.length - corner > MAX_INPUT_LINES) return -1;
  const status = corner - 1;
  const line = lines[status] ?? "";
  return AT_REST.test(line) || AT_WORK.test(line) ? status : -1;
};

/** The session's name stands at the right edge above the status line. */
const isName = (line: string, width: number): boolean => indentOf(line) > width / 2;

const textAbove = (lines: readonly string[], status: number, width: number): string[] => {
  const above = lines.slice(0, status);
  while (above.length > 0 && (isBlank(above.at(-1) ?? "") || isName(above.at(-1) ?? "", width))) above.pop();
  return above;
};

/** A tool's box directly above the working line, without an output: it runs. */
const isToolOpen = (above: readonly string[]): boolean => {
  const end = above.findLastIndex((line) => !isBlank(line));
  if (!/^╰─+╯$/.test(above[end] ?? "")) return false;
  const start = above.slice(0, end).findLastIndex((line) => line.startsWith("╭─"));
  return start >= 0 && !above.slice(start, end).some((line) => /^├─+ Output /.test(line));
};

const readWork = (above: readonly string[], status: string): Reading => {
  const at = above.findLastIndex((line) => !isBlank(line));
  const line = above[at] ?? "";
  const isWorkingLine = WORKING.test(line);
  const matched = isWorkingLine ? `${line.trim()} / ${status.trim()}` : status.trim();
  if (isWorkingLine && RETRY.test(line))
    return withProgress(shows(RETRYING, "high", matched), retryIn(line, ATTEMPT));
  const isTool = isWorkingLine && isToolOpen(above.slice(0, at));
  return shows(isTool ? TOOL : THINKING, "high", matched);
};

/** The banner of a failed turn: a block between two rules that disappears with the next prompt. */
const readBanner = (above: readonly string[]): Reading | null => {
  const end = above.length - 1;
  if (!RULE.test(above[end] ?? "") || !DISMISSED.test(above[end - 1] ?? "")) return null;
  const start = above.slice(0, end).findLastIndex((line) => RULE.test(line));
  const message = FAILURE.exec(above[start + 1] ?? "")?.[1];
  if (message === undefined) return null;
  const text = joined([message, ...above.slice(start + 2, end - 1)]);
  // Behind its own words the banner names type and log of the request.
  return fails(failureOfText(text), text.replace(/ (?:\(type=|raw-http-request=).*$/, ""), text);
};

/** Offered directly above the status line where the person stopped a tool or cancelled a question. */
const RETRY_OFFER = /^ ↻ F5 to Retry$/;
const LEFT = /^Ask tool was cancelled by the user$/;
const ABORTED = /^│ Command aborted +│$/;

const readStopped = (above: readonly string[]): Reading | null => {
  if (!RETRY_OFFER.test(above.at(-1) ?? "")) return null;
  const rows = above.slice(0, -1).filter((line) => !isBlank(line));
  const last = rows.at(-1) ?? "";
  const line = /^╰─+╯$/.test(last) ? (rows.at(-2) ?? "") : last;
  return LEFT.test(line) || ABORTED.test(line) ? shows(INTERRUPTED, "high", line) : null;
};

const readRest = (above: readonly string[], status: string): Reading =>
  readBanner(above) ??
  readStopped(above) ??
  (above.length === 0
    ? shows(FRESH, "high", status.trim())
    : // An answer that was stopped looks the same here; the agent's own event or session file tells them apart.
      shows(COMPLETED, "medium", status.trim()));

const readTitle = (title: string): Reading | null => {
  if (/^π [\u2800-\u28ff] \S/u.test(title)) return shows(THINKING, "medium", `title: ${title}`);
  if (/^π > \S/.test(title)) return shows(FRESH, "medium", `title: ${title}`);
  return null;
};

const FRAME_END = /^╰─{12,}╯$/;
/** A panel has its title in its upper edge; the box of a tool has none. Not a dialog: one that was not read may wait. */
const PANEL = /^╭─ (?!Allow |Ask )\S.* ─+╮?$/;
const FRAME_START = /^╭─/;
/** The title's mark for waiting. It stays on while an approved tool runs, and an unknown dialog may be open. */
const WAITS = /^π ! /;
/** A draft whose menu is open below the corner. */
const MENU_DRAFT = /^╰─ (?:\/|(?:\S.*\s)?@\S*$)/;

/** A panel, or a picker with its keys below it, in the place of status line and corner. */
const readView = (lines: readonly string[], title: string): Reading | null => {
  if (WAITS.test(title)) return null;
  const hints = lines.slice(-3).find((line) => isKeyHints(line.replace(/^│(.*)│$/, "$1")));
  const top = lines.findLast((line) => FRAME_START.test(line)) ?? "";
  const isPanel = FRAME_END.test(lines.at(-1) ?? "") && PANEL.test(top);
  return hints !== undefined || isPanel ? shows(IN_MENU, "high", (hints ?? top).trim()) : null;
};

/** State and request that the bottom of the screen, or else the title, positively shows; or null. */
export const readOmpScreen = (screen: Screen): Reading | null => {
  const lines = visibleLines(screen);
  const dialog = readOmpDialog(lines, screen.width);
  if (dialog !== null) return ofWholeScreen(screen, dialog);
  const status = findStatus(lines);
  if (status < 0) return readView(lines, screen.title) ?? readTitle(screen.title);
  const above = textAbove(lines, status, screen.width);
  const line = lines[status] ?? "";
  if (AT_WORK.test(line))
    return readWork(
      lines.slice(0, status).filter((one) => !/^\s{60,}\S/.test(one)),
      line,
    );
  const corner = lines[status + 1] ?? "";
  if (MENU_DRAFT.test(corner)) return shows(IN_MENU, "high", corner);
  // A title that says that it works contradicts a status line at rest: it was read between two drawings.
  return /^π [\u2800-\u28ff] /u.test(screen.title) ? null : readRest(above, line);
};

/** Columns of `╰─ `, or of the indentation of the rows below. */
const INDENT = 3;
/** How it shows a paste of many lines. */
const PASTE = /\u{1f4c4} #(\d+)/gu;

/** What somebody typed below the status line. "": nothing; null: there is no input corner. The recorded drafts have no hint. */
export const readOmpDraft = (screen: Screen): string | null => {
  const rows = styledRows(screen);
  const lines = screen.lines.map((line) => line.trimEnd());
  const status = readOmpDialog(lines, screen.width) === null ? findStatus(lines) : -1;
  if (rows === null || status < 0) return null;
  return typedOf(rows.slice(status + 1), INDENT).replaceAll(PASTE, "[paste #$1]");
};
