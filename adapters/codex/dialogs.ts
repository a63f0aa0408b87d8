// Codex's dialogs: approvals, a server's tools, trust and hooks review, first-run screens, questions. They replace the input box,
// so their footer is the last text on the screen; footer, selector and a known heading together are the proof. Menus that a person
// opened have footers and selectors too, but none of these headings. Sources: frames recorded with 0.169.0; plan, permission and
// login texts from the vendor's sources, hence medium.
import type { PromptRequest } from "../../core/model/request.ts";
import type { Confidence, Status } from "../../core/model/state.ts";
import type { Reading } from "../../core/ports/agentAdapter.ts";
import type { RequestFields } from "../common/promptRequest.ts";
import { withRoles } from "../common/selector.ts";
import { asks, indentOf, isBlank, joined, withoutBlankEnds } from "../common/screenText.ts";
import {
  EDIT_APPROVAL,
  PLAN_APPROVAL,
  TOOL_APPROVAL,
  QUESTION,
  TRUST_APPROVAL,
  oneLine,
} from "../common/events.ts";
import {
  COMMAND_INSET,
  columnsOf,
  commandOf,
  isToldAlike,
  otherTextOf,
  pathOf,
  remarkOf,
  byDigit,
  byMoving,
  type Selector,
  readSelector,
} from "./layout.ts";

// Approvals: what is asked stands below a known heading.

interface Dialog {
  /** The dialog's own lines above its selector: everything below the conversation. */
  lines: readonly string[];
  /** The last line of the conversation that begins in column 0; empty where none is visible. */
  above: string;
  /** Index on the screen of the first of `lines`. */
  top: number;
  selector: Selector;
  /** More options do not fit, and a mark says so. */
  isCut: boolean;
  footer: string;
  /** Columns of the pane. */
  width: number;
}

interface Approval {
  heading: RegExp;
  status: Status;
  kind: PromptRequest["kind"];
  confidence: Confidence;
}
const APPROVALS: readonly Approval[] = [
  {
    heading: /^Would you like to run the following command\?/,
    status: TOOL_APPROVAL,
    kind: "command",
    confidence: "high",
  },
  {
    heading: /^Would you like to make the following edits\?/,
    status: EDIT_APPROVAL,
    kind: "edit",
    confidence: "high",
  },
  {
    heading: /^Would you like to (grant|allow|approve|use|send)\b/,
    status: TOOL_APPROVAL,
    kind: "tool",
    confidence: "medium",
  },
  {
    heading: /^(Do you want to (approve|allow)|Allow )\b.*\?/,
    status: TOOL_APPROVAL,
    kind: "tool",
    confidence: "medium",
  },
  { heading: /^\S.{0,80} needs your approval\.?/, status: TOOL_APPROVAL, kind: "tool", confidence: "medium" },
  {
    heading: /^Implement this plan\?/,
    status: PLAN_APPROVAL,
    kind: "plan",
    confidence: "medium",
  },
];

/** Recorded with 0.169.0. */
const PERMISSION_ROLES = {
  approve: /^Yes, proceed$/,
  always: /^Yes, and don't ask again\b/,
  deny: /^No, and tell Codex what to do differently$/,
};
/** From the vendor's source. */
const PLAN_ROLES = {
  approve: /^Yes, implement this plan$/,
  always: /^(?!)/,
  deny: /^No, stay in Plan mode$/,
};

/** A heading may be wrapped; it stands at the dialog's own indentation. `end`: index of the line below it. */
const headingAt = (lines: readonly string[], index: number): { text: string; end: number } | null => {
  const line = lines[index] ?? "";
  if (isBlank(line) || indentOf(line) !== 2 || !isBlank(lines[index - 1] ?? "")) return null;
  const next = lines[index + 1] ?? "";
  return isBlank(next) || line.endsWith("?")
    ? { text: line.trim(), end: index + 1 }
    : { text: joined([line, next]), end: index + 2 };
};

interface Heading {
  text: string;
  /** Index of its first line, and of the one below it. */
  start: number;
  end: number;
  approval: Approval;
}

/** From the top: the first is the dialog's own, a text below it may quote another. */
const headingsOf = (lines: readonly string[]): Heading[] =>
  lines.flatMap((_line, start) => {
    const heading = headingAt(lines, start);
    const approval = APPROVALS.find((one) => heading !== null && one.heading.test(heading.text));
    return heading === null || approval === undefined ? [] : [{ ...heading, start, approval }];
  });

const commandFields = (dialog: Dialog, heading: Heading): Partial<RequestFields> => {
  const lines = dialog.lines.slice(heading.end);
  const { rows, isWhole, isCut } = commandOf(lines);
  const told = {
    head: dialog.above,
    between: dialog.lines.slice(0, heading.start),
    options: dialog.selector.rows,
  };
  return {
    body: rows.length === 0 ? null : rows.join("\n"),
    columns: columnsOf(dialog.width),
    inset: COMMAND_INSET,
    remark: remarkOf(lines),
    ...(isCut ? { sight: "start" as const } : {}),
    isWhole: isWhole && isToldAlike(rows, told),
  };
};

const textFields = (dialog: Dialog, { approval, end }: Heading): Partial<RequestFields> => {
  const lines = dialog.lines.slice(end);
  const rows = approval.kind === "edit" ? pathOf(lines).rows : otherTextOf(lines);
  return { body: rows.length === 0 ? null : rows.join("\n"), columns: columnsOf(dialog.width) };
};

const optionsFor = (kind: PromptRequest["kind"], selector: Selector): PromptRequest["options"] =>
  kind === "plan"
    ? withRoles(byMoving(selector), PLAN_ROLES)
    : withRoles(byDigit(selector), PERMISSION_ROLES);

const readApproval = (dialog: Dialog): Reading | null => {
  if (!/^press enter to confirm or esc to (cancel|go back)/i.test(dialog.footer)) return null;
  const [heading, ...quoted] = headingsOf(dialog.lines);
  if (heading === undefined) return null;
  const { kind, status, confidence } = heading.approval;
  const fields = kind === "command" ? commandFields(dialog, heading) : textFields(dialog, heading);
  const options = optionsFor(kind, dialog.selector);
  // A low pane shows only the first options, mostly without a mark; a complete list ends with the one that refuses.
  const hasAllOptions = !dialog.isCut && options.at(-1)?.role === "deny";
  const isWhole = fields.isWhole === true && hasAllOptions && quoted.length === 0;
  return asks(status, confidence, `${heading.text} / ${dialog.footer}`, {
    top: dialog.top + heading.start,
    kind,
    title: heading.text,
    ...fields,
    options,
    isWhole,
  });
};

const MAX_FOOTER_LINES = 3;
const FOOTER_START =
  /^ {2}(press enter to|enter (confirm|continue|to)|tab to|tab or esc|←\/→|ctrl ?\+ ?[pn] )/i;

/** Index of the footer's first line, among the last lines of the screen; -1 where there is none. */
const findFooter = (lines: readonly string[]): number => {
  for (let index = lines.length - 1; index >= Math.max(0, lines.length - MAX_FOOTER_LINES); index -= 1) {
    const line = lines[index] ?? "";
    if (isBlank(line) || indentOf(line) < 2) return -1;
    if (FOOTER_START.test(line)) return index;
  }
  return -1;
};

const TOOL_FIELD = /^ {2}Field \d+\/\d+$/;
const TOOL_QUESTION = /^Allow the .+ MCP server to run tool .+\?$/;
/** Recorded with 0.169.0. */
const TOOL_ROLES = {
  approve: /^Allow$/,
  always: /^(Allow for this session|Always allow)$/,
  deny: /^Cancel$/,
};

/** A server's tool: its input is drawn shortened, so the dialog alone is never whole. */
const readTool = (dialog: Dialog): Reading | null => {
  if (!/^enter to submit \| esc to cancel$/.test(dialog.footer)) return null;
  const start = dialog.lines.findIndex((line) => TOOL_FIELD.test(line));
  const question = start < 0 ? null : (dialog.lines[start + 1] ?? "").trim();
  if (question === null || !TOOL_QUESTION.test(question)) return null;
  const rows = otherTextOf(dialog.lines.slice(start + 2));
  return asks(TOOL_APPROVAL, "high", `${question} / ${dialog.footer}`, {
    top: dialog.top + start,
    kind: "tool",
    title: question,
    body: rows.length === 0 ? null : rows.join("\n"),
    columns: columnsOf(dialog.width),
    options: withRoles(byMoving(dialog.selector), TOOL_ROLES),
  });
};

// Trust and first run.

/** Row of the dialog's first visible line, where no heading is known. */
const topOf = ({ lines, top }: Dialog): number =>
  top +
  Math.max(
    0,
    lines.findIndex((line) => !isBlank(line)),
  );

/** Recorded with 0.169.0: trust is remembered. What remains after going back is not known. */
const TRUST_ROLES = { approve: /^Trust and continue$/, always: /^(?!)/, deny: /^(?!)/ };

/** The folder on its line below the heading. `isWhole`: it does not continue on the next line, and nothing was cut. */
const folderOf = ({ lines, width }: Dialog): { body: string | null; isWhole: boolean } => {
  const at = lines.findIndex((line) => /^ {2}(\/|~|[A-Z]:\\)/.test(line));
  const line = lines[at] ?? "";
  const isAlone = /^ {2}Folder access$/.test(lines[at - 1] ?? "") && isBlank(lines[at + 1] ?? "");
  return {
    body: at < 0 ? null : line.trim(),
    isWhole: isAlone && line.length < width - 2 && !/…|\.\.\./.test(line),
  };
};

const readTrust = (dialog: Dialog): Reading | null => {
  const text = joined(dialog.lines.filter((line) => !isBlank(line)));
  const isFolder =
    /(^| )(Folder access|Trust this folder\?|Do you trust the contents of this directory\?)/.test(text) &&
    dialog.selector.labels.some((label) => /trust|yes/i.test(label));
  const options = byMoving(dialog.selector);
  if (isFolder) {
    return asks(TRUST_APPROVAL, "high", `Folder access / ${dialog.footer}`, {
      top: topOf(dialog),
      kind: "trust",
      title: "Trust this folder?",
      options: withRoles(options, TRUST_ROLES),
      ...folderOf(dialog),
    });
  }
  if (!/(^| )Hooks need review/.test(text)) return null;
  return asks(TRUST_APPROVAL, "high", `Hooks need review / ${dialog.footer}`, {
    top: topOf(dialog),
    kind: "trust",
    title: "Hooks need review",
    body: text.replace(/^.*?Hooks need review\s*/, ""),
    options,
  });
};

/** Screens before the first session: not recorded, known by their vendor's wording. */
const FIRST_RUN: readonly { pattern: RegExp; reasonCode: "onboarding" | "auth_needed" }[] = [
  { pattern: /Sign in with ChatGPT/, reasonCode: "auth_needed" },
  { pattern: /Update available!/, reasonCode: "onboarding" },
];

const readFirstRun = (dialog: Dialog): Reading | null => {
  if (!/^press enter to continue/i.test(dialog.footer)) return null;
  const text = joined([...dialog.lines, ...dialog.selector.labels]);
  const found = FIRST_RUN.find(({ pattern }) => pattern.test(text));
  const title = found?.pattern.exec(text)?.[0];
  if (found === undefined || title === undefined) return null;
  return asks(
    { state: "waiting_input", reasonCode: found.reasonCode },
    "medium",
    `${title} / ${dialog.footer}`,
    { top: topOf(dialog), kind: "other", title, options: byMoving(dialog.selector) },
  );
};

// Questions, and which reader a dialog goes to.

const FIELD = /^ {2}› /;
const QUESTION_NUMBER = /^ {2}Question \d+\/\d+( \(\d+ unanswered\))?$/;

/** The question tool: its footer names what Enter does. Free-text questions have no selector. */
const readQuestion = ({ lines, end, footer, width, isCut }: Place): Reading | null => {
  if (!/enter to submit (answer|all|answers)\b/.test(footer)) return null;
  const header = lines.slice(0, end).findLastIndex((line) => QUESTION_NUMBER.test(line));
  if (header < 0) return null;
  const selector = readSelector(lines, end);
  const hasSelector = selector !== null && selector.start > header;
  const own = withoutBlankEnds(lines.slice(header + 1, hasSelector ? selector.start : end));
  // Without options the last line is the field that takes the answer.
  const hasField = selector === null && own.length > 1 && FIELD.test(own.at(-1) ?? "");
  const rows = withoutBlankEnds(hasField ? own.slice(0, -1) : own);
  const text = joined(rows.filter((line) => !isBlank(line)));
  if (text === "") return null;
  return asks(QUESTION, "high", `${text.slice(0, 200)} / ${footer}`, {
    top: header,
    kind: "question",
    title: text,
    body: otherTextOf(rows).join("\n"),
    columns: columnsOf(width),
    toolName: "request_user_input",
    options: hasSelector ? byMoving(selector) : [],
    isWhole: !isCut,
    // The footer says that Enter submits what stands in the field.
    ...(hasField ? { textEntry: [] } : {}),
  });
};

/** Index after the last line of the conversation: nothing of a dialog but its highlighted option stands in column 0. */
const dialogStart = (lines: readonly string[], before: number): number =>
  lines.slice(0, before).findLastIndex((line) => !isBlank(line) && indentOf(line) === 0) + 1;

/** The pane's title, which blinks while a dialog is open. */
export const ACTION_TITLE = /^\[ [!.] \] Action Required\b/;

/** A heading that is unknown or does not fit: the title proves a wait, and the footer says "cancel" (menus: "go back"). */
const readUnknown = (dialog: Dialog, title: string): Reading | null => {
  if (!ACTION_TITLE.test(title) || !/^press enter to confirm or esc to cancel/i.test(dialog.footer))
    return null;
  const first = dialog.lines.find((line) => !isBlank(line));
  const rows = otherTextOf(dialog.lines);
  return asks(TOOL_APPROVAL, "medium", `title: ${title} / ${dialog.footer}`, {
    top: topOf(dialog),
    kind: "other",
    title: oneLine(first ?? "") || "Codex needs your permission",
    body: rows.length === 0 ? null : rows.join("\n"),
    columns: columnsOf(dialog.width),
    options: byMoving(dialog.selector),
  });
};

/** Stands in for options that do not fit. */
const MORE_OPTIONS = /^↓$/;

/** The screen, and the row where the dialog's text and options end. */
interface Place {
  lines: readonly string[];
  end: number;
  isCut: boolean;
  footer: string;
  width: number;
}

const toDialog = ({ lines, isCut, footer, width }: Place, selector: Selector): Dialog => {
  const top = dialogStart(lines, selector.start);
  return {
    lines: lines.slice(top, selector.start),
    above: lines[top - 1] ?? "",
    top,
    selector,
    isCut,
    footer,
    width,
  };
};

/** What the dialog at the bottom of the screen asks, or null; an input box has another footer. `width`: of the pane. */
export const readDialog = (lines: readonly string[], title: string, width: number): Reading | null => {
  const footerAt = findFooter(lines);
  if (footerAt < 0) return null;
  const isCut = MORE_OPTIONS.test(lines[footerAt - 1] ?? "");
  const footer = joined(lines.slice(footerAt));
  const place = { lines, end: isCut ? footerAt - 1 : footerAt, isCut, footer, width };
  const question = readQuestion(place);
  if (question !== null) return question;
  const selector = readSelector(lines, place.end);
  if (selector === null || selector.column > 2) return null;
  const dialog = toDialog(place, selector);
  return (
    readApproval(dialog) ??
    readTool(dialog) ??
    readTrust(dialog) ??
    readFirstRun(dialog) ??
    readUnknown(dialog, title)
  );
};
