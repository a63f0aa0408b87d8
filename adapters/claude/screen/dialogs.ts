// Dialogs: approvals, questions, trust and first-run screens. They replace the input box, so their footer is the last
// text on the screen; that, the selector's column and a known question together are the proof. Sources: recorded frames
// (2.1.329); plan, automatic-mode and first-run texts as noted in measurements and the vendor's documents, hence medium.
import type { PromptRequest } from "../../../core/model/request.ts";
import type { Confidence, Status } from "../../../core/model/state.ts";
import type { Reading } from "../../../core/ports/agentAdapter.ts";
import { oneLine } from "../../common/payload.ts";
import { withoutBlankEnds } from "../../common/frames.ts";
import type { RequestFields } from "../../common/promptRequest.ts";
import { withRoles } from "../../common/roles.ts";
import { asks, indentOf, isBlank, joined } from "../../common/screenText.ts";
import {
  EDIT_APPROVAL,
  PLAN_APPROVAL,
  QUESTION,
  TOOL_APPROVAL,
  TRUST_APPROVAL,
} from "../../common/signals.ts";
import { columnsOf, contentOf, isSeparator, textOf, unframed, type DialogText } from "./body.ts";
import { isRule } from "./layout.ts";
import { readNumbered, readPlain, type Selector } from "./options.ts";

/** The dialog's own text above its selector, without the rule that separates it from the conversation. */
interface Dialog {
  lines: readonly string[];
  selector: Selector;
  footer: string;
  hasRule: boolean;
  /** A part of it is out of sight, and its last row but the footer says so. */
  isScrolled: boolean;
  /** Index on the screen of its first row in sight. */
  top: number;
  /** Columns of the pane. */
  width: number;
}

const FOOTER =
  /^\s{0,3}(Esc to (cancel|exit|go back)|Enter to (select|confirm|stay in auto mode)|ctrl[+-]g to edit)/i;
const MAX_FOOTER_LINES = 4;
/** Above the footer, where the dialog is taller than the pane; recorded 2.1.329. */
const SCROLLED = /^ ?↑ \d+ more lines?$/;

/** Index of the footer's first line, which must be among the last lines of the screen. */
const findFooter = (lines: readonly string[]): number => {
  let seen = 0;
  for (let index = lines.length - 1; index >= 0 && seen < MAX_FOOTER_LINES; index -= 1) {
    const line = lines[index] ?? "";
    if (isBlank(line)) continue;
    if (FOOTER.test(line)) return index;
    seen += 1;
  }
  return -1;
};

const reading = (
  status: Status,
  confidence: Confidence,
  matched: string,
  request: RequestFields,
  { top }: Pick<Dialog, "top">,
): Reading => asks(status, confidence, matched, request, top);

/** The question's paragraph directly above the selector, and its first line's index. */
const questionOf = (dialog: Dialog): { text: string; start: number; indent: number } => {
  let end = dialog.selector.start;
  while (end > 0 && isBlank(dialog.lines[end - 1] ?? "")) end -= 1;
  let start = end;
  while (start > 0 && !isBlank(dialog.lines[start - 1] ?? "") && !isSeparator(dialog.lines[start - 1] ?? ""))
    start -= 1;
  // A wrapped question has its known beginning some lines up; the nearest line that begins like one wins.
  const known = dialog.lines
    .slice(start, end)
    .findLastIndex((line) => /^ ?(Do you want|Would you like|Exit plan)/.test(line));
  const from = known < 0 ? start : start + known;
  return {
    text: joined(dialog.lines.slice(from, end)),
    start: from,
    indent: indentOf(dialog.lines[from] ?? ""),
  };
};

const EDIT_QUESTION =
  /^Do you want to (create|make this edit|make these edits|overwrite|edit|write|update|delete|insert)\b/;
const PLAN_QUESTION = /^(Exit plan mode\?|Would you like to proceed\?)/;
const TOOL_QUESTION = /^Do you want to (proceed|allow|use|run|let|fetch)\b/;

/**
 * Recorded 2.1.329 and 2.1.197: the plain `Yes` allows once. The others that begin so remember it, or switch the mode, which
 * is more than an approval.
 */
const PERMISSION_ROLES = { approve: /^Yes$/, always: /^Yes, and (always|don't ask again)\b/, deny: /^No$/ };
/** A plan has no plain yes: the one that goes on asking is the approval, the others choose another mode. */
const PLAN_ROLES = {
  approve: /^Yes, and manually approve edits$/,
  always: /^(?!)/,
  deny: /^No, keep planning$/,
};

const TITLE_OF_NEW_FILE = /^Create\b/;

/** The path stands below the heading, and is folded only where the pane is narrower than it. */
const editOf = (text: DialogText, width: number): Pick<RequestFields, "body" | "content"> => {
  const [title = "", ...path] = text.heading.map((line) => line.trim());
  const content = contentOf(text.rows, TITLE_OF_NEW_FILE.test(title), width);
  return { body: path.length === 1 ? (path[0] ?? null) : null, content };
};

const kindOf = (heading: string, isSeen: boolean): PromptRequest["kind"] => {
  if (!isSeen) return "other";
  return /\bcommand$/i.test(heading) ? "command" : "tool";
};

const readApproval = (dialog: Dialog): Reading | null => {
  const question = questionOf(dialog);
  if (question.indent > 1) return null;
  const text = textOf(dialog.lines.slice(0, question.start), dialog.hasRule);
  const confidence: Confidence = dialog.hasRule ? "high" : "medium";
  const heading = oneLine(text.heading[0] ?? "");
  const matched = `${question.text} / ${dialog.footer}`;
  const rows = unframed(text.rows);
  const body = rows.every(isBlank) ? null : rows.join("\n");
  const columns = columnsOf(dialog.width);
  const isWhole = text.isWhole && !dialog.isScrolled;
  const options = withRoles(dialog.selector.options, PERMISSION_ROLES);
  if (EDIT_QUESTION.test(question.text)) {
    const edit = editOf(text, dialog.width);
    const isEditWhole = isWhole && edit.body !== null && !/^\?/m.test(edit.content ?? "?");
    return reading(
      EDIT_APPROVAL,
      confidence,
      matched,
      { kind: "edit", title: question.text, ...edit, options, isWhole: isEditWhole },
      dialog,
    );
  }
  if (PLAN_QUESTION.test(question.text))
    return reading(
      PLAN_APPROVAL,
      "medium",
      matched,
      {
        kind: "plan",
        title: question.text,
        body,
        columns,
        options: withRoles(dialog.selector.options, PLAN_ROLES),
        isWhole: isWhole && body !== null,
      },
      dialog,
    );
  if (!TOOL_QUESTION.test(question.text)) return null;
  const kind = kindOf(heading, dialog.hasRule);
  // Below the heading stands which tool it is; of a command only what the model says of it.
  const title = kind === "tool" ? text.heading.map((line) => line.trim()).join(": ") : heading;
  return reading(
    TOOL_APPROVAL,
    confidence,
    matched,
    {
      kind,
      title: title === "" ? question.text : title,
      body,
      columns,
      options,
      isWhole: isWhole && body !== null,
    },
    dialog,
  );
};

const QUESTION_HEADER = /^\s{0,2}(←\s+)?[☐☒✔]/;

const readQuestion = (dialog: Dialog): Reading | null => {
  if (!dialog.footer.startsWith("Enter to select")) return null;
  const header = dialog.lines.findLastIndex((line) => QUESTION_HEADER.test(line));
  if (header < 0 || header >= dialog.selector.start) return null;
  const rows = dialog.lines.slice(header + 1, dialog.selector.start).filter((line) => !isRule(line));
  const text = joined(rows);
  if (text === "") return null;
  return reading(
    QUESTION,
    "high",
    `${text.slice(0, 200)} / ${dialog.footer}`,
    {
      kind: "question",
      title: text,
      body: withoutBlankEnds(rows).join("\n"),
      columns: Math.max(1, dialog.width),
      toolName: "AskUserQuestion",
      // What the digit of the option for an own text does was not recorded.
      options: dialog.selector.options.map((option) =>
        /^Type something\.?$/.test(option.label) ? { ...option, keys: null } : option,
      ),
      isWhole: dialog.hasRule && !dialog.isScrolled,
    },
    dialog,
  );
};

const readTrust = (dialog: Dialog): Reading | null => {
  const text = joined(dialog.lines.slice(0, dialog.selector.start));
  const isTrust = /Quick safety check|Do you trust the files in this folder\?/.test(text);
  if (!isTrust || !dialog.selector.options.some((option) => /trust|proceed/i.test(option.label))) return null;
  const workspace = /(?:Accessing workspace:)\s+(\S.*?)\s+(?:Quick safety check|Do you trust)/.exec(text);
  return reading(
    TRUST_APPROVAL,
    "high",
    `Quick safety check / ${dialog.footer}`,
    {
      kind: "trust",
      title: "Trust this folder?",
      body: workspace?.[1] ?? null,
      options: dialog.selector.options,
    },
    dialog,
  );
};

/** First-run screens and one-time offers: not recorded, known by their vendor's wording. */
const FIRST_RUN: readonly { pattern: RegExp; reasonCode: "onboarding" | "auth_needed" }[] = [
  { pattern: /Select login method/, reasonCode: "auth_needed" },
  { pattern: /Detected a custom API key in your environment/, reasonCode: "auth_needed" },
  { pattern: /Choose the text style that looks best/, reasonCode: "onboarding" },
  { pattern: /Make auto mode your default permission mode\?/, reasonCode: "onboarding" },
];

const readFirstRun = (dialog: Dialog): Reading | null => {
  for (const { pattern, reasonCode } of FIRST_RUN) {
    const line = dialog.lines
      .slice(0, dialog.selector.start)
      .findLast((text) => pattern.test(text) && indentOf(text) <= 1);
    if (line !== undefined)
      return reading(
        { state: "waiting_input", reasonCode },
        "medium",
        line,
        { kind: "other", title: line, options: dialog.selector.options },
        dialog,
      );
  }
  return null;
};

/** Automatic mode's failed server check: no hook fires for it, so the screen is one of two witnesses. Layout not recorded. */
const readAutoModeCheck = (lines: readonly string[]): Reading | null => {
  const tail = lines.filter((line) => !isBlank(line)).slice(-12);
  const stay = tail
    .slice(-MAX_FOOTER_LINES)
    .find((line) => /Enter to stay in auto mode/.test(line) && indentOf(line) <= 3);
  if (stay === undefined) return null;
  const about = tail.find((line) => /Auto mode's safety check/.test(line) && indentOf(line) <= 3);
  return asks(TOOL_APPROVAL, about === undefined ? "medium" : "high", stay, {
    kind: "other",
    title: "Auto mode's safety check failed",
    body: about?.trim() ?? null,
  });
};

/** From the last rule before the selector that no question block spans; a question dialog has a second rule among its options. */
const dialogStart = (lines: readonly string[], before: number): number =>
  lines.slice(0, before).findLastIndex(isRule);

/** The screen, and where the dialog's selector ends on it. */
interface Place {
  lines: readonly string[];
  end: number;
  footer: string;
  width: number;
}

const toDialog = ({ lines, end, footer, width }: Place, selector: Selector): Dialog => {
  const rule = dialogStart(lines, selector.start);
  const offset = rule + 1;
  return {
    lines: lines.slice(offset, selector.start),
    selector: { options: selector.options, start: selector.start - offset, end: selector.end - offset },
    footer,
    hasRule: rule >= 0,
    isScrolled: lines.slice(end).some((line) => SCROLLED.test(line)),
    top: Math.max(rule, 0),
    width,
  };
};

const withSelector = (
  place: Place,
  selector: Selector | null,
  readers: readonly ((dialog: Dialog) => Reading | null)[],
): Reading | null => {
  if (selector === null) return null;
  const dialog = toDialog(place, selector);
  for (const read of readers) {
    const found = read(dialog);
    if (found !== null) return found;
  }
  return null;
};

/** Some dialogs come without a footer: plans, first-run screens, and a tool's whose last option names its key (2.1.329). */
const readWithoutFooter = (dialog: Dialog): Reading | null => {
  const found = readApproval(dialog);
  const isTool = dialog.hasRule && (dialog.selector.options.at(-1)?.label ?? "").endsWith("(esc)");
  return found?.status.reasonCode === "plan" || isTool ? found : null;
};

/** What the dialog at the bottom of the screen asks, or null. Call only where no input box is at the bottom. `width`: of the pane. */
export const readDialog = (lines: readonly string[], width: number): Reading | null => {
  const auto = readAutoModeCheck(lines);
  if (auto !== null) return auto;
  const footerAt = findFooter(lines);
  if (footerAt < 0) {
    const place = { lines, end: lines.length, footer: "", width };
    return withSelector(place, readNumbered(lines, lines.length, true), [readWithoutFooter, readFirstRun]);
  }
  const above = lines.slice(0, footerAt).findLastIndex((line) => !isBlank(line));
  const end = SCROLLED.test(lines[above] ?? "") ? above : footerAt;
  const place = { lines, end, footer: joined(lines.slice(footerAt)), width };
  return (
    withSelector(place, readNumbered(lines, end, false), [readQuestion]) ??
    withSelector(place, readNumbered(lines, end, true), [readTrust, readApproval, readFirstRun]) ??
    withSelector(place, readPlain(lines, end), [readTrust])
  );
};
