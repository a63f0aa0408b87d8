// Reads Qwen Code's screen and title. The title has a sign while it works and another one while it asks; the screen says what it asks
// and how a turn ended. It draws its commands without a mark where rows are too long (seen with 0.24.4 at 60 columns: a word was
// missing), so no permission is whole by the screen alone. Source: frames recorded with 0.24.4.
import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";
import {
  COMPLETED,
  EDIT_APPROVAL,
  FRESH,
  IN_MENU,
  INTERRUPTED,
  oneLine,
  QUESTION,
  THINKING,
  TOOL,
  TOOL_APPROVAL,
  TRUST_APPROVAL,
} from "../common/events.ts";
import {
  asks,
  isBlank,
  joined,
  movesTo,
  ofWholeScreen,
  shows,
  withoutBlankEnds,
} from "../common/screenText.ts";
import {
  findRuledBox,
  readHintedView,
  readUncolouredDraft,
  rowsWithoutBar,
  type RuledBox,
  statusAbove,
  turnBelow,
} from "../common/ruledBox.ts";
import { digitOrEscape, optionsOf, readMarkedOptions, type Selector, withRoles } from "../common/selector.ts";
import { fails } from "../common/progress.ts";
import { errorStatusOfText } from "../gemini/normalize.ts";
import { columnsOf, contentOf, pathOf } from "../gemini/layout.ts";

// Parts: the conversation with a bar at its right edge, the box between two rules, the rows above and below it.

/** A sign with its variation selector stands before the name while it does not rest. */
const TITLE = /^(?:(\S)\ufe0e? )?Qwen - /u;
const ASKS = "✳";

type TitleState = "ready" | "working" | "asking";

/** Null where the title is not the agent's. */
const titleStateOf = (title: string): TitleState | null => {
  const match = TITLE.exec(title);
  if (match === null) return null;
  return match[1] === undefined ? "ready" : match[1] === ASKS ? "asking" : "working";
};

const SIGN = /^([>*!])(?: |$)/;

// Dialogs: they take the place of the box, and a row below them says that they wait.

const WAITING = /^\s*[\u2800-\u28ff] Waiting for user confirmation\.\.\.$/u;
/** `record` shows a mark of each kind. */
const MARKS = ["›", "❯"] as const;
const HEADER = /^ {2}\? (\S.*?)(?:\s+←)?$/;
const TRUST = /^Do you trust this folder\?/;
const QUESTION_KEYS = /\bEnter: Select\b/;
const HIDDEN = /^ *\.\.\. first \d+ lines hidden \.\.\.$/;
const SHOW_MORE = /^Press ctrl-s to show more lines$/;
/** The field for an own text; a sign stands before it while it is chosen, and what is typed in its place. */
const FIELD = "Type something...";
const OWN_TEXT = /^(?:Type something\.\.\.$|> )/;
const COMMAND = /^Allow execution of: /;
const EDIT = /^Apply this change\?$/;
/** Recorded with 0.24.4; what goes on in another mode or opens an editor has no role. */
const ROLES = {
  approve: /^Yes, allow once$/,
  always: /^(Yes, allow always|Always allow .*)$/,
  deny: /^No, suggest changes \(esc\)$/,
};
/** What it does where the folder is not trusted was not recorded. */
const TRUST_ROLES = { approve: /^Trust folder \(.+\)$/, always: /^(?!)/, deny: /^(?!)/ };

const readSelector = (rows: readonly string[], end: number): Selector | null =>
  readMarkedOptions(rows, end, MARKS, { maxIndent: 6, isWrapped: false });

/** What is asked for, between the header, which may take several rows, and the question. A mark says that rows are hidden. */
const bodyOf = (rows: readonly string[]) => {
  const inside = withoutBlankEnds(rows.slice(rows.findIndex(isBlank) + 1)).slice(0, -1);
  const body = withoutBlankEnds(inside);
  const isCut = HIDDEN.test(body[0] ?? "");
  return { body: isCut ? body.slice(1) : body, sight: isCut ? { sight: "end" as const } : {} };
};

/** `header`: index of the row that names the tool; -1: it is out of sight. */
const readPermission = (
  rows: readonly string[],
  selector: Selector,
  header: number,
  width: number,
): Reading | null => {
  const above = rows.slice(header + 1, selector.start);
  const text = (above.findLast((row) => !isBlank(row)) ?? "").trim();
  const isEdit = EDIT.test(text);
  if (!isEdit && !COMMAND.test(text)) return null;
  const { body, sight } = bodyOf(above);
  const heading = HEADER.exec(rows[header] ?? "")?.[1] ?? "";
  const { path, isWriting } = pathOf(`? ${heading.replace(/^(\S+) +/, "$1  ")}`);
  const lines = body.map((row) => row.slice(3));
  const { content, columns } = contentOf(lines, isWriting, width);
  const command = body.map((row) => row.replace(/^ {1,5}/, "")).join("\n");
  return asks(isEdit ? EDIT_APPROVAL : TOOL_APPROVAL, "high", `${text} / ${selector.labels.join(" / ")}`, {
    ...(header < 0 ? {} : { top: header }),
    kind: isEdit ? "edit" : "command",
    title: oneLine(text),
    toolName: heading.split(" ", 1)[0] || null,
    ...(isEdit
      ? { body: path ?? heading.replace(/^\S+ +/, ""), content, columns }
      : { body: command || null, columns: columnsOf(width), ...sight }),
    options: withRoles(optionsOf(selector, digitOrEscape), ROLES),
  });
};

/** Columns beside a text; one that comes near them may have been cut. */
const MARGIN = 12;

const readQuestion = (
  rows: readonly string[],
  selector: Selector,
  header: number,
  width: number,
): Reading => {
  const above = withoutBlankEnds(rows.slice(header + 1, selector.start)).map((row) => row.trim());
  // Its short name stands above it.
  const gap = above.findIndex((row) => row === "");
  const text = withoutBlankEnds(above.slice(gap + 1));
  const field = selector.labels.findIndex((label) => OWN_TEXT.test(label));
  const labels = selector.labels.map((label, index) => (index === field ? FIELD : label));
  const isSingle = selector.labels.every((label) => !/^\[.\] /.test(label));
  return asks(QUESTION, "high", `${joined(text)} / ${labels.join(" / ")}`, {
    ...(header < 0 ? {} : { top: header }),
    kind: "question",
    title: joined(text),
    body: text.join("\n"),
    toolName: "ask_user_question",
    options: optionsOf({ ...selector, labels }, (index) =>
      isSingle && index !== field ? movesTo(index, selector.marked) : null,
    ),
    textEntry: field < 0 || !isSingle ? null : [String(field + 1)],
    ...(isSingle ? {} : { takesSeveral: true }),
    isWhole: header >= 0 && text.every((row) => row.length + MARGIN <= width),
  });
};

/** A box of its own without a right edge, before there is a session. */
const readTrust = (rows: readonly string[]): Reading | null => {
  if (!/^ *╰?─+$/.test(rows.at(-1) ?? "")) return null;
  const all = rows.map((row) => row.replace(/^ *│ ?/, ""));
  const top = all.findLastIndex((row) => TRUST.test(row.trim()));
  const end = all.findLastIndex((row) => /^.{0,5}\d\. \S/.test(row)) + 1;
  const selector = readSelector(all, end);
  if (top < 0 || selector === null || selector.start < top) return null;
  const inside = all.slice(top, end);
  const folder = /^Trust folder \((.+)\)$/.exec(selector.labels[0] ?? "")?.[1] ?? null;
  return asks(TRUST_APPROVAL, "high", joined(inside), {
    top,
    kind: "trust",
    title: "Do you trust this folder?",
    body: folder,
    options: withRoles(
      optionsOf(selector, (index) => movesTo(index, selector.marked)),
      TRUST_ROLES,
    ),
    isWhole: folder !== null && !folder.includes("…"),
  });
};

const readDialog = (rows: readonly string[], width: number): Reading | null => {
  if (!WAITING.test(rows.at(-1) ?? "")) return readTrust(rows);
  const last = rows.slice(0, -1).findLastIndex((row) => !isBlank(row));
  // A hint, or the row that explains the keys, stands below the options.
  const keys = (rows[last] ?? "").trim();
  const hasFooter = QUESTION_KEYS.test(keys) || SHOW_MORE.test(keys);
  const selector = readSelector(rows, hasFooter ? last : last + 1);
  if (selector === null) return null;
  const header = rows.slice(0, selector.start).findLastIndex((row) => HEADER.test(row));
  return QUESTION_KEYS.test(keys)
    ? readQuestion(rows, selector, header, width)
    : readPermission(rows, selector, header, width);
};

// The turn: what works stands above the box, and the last row of the conversation says how a turn ended.

const SPINNER = /\((?:[\dhms ]+ · )?(?:[↑↓] [\d.]+k? tokens · )?esc to cancel\)$/;
const PROMPT = /^ {2}[>!] \S/;
const CANCELLED = /^ {2}●\ufe0e? Request cancelled\.$/;
const FAILURE = /^ {2}✕ \[API Error: (.*)$/;
/** What it draws behind the words of a failure. */
const FAILURE_END = /\](?: \(Press Ctrl\+Y to retry\))?$/;
const ANSWER = /^ {2}◆\ufe0e? /;
const TOOL_ROW = /^ {2}(\S{1,2}) ?(?=[A-Z])\S/;
const REFUSED = "-";
const DONE = /^[✓x]$/;

const isToolRunning = (turn: readonly string[]): boolean => {
  const sign = TOOL_ROW.exec(turn.findLast((row) => /^ {2}\S/.test(row)) ?? "")?.[1];
  return sign !== undefined && sign !== REFUSED && !DONE.test(sign);
};

const readEnd = (turn: readonly string[], isSure: boolean): Reading | null => {
  const marks = turn.map((row, index) => ({ row, index })).filter(({ row }) => /^ {2}\S/.test(row));
  if (marks.some(({ row }) => CANCELLED.test(row))) return shows(INTERRUPTED, "high", "Request cancelled.");
  const last = marks.at(-1);
  // The prompt was accepted just now, and its turn is not drawn yet.
  if (last === undefined) return null;
  const words = FAILURE.exec(last.row)?.[1];
  if (words !== undefined) {
    const text = joined([words, ...turn.slice(last.index + 1)]).replace(FAILURE_END, "");
    return fails(errorStatusOfText(text), text);
  }
  if (ANSWER.test(last.row)) return shows(COMPLETED, isSure ? "high" : "medium", last.row.trim());
  if (last.row.startsWith(`  ${REFUSED} `)) return shows(INTERRUPTED, "medium", last.row.trim());
  return isSure ? shows(FRESH, "medium", last.row.trim()) : null;
};

const MENU = /^> (?:\/|(?:\S.*\s)?@\S*\s*$)/;

const readTurn = (rows: readonly string[], box: RuledBox, title: TitleState | null): Reading | null => {
  const status = statusAbove(box);
  const turn = turnBelow(box.above, PROMPT);
  const isRunning = SPINNER.test(status);
  if (isRunning && title !== "ready") {
    const said = turn === null ? box.above : turn.slice(0, turn.findLastIndex(isBlank) + 1);
    return shows(isToolRunning(said) ? TOOL : THINKING, "high", status);
  }
  if (isRunning || title === "asking") return null;
  const draft = rows[box.start] ?? "";
  if (draft.startsWith("!") || MENU.test(draft)) return shows(IN_MENU, "high", draft.trim());
  const end = turn === null ? shows(FRESH, "medium", draft.trim()) : readEnd(turn, title === "ready");
  // The title is told less often than the screen is drawn, and only this row is always the last one of a turn.
  if (title === "working")
    return end?.status === INTERRUPTED ? end : shows(THINKING, "medium", "title: working");
  return end;
};

/** State and request that title and screen positively show, or null. */
export const readQwenScreen = (screen: Screen): Reading | null => {
  const rows = rowsWithoutBar(screen);
  const box = findRuledBox(rows, SIGN);
  const title = titleStateOf(screen.title);
  if (box !== null) return readTurn(rows, box, title);
  return (
    ofWholeScreen(screen, readDialog(rows, screen.width)) ??
    (title === "asking" ? null : readHintedView(rows))
  );
};

/** What somebody typed; null where there is no box for prompts. */
export const readQwenDraft = (screen: Screen): string | null => readUncolouredDraft(screen, /^[>*](?: |$)/);
