// Dialogs: approvals, questions, trust and first-run screens. They replace the input box, so their footer is the last
// text on the screen; that, the selector's column and a known question together are the proof. Sources: recorded frames
// (2.1.329); plan, automatic-mode and first-run texts as noted in measurements and the vendor's documents, hence medium.
import type { PromptRequest } from "../../../core/model/request.ts";
import type { Confidence, Status } from "../../../core/model/state.ts";
import type { Reading } from "../../../core/ports/agentAdapter.ts";
import { boundedText, oneLine } from "../../common/payload.ts";
import { withRoles } from "../../common/roles.ts";
import { indentOf, isBlank, isRule, joined } from "./layout.ts";
import { readNumbered, readPlain, type Selector } from "./options.ts";

/** The dialog's own text above its selector, without the rule that separates it from the conversation. */
interface Dialog {
  lines: readonly string[];
  selector: Selector;
  footer: string;
  hasRule: boolean;
}

const FOOTER =
  /^\s{0,3}(Esc to (cancel|exit|go back)|Enter to (select|confirm|stay in auto mode)|ctrl[+-]g to edit)/i;
const MAX_FOOTER_LINES = 4;
const SEPARATOR = /^\s?╌{8,}/;
const TIP = /^\s?Tip: /;

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
  request: Omit<PromptRequest, "expiresAt" | "toolName"> & { toolName?: string },
): Reading => ({
  status,
  confidence,
  matched: oneLine(matched),
  request: { toolName: null, expiresAt: null, ...request },
  isSteady: false,
});

/** The subject of an approval: what stands between the dotted separators, else what follows the title. */
const bodyOf = (lines: readonly string[]): string | null => {
  const first = lines.findIndex((line) => SEPARATOR.test(line));
  const last = lines.findLastIndex((line) => SEPARATOR.test(line));
  const part = first >= 0 && last > first ? lines.slice(first + 1, last) : lines.slice(1);
  const kept = part
    .filter((line) => !TIP.test(line) && !SEPARATOR.test(line))
    .map((line) => line.replace(/^ /, ""));
  while (kept.length > 0 && isBlank(kept[0] ?? "")) kept.shift();
  while (kept.length > 0 && isBlank(kept.at(-1) ?? "")) kept.pop();
  if (kept.length === 0) return null;
  const indent = Math.min(...kept.filter((line) => !isBlank(line)).map(indentOf));
  return boundedText(kept.map((line) => line.slice(indent)).join("\n"));
};

/** The question's paragraph directly above the selector, and its first line's index. */
const questionOf = (dialog: Dialog): { text: string; start: number; indent: number } => {
  let end = dialog.selector.start;
  while (end > 0 && isBlank(dialog.lines[end - 1] ?? "")) end -= 1;
  let start = end;
  while (
    start > 0 &&
    !isBlank(dialog.lines[start - 1] ?? "") &&
    !SEPARATOR.test(dialog.lines[start - 1] ?? "")
  )
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

const readApproval = (dialog: Dialog): Reading | null => {
  const question = questionOf(dialog);
  if (question.indent > 1) return null;
  const above = dialog.lines.slice(0, question.start).filter((line) => !TIP.test(line));
  const options = withRoles(dialog.selector.options, PERMISSION_ROLES);
  const confidence: Confidence = dialog.hasRule ? "high" : "medium";
  const heading = oneLine(above.find((line) => !isBlank(line)) ?? "");
  const matched = `${question.text} / ${dialog.footer}`;
  const fromHeading = above.slice(
    Math.max(
      0,
      above.findIndex((line) => !isBlank(line)),
    ),
  );
  const body = dialog.hasRule ? bodyOf(fromHeading) : null;
  if (EDIT_QUESTION.test(question.text))
    return reading({ state: "waiting_approval", reasonCode: "permission_edit" }, confidence, matched, {
      kind: "edit",
      title: oneLine(question.text),
      body,
      options,
    });
  if (PLAN_QUESTION.test(question.text))
    return reading({ state: "waiting_approval", reasonCode: "plan" }, "medium", matched, {
      kind: "plan",
      title: oneLine(question.text),
      body,
      options: withRoles(dialog.selector.options, PLAN_ROLES),
    });
  if (!TOOL_QUESTION.test(question.text)) return null;
  return reading({ state: "waiting_approval", reasonCode: "permission_tool" }, confidence, matched, {
    kind: /\bcommand$/i.test(heading) ? "command" : "tool",
    title: dialog.hasRule && heading !== "" ? heading : oneLine(question.text),
    body,
    options,
  });
};

const QUESTION_HEADER = /^\s{0,2}(←\s+)?[☐☒✔]/;

const readQuestion = (dialog: Dialog): Reading | null => {
  if (!dialog.footer.startsWith("Enter to select")) return null;
  const header = dialog.lines.findLastIndex((line) => QUESTION_HEADER.test(line));
  if (header < 0 || header >= dialog.selector.start) return null;
  const text = joined(dialog.lines.slice(header + 1, dialog.selector.start).filter((line) => !isRule(line)));
  if (text === "") return null;
  return reading(
    { state: "waiting_input", reasonCode: "question" },
    "high",
    `${text.slice(0, 200)} / ${dialog.footer}`,
    {
      kind: "question",
      title: oneLine(text),
      body: boundedText(text),
      toolName: "AskUserQuestion",
      // What the digit of the option for an own text does was not recorded.
      options: dialog.selector.options.map((option) =>
        /^Type something\.?$/.test(option.label) ? { ...option, keys: null } : option,
      ),
    },
  );
};

const readTrust = (dialog: Dialog): Reading | null => {
  const text = joined(dialog.lines.slice(0, dialog.selector.start));
  const isTrust = /Quick safety check|Do you trust the files in this folder\?/.test(text);
  if (!isTrust || !dialog.selector.options.some((option) => /trust|proceed/i.test(option.label))) return null;
  const workspace = /(?:Accessing workspace:)\s+(\S.*?)\s+(?:Quick safety check|Do you trust)/.exec(text);
  return reading(
    { state: "waiting_approval", reasonCode: "trust" },
    "high",
    `Quick safety check / ${dialog.footer}`,
    {
      kind: "trust",
      title: "Trust this folder?",
      body: workspace?.[1] === undefined ? null : boundedText(workspace[1]),
      options: dialog.selector.options,
    },
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
      return reading({ state: "waiting_input", reasonCode }, "medium", line, {
        kind: "other",
        title: oneLine(line),
        body: null,
        options: dialog.selector.options,
      });
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
  return reading(
    { state: "waiting_approval", reasonCode: "permission_tool" },
    about === undefined ? "medium" : "high",
    stay,
    {
      kind: "other",
      title: "Auto mode's safety check failed",
      body: about === undefined ? null : boundedText(about.trim()),
      options: [],
    },
  );
};

/** From the last rule before the selector that no question block spans; a question dialog has a second rule among its options. */
const dialogStart = (lines: readonly string[], before: number): number =>
  lines.slice(0, before).findLastIndex(isRule);

const toDialog = (lines: readonly string[], selector: Selector, footer: string): Dialog => {
  const rule = dialogStart(lines, selector.start);
  const offset = rule + 1;
  return {
    lines: lines.slice(offset, selector.start),
    selector: { options: selector.options, start: selector.start - offset, end: selector.end - offset },
    footer,
    hasRule: rule >= 0,
  };
};

const withSelector = (
  lines: readonly string[],
  selector: Selector | null,
  footer: string,
  readers: readonly ((dialog: Dialog) => Reading | null)[],
): Reading | null => {
  if (selector === null) return null;
  const dialog = toDialog(lines, selector, footer);
  for (const read of readers) {
    const found = read(dialog);
    if (found !== null) return found;
  }
  return null;
};

/** What the dialog at the bottom of the screen asks, or null. Call only where no input box is at the bottom. */
export const readDialog = (lines: readonly string[]): Reading | null => {
  const auto = readAutoModeCheck(lines);
  if (auto !== null) return auto;
  const footerAt = findFooter(lines);
  if (footerAt < 0) {
    const end = lines.length;
    // Plan and first-run dialogs are known to come without a footer that we know.
    return withSelector(lines, readNumbered(lines, end, true), "", [
      (dialog) => {
        const found = readApproval(dialog);
        return found?.status.reasonCode === "plan" ? found : null;
      },
      readFirstRun,
    ]);
  }
  const footer = joined(lines.slice(footerAt));
  return (
    withSelector(lines, readNumbered(lines, footerAt, false), footer, [readQuestion]) ??
    withSelector(lines, readNumbered(lines, footerAt, true), footer, [
      readTrust,
      readApproval,
      readFirstRun,
    ]) ??
    withSelector(lines, readPlain(lines, footerAt), footer, [readTrust])
  );
};
