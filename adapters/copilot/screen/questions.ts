// Questions of Copilot CLI, between two rules at the bottom; an own answer is typed into a box of its own below them. Source:
// frames recorded with 1.0.102; the file question in the words of measurements.
import type { Reading } from "../../../core/ports/agentAdapter.ts";
import { withoutBlankEnds } from "../../common/frames.ts";
import { asks, joined, movesTo } from "../../common/screenText.ts";
import { optionsOf, readPlainOptions, splitFooter, type Selector } from "../../common/selector.ts";
import { QUESTION } from "../../common/signals.ts";
import { isRule } from "./layout.ts";

const FORM = { mark: "❯", maxIndent: 4, isWrapped: true };
const ANSWER_FOOTER = /\benter (accept|submit|select|to (accept|submit))\b.*\besc (to )?cancel/;
const ASKS = /^Copilot (needs information|is asking|asks|has a question)/;
/** Columns at both sides of a question that stay free. */
const QUESTION_COLUMNS = 2;

/** The question's rows: what stands above the name of the field that takes the answer. */
const questionRows = (lines: readonly string[]): readonly string[] => {
  const text = withoutBlankEnds(lines);
  const field = text.findLastIndex((line) => /^ \S.*:$/.test(line));
  return withoutBlankEnds(field > 0 ? text.slice(0, field) : text).map((line) => line.replace(/^ /, ""));
};

/** It ends in the name of a field and the field. */
const isField = (lines: readonly string[]): boolean => {
  const [name = "", ...rest] = withoutBlankEnds(lines).slice(-2);
  return /^ \S.*:$/.test(name) && rest.length === 1;
};

/** Recorded in both forms: once it is chosen, its field stands below the question. */
const OWN_ANSWER = /^Other \(type your answer( below)?\)$/;
const OWN_LABEL = "Other (type your answer)";
const EMPTY_FIELD = "❯ Type your answer...";

/** The question without the field of the own answer below it: a box directly after its last rule. Field null: there is none. */
const splitField = (lines: readonly string[]): { lines: readonly string[]; field: string | null } => {
  const upper = lines.slice(0, -1).findLastIndex(isRule);
  const hasField = upper > 0 && isRule(lines[upper - 1] ?? "") && (lines[upper + 1] ?? "").startsWith("❯ ");
  if (!hasField) return { lines, field: null };
  const field = joined(lines.slice(upper + 1, -1));
  return { lines: lines.slice(0, upper), field };
};

/** Keys that lead to the field of the own answer; null where there is none, or where something stands in it. */
const keysToField = (selector: Selector, field: string | null): string[] | null => {
  const own = selector.labels.findIndex((label) => OWN_ANSWER.test(label));
  if (own < 0) return null;
  if (own === selector.marked) return field === EMPTY_FIELD ? [] : null;
  return field === null ? movesTo(own, selector.marked).slice(0, -1) : null;
};

/** The question that ends the screen, or null. `width`: of the pane. */
export const readQuestion = (all: readonly string[], width: number): Reading | null => {
  if (!isRule(all.at(-1) ?? "")) return null;
  const { lines, field } = splitField(all);
  const upper = lines.slice(0, -1).findLastIndex(isRule);
  const content = withoutBlankEnds(lines.slice(upper + 1, -1));
  if (upper < 0 || !ASKS.test((content[0] ?? "").trim())) return null;
  const { footer, end } = splitFooter(content);
  if (!ANSWER_FOOTER.test(footer)) return null;
  const selector = readPlainOptions(content, end, FORM);
  const rows = questionRows(content.slice(1, selector?.start ?? end));
  const text = joined(rows);
  return asks(
    QUESTION,
    "high",
    `${text} / ${footer}`,
    {
      kind: "question",
      title: text === "" ? "Copilot needs information" : text,
      body: text === "" ? null : rows.join("\n"),
      columns: Math.max(1, width - QUESTION_COLUMNS),
      toolName: "ask_user",
      options:
        selector === null
          ? []
          : optionsOf(selector, (index, label) =>
              label.startsWith("Other (") ? null : movesTo(index, selector.marked),
            ).map((option) => (OWN_ANSWER.test(option.label) ? { ...option, label: OWN_LABEL } : option)),
      isWhole: text !== "",
      // A form without options has one field, whose footer says that Enter accepts what stands there.
      ...(selector === null
        ? isField(content.slice(0, end)) && field === null
          ? { textEntry: [] }
          : {}
        : { textEntry: keysToField(selector, field) }),
    },
    upper,
  );
};
