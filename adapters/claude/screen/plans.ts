// The dialog that approves a plan. It is drawn over the conversation: a bar across the pane, and all of it two columns further
// in than other dialogs. With a plan: heading, the plan between two dotted lines, a rule, the question. Source: recorded with
// 2.1.329 at 140 to 60 columns, with a short plan, one taller than the pane, and none. 2.1.197 draws the one without a plan below
// a rule of the whole width, and its `Yes` goes back to the mode before.
import type { Reading } from "../../../core/ports/agentAdapter.ts";
import { withoutBlankEnds } from "../../common/frames.ts";
import { withRoles } from "../../common/roles.ts";
import { asks, isBlank, joined } from "../../common/screenText.ts";
import { PLAN_APPROVAL } from "../../common/signals.ts";
import { EXIT_PLAN_MODE } from "../promptRequest.ts";
import { isSeparator, unframed } from "./body.ts";
import { isRule } from "./layout.ts";
import { readNumbered, type Selector } from "./options.ts";

const BAR = /^▔{12,}$/;
const INDENT = "  ";
/** Of those of the pane: the dialog is indented by two on both sides, and its text by one more. */
const FRAME_COLUMNS = 6;
const FOOTER = /^ {1,3}ctrl[+-]g to edit in /i;
/** At the right edge of the first or the last row in sight, where there is more of the plan. */
const CUT = /\s[↑↓]$/;
const QUESTION = /^Claude has written up a plan and is ready to execute\. Would you like to proceed\?$/;
const WITHOUT_PLAN = /^Claude wants to exit plan mode$/;
/** Below the option that takes a text, whatever stands in its field. */
const FEEDBACK = /^(?:.* )?shift\+tab to approve with this feedback$/;
const FEEDBACK_LABEL = "Tell Claude what to change";

/**
 * No option of a plan is a plain yes: the one after which it asks before each step is the approval, the others choose another
 * mode.
 */
const ROLES = {
  approve: /^Yes(, manually approve edits|, and switch to default \(ask each time\) for this session)?$/,
  always: /^(?!)/,
  deny: /^No$/,
};

type Option = Selector["options"][number];

/** The field for a text keeps its name while somebody types into it. Leaving the dialog refuses the plan. */
const withField = (options: readonly Option[]): Option[] =>
  options.map((option) =>
    FEEDBACK.test(option.label) ? { label: FEEDBACK_LABEL, keys: ["Escape"], role: "deny" } : option,
  );

interface Plan {
  rows: readonly string[];
  isWhole: boolean;
}

/** `lines`: of the dialog above its options, without the upper rule where that is seen. Null where they are no plan that is known. */
const planIn = (lines: readonly string[], isTopSeen: boolean): Plan | null => {
  const lower = lines.findLastIndex(isRule);
  const [heading = "", ...rest] = withoutBlankEnds(lines.slice(lower + 1));
  if (heading.trim() === EXIT_PLAN_MODE && WITHOUT_PLAN.test(joined(rest)))
    return { rows: [], isWhole: isTopSeen && lower < 0 };
  if (lower < 0 || !QUESTION.test(joined([heading, ...rest]))) return null;
  const [title = "", ...text] = withoutBlankEnds(lines.slice(0, lower));
  const [first, last] = [text.findIndex(isSeparator), text.findLastIndex(isSeparator)];
  const isFramed = first >= 0 && last > first && last === text.length - 1;
  const rows = text.slice(first + 1, isFramed ? last : undefined);
  const isComplete = isFramed && title.trim() === "Ready to code?" && !rows.some((row) => CUT.test(row));
  return { rows: withoutBlankEnds(rows), isWhole: isTopSeen && isComplete };
};

const toReading = (plan: Plan, options: readonly Option[], { top, width }: Place): Reading => {
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
  return asks(PLAN_APPROVAL, "high", EXIT_PLAN_MODE, request, top);
};

interface Place {
  /** Index on the screen of the bar. */
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
  const footer = lines.findLastIndex((line) => FOOTER.test(line));
  const end = footer < 0 ? lines.length : footer;
  // Without a plan the options stand one column further in.
  const selector = readNumbered(lines, end, true) ?? readNumbered(movedLeft(lines), end, true);
  if (selector === null) return null;
  const upper = lines.findIndex((line) => !isBlank(line));
  const isTopSeen = BAR.test(screen[top] ?? "") && isRule(lines[upper] ?? "");
  const plan = planIn(lines.slice(isTopSeen ? upper + 1 : 0, selector.start), isTopSeen);
  return plan === null ? null : toReading(plan, selector.options, { top: Math.max(top, 0), width });
};

/** What the dialog asks, or null. Its upper part may be out of sight. `width`: of the pane. */
export const readPlan = (screen: readonly string[], width: number): Reading | null =>
  readOverConversation(screen, width) ?? readBelowRule(screen, width);
