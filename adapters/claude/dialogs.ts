// Claude Code's dialogs: plans, questions, the dialogs of a start, tool and edit approvals, and menus on their own (automatic
// mode's check, limits). They replace the input box, so their footer is the last text on the screen; that, the selector's column
// and a known question together are the proof. Source: frames recorded with 2.1.329; automatic mode and first run are not recorded.
import type { Reading } from "../../core/ports/agentAdapter.ts";
import { withoutBlankEnds, asks, isBlank, joined, indentOf } from "../common/screenText.ts";
import { withRoles } from "../common/selector.ts";
import {
  PLAN_APPROVAL,
  QUESTION,
  TRUST_APPROVAL,
  EDIT_APPROVAL,
  TOOL_APPROVAL,
  oneLine,
} from "../common/events.ts";
import { EXIT_PLAN_MODE, errorStatusOfText } from "./normalize.ts";
import {
  isSeparator,
  unframed,
  isRule,
  readNumbered,
  type Selector,
  type Dialog,
  columnsOf,
  contentOf,
  textOf,
  type DialogText,
  questionOf,
  readPlain,
} from "./layout.ts";
import type { PromptRequest } from "../../core/model/request.ts";
import type { Confidence } from "../../core/model/state.ts";
import { fails } from "../common/progress.ts";
import type { RequestFields } from "../common/promptRequest.ts";

// Plans: the dialog is drawn over the conversation, below a bar across the pane, and two columns further in than other dialogs.
// With a plan: heading, the plan between two dotted lines, a rule, the question. Source: recorded with 2.1.329 at 140 to 60
// columns, with a short plan, one taller than the pane, and none. 2.1.197 draws the dialog without a plan below a rule across the
// whole width, and its `Yes` returns to the previous mode.

const BAR = /^▔{12,}$/;
const INDENT = "  ";
/** Columns of the pane that the frame takes: two on both sides for the dialog, and one more for its text. */
const FRAME_COLUMNS = 6;
const PLAN_FOOTER = /^ {1,3}ctrl[+-]g to edit in /i;
/** At the right edge of the first or last visible row, where more of the plan has scrolled out. */
const CUT = /\s[↑↓]$/;
const PROCEED_QUESTION =
  /^Claude has written up a plan and is ready to execute\. Would you like to proceed\?$/;
const WITHOUT_PLAN = /^Claude wants to exit plan mode$/;
/** The option that takes a text, whatever is in its field. */
const FEEDBACK = /^(?:.* )?shift\+tab to approve with this feedback$/;
const FEEDBACK_LABEL = "Tell Claude what to change";

/** No option of a plan is a plain yes: the one that keeps asking before each step approves, the others choose another mode. */
const ROLES = {
  approve: /^Yes(, manually approve edits|, and switch to default \(ask each time\) for this session)?$/,
  always: /^(?!)/,
  deny: /^No$/,
};

type Option = Selector["options"][number];

/** The text field gets a fixed label, whatever somebody types into it. Escape closes the dialog and refuses the plan. */
const withField = (options: readonly Option[]): Option[] =>
  options.map((option) =>
    FEEDBACK.test(option.label) ? { label: FEEDBACK_LABEL, keys: ["Escape"], role: "deny" } : option,
  );

interface Plan {
  rows: readonly string[];
  isWhole: boolean;
}

/** `lines`: the dialog above its options, without its visible upper rule. Null where the plan dialog is not known. */
const planIn = (lines: readonly string[], isTopSeen: boolean): Plan | null => {
  const lower = lines.findLastIndex(isRule);
  const [heading = "", ...rest] = withoutBlankEnds(lines.slice(lower + 1));
  if (heading.trim() === EXIT_PLAN_MODE && WITHOUT_PLAN.test(joined(rest)))
    return { rows: [], isWhole: isTopSeen && lower < 0 };
  if (lower < 0 || !PROCEED_QUESTION.test(joined([heading, ...rest]))) return null;
  const [title = "", ...text] = withoutBlankEnds(lines.slice(0, lower));
  const [first, last] = [text.findIndex(isSeparator), text.findLastIndex(isSeparator)];
  const isFramed = first >= 0 && last > first && last === text.length - 1;
  const rows = text.slice(first + 1, isFramed ? last : undefined);
  const isComplete = isFramed && title.trim() === "Ready to code?" && !rows.some((row) => CUT.test(row));
  return { rows: withoutBlankEnds(rows), isWhole: isTopSeen && isComplete };
};

const toReading = (plan: Plan, options: readonly Option[], { top, width }: PlanPlace): Reading => {
  const rows = unframed(plan.rows.map((row) => row.replace(CUT, "").trimEnd()));
  const body = rows.every(isBlank) ? null : rows.join("\n");
  const hasField = options.some(({ label }) => FEEDBACK.test(label));
  const request = {
    kind: "plan" as const,
    title: EXIT_PLAN_MODE,
    body,
    columns: Math.max(1, width - FRAME_COLUMNS),
    toolName: "ExitPlanMode",
    options: withField(withRoles(options, ROLES)),
    isWhole: plan.isWhole,
    ...(hasField ? { textEntry: [String(options.length)] } : {}),
  };
  return asks(PLAN_APPROVAL, "high", EXIT_PLAN_MODE, { ...request, top });
};

interface PlanPlace {
  /** Index of the bar on the screen. */
  top: number;
  width: number;
}

const movedLeft = (lines: readonly string[]): string[] =>
  lines.map((line) => (line.startsWith(" ") ? line.slice(1) : line));

const readBelowRule = (screen: readonly string[], width: number): Reading | null => {
  const top = screen.findLastIndex(isRule);
  const selector = readNumbered(movedLeft(screen), screen.length, true);
  if (top < 0 || selector === null) return null;
  const plan = planIn(screen.slice(top + 1, selector.start), true);
  return plan === null ? null : toReading(plan, selector.options, { top, width });
};

const readOverConversation = (screen: readonly string[], width: number): Reading | null => {
  const top = screen.findLastIndex((row) => !isBlank(row) && !row.startsWith(INDENT));
  const lines = screen.slice(top + 1).map((row) => row.slice(INDENT.length));
  const footer = lines.findLastIndex((line) => PLAN_FOOTER.test(line));
  const end = footer < 0 ? lines.length : footer;
  // Without a plan the options stand one column further in.
  const selector = readNumbered(lines, end, true) ?? readNumbered(movedLeft(lines), end, true);
  if (selector === null) return null;
  const upper = lines.findIndex((line) => !isBlank(line));
  const isTopSeen = BAR.test(screen[top] ?? "") && isRule(lines[upper] ?? "");
  const plan = planIn(lines.slice(isTopSeen ? upper + 1 : 0, selector.start), isTopSeen);
  return plan === null ? null : toReading(plan, selector.options, { top: Math.max(top, 0), width });
};

/** What the dialog asks, or null. Its upper part may have scrolled out. `width`: of the pane. */
const readPlan = (screen: readonly string[], width: number): Reading | null =>
  readOverConversation(screen, width) ?? readBelowRule(screen, width);

// Questions: those of the agent's question tool, each on a page of its own, and after several a page that reviews the answers.
// Source: recorded with 2.1.329 at 140 to 60 columns, with one question, several, and one that takes several answers.

const HEADER = /^\s{0,2}(←\s+)?[☐☒✔]/;
const FIELD = "Type something.";
const IS_FIELD = /^Type something\.?$/;
/** In the footer while the free-text field has the focus. */
const FIELD_HAS_FOCUS = /\bctrl[+-]g to edit in /i;

/** Index of the free-text field. One more option stands below it, which is no answer. */
const fieldAt = (options: readonly Option[], footer: string): number => {
  const named = options.findIndex(({ label }) => IS_FIELD.test(label));
  return named >= 0 || !FIELD_HAS_FOCUS.test(footer) ? named : options.length - 2;
};

/** The field's digit only opens it, so it is no answer's key. */
const withAnswerField = (options: readonly Option[], field: number): Option[] =>
  options.map((option, index) => (index === field ? { label: FIELD, keys: null } : option));

/** `←  ☒ Colour  ☐ Sizes  ✔ Submit  →`: which one is drawn only its colour says, which a look does not have. */
const pagesOf = (header: string): Pick<RequestFields, "pages"> => {
  const names = Array.from(header.matchAll(/[☐☒] +(\S(?:.*?\S)?)(?= {2}|$)/g), ([, name = ""]) => name);
  return names.length > 1 ? { pages: { number: null, names } } : {};
};

/**
 * Boxes: a digit turns one, unless the mark stands in the field for a text, which takes the digit, or below it. `Submit` and `Next`
 * submit them all.
 */
const severalOf = ({ options, submit, marked }: Selector, field: number): Partial<RequestFields> => {
  if (options[0]?.ticked === undefined) return {};
  const isInBoxes = marked >= 0 && marked < field;
  return {
    takesSeveral: true,
    options: options.map(({ toggle, ...option }, index) =>
      index === field
        ? { label: FIELD, keys: null }
        : { ...option, ...(isInBoxes && toggle !== undefined ? { toggle } : {}) },
    ),
    ...(submit === null ? {} : { submit }),
  };
};

const readQuestion = (dialog: Dialog): Reading | null => {
  if (!dialog.footer.startsWith("Enter to select")) return null;
  const header = dialog.lines.findLastIndex((line) => HEADER.test(line));
  if (header < 0 || header >= dialog.selector.start) return null;
  const rows = dialog.lines.slice(header + 1, dialog.selector.start).filter((line) => !isRule(line));
  const text = joined(rows);
  if (text === "") return null;
  const { options } = dialog.selector;
  const field = fieldAt(options, dialog.footer);
  const key = options[field]?.keys ?? null;
  return asks(QUESTION, "high", `${text.slice(0, 200)} / ${dialog.footer}`, {
    top: dialog.top,
    kind: "question",
    title: text,
    body: withoutBlankEnds(rows).join("\n"),
    columns: Math.max(1, dialog.width),
    toolName: "AskUserQuestion",
    options: withAnswerField(options, field),
    textEntry: key,
    ...pagesOf(dialog.lines[header] ?? ""),
    ...severalOf(dialog.selector, field),
    isWhole: dialog.hasRule && !dialog.isScrolled,
  });
};

/** The last page of several questions has no line of keys below it. */
const readReview = (dialog: Dialog): Reading | null => {
  const [header = "", ...rest] = withoutBlankEnds(dialog.lines);
  const [title = "", ...rows] = withoutBlankEnds(rest);
  const labels = dialog.selector.options.map(({ label }) => label);
  const isReview = HEADER.test(header) && title === "Review your answers";
  if (!dialog.hasRule || !isReview || labels[0] !== "Submit answers") return null;
  return asks(QUESTION, "high", title, {
    top: dialog.top,
    kind: "question",
    title,
    body: withoutBlankEnds(rows).join("\n"),
    columns: Math.max(1, dialog.width),
    toolName: "AskUserQuestion",
    options: dialog.selector.options,
    isWhole: !dialog.isScrolled,
  });
};

// Dialogs of a start: trust in a folder, first-run screens, the offer of another mode, confirmations. Sources: trust, offer and
// confirmations recorded with 2.1.329; the first-run screens by their vendor's wording, hence medium.

const OFFER = /^ {0,2}Make auto mode your default permission mode\?$/;

/** The folder stands alone between two blank lines; null where a part of it may have scrolled out. */
const workspaceOf = (lines: readonly string[]): string | null => {
  const heading = lines.findIndex((line) => /^ ?Accessing workspace:$/.test(line));
  const rows = lines.slice(heading + 1).map((row) => row.trim());
  const from = rows.findIndex((row) => row !== "");
  const end = rows.indexOf("", from);
  return heading < 0 || end <= from ? null : rows.slice(from, end).join("\n");
};

/** The other option exits the agent, so it gets no keys: nobody should press them from elsewhere. */
const toTrustOption = (option: Option): Option =>
  option.label === "Yes, I trust this folder" ? { ...option, role: "approve" } : { ...option, keys: null };

const readTrust = (dialog: Dialog): Reading | null => {
  const text = joined(dialog.lines.slice(0, dialog.selector.start));
  const isTrust = /Quick safety check|Do you trust the files in this folder\?/.test(text);
  if (!isTrust || !dialog.selector.options.some((option) => /trust|proceed/i.test(option.label))) return null;
  const workspace = workspaceOf(dialog.lines);
  return asks(TRUST_APPROVAL, "high", `Quick safety check / ${dialog.footer}`, {
    top: dialog.top,
    kind: "trust",
    title: "Trust this folder?",
    body: workspace,
    columns: Math.max(1, dialog.width - 2),
    options: dialog.selector.options.map(toTrustOption),
    isWhole: dialog.hasRule && !dialog.isScrolled && workspace !== null,
  });
};

const FIRST_RUN: readonly { pattern: RegExp; reasonCode: "onboarding" | "auth_needed" }[] = [
  { pattern: /Select login method/, reasonCode: "auth_needed" },
  { pattern: /Detected a custom API key in your environment/, reasonCode: "auth_needed" },
  { pattern: /Choose the text style that looks best/, reasonCode: "onboarding" },
  { pattern: OFFER, reasonCode: "onboarding" },
];

const readFirstRun = (dialog: Dialog): Reading | null => {
  for (const { pattern, reasonCode } of FIRST_RUN) {
    const line = dialog.lines
      .slice(0, dialog.selector.start)
      .findLast((text) => pattern.test(text) && indentOf(text) <= 1);
    if (line !== undefined)
      return asks({ state: "waiting_input", reasonCode }, "medium", line, {
        top: dialog.top,
        kind: "other",
        title: line,
        options: dialog.selector.options,
      });
  }
  return null;
};

/** The offer stands alone below a rule, without a line of keys; its options are the last text on the screen. */
const readOffer = (screen: readonly string[], width: number): Reading | null => {
  const top = screen.findLastIndex(isRule);
  const lines = screen.slice(top + 1);
  const selector = top < 0 ? null : readPlain(lines, lines.length);
  if (selector === null || selector.end !== lines.length) return null;
  const [title = "", ...rows] = withoutBlankEnds(lines.slice(0, selector.start));
  if (!OFFER.test(title) || indentOf(title) > 2) return null;
  return asks({ state: "waiting_input", reasonCode: "onboarding" }, "high", title, {
    top,
    kind: "other",
    title,
    body: withoutBlankEnds(rows)
      .map((row) => row.trim())
      .join("\n"),
    columns: Math.max(1, width - 4),
    options: selector.options,
    isWhole: true,
  });
};

const CONFIRMS = /^ {1,2}Enter to confirm · Esc to cancel$/;
/** Title of the dialog for another folder, indented one column less than others (2.1.329, `--add-dir`). */
const ADDS_FOLDER = /^ Adding a new directory:$/;

/**
 * Questions before it begins, below a rule: whether to use a server of the project or an API key, or to skip prompts. One of the
 * options may exit the agent or allow everything, so none of them has keys. Recorded with 2.1.329.
 */
const readConfirmation = (screen: readonly string[], width: number): Reading | null => {
  const top = screen.findLastIndex(isRule);
  const lines = screen.slice(top + 1);
  if (top < 0 || !CONFIRMS.test(lines.at(-1) ?? "")) return null;
  const selector = readPlain(lines, lines.length - 1);
  if (selector === null) return null;
  const [title = "", ...rows] = withoutBlankEnds(lines.slice(0, selector.start));
  if (indentOf(title) !== 2 && !ADDS_FOLDER.test(title)) return null;
  return asks(
    { state: "waiting_input", reasonCode: /\bAPI key\b/.test(title) ? "auth_needed" : "onboarding" },
    "high",
    title,
    {
      top,
      kind: "other",
      title: title.trim(),
      body: withoutBlankEnds(rows)
        .map((row) => row.trim())
        .join("\n"),
      columns: Math.max(1, width - 4),
      options: selector.options.map(({ label }) => ({ label, keys: null })),
      isWhole: true,
    },
  );
};

// Approvals of tools and edits, with the footer that other dialogs have as well.

const FOOTER =
  /^\s{0,3}(Esc to (cancel|exit|go back)|Enter to (select|confirm|stay in auto mode)|ctrl[+-]g to edit)/i;
const MAX_FOOTER_LINES = 4;
/** Above the footer, where the dialog is taller than the pane; recorded 2.1.329. */
const SCROLLED = /^ ?↑ \d+ more lines?$/;

/** Index of the footer's first line, among the last lines of the screen; -1 where there is none. */
const findFooter = (lines: readonly string[]): number => {
  let seen = 0;
  for (let index = lines.length - 1; index >= 0 && seen < MAX_FOOTER_LINES; index -= 1) {
    const line = lines[index] ?? "";
    if (isBlank(line)) continue;
    // The second row of a wrapped footer may begin with another key.
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
 * Recorded 2.1.329 and 2.1.197: the plain `Yes` allows once. Options that begin with `Yes,` also remember it, or switch the mode,
 * which is more than an approval.
 */
const PERMISSION_ROLES = { approve: /^Yes$/, always: /^Yes, and (always|don't ask again)\b/, deny: /^No$/ };
/** A plan has no plain yes: the option that keeps asking is the approval, the others choose another mode. */
const PLAN_ROLES = {
  approve: /^Yes, and manually approve edits$/,
  always: /^(?!)/,
  deny: /^No, keep planning$/,
};

const TITLE_OF_NEW_FILE = /^Create\b/;

/** The path stands below the heading, and wraps only where the pane is narrower than the path. */
const editOf = (text: DialogText, width: number): Pick<RequestFields, "body" | "content"> => {
  const [title = "", ...path] = text.heading.map((line) => line.trim());
  const content = contentOf(text.rows, TITLE_OF_NEW_FILE.test(title), width);
  return { body: path.length === 1 ? (path[0] ?? null) : null, content };
};

/**
 * After the heading: which sub-agent asks, and at the right edge which of how many dialogs this is, because those of several
 * sub-agents are drawn one after the other.
 */
const ASKER = /(?: · from the \S.* agent)?(?: {2,}\d+ of \d+)?$/;

const withoutAsker = ([first = "", ...rest]: readonly string[]): string[] => [
  first.replace(ASKER, ""),
  ...rest,
];

/** The agent's own words below the heading, wrapped where the pane is narrow. */
const HINT = 'Tip: auto mode handles these prompts for you — choose "switch to auto mode" below';

/** What the model says of a command: the rows below the heading, after the hint where there is one. Null: nothing. */
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

/** All of an approval is indented: other rows belong to another window, above or below the agent's. */
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
    return asks(EDIT_APPROVAL, confidence, matched, {
      top: dialog.top,
      kind: "edit",
      title: question.text,
      ...edit,
      options,
      isWhole: isEditWhole,
    });
  }
  if (PLAN_QUESTION.test(question.text))
    return asks(PLAN_APPROVAL, "medium", matched, {
      top: dialog.top,
      kind: "plan",
      title: question.text,
      body,
      columns,
      options: withRoles(dialog.selector.options, PLAN_ROLES),
      isWhole: isWhole && body !== null,
    });
  if (!TOOL_QUESTION.test(question.text)) return null;
  const kind = kindOf(heading, dialog.hasRule);
  // Below a tool's heading stands which tool it is; below a command's only what the model says of it.
  const title = kind === "tool" ? text.heading.map((line) => line.trim()).join(": ") : heading;
  return asks(TOOL_APPROVAL, confidence, matched, {
    top: dialog.top,
    kind,
    title: title === "" ? question.text : title,
    body,
    columns,
    ...(kind === "command" && !text.hasRemarkBelow ? { remark: remarkOf(text.heading) } : {}),
    ...(text.hasRemarkBelow ? { hasRemarkBelow: true } : {}),
    ...(text.isEnd ? { sight: "end" as const } : {}),
    options,
    isWhole: isWhole && body !== null,
  });
};

// Menus on their own, and which reader a dialog goes to.

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

/** The menu at a usage limit far from its end: stop, wait, or pay. The turn failed; the line above says until when. */
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

/** Index of the last rule above the selector; -1 where there is none. */
const dialogStart = (lines: readonly string[], before: number): number =>
  lines.slice(0, before).findLastIndex(isRule);

/** The screen, and the row where the dialog's selector ends. */
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
    selector: { ...selector, start: selector.start - offset, end: selector.end - offset },
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

/** What the dialog at the bottom asks, or null. Call only where no input box is at the bottom. `width`: of the pane. */
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
