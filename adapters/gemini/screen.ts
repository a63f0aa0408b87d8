// Reads Gemini CLI's screen and title: dialogs, the turn, views that take the keys. The title is the agent's own word on working,
// asking and being ready; the screen says what it asks and how a turn ended. Positive proof or nothing: history higher up never
// counts, and where title and spinner disagree, one of them is about to be redrawn and nothing is said.
import type { PromptRequest } from "../../core/model/request.ts";
import type { Confidence, Status } from "../../core/model/state.ts";
import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";
import {
  oneLine,
  QUESTION,
  TRUST_APPROVAL,
  COMPLETED,
  FRESH,
  IN_MENU,
  INTERRUPTED,
  RETRYING,
  THINKING,
  TOOL,
  TOOL_APPROVAL,
} from "../common/events.ts";
import {
  frameAtBottom,
  withoutBlankEnds,
  type Frame,
  asks,
  isBlank,
  joined,
  movesTo,
  ofWholeScreen,
  shows,
  visibleLines,
} from "../common/screenText.ts";
import type { RequestFields } from "../common/promptRequest.ts";
import {
  withRoles,
  optionsOf,
  readNumberedOptions,
  splitFooter,
  type Selector,
  digitOrEscape,
  isKeyHints,
} from "../common/selector.ts";
import {
  columnsOf,
  contentOf,
  innerTextOf,
  pathOf,
  plainTextOf,
  type TitleState,
  findInputBox,
  findMenuRow,
  type InputBox,
  titleStateOf,
} from "./layout.ts";
import { fails, retryIn, withProgress } from "../common/progress.ts";
import { errorStatusOfText } from "./normalize.ts";

// Dialogs: permissions, questions, folder trust, the first start. They replace the input box and end the screen in their frame;
// the frame, its selector and the question in it together are the proof. Sources: frames recorded with 0.61.0 (shell and edit
// permissions, questions, trust); the others in the words of the program's own source, hence medium.

const FORM = { mark: "●", maxIndent: 4 };
const QUESTION_FOOTER = /Enter to (select|submit)/;
const SHELL = /^Allow execution of:? /;
const EDIT = /^Apply this change\?/;
const PLAN = /^(Ready to start implementation\?|Approve this plan|Start implementation)/;
const OTHER_PERMISSION = /^(Do you want to (proceed|continue|allow)|Allow (execution|tool|access|this))/;
const KNOWN = [SHELL, EDIT, PLAN, OTHER_PERMISSION];
const TRUST = /Do you trust the files in this folder\?/;
const PERMISSION_OPTION = /^(Allow|Yes)\b/;

/** Recorded with 0.61.0; "Modify with external editor" has no role. */
const PERMISSION_ROLES = {
  approve: /^Allow once$/,
  always: /^Allow (all server tools |tool )?for (this|all future) sessions?$/,
  deny: /^No, suggest changes \(esc\)$/,
};

interface Dialog {
  /** The frame's lines above the selector. */
  lines: readonly string[];
  selector: Selector;
  footer: string;
  /** Its upper edge and all of its options are visible. */
  isAllDrawn: boolean;
  /** Index on the screen of its first visible row. */
  top: number;
  /** Columns of the pane. */
  width: number;
}

interface Question {
  text: string;
  /** Index of its first line. */
  start: number;
}

/** The question directly above the selector: from its known beginning to its end, else its whole paragraph. */
const questionOf = (lines: readonly string[]): Question => {
  const end = lines.findLastIndex((line) => !isBlank(line)) + 1;
  const gap = lines.slice(0, end).findLastIndex((line) => isBlank(line) || /^\s?[╭╰│]/.test(line));
  const paragraph = lines.slice(gap + 1, end);
  const known = paragraph.findLastIndex((line) => KNOWN.some((pattern) => pattern.test(line.trim())));
  if (known < 0) return { text: joined(paragraph), start: gap + 1 };
  const own = paragraph.slice(known);
  // A hint may stand below it.
  const last = own.findIndex((line) => line.endsWith("?"));
  return { text: joined(last < 0 ? own : own.slice(0, last + 1)), start: gap + 1 + known };
};

interface Rule {
  reasonCode: "permission_tool" | "permission_edit" | "plan";
  kind: PromptRequest["kind"];
  confidence: Confidence;
}

const editFields = (above: readonly string[], { isAllDrawn, width }: Dialog): Partial<RequestFields> => {
  const inner = innerTextOf(above);
  const [heading = ""] = isAllDrawn ? withoutBlankEnds(inner?.before ?? above) : [];
  const { path, isWriting, isSure } = pathOf(heading);
  if (inner === null) return { body: path };
  const { content, columns, isReadable } = contentOf(inner.rows, isWriting, width);
  return { body: path, content, columns, isWhole: inner.isWhole && isReadable && isSure };
};

/** The command stands below the heading, which repeats as much of it as fits. */
const commandFields = (above: readonly string[], width: number): Partial<RequestFields> => {
  const inner = innerTextOf(above);
  if (inner === null) return { body: null };
  const sight = inner.sight === null ? {} : { sight: inner.sight };
  return { body: inner.rows.join("\n"), columns: columnsOf(width), ...sight, isWhole: inner.isWhole };
};

/** Never whole: the heading may be cut, and what a server's tool is given is drawn nowhere else. */
const plainFields = (above: readonly string[], { isAllDrawn, width }: Dialog): Partial<RequestFields> => {
  const text = innerTextOf(above)?.rows ?? plainTextOf(isAllDrawn ? above : []);
  // Below its names a server's tool has hints and, on request, its description.
  const gap = (text[0] ?? "").startsWith("MCP Server: ") ? text.findIndex(isBlank) : -1;
  const rows = gap < 0 ? text : text.slice(0, gap);
  const body = rows.every(isBlank) ? null : rows.join("\n");
  return { body, columns: columnsOf(width) };
};

const fieldsOf = (above: readonly string[], dialog: Dialog, kind: Rule["kind"]): Partial<RequestFields> => {
  if (kind === "edit") return editFields(above, dialog);
  return kind === "command" ? commandFields(above, dialog.width) : plainFields(above, dialog);
};

const permission = (dialog: Dialog, question: Question, rule: Rule): Reading => {
  const fields = fieldsOf(dialog.lines.slice(0, question.start), dialog, rule.kind);
  const tool = /^ ?\? +(\S+)/.exec(withoutBlankEnds(dialog.lines)[0] ?? "")?.[1] ?? "";
  const status: Status = { state: "waiting_approval", reasonCode: rule.reasonCode };
  return asks(status, rule.confidence, `${question.text} / ${dialog.selector.labels.join(" / ")}`, {
    top: dialog.top,
    kind: rule.kind,
    title: oneLine(question.text) || "Gemini needs your permission",
    toolName: tool === "" ? null : oneLine(tool, 200),
    options: withRoles(optionsOf(dialog.selector, digitOrEscape), PERMISSION_ROLES),
    ...fields,
    isWhole: fields.isWhole === true && dialog.isAllDrawn,
  });
};

const readPermission = (dialog: Dialog, title: TitleState | null): Reading | null => {
  const question = questionOf(dialog.lines);
  const { text } = question;
  if (SHELL.test(text)) {
    const kind = /MCP tool/.test(text) ? "tool" : "command";
    return permission(dialog, question, { reasonCode: "permission_tool", kind, confidence: "high" });
  }
  if (EDIT.test(text))
    return permission(dialog, question, { reasonCode: "permission_edit", kind: "edit", confidence: "high" });
  if (PLAN.test(text))
    return permission(dialog, question, { reasonCode: "plan", kind: "plan", confidence: "medium" });
  const isAsking = title === "action" && PERMISSION_OPTION.test(dialog.selector.labels[0] ?? "");
  if (!isAsking && (title === "ready" || !OTHER_PERMISSION.test(text))) return null;
  return permission(dialog, question, { reasonCode: "permission_tool", kind: "tool", confidence: "medium" });
};

const CHECKBOX = /^\[.\] /;
/** The tabs above each of several questions. */
const TABS = /^\s*← .* →$/;
const FIELD = "Enter a custom value";
/** The footer while the field for an own text is chosen, whatever was typed into it. */
const FIELD_FOOTER = /^Enter to submit\b/;

/** Index of the field for an own text, which its digit opens; -1: there is none, or several answers may be given. */
const fieldAt = ({ selector: { labels, marked }, footer }: Dialog): number => {
  if (labels.some((label) => CHECKBOX.test(label))) return -1;
  const named = labels.indexOf(FIELD);
  return named < 0 && FIELD_FOOTER.test(footer) && marked === labels.length - 1 ? marked : named;
};

const questionOptions = ({ selector }: Dialog, field: number, isSingle: boolean): PromptRequest["options"] =>
  optionsOf(selector, (index) => (isSingle && index !== field ? movesTo(index, selector.marked) : null)).map(
    (option, index) => ({ ...option, label: index === field ? FIELD : option.label.replace(CHECKBOX, "") }),
  );

const readQuestion = (dialog: Dialog, title: TitleState | null): Reading | null => {
  if (!QUESTION_FOOTER.test(dialog.footer)) return null;
  const lines = withoutBlankEnds(dialog.lines);
  const hasHeader = /^ ?Answer Questions\b/.test(lines[0] ?? "");
  if (!hasHeader && title !== "action") return null;
  const below = withoutBlankEnds(hasHeader ? lines.slice(1) : lines);
  const rows = withoutBlankEnds(TABS.test(below[0] ?? "") ? below.slice(1) : below).map((line) =>
    line.replace(/^ /, ""),
  );
  const text = joined(rows);
  if (text === "") return null;
  const isSingle = dialog.selector.labels.every((label) => !CHECKBOX.test(label));
  const field = fieldAt(dialog);
  return asks(QUESTION, hasHeader ? "high" : "medium", `${text} / ${dialog.footer}`, {
    top: dialog.top,
    kind: "question",
    title: text,
    body: rows.join("\n"),
    columns: columnsOf(dialog.width),
    toolName: "ask_user",
    options: questionOptions(dialog, field, isSingle),
    textEntry: field < 0 ? null : [String(field + 1)],
    ...(isSingle ? {} : { takesSeveral: true }),
    isWhole: hasHeader && dialog.isAllDrawn,
  });
};

/** A question without answers to choose from: its field has the focus, and holds a hint until something is typed. */
const readTextQuestion = (
  frame: Frame,
  { footer, end, width }: { footer: string; end: number; width: number },
) => {
  const lines = withoutBlankEnds(frame.content.slice(0, end));
  const field = lines.findLastIndex((line) => /^ ?> /.test(line));
  if (!FIELD_FOOTER.test(footer) || !/^ ?Answer Questions\b/.test(lines[0] ?? "") || field < 2) return null;
  const rows = withoutBlankEnds(lines.slice(1, field)).map((line) => line.replace(/^ /, ""));
  return asks(QUESTION, "high", `${joined(rows)} / ${footer}`, {
    top: frame.start,
    kind: "question",
    title: joined(rows),
    body: rows.join("\n"),
    columns: columnsOf(width),
    toolName: "ask_user",
    options: [],
    textEntry: [],
    isWhole: frame.hasTop && rows.length > 0,
  });
};

/** Recorded with 0.61.0: trust is remembered, and so is its refusal. */
const TRUST_ROLES = { approve: /^Trust folder \(.+\)$/, always: /^(?!)/, deny: /^(?!)/ };
/** Columns of frame, mark and number beside a label. */
const LABEL_INSET = 12;

const readTrust = (dialog: Dialog): Reading | null => {
  if (!TRUST.test(joined(dialog.lines))) return null;
  if (!dialog.selector.labels.some((label) => label.startsWith("Trust "))) return null;
  const [first = ""] = dialog.selector.labels;
  const folder = /^Trust folder \((.+)\)$/.exec(first)?.[1] ?? null;
  // A label that was wrapped may be joined otherwise than the folder is called.
  const isTold = folder !== null && first.length + LABEL_INSET <= dialog.width && !first.includes("…");
  return asks(TRUST_APPROVAL, "high", joined(dialog.lines), {
    top: dialog.top,
    kind: "trust",
    title: "Do you trust the files in this folder?",
    body: folder,
    options: withRoles(
      optionsOf(dialog.selector, (index) => movesTo(index, dialog.selector.marked)),
      TRUST_ROLES,
    ),
    isWhole: dialog.isAllDrawn && isTold,
  });
};

const FIRST_RUN =
  /How would you like to authenticate for this project\?|Get started|Choose (a|your) .*theme/i;

const readFirstRun = (dialog: Dialog): Reading | null => {
  const text = joined(dialog.lines);
  const found = FIRST_RUN.exec(text);
  if (found === null) return null;
  const reasonCode = /authenticate/.test(text) ? "auth_needed" : "onboarding";
  return asks({ state: "waiting_input", reasonCode }, "medium", found[0], {
    top: dialog.top,
    kind: "other",
    title: found[0],
    options: optionsOf(dialog.selector, (index) => movesTo(index, dialog.selector.marked)),
  });
};

/** Whether a list of options ends the screen, known or not: then the title proves nothing. */
const hasSelector = (lines: readonly string[]): boolean => {
  const frame = frameAtBottom(lines);
  if (frame === null) return false;
  const { end } = splitFooter(frame.content);
  return readNumberedOptions(frame.content, end, { ...FORM, isWrapped: true }) !== null;
};

/** Both stand at the ends of a list that has more options than are drawn (`BaseSelectionList` of 0.61.0). */
const ARROWS = { above: /^\s*▲\s*$/, below: /^\s*▼\s*$/ };

/** `end`: index of the row after the last one that may be an option's. */
const withoutArrowBelow = (
  content: readonly string[],
  end: number,
): { end: number; hasAllOptions: boolean } => {
  const last = content.slice(0, end).findLastIndex((line) => !isBlank(line));
  return ARROWS.below.test(content[last] ?? "")
    ? { end: last, hasAllOptions: false }
    : { end, hasAllOptions: true };
};

const withoutArrowAbove = (lines: readonly string[]): readonly string[] =>
  ARROWS.above.test(lines.at(-1) ?? "") ? lines.slice(0, -1) : lines;

/** The dialog that ends the screen, or null. Call only where no input box is at the bottom. `width`: of the pane. */
const readDialog = (lines: readonly string[], title: TitleState | null, width: number): Reading | null => {
  const frame = frameAtBottom(lines);
  if (frame === null) return null;
  const { footer, end } = splitFooter(frame.content);
  const isWrapped = !QUESTION_FOOTER.test(footer);
  const list = withoutArrowBelow(frame.content, end);
  const selector = readNumberedOptions(frame.content, list.end, { ...FORM, isWrapped });
  if (selector === null) return readTextQuestion(frame, { footer, end, width });
  const above = frame.content.slice(0, selector.start);
  const dialog: Dialog = {
    lines: list.hasAllOptions ? above : withoutArrowAbove(above),
    selector,
    footer,
    isAllDrawn: frame.hasTop && list.hasAllOptions,
    top: frame.start,
    width,
  };
  // These two come before there is a session, under a title that says nothing of them. For the others, too, the dialog
  // that ends the screen is the proof: the title is read less often and may be the one before.
  const early = readTrust(dialog) ?? readFirstRun(dialog);
  if (early !== null) return early;
  return readQuestion(dialog, title) ?? readPermission(dialog, title);
};

// The turn: spinner, running tools, and how the last one ended.

const SPINNER = /\(esc to cancel(, [\dhms ]+)?\)/;
const RETRY = /Trying to reach |Attempt \d+\/\d+|Retrying/;
const ATTEMPT = /\bAttempt (\d+)\/(\d+)/;
/** A tool's box: its sign says whether it runs. */
const RUNNING_TOOL = /^\s*⊷ /;
const CANCELLED_TOOL = /^\s*-  \S/;
const CANCELLED = /^ℹ Request cancelled\./;
const API_FAILURE = /^✕ \[API Error/;
const ANSWER = /^✦ /;
/** Notices of the program, which neither begin nor end anything. */
const NOTICE = /^(ℹ|⚠)/;

const isToolRunning = (turn: readonly string[]): boolean =>
  RUNNING_TOOL.test(frameAtBottom(turn)?.content[0] ?? "");

/** The boxes of tools that were cancelled stand below the notice that says so. */
const withoutCancelledTools = (turn: readonly string[]): readonly string[] => {
  const lines = withoutBlankEnds(turn);
  const frame = frameAtBottom(lines);
  const isCancelled = frame?.hasTop === true && CANCELLED_TOOL.test(frame.content[0] ?? "");
  return isCancelled ? withoutCancelledTools(lines.slice(0, frame.start)) : lines;
};

/** The newest line of the conversation that shows how the turn stands, with what belongs to it. */
const lastMark = (turn: readonly string[]): { line: string; block: readonly string[] } | null => {
  const cancelled = withoutCancelledTools(turn).at(-1) ?? "";
  if (CANCELLED.test(cancelled)) return { line: cancelled, block: [cancelled] };
  for (let index = turn.length - 1; index >= 0; index -= 1) {
    const line = turn[index] ?? "";
    if (/^\s/.test(line) || oneLine(line) === "" || (NOTICE.test(line) && !CANCELLED.test(line))) continue;
    return { line, block: turn.slice(index) };
  }
  return null;
};

/** Up to the notice that follows it: a failure's text may be wrapped. */
const failureText = (block: readonly string[]): string => {
  const end = block.findIndex((line, index) => index > 0 && NOTICE.test(line));
  return joined(end < 0 ? block : block.slice(0, end));
};

const readEnd = ({ turn, hasPrompt }: InputBox, isSure: boolean): Reading | null => {
  const mark = lastMark(turn);
  const confidence = isSure ? "high" : "medium";
  if (mark === null || !hasPrompt)
    return hasPrompt && turn.length === 0
      ? // The prompt was accepted just now, and its turn is not drawn yet.
        null
      : shows(FRESH, hasPrompt ? "medium" : confidence, "input box");
  if (CANCELLED.test(mark.line)) return shows(INTERRUPTED, "high", mark.line);
  if (API_FAILURE.test(mark.line)) {
    const text = failureText(mark.block);
    return fails(errorStatusOfText(text), text);
  }
  if (ANSWER.test(mark.line) || mark.line.startsWith("╰"))
    return shows(COMPLETED, "medium", joined(mark.block));
  return shows(FRESH, "medium", mark.line);
};

/** `title` null: the title is not the agent's and says nothing. */
const readTurn = (box: InputBox, title: TitleState | null): Reading | null => {
  const status = joined(box.status);
  const isSpinning = SPINNER.test(status);
  if (isSpinning && title !== "ready") {
    // A command that is silent for long has the title of a dialog (0.61.0's source); the input box says there is none.
    const confidence = title === "action" ? "medium" : "high";
    if (RETRY.test(status))
      return withProgress(shows(RETRYING, confidence, status), retryIn(status, ATTEMPT));
    return shows(isToolRunning(box.turn) ? TOOL : THINKING, confidence, status);
  }
  // The title is read less often than the screen, and this line is the last one of a turn.
  const cancelled = isSpinning || !box.hasPrompt ? "" : (lastMark(box.turn)?.line ?? "");
  if (title === "working" && CANCELLED.test(cancelled)) return shows(INTERRUPTED, "high", cancelled);
  if (title === "working")
    return shows(isToolRunning(box.turn) ? TOOL : THINKING, "medium", "title: working");
  if (isSpinning || title === "action") return null;
  return readEnd(box, title === "ready");
};

const QUESTION_HINT = /Enter to (select|submit)|Answer Questions/;

/** What the title alone proves, where the screen shows nothing that is known. */
const readTitle = (title: TitleState | null, lines: readonly string[]): Reading | null => {
  if (title === "working") return hasSelector(lines) ? null : shows(THINKING, "medium", "title: working");
  if (title !== "action") return null;
  const isQuestion = lines.slice(-15).some((line) => QUESTION_HINT.test(line));
  const status: Status = isQuestion ? QUESTION : TOOL_APPROVAL;
  return asks(status, "low", "title: action required", { kind: "other", title: "Gemini needs your answer" });
};

/** The lower edge of a prompt in the conversation; views are drawn below it. */
const PROMPT_EDGE = /^▀{8,}$/;

/** A dialog that a person opened, or the list of sessions: it stands where the box was, and explains its keys. */
const readView = (lines: readonly string[]): Reading | null => {
  const below = lines.slice(lines.findLastIndex((line) => PROMPT_EDGE.test(line)) + 1);
  const frame = frameAtBottom(below.slice(0, below.findLastIndex((line) => line.trim() !== "") + 1));
  const rows = frame?.content ?? below;
  // A narrow frame wraps them.
  const hints = rows
    .flatMap((row, index) => [row.trim(), joined(rows.slice(index, index + 2))])
    .find((text) => text !== "" && isKeyHints(text));
  return hints === undefined ? null : shows(IN_MENU, "high", hints);
};

/** State and request that title and bottom of the screen positively show, or null; a view that takes the keys is `IN_MENU`. */
export const readGeminiScreen = (screen: Screen): Reading | null => {
  const lines = visibleLines(screen);
  const title = titleStateOf(screen.title);
  const menu = findMenuRow(lines);
  const box = findInputBox(lines);
  const turn = box === null ? null : readTurn(box, title);
  // A turn may go on above a menu of the box.
  if (menu !== null) return turn?.status.state === "running" ? turn : shows(IN_MENU, "high", menu.trim());
  if (box !== null) return turn;
  return (
    ofWholeScreen(screen, readDialog(lines, title, screen.width)) ??
    (title === "action" ? null : readView(lines)) ??
    readTitle(title, lines)
  );
};
