// Dialogs of Copilot CLI: permissions and folder trust in a frame; questions are in questions.ts. They replace the input box
// and end the screen; the frame, the footer and a known question together are the proof. Source: frames recorded with
// 1.0.102; the file question in the words of measurements.
import type { PromptRequest } from "../../../core/model/request.ts";
import type { Confidence, Status } from "../../../core/model/state.ts";
import type { Reading } from "../../../core/ports/agentAdapter.ts";
import { frameAtBottom, splitInnerFrame } from "../../common/frames.ts";
import type { RequestFields } from "../../common/promptRequest.ts";
import { withRoles } from "../../common/roles.ts";
import { asks, isBlank, joined, movedDown, movesTo } from "../../common/screenText.ts";
import { optionsOf, readNumberedOptions, splitFooter, type Selector } from "../../common/selector.ts";
import { EDIT_APPROVAL, PLAN_APPROVAL, TOOL_APPROVAL, TRUST_APPROVAL } from "../../common/signals.ts";
import { boxedTextOf, columnsOf, editOf, isToldAlike } from "./body.ts";
import { readQuestion } from "./questions.ts";

const FORM = { mark: "❯", maxIndent: 4, isWrapped: true };
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
  /** Its upper edge is in sight. */
  hasTop: boolean;
  /** Index on the screen of its first row in sight. */
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

/** Recorded with 1.0.102. */
const PERMISSION_ROLES = {
  approve: /^Yes$/,
  always: /^Yes, and don't ask again\b/,
  deny: /^No, and tell Copilot what to do differently\b/,
};

/** Seen with 1.0.102 at 120 and 80 columns: a digit chooses, but that of a refusal only moves to a field for its reason. */
const permissionKeys = (index: number, label: string): string[] | null => {
  if (/\(esc to stop\)$/i.test(label)) return ["Escape"];
  return index < 9 ? [String(index + 1)] : null;
};

/** What the question itself says is asked for all tools of servers, and for addresses. */
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
  return asks(
    rule.status,
    rule.confidence,
    `${question.text} / ${dialog.footer}`,
    {
      ...fields,
      options: withRoles(optionsOf(dialog.selector, permissionKeys), PERMISSION_ROLES),
    },
    dialog.top,
  );
};

/** For this session; the other yes remembers it, and without trust it leaves. */
const TRUST_ROLES = { approve: /^Yes$/, always: /^(?!)/, deny: /^(?!)/ };

const readTrust = ({ lines, selector, footer, top, hasTop }: Dialog): Reading | null => {
  const question = questionOf(lines).text;
  if (!TRUST.test(question)) return null;
  const folder = joined(splitInnerFrame(lines)?.inner ?? []);
  return asks(
    TRUST_APPROVAL,
    "high",
    `${question} / ${footer}`,
    {
      kind: "trust",
      title: "Do you trust the files in this folder?",
      body: folder === "" ? null : folder,
      options: withRoles(
        optionsOf(selector, (index) => movesTo(index, selector.marked)),
        TRUST_ROLES,
      ),
      isWhole: hasTop && folder !== "",
    },
    top,
  );
};

/** Rows of the tabs at the top of the screen, which stay where a dialog is taller than the room below them. */
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

/** A dialog whose upper part is out of sight, without any mark. */
const readCutOff = (lines: readonly string[], width: number): Reading | null =>
  isBlank(lines[TAB_ROWS - 1] ?? "") ? movedDown(readFramed(lines.slice(TAB_ROWS), width), TAB_ROWS) : null;

/** What the dialog that ends the screen asks, or null. Call only where no input box is at the bottom. `width`: of the pane. */
export const readDialog = (lines: readonly string[], width: number): Reading | null =>
  readFramed(lines, width) ?? readCutOff(lines, width) ?? readQuestion(lines, width);
