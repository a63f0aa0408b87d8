// Questions of the agent's question tool: one or several, each on a page of its own, and at the end a page that shows the answers.
// Source: recorded with 2.1.329 at 140 to 60 columns, with one question, several, and one that takes several answers.
import type { Reading } from "../../../core/ports/agentAdapter.ts";
import { withoutBlankEnds } from "../../common/frames.ts";
import { joined } from "../../common/screenText.ts";
import { QUESTION } from "../../common/signals.ts";
import { reading, type Dialog } from "./dialog.ts";
import { isRule } from "./layout.ts";

const HEADER = /^\s{0,2}(←\s+)?[☐☒✔]/;
const FIELD = "Type something.";
const IS_FIELD = /^Type something\.?$/;
/** In the footer while the field for an own text has the focus, whatever was typed into it. */
const FIELD_HAS_FOCUS = /\bctrl[+-]g to edit in /i;

type Option = Dialog["selector"]["options"][number];

/** Below the field is one option more, which is no answer. */
const fieldAt = (options: readonly Option[], footer: string): number => {
  const named = options.findIndex(({ label }) => IS_FIELD.test(label));
  return named >= 0 || !FIELD_HAS_FOCUS.test(footer) ? named : options.length - 2;
};

/** The digit of the field opens it, and is none of an answer. Where several answers may be given, no key chooses one. */
const withField = (options: readonly Option[], field: number): Option[] =>
  options.map((option, index) => (index === field ? { label: FIELD, keys: null } : option));

export const readQuestion = (dialog: Dialog): Reading | null => {
  if (!dialog.footer.startsWith("Enter to select")) return null;
  const header = dialog.lines.findLastIndex((line) => HEADER.test(line));
  if (header < 0 || header >= dialog.selector.start) return null;
  const rows = dialog.lines.slice(header + 1, dialog.selector.start).filter((line) => !isRule(line));
  const text = joined(rows);
  if (text === "") return null;
  const { options } = dialog.selector;
  const field = fieldAt(options, dialog.footer);
  const key = options[field]?.keys ?? null;
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
      options: withField(options, field),
      textEntry: key,
      // With a checkbox a digit toggles, so that it is no key of an answer.
      ...(options[0]?.keys === null ? { takesSeveral: true } : {}),
      isWhole: dialog.hasRule && !dialog.isScrolled,
    },
    dialog,
  );
};

/** The last page of several questions has no line of keys below it. */
export const readReview = (dialog: Dialog): Reading | null => {
  const [header = "", ...rest] = withoutBlankEnds(dialog.lines);
  const [title = "", ...rows] = withoutBlankEnds(rest);
  const labels = dialog.selector.options.map(({ label }) => label);
  const isReview = HEADER.test(header) && title === "Review your answers";
  if (!dialog.hasRule || !isReview || labels[0] !== "Submit answers") return null;
  return reading(
    QUESTION,
    "high",
    title,
    {
      kind: "question",
      title,
      body: withoutBlankEnds(rows).join("\n"),
      columns: Math.max(1, dialog.width),
      toolName: "AskUserQuestion",
      options: dialog.selector.options,
      isWhole: !dialog.isScrolled,
    },
    dialog,
  );
};
