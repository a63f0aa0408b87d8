// Approvals: what is asked stands under a heading that is known. Sources: frames recorded with 0.169.0; plan and permission texts
// from the vendor's sources, hence medium.
import type { PromptRequest } from "../../../core/model/request.ts";
import type { Confidence, Status } from "../../../core/model/state.ts";
import type { Reading } from "../../../core/ports/agentAdapter.ts";
import type { RequestFields } from "../../common/promptRequest.ts";
import { withRoles } from "../../common/roles.ts";
import { asks, indentOf, isBlank, joined } from "../../common/screenText.ts";
import { EDIT_APPROVAL, PLAN_APPROVAL, TOOL_APPROVAL } from "../../common/signals.ts";
import { COMMAND_INSET, columnsOf, commandOf, isToldAlike, otherTextOf, pathOf, remarkOf } from "./body.ts";
import { byDigit, byMoving, type Selector } from "./options.ts";

export interface Dialog {
  /** The dialog's own lines above its selector: everything below the conversation. */
  lines: readonly string[];
  /** The last line of the conversation that begins in column 0; empty where none is in sight. */
  above: string;
  /** Index on the screen of the first of `lines`. */
  top: number;
  selector: Selector;
  /** More options are out of sight, and a mark says so. */
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

/** From the top: below the dialog's own heading a text may quote another. */
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

export const readApproval = (dialog: Dialog): Reading | null => {
  if (!/^press enter to confirm or esc to (cancel|go back)/i.test(dialog.footer)) return null;
  const [heading, ...quoted] = headingsOf(dialog.lines);
  if (heading === undefined) return null;
  const { kind, status, confidence } = heading.approval;
  const fields = kind === "command" ? commandFields(dialog, heading) : textFields(dialog, heading);
  const options = optionsFor(kind, dialog.selector);
  // A low pane shows the first options only, mostly without a mark: the last one of all refuses.
  const hasAllOptions = !dialog.isCut && options.at(-1)?.role === "deny";
  const isWhole = fields.isWhole === true && hasAllOptions && quoted.length === 0;
  return asks(
    status,
    confidence,
    `${heading.text} / ${dialog.footer}`,
    { kind, title: heading.text, ...fields, options, isWhole },
    dialog.top + heading.start,
  );
};
