// Reads Copilot CLI's screen: questions, dialogs, the turn, views that take the keys. Positive proof or nothing: an input box at
// the bottom is read by its footer and the newest entry above it, a dialog by its frame and footer, a view by its sign or its
// keys; anything else gives no reading. The title never changes with the state. Source: frames recorded with 1.0.102.
import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";
import {
  withoutBlankEnds,
  asks,
  joined,
  movesTo,
  frameAtBottom,
  splitInnerFrame,
  isBlank,
  movedDown,
  ofWholeScreen,
  shows,
  visibleLines,
} from "../common/screenText.ts";
import {
  optionsOf,
  readPlainOptions,
  splitFooter,
  type Selector,
  withRoles,
  readNumberedOptions,
} from "../common/selector.ts";
import {
  QUESTION,
  EDIT_APPROVAL,
  PLAN_APPROVAL,
  TOOL_APPROVAL,
  TRUST_APPROVAL,
  COMPLETED,
  FRESH,
  IN_MENU,
  INTERRUPTED,
  RETRYING,
  THINKING,
  TOOL,
} from "../common/events.ts";
import {
  isRule,
  boxedTextOf,
  columnsOf,
  editOf,
  isToldAlike,
  findInputBox,
  findViewRow,
  type InputBox,
  opensMenu,
} from "./layout.ts";
import type { PromptRequest } from "../../core/model/request.ts";
import type { Confidence, Status } from "../../core/model/state.ts";
import type { RequestFields } from "../common/promptRequest.ts";
import { fails, retryOf, withProgress } from "../common/progress.ts";
import { errorStatusOf } from "./stateFiles.ts";

// Questions: between two rules at the bottom; an own answer is typed into a box of its own below them. The file question is in
// the words of measurements.

const FORM = { mark: "❯", maxIndent: 4, isWrapped: true };
const ANSWER_FOOTER = /\benter (accept|submit|select|to (accept|submit))\b.*\besc (to )?cancel/;
const ASKS = /^Copilot (needs information|is asking|asks|has a question)/;
/** Columns that stay free at both sides of a question. */
const QUESTION_COLUMNS = 2;

/** The question's rows: what stands above the name of the field that takes the answer. */
const questionRows = (lines: readonly string[]): readonly string[] => {
  const text = withoutBlankEnds(lines);
  const field = text.findLastIndex((line) => /^ \S.*:$/.test(line));
  return withoutBlankEnds(field > 0 ? text.slice(0, field) : text).map((line) => line.replace(/^ /, ""));
};

/** The lines end in the name of a field and the field itself. */
const isField = (lines: readonly string[]): boolean => {
  const [name = "", ...rest] = withoutBlankEnds(lines).slice(-2);
  return /^ \S.*:$/.test(name) && rest.length === 1;
};

/** Recorded in both forms: once it is chosen, its field stands below the question. */
const OWN_ANSWER = /^Other \(type your answer( below)?\)$/;
const OWN_LABEL = "Other (type your answer)";
const EMPTY_FIELD = "❯ Type your answer...";

/** The question without the field of the own answer below it: a box directly after its last rule. Field null: there is none. */
const splitField = (lines: readonly string[]): { lines: readonly string[]; field: string | null } => {
  const upper = lines.slice(0, -1).findLastIndex(isRule);
  const hasField = upper > 0 && isRule(lines[upper - 1] ?? "") && (lines[upper + 1] ?? "").startsWith("❯ ");
  if (!hasField) return { lines, field: null };
  const field = joined(lines.slice(upper + 1, -1));
  return { lines: lines.slice(0, upper), field };
};

/** Keys that lead to the field of the own answer; null where there is none, or where something stands in it. */
const keysToField = (selector: Selector, field: string | null): string[] | null => {
  const own = selector.labels.findIndex((label) => OWN_ANSWER.test(label));
  if (own < 0) return null;
  if (own === selector.marked) return field === EMPTY_FIELD ? [] : null;
  return field === null ? movesTo(own, selector.marked).slice(0, -1) : null;
};

/** The question that ends the screen, or null. `width`: of the pane. */
const readQuestion = (all: readonly string[], width: number): Reading | null => {
  if (!isRule(all.at(-1) ?? "")) return null;
  const { lines, field } = splitField(all);
  const upper = lines.slice(0, -1).findLastIndex(isRule);
  const content = withoutBlankEnds(lines.slice(upper + 1, -1));
  if (upper < 0 || !ASKS.test((content[0] ?? "").trim())) return null;
  const { footer, end } = splitFooter(content);
  if (!ANSWER_FOOTER.test(footer)) return null;
  const selector = readPlainOptions(content, end, FORM);
  const rows = questionRows(content.slice(1, selector?.start ?? end));
  const text = joined(rows);
  return asks(QUESTION, "high", `${text} / ${footer}`, {
    top: upper,
    kind: "question",
    title: text === "" ? "Copilot needs information" : text,
    body: text === "" ? null : rows.join("\n"),
    columns: Math.max(1, width - QUESTION_COLUMNS),
    toolName: "ask_user",
    options:
      selector === null
        ? []
        : optionsOf(selector, (index, label) =>
            label.startsWith("Other (") ? null : movesTo(index, selector.marked),
          ).map((option) => (OWN_ANSWER.test(option.label) ? { ...option, label: OWN_LABEL } : option)),
    isWhole: text !== "",
    // A form without options has one field, whose footer says that Enter accepts what stands there.
    ...(selector === null
      ? isField(content.slice(0, end)) && field === null
        ? { textEntry: [] }
        : {}
      : { textEntry: keysToField(selector, field) }),
  });
};

// Dialogs: permissions and folder trust in a frame, which replace the input box and end the screen; the frame, the footer and a
// known question together are the proof. The file question is in the words of measurements.

const SELECT_FOOTER = /to navigate\b.*\benter to select/;
const RUN = /^Do you want to (run|execute) /;
const EDIT = /^Do you want to (create|edit|overwrite|write|update|modify|delete|apply|make)\b/;
const PLAN = /^Do you want to .*\bplan\b|\bapprove this plan\b/i;
const OTHER = /^Do you want to /;
const TRUST = /^Do you trust the files in this folder\?/;

interface Dialog {
  /** The frame's lines above the selector. */
  lines: readonly string[];
  selector: Selector;
  footer: string;
  /** Its upper edge is visible. */
  hasTop: boolean;
  /** Index on the screen of its first visible row. */
  top: number;
  /** What stands above it. */
  above: readonly string[];
  /** Columns of the pane. */
  width: number;
}

/** The paragraph directly above the selector, and the index of its first line. */
const questionOf = (lines: readonly string[]): { text: string; start: number; rows: readonly string[] } => {
  const end = lines.findLastIndex((line) => !isBlank(line)) + 1;
  const start = lines.slice(0, end).findLastIndex((line) => isBlank(line) || /^\s?[╭╰│─]/.test(line)) + 1;
  const rows = lines.slice(start, end);
  return { text: joined(rows), start, rows };
};

interface Rule {
  pattern: RegExp;
  status: Status;
  kind: PromptRequest["kind"];
  confidence: Confidence;
}

/** First match wins. */
const PERMISSIONS: readonly Rule[] = [
  {
    pattern: RUN,
    status: TOOL_APPROVAL,
    kind: "command",
    confidence: "high",
  },
  {
    pattern: PLAN,
    status: PLAN_APPROVAL,
    kind: "plan",
    confidence: "medium",
  },
  {
    pattern: EDIT,
    status: EDIT_APPROVAL,
    kind: "edit",
    confidence: "high",
  },
  {
    pattern: OTHER,
    status: TOOL_APPROVAL,
    kind: "tool",
    confidence: "medium",
  },
];

const PERMISSION_ROLES = {
  approve: /^Yes$/,
  always: /^Yes, and don't ask again\b/,
  deny: /^No, and tell Copilot what to do differently\b/,
};

/** Seen with 1.0.102 at 120 and 80 columns: a digit chooses, but a refusal's only moves to a field for its reason. */
const permissionKeys = (index: number, label: string): string[] | null => {
  if (/\(esc to stop\)$/i.test(label)) return ["Escape"];
  return index < 9 ? [String(index + 1)] : null;
};

/** The same for all tools of servers, and for addresses: with these questions the box holds all that is asked. */
const TOLD = /^Do you want to (use this tool|allow this access)\?$/;

const textFields = (
  dialog: Dialog,
  kind: Rule["kind"],
  question: ReturnType<typeof questionOf>,
): RequestFields => {
  const text = boxedTextOf(dialog.lines.slice(0, question.start), dialog.hasTop);
  const rows = text?.rows ?? [];
  const isTold = kind === "command" ? isToldAlike(rows, dialog.above) : TOLD.test(question.text);
  return {
    kind,
    title: text?.intro || text?.heading || question.text,
    body: rows.length === 0 ? null : rows.join("\n"),
    columns: columnsOf(dialog.width),
    hasJoints: true,
    ...(text?.isEnd === true ? { sight: "end" as const } : {}),
    isWhole: text?.isWhole === true && isTold,
  };
};

/** Never whole: a carriage return may hide the rest of a line. */
const editFields = (dialog: Dialog, question: ReturnType<typeof questionOf>): RequestFields => {
  const { path, content, columns } = editOf(dialog.lines.slice(0, question.start), question.rows, dialog);
  return {
    kind: "edit",
    title: question.text,
    body: path,
    ...(content === null ? {} : { content, columns, hasJoints: true }),
  };
};

const readPermission = (dialog: Dialog): Reading | null => {
  const question = questionOf(dialog.lines);
  const rule = PERMISSIONS.find(({ pattern }) => pattern.test(question.text));
  if (rule === undefined) return null;
  const fields =
    rule.kind === "edit" ? editFields(dialog, question) : textFields(dialog, rule.kind, question);
  return asks(rule.status, rule.confidence, `${question.text} / ${dialog.footer}`, {
    top: dialog.top,
    ...fields,
    options: withRoles(optionsOf(dialog.selector, permissionKeys), PERMISSION_ROLES),
  });
};

/** "Yes" is for this session, the other yes is remembered, and refusing ends Copilot. */
const TRUST_ROLES = { approve: /^Yes$/, always: /^(?!)/, deny: /^(?!)/ };

const readTrust = ({ lines, selector, footer, top, hasTop }: Dialog): Reading | null => {
  const question = questionOf(lines).text;
  if (!TRUST.test(question)) return null;
  const folder = joined(splitInnerFrame(lines)?.inner ?? []);
  return asks(TRUST_APPROVAL, "high", `${question} / ${footer}`, {
    top,
    kind: "trust",
    title: "Do you trust the files in this folder?",
    body: folder === "" ? null : folder,
    options: withRoles(
      optionsOf(selector, (index) => movesTo(index, selector.marked)),
      TRUST_ROLES,
    ),
    isWhole: hasTop && folder !== "",
  });
};

/** Rows of the tabs at the top of the screen, which stay where a dialog is taller than what is left below them. */
const TAB_ROWS = 2;

const readFramed = (lines: readonly string[], width: number): Reading | null => {
  const frame = frameAtBottom(lines);
  if (frame === null) return null;
  const { footer, end } = splitFooter(frame.content);
  if (!SELECT_FOOTER.test(footer)) return null;
  const selector = readNumberedOptions(frame.content, end, FORM);
  if (selector === null) return null;
  const { start: top, hasTop } = frame;
  const dialog: Dialog = {
    lines: frame.content.slice(0, selector.start),
    selector,
    footer,
    hasTop,
    top,
    above: lines.slice(0, top),
    width,
  };
  return readTrust(dialog) ?? readPermission(dialog);
};

/** A dialog whose upper part is cut off without any mark. */
const readCutOff = (lines: readonly string[], width: number): Reading | null =>
  isBlank(lines[TAB_ROWS - 1] ?? "") ? movedDown(readFramed(lines.slice(TAB_ROWS), width), TAB_ROWS) : null;

/** What the dialog that ends the screen asks, or null. Call only where no input box is at the bottom. `width`: of the pane. */
const readDialog = (lines: readonly string[], width: number): Reading | null =>
  readFramed(lines, width) ?? readCutOff(lines, width) ?? readQuestion(lines, width);

// The turn: its newest entry, and the footer of the input box.

const INTERRUPTIBLE = /\besc (esc|again to) interrupt|\besc to interrupt|^[◉◎○●] Working\b/;
const IDLE_FOOTER = /\/ commands|\? help/;
/** An entry of the conversation begins in the second column; what belongs to it is indented further. */
const ENTRY = /^ (\S) (.*)$/;
const RETRY = /^● (Request failed due to|Response was interrupted due to).*Retrying/;
const RETRY_HEAD = /^● (Request failed due to|Response was interrupted due to)/;
const CANCELLED = /^● Operation cancelled by user/;
const RUNNING_TOOL = /^[$○] /;
const FAILED = /^✗ (\d{3}\b|Failed |Authentication |.*\b(error|failed|failure|limit|quota|expired)\b)/i;
const ABORTED_TOOL = /\b(aborted|cancelled) by user\b/;
const BANNER = /\bCopilot v\d+\.\d+/;
/** The program's own words before the first prompt. */
const NOTICE = /^● (Tip:|No copilot-instructions\.md found)/;

interface Entry {
  head: string;
  text: string;
}

const lastEntry = (turn: readonly string[]): Entry | null => {
  const start = turn.findLastIndex((line) => ENTRY.test(line));
  if (start < 0) return null;
  return { head: (turn[start] ?? "").trim(), text: joined(turn.slice(start)) };
};

/** Each failed attempt leaves an entry of its own. */
const attemptsIn = (turn: readonly string[]): number =>
  turn.filter((line) => RETRY_HEAD.test(line.trim())).length;

const readEnd = ({ turn, hasPrompt, footer }: InputBox, entry: Entry | null): Reading | null => {
  // Nothing was asked yet: what stands there are the program's own tips.
  if (!hasPrompt && turn.some((line) => BANNER.test(line))) return shows(FRESH, "high", footer);
  if (entry === null)
    // The prompt was accepted just now, and its turn is not drawn yet.
    return hasPrompt ? null : shows(FRESH, "medium", footer);
  if (NOTICE.test(entry.text)) return shows(FRESH, "medium", entry.head);
  if (CANCELLED.test(entry.text)) return shows(INTERRUPTED, "high", entry.head);
  // A turn does not end on an attempt or on a tool that runs: it is about to be redrawn.
  if (RETRY.test(entry.text) || RUNNING_TOOL.test(entry.head)) return null;
  if (entry.head.startsWith("✗ ")) {
    if (FAILED.test(entry.text) && !ABORTED_TOOL.test(entry.text))
      return fails(errorStatusOf(entry.text, null), entry.text);
    return shows(FRESH, "medium", entry.head);
  }
  return shows(entry.head.startsWith("● ") ? COMPLETED : FRESH, "medium", entry.text);
};

/** Null where the footer is neither that of work nor that of an idle prompt. */
const readTurn = (box: InputBox): Reading | null => {
  const entry = lastEntry(box.turn);
  if (INTERRUPTIBLE.test(box.footer)) {
    if (entry !== null && RETRY.test(entry.text))
      return withProgress(shows(RETRYING, "high", entry.text), retryOf(attemptsIn(box.turn)));
    const isTool = entry !== null && RUNNING_TOOL.test(entry.head) && !entry.head.endsWith("No Content");
    return shows(isTool ? TOOL : THINKING, "high", box.footer);
  }
  return IDLE_FOOTER.test(box.footer) ? readEnd(box, entry) : null;
};

/** State and request that the bottom of the screen positively shows, or null; a view that takes the keys is `IN_MENU`. */
export const readCopilotScreen = (screen: Screen): Reading | null => {
  const lines = visibleLines(screen);
  const box = findInputBox(lines);
  const dialog = box === null ? readDialog(lines, screen.width) : null;
  if (dialog !== null) return ofWholeScreen(screen, dialog);
  const view = findViewRow(lines);
  if (view !== null) return shows(IN_MENU, "high", view.trim());
  if (box === null) return null;
  const turn = readTurn(box);
  return opensMenu(lines, box) && turn?.status.state !== "running"
    ? shows(IN_MENU, "high", (lines[box.start] ?? "").trim())
    : turn;
};
