// Reads Qwen Code's screen and title. The title has a sign while it works and another one while it asks; the screen says what it asks
// and how a turn ended. It draws its commands without a mark where rows are too long (seen with 0.24.4 at 60 columns: a word was
// missing), so no permission is whole by the screen alone. Source: frames recorded with 0.24.4.
import type { PromptRequest } from "../../core/model/request.ts";
import type { Status } from "../../core/model/state.ts";
import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";
import {
  COMPLETED,
  EDIT_APPROVAL,
  FRESH,
  IN_MENU,
  INTERRUPTED,
  oneLine,
  PLAN_APPROVAL,
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
  styledRows,
  typedOf,
  visibleLines,
  withoutBlankEnds,
} from "../common/screenText.ts";
import { isKeyHints, optionsOf, readNumberedOptions, type Selector, withRoles } from "../common/selector.ts";
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

/** Rows without the bar that shows how far the conversation was scrolled; signs have a selector of no width behind them. */
const rowsOf = (screen: Screen): string[] =>
  visibleLines(screen).map((row) =>
    row.length >= screen.width && /[│█]$/.test(row) ? row.slice(0, -1).trimEnd() : row,
  );

const RULE = /^─{20,}$/;
const SIGN = /^([>*!])(?: |$)/;
const MAX_FOOTER_ROWS = 5;
const MAX_DRAFT_ROWS = 20;

interface Box {
  /** Index of the first row inside, and of the lower rule. */
  start: number;
  end: number;
  above: readonly string[];
}

const findBox = (rows: readonly string[]): Box | null => {
  const end = rows.findLastIndex((row) => RULE.test(row));
  if (end < 2 || rows.length - 1 - end > MAX_FOOTER_ROWS) return null;
  const upper = rows.slice(0, end).findLastIndex((row) => RULE.test(row));
  if (upper < 0 || end - upper > MAX_DRAFT_ROWS || !SIGN.test(rows[upper + 1] ?? "")) return null;
  return { start: upper + 1, end, above: rows.slice(0, upper) };
};

// Dialogs: they take the place of the box, and a row below them says that they wait.

const WAITING = /^\s*[\u2800-\u28ff] Waiting for user confirmation\.\.\.$/u;
/** `record` shows a mark of each kind. */
const MARKS = ["›", "❯"] as const;
const HEADER = /^ {2}\? (\S.*?)(?:\s+←)?$/;
const TRUST = /^Do you trust this folder\?/;
const QUESTION_KEYS = /\bEnter: Select\b/;
const HIDDEN = /^ *\.\.\. first \d+ lines hidden \.\.\.$/;
const SHOW_MORE = /^Press ctrl-s to show more lines$/;
/** The field for an own text, chosen or not. */
const OWN_TEXT = /^(?:Type something\.\.\.$|> )/;
const PERMISSIONS: readonly { asked: RegExp; status: Status; kind: PromptRequest["kind"] }[] = [
  { asked: /^Allow execution of: /, status: TOOL_APPROVAL, kind: "command" },
  { asked: /^Apply this change\?$/, status: EDIT_APPROVAL, kind: "edit" },
  { asked: /^Would you like to proceed\?$/, status: PLAN_APPROVAL, kind: "plan" },
  { asked: /^(Allow|Do you want to) .*\?$/, status: TOOL_APPROVAL, kind: "tool" },
];
/** Recorded with 0.24.4; what goes on in another mode or opens an editor has no role. */
const ROLES = {
  approve: /^Yes, allow once$/,
  always: /^(Yes, allow always|Always allow .*)$/,
  deny: /^No, suggest changes \(esc\)$/,
};
/** What it does where the folder is not trusted was not recorded. */
const TRUST_ROLES = { approve: /^Trust folder \(.+\)$/, always: /^(?!)/, deny: /^(?!)/ };

const readSelector = (rows: readonly string[], end: number): Selector | null =>
  MARKS.map((mark) => readNumberedOptions(rows, end, { mark, maxIndent: 6, isWrapped: false })).find(
    (selector) => selector !== null,
  ) ?? null;

const keysOf = (index: number, label: string): string[] | null =>
  label.endsWith("(esc)") ? ["Escape"] : index < 9 ? [String(index + 1)] : null;

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
  const found = PERMISSIONS.find(({ asked }) => asked.test(text));
  if (found === undefined) return null;
  const { body, sight } = bodyOf(above);
  const heading = HEADER.exec(rows[header] ?? "")?.[1] ?? "";
  const path = found.kind === "edit" ? pathOf(`? ${heading.replace(/^(\S+) +/, "$1  ")}`) : null;
  const written =
    path === null
      ? null
      : contentOf(
          body.map((row) => row.slice(3)),
          path.isWriting,
          width,
        );
  const shown = body.map((row) => row.replace(/^ {1,5}/, "")).join("\n");
  return asks(found.status, "high", `${text} / ${selector.labels.join(" / ")}`, {
    ...(header < 0 ? {} : { top: header }),
    kind: found.kind,
    title: oneLine(text),
    toolName: heading.split(" ", 1)[0] || null,
    ...(written === null
      ? { body: shown || null, columns: columnsOf(width), ...sight }
      : {
          body: path?.path ?? heading.replace(/^\S+ +/, ""),
          content: written.content,
          columns: written.columns,
        }),
    options: withRoles(optionsOf(selector, keysOf), ROLES),
  });
};

const readQuestion = (rows: readonly string[], selector: Selector, header: number): Reading => {
  const above = withoutBlankEnds(rows.slice(header + 1, selector.start)).map((row) => row.trim());
  // Its short name stands above it.
  const gap = above.findIndex((row) => row === "");
  const text = withoutBlankEnds(above.slice(gap + 1));
  const field = selector.labels.findIndex((label) => OWN_TEXT.test(label));
  const isSingle = selector.labels.every((label) => !/^\[.\] /.test(label));
  return asks(QUESTION, "high", `${joined(text)} / ${selector.labels.join(" / ")}`, {
    ...(header < 0 ? {} : { top: header }),
    kind: "question",
    title: joined(text),
    body: text.join("\n"),
    toolName: "ask_user_question",
    options: optionsOf(selector, (index) =>
      isSingle && index !== field ? movesTo(index, selector.marked) : null,
    ),
    textEntry: field < 0 || !isSingle ? null : [String(field + 1)],
    ...(isSingle ? {} : { takesSeveral: true }),
    isWhole: header >= 0,
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
    ? readQuestion(rows, selector, header)
    : readPermission(rows, selector, header, width);
};

// The turn: what works stands above the box, and the last row of the conversation says how a turn ended.

const SPINNER = /\((?:[\dhms ]+ · )?(?:[↑↓] [\d.]+k? tokens · )?esc to cancel\)$/;
const PROMPT = /^ {2}[>!] \S/;
const CANCELLED = /^ {2}●\ufe0e? Request cancelled\.$/;
const FAILURE = /^ {2}✕ (\[API Error.*)$/;
const ANSWER = /^ {2}◆\ufe0e? /;
const TOOL_ROW = /^ {2}(\S{1,2}) ?(?=[A-Z])\S/;
const REFUSED = "-";
const DONE = /^[✓x]$/;

/** Up to three rows: a narrow pane wraps it. */
const statusAbove = (above: readonly string[]): string => {
  const start = above.findLastIndex(isBlank) + 1;
  return above.length - start > 3 ? "" : joined(above.slice(start));
};

const isToolRunning = (turn: readonly string[]): boolean => {
  const sign = TOOL_ROW.exec(turn.findLast((row) => /^ {2}\S/.test(row)) ?? "")?.[1];
  return sign !== undefined && sign !== REFUSED && !DONE.test(sign);
};

/** The rows behind the last prompt; null: none is in sight. */
const lastTurn = (above: readonly string[]): readonly string[] | null => {
  const prompt = above.findLastIndex((row) => PROMPT.test(row));
  return prompt < 0 ? null : above.slice(prompt + 1);
};

const readEnd = (turn: readonly string[], isSure: boolean): Reading | null => {
  const marks = turn.map((row, index) => ({ row, index })).filter(({ row }) => /^ {2}\S/.test(row));
  if (marks.some(({ row }) => CANCELLED.test(row))) return shows(INTERRUPTED, "high", "Request cancelled.");
  const last = marks.at(-1);
  // The prompt was accepted just now, and its turn is not drawn yet.
  if (last === undefined) return null;
  const words = FAILURE.exec(last.row)?.[1];
  if (words !== undefined) {
    const text = joined([words, ...turn.slice(last.index + 1)]);
    return fails(errorStatusOfText(text), text);
  }
  if (ANSWER.test(last.row)) return shows(COMPLETED, isSure ? "high" : "medium", last.row.trim());
  if (last.row.startsWith(`  ${REFUSED} `)) return shows(INTERRUPTED, "medium", last.row.trim());
  return isSure ? shows(FRESH, "medium", last.row.trim()) : null;
};

const MENU = /^> (?:\/|(?:\S.*\s)?@\S*\s*$)/;

const readTurn = (rows: readonly string[], box: Box, title: TitleState | null): Reading | null => {
  const status = statusAbove(box.above);
  const turn = lastTurn(box.above);
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

/** A view that a person opened: it stands where the box was, and explains its keys. */
const readView = (rows: readonly string[]): Reading | null => {
  const hint = rows
    .slice(-12)
    .map((row) => row.replaceAll(/[│┃]/g, " ").trim())
    .find((row) => row !== "" && isKeyHints(row));
  return hint === undefined ? null : shows(IN_MENU, "high", hint);
};

/** State and request that title and screen positively show, or null. */
export const readQwenScreen = (screen: Screen): Reading | null => {
  const rows = rowsOf(screen);
  const box = findBox(rows);
  const title = titleStateOf(screen.title);
  if (box !== null) return readTurn(rows, box, title);
  return (
    ofWholeScreen(screen, readDialog(rows, screen.width)) ?? (title === "asking" ? null : readView(rows))
  );
};

/** A mark of no width at the cursor. */
const CURSOR_MARK = /\u200b/g;
/** What the agent proposes or hints at has a colour; what somebody typed has the terminal's own. */
export const readQwenDraft = (screen: Screen): string | null => {
  const cells = styledRows(screen);
  const box = findBox(rowsOf(screen));
  if (cells === null || box === null || !/^[>*]/.test(screen.lines[box.start] ?? "")) return null;
  const typed = cells
    .slice(box.start, box.end)
    .map((row) => row.slice(2).filter(({ colour }) => colour === ""));
  return typedOf(typed, 0).replaceAll(CURSOR_MARK, "").trim();
};
