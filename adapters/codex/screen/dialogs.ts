// Dialogs: approvals, questions, trust, hooks review, first-run screens. They replace the input box, so their footer is the
// last text on the screen; footer, selector and a known heading together are the proof. Menus that a person opened have
// footers and selectors too, but none of these headings. Sources: frames recorded with 0.169.0; plan, permission and login
// texts from the vendor's sources, hence medium.
import type { PromptRequest } from "../../../core/model/request.ts";
import type { Confidence, Status } from "../../../core/model/state.ts";
import type { Reading } from "../../../core/ports/agentAdapter.ts";
import { boundedText, oneLine } from "../../common/payload.ts";
import { withRoles } from "../../common/roles.ts";
import { indentOf, isBlank, joined } from "./layout.ts";
import { byDigit, byMoving, readSelector, type Selector } from "./options.ts";

interface Dialog {
  /** The dialog's own lines above its selector: everything below the conversation. */
  lines: readonly string[];
  selector: Selector;
  footer: string;
}

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

const reading = (
  status: Status,
  confidence: Confidence,
  matched: string,
  request: Omit<PromptRequest, "expiresAt" | "toolName" | "body"> & {
    toolName?: string;
    body?: string | null;
  },
): Reading => ({
  status,
  confidence,
  matched: oneLine(matched),
  request: { toolName: null, expiresAt: null, body: null, ...request },
  isSteady: false,
});

const trimBlank = (lines: readonly string[]): string[] => {
  const kept = [...lines];
  while (kept.length > 0 && isBlank(kept[0] ?? "")) kept.shift();
  while (kept.length > 0 && isBlank(kept.at(-1) ?? "")) kept.pop();
  return kept;
};

/** From `$ ` on: the command, its continuation lines without their indentation. */
const commandOf = (lines: readonly string[]): string | null => {
  const at = lines.findIndex((line) => /^ {2}\$ /.test(line));
  if (at < 0) return null;
  const [first = "", ...rest] = trimBlank(lines.slice(at));
  return boundedText(
    [first.replace(/^ {2}\$ /, ""), ...rest.map((line) => line.replace(/^ {2,4}/, ""))].join("\n"),
  );
};

/** Without the lines that name environment and reason. */
const subjectOf = (lines: readonly string[]): string | null => {
  const kept = trimBlank(
    lines.filter((line) => !/^ {2}(Environment|Reason|Thread|Permission rule): /.test(line)),
  );
  return kept.length === 0 ? null : boundedText(kept.map((line) => line.replace(/^ {2}/, "")).join("\n"));
};

interface Approval {
  heading: RegExp;
  status: Status;
  kind: PromptRequest["kind"];
  confidence: Confidence;
}
const TOOL: Status = { state: "waiting_approval", reasonCode: "permission_tool" };
const APPROVALS: readonly Approval[] = [
  {
    heading: /^Would you like to run the following command\?/,
    status: TOOL,
    kind: "command",
    confidence: "high",
  },
  {
    heading: /^Would you like to make the following edits\?/,
    status: { state: "waiting_approval", reasonCode: "permission_edit" },
    kind: "edit",
    confidence: "high",
  },
  {
    heading: /^Would you like to (grant|allow|approve|use|send)\b/,
    status: TOOL,
    kind: "tool",
    confidence: "medium",
  },
  {
    heading: /^(Do you want to (approve|allow)|Allow )\b.*\?/,
    status: TOOL,
    kind: "tool",
    confidence: "medium",
  },
  { heading: /^\S.{0,80} needs your approval\.?/, status: TOOL, kind: "tool", confidence: "medium" },
  {
    heading: /^Implement this plan\?/,
    status: { state: "waiting_approval", reasonCode: "plan" },
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

/** A heading may be wrapped; it stands at the dialog's own indentation. */
const headingAt = (lines: readonly string[], index: number): string | null => {
  const line = lines[index] ?? "";
  if (isBlank(line) || indentOf(line) !== 2) return null;
  const next = lines[index + 1] ?? "";
  return isBlank(next) || line.endsWith("?") ? line.trim() : joined([line, next]);
};

const readApproval = (dialog: Dialog): Reading | null => {
  if (!/^press enter to confirm or esc to (cancel|go back)/i.test(dialog.footer)) return null;
  for (let index = dialog.lines.length - 1; index >= 0; index -= 1) {
    const heading = headingAt(dialog.lines, index);
    const approval = heading === null ? undefined : APPROVALS.find((one) => one.heading.test(heading));
    if (heading === null || approval === undefined) continue;
    const rest = dialog.lines.slice(index + 1);
    return reading(approval.status, approval.confidence, `${heading} / ${dialog.footer}`, {
      kind: approval.kind,
      title: oneLine(heading),
      body: approval.kind === "command" ? (commandOf(rest) ?? subjectOf(rest)) : subjectOf(rest),
      options:
        approval.kind === "plan"
          ? withRoles(byMoving(dialog.selector), PLAN_ROLES)
          : withRoles(byDigit(dialog.selector), PERMISSION_ROLES),
    });
  }
  return null;
};

const TRUST: Status = { state: "waiting_approval", reasonCode: "trust" };

const readTrust = (dialog: Dialog): Reading | null => {
  const text = joined(dialog.lines.filter((line) => !isBlank(line)));
  const isFolder =
    /(^| )(Folder access|Trust this folder\?|Do you trust the contents of this directory\?)/.test(text) &&
    dialog.selector.labels.some((label) => /trust|yes/i.test(label));
  if (isFolder) {
    const folder = dialog.lines.find((line) => /^ {2}(\/|~|[A-Z]:\\)/.test(line));
    return reading(TRUST, "high", `Folder access / ${dialog.footer}`, {
      kind: "trust",
      title: "Trust this folder?",
      body: folder === undefined ? null : boundedText(folder.trim()),
      options: byMoving(dialog.selector),
    });
  }
  if (!/(^| )Hooks need review/.test(text)) return null;
  return reading(TRUST, "high", `Hooks need review / ${dialog.footer}`, {
    kind: "trust",
    title: "Hooks need review",
    body: boundedText(text.replace(/^.*?Hooks need review\s*/, "")),
    options: byMoving(dialog.selector),
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
  return reading(
    { state: "waiting_input", reasonCode: found.reasonCode },
    "medium",
    `${title} / ${dialog.footer}`,
    {
      kind: "other",
      title,
      options: byMoving(dialog.selector),
    },
  );
};

const FIELD = /^ {2}› /;
const QUESTION = /^ {2}Question \d+\/\d+( \(\d+ unanswered\))?$/;

/** The question tool: its footer names what Enter does. Free-text questions have no selector. */
const readQuestion = (lines: readonly string[], footerAt: number, footer: string): Reading | null => {
  if (!/enter to submit (answer|all|answers)\b/.test(footer)) return null;
  const header = lines.slice(0, footerAt).findLastIndex((line) => QUESTION.test(line));
  if (header < 0) return null;
  const selector = readSelector(lines, footerAt);
  const end = selector !== null && selector.start > header ? selector.start : footerAt;
  const own = trimBlank(lines.slice(header + 1, end)).filter((line) => !isBlank(line));
  // Without options the last line is the field that takes the answer.
  const hasField = selector === null && own.length > 1 && FIELD.test(own.at(-1) ?? "");
  const text = joined(hasField ? own.slice(0, -1) : own);
  if (text === "") return null;
  return reading(
    { state: "waiting_input", reasonCode: "question" },
    "high",
    `${text.slice(0, 200)} / ${footer}`,
    {
      kind: "question",
      title: oneLine(text),
      body: boundedText(text),
      toolName: "request_user_input",
      options: selector === null || selector.start <= header ? [] : byMoving(selector),
      // The footer says that Enter submits what stands in the field.
      ...(hasField ? { textEntry: [] } : {}),
    },
  );
};

/** Index after the last line of the conversation: nothing of a dialog but its highlighted option stands in column 0. */
const dialogStart = (lines: readonly string[], before: number): number =>
  lines.slice(0, before).findLastIndex((line) => !isBlank(line) && indentOf(line) === 0) + 1;

const ACTION_TITLE = /^\[ [!.] \] Action Required\b/;

/**
 * A dialog whose heading is not known, or is cut off by a low pane: the title proves that it waits, and only dialogs (menus
 * go "back") are cancelled.
 */
const readUnknown = (dialog: Dialog, title: string): Reading | null => {
  if (!ACTION_TITLE.test(title) || !/^press enter to confirm or esc to cancel/i.test(dialog.footer))
    return null;
  const first = dialog.lines.find((line) => !isBlank(line));
  return reading(TOOL, "medium", `title: ${title} / ${dialog.footer}`, {
    kind: "other",
    title: oneLine(first ?? "") || "Codex needs your permission",
    body: subjectOf(dialog.lines),
    options: byMoving(dialog.selector),
  });
};

/** What the dialog at the bottom of the screen asks, or null: below an input box stands another footer. */
export const readDialog = (lines: readonly string[], title: string): Reading | null => {
  const footerAt = findFooter(lines);
  if (footerAt < 0) return null;
  const footer = joined(lines.slice(footerAt));
  const question = readQuestion(lines, footerAt, footer);
  if (question !== null) return question;
  const selector = readSelector(lines, footerAt);
  if (selector === null || selector.column > 2) return null;
  const dialog = { lines: lines.slice(dialogStart(lines, selector.start), selector.start), selector, footer };
  return readApproval(dialog) ?? readTrust(dialog) ?? readFirstRun(dialog) ?? readUnknown(dialog, title);
};
