// Dialogs: approvals, questions, trust and first-run screens. They replace the input box, so their footer is the last
// text on the screen; that, the selector's column and a known question together are the proof. Sources: recorded frames
// (2.1.329); plan, automatic-mode and first-run texts as noted in measurements and the vendor's documents, hence medium.
import type { PromptRequest } from "../../../core/model/request.ts";
import type { Confidence } from "../../../core/model/state.ts";
import type { Reading } from "../../../core/ports/agentAdapter.ts";
import { oneLine } from "../../common/payload.ts";
import { fails } from "../../common/progress.ts";
import type { RequestFields } from "../../common/promptRequest.ts";
import { withRoles } from "../../common/roles.ts";
import { asks, indentOf, isBlank, joined } from "../../common/screenText.ts";
import { EDIT_APPROVAL, PLAN_APPROVAL, TOOL_APPROVAL } from "../../common/signals.ts";
import { errorStatusOfText } from "../errorReason.ts";
import { columnsOf, contentOf, isSeparator, textOf, unframed, type DialogText } from "./body.ts";
import { questionOf, reading, type Dialog } from "./dialog.ts";
import { isRule } from "./layout.ts";
import { readNumbered, readPlain, type Selector } from "./options.ts";
import { readPlan } from "./plans.ts";
import { readQuestion, readReview } from "./questions.ts";
import { readConfirmation, readFirstRun, readOffer, readTrust } from "./startDialogs.ts";

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
    // A wrapped one may begin its second row with another key.
    if (FOOTER.test(line)) return FOOTER.test(lines[index - 1] ?? "") ? index - 1 : index;
    seen += 1;
  }
  return -1;
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

/**
 * Behind what it asks stands which sub-agent asks, and at the right edge which of how many dialogs it is: those of several
 * sub-agents are drawn one after the other.
 */
const ASKER = /(?: · from the \S.* agent)?(?: {2,}\d+ of \d+)?$/;

/** Without what is said of who asks. */
const withoutAsker = ([first = "", ...rest]: readonly string[]): string[] => [
  first.replace(ASKER, ""),
  ...rest,
];

/** The agent's own words below the heading, wrapped where the pane is narrow. */
const HINT = 'Tip: auto mode handles these prompts for you — choose "switch to auto mode" below';

/** What the model says of a command: the rows below the heading, behind the hint where there is one. Null: nothing. */
const remarkOf = ([, ...rows]: readonly string[]): string | null => {
  const own = rows.map((row) => row.trim());
  const hint = own.findIndex((_row, at) => own.slice(0, at + 1).join(" ") === HINT);
  const remark = own.slice(hint + 1).join("\n");
  return remark === "" ? null : remark;
};

const kindOf = (heading: string, isSeen: boolean): PromptRequest["kind"] => {
  if (!isSeen) return "other";
  return /\bcommand$/i.test(heading) ? "command" : "tool";
};

const readText = (lines: readonly string[], isTopSeen: boolean): DialogText => {
  const text = textOf(lines, isTopSeen);
  return text.heading.length === 0 ? text : { ...text, heading: withoutAsker(text.heading) };
};

/** All of an approval is indented: what is not stands in another window, below the agent's or above it. */
const isForeign = (line: string): boolean => !isBlank(line) && indentOf(line) === 0 && !isSeparator(line);

const readApproval = (dialog: Dialog): Reading | null => {
  const question = questionOf(dialog);
  if (question.indent > 1 || dialog.lines.some(isForeign)) return null;
  const text = readText(dialog.lines.slice(0, question.start), dialog.hasRule);
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
      ...(kind === "command" && !text.hasRemarkBelow ? { remark: remarkOf(text.heading) } : {}),
      ...(text.hasRemarkBelow ? { hasRemarkBelow: true } : {}),
      ...(text.isEnd ? { sight: "end" as const } : {}),
      options,
      isWhole: isWhole && body !== null,
    },
    dialog,
  );
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

/**
 * What it offers at a limit that is far from its end: to stop, to wait, or to pay. The turn failed; the line above the menu says until
 * when.
 */
const LIMIT_QUESTION = /^\s{1,4}What do you want to do\?$/;
const LIMIT_OPTION = /^\s{1,4}❯?\s*1\. Stop and wait for limit to reset$/;
const LIMIT = /^\s+⎿\s+(\S.*\blimit\b.*)$/;

const readLimitMenu = (lines: readonly string[]): Reading | null => {
  const question = lines.findLastIndex((line) => LIMIT_QUESTION.test(line));
  const first = lines.slice(question + 1).find((line) => !isBlank(line)) ?? "";
  if (question < 0 || !LIMIT_OPTION.test(first)) return null;
  const limit = lines.slice(0, question).findLast((line) => LIMIT.test(line)) ?? "";
  const text = LIMIT.exec(limit)?.[1]?.trim() ?? "usage limit";
  return fails(errorStatusOfText(text), text);
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
  const alone = readAutoModeCheck(lines) ?? readLimitMenu(lines) ?? readPlan(lines, width);
  if (alone !== null) return alone;
  const footerAt = findFooter(lines);
  if (footerAt < 0) {
    const place = { lines, end: lines.length, footer: "", width };
    return (
      withSelector(place, readNumbered(lines, lines.length, true), [
        readWithoutFooter,
        readReview,
        readFirstRun,
      ]) ?? readOffer(lines, width)
    );
  }
  const above = lines.slice(0, footerAt).findLastIndex((line) => !isBlank(line));
  const end = SCROLLED.test(lines[above] ?? "") ? above : footerAt;
  const place = { lines, end, footer: joined(lines.slice(footerAt)), width };
  return (
    withSelector(place, readNumbered(lines, end, false), [readQuestion]) ??
    withSelector(place, readNumbered(lines, end, true), [readTrust, readApproval, readFirstRun]) ??
    withSelector(place, readPlain(lines, end), [readTrust]) ??
    readConfirmation(lines, width)
  );
};
