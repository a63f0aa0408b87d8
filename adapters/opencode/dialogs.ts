// Reads opencode's dialogs: a permission or a question takes the input box's place, so it is the barred block that ends the
// screen, with its own footer. Which option is chosen is shown by colour alone. Source: frames recorded with 1.18.33.
import { MAX_OPTIONS, type PromptRequest } from "../../core/model/request.ts";
import type { Reading } from "../../core/ports/agentAdapter.ts";
import {
  withoutBlankEnds,
  asks,
  isBlank,
  joined,
  movesTo,
  type StyledCell,
  styledCells,
} from "../common/screenText.ts";
import { oneLine, QUESTION } from "../common/events.ts";
import type { RequestFields } from "../common/promptRequest.ts";
import {
  COMMAND_INSET,
  columnsOf,
  linesOf,
  textOf,
  type DialogText,
  type Pane,
  lastBlock,
} from "./layout.ts";

// The chosen option: in the styled lines, the one that looks unlike all the others, whatever the theme; of two options it cannot
// be known. Recorded: a background in permissions, another text colour in questions.

/** A row's text, and how each UTF-16 unit of it looks. */
const rowOf = (cells: readonly StyledCell[]): { text: string; styles: readonly string[] } => ({
  text: cells.map(({ char }) => char).join(""),
  styles: cells.flatMap(({ char, colour, ground }) => Array<string>(char.length).fill(`${colour}/${ground}`)),
});

/** Index of the one that is unlike all others, which are alike; null where there is no such. */
const oddOne = (styles: readonly string[]): number | null => {
  if (styles.length < 3 || new Set(styles).size !== 2) return null;
  const single = styles.filter((style) => styles.indexOf(style) === styles.lastIndexOf(style));
  return single.length === 1 ? styles.indexOf(single[0] ?? "") : null;
};

/**
 * Index of the chosen option. `texts`: the options as they stand on the screen, in order; the looks of their last letters are
 * compared. Null where they do not show it.
 */
export const selectedOf = (
  styledLines: readonly string[] | undefined,
  texts: readonly string[],
): number | null => {
  if (styledLines === undefined) return null;
  const rows = styledCells(styledLines).map(rowOf);
  const styles: string[] = [];
  let row = rows.length - 1;
  let end = Number.POSITIVE_INFINITY;
  // From the bottom, where the dialog stands: what is quoted above looks alike.
  for (const text of texts.toReversed()) {
    let at = -1;
    for (; row >= 0 && at < 0; row -= at < 0 ? 1 : 0) {
      at = (rows[row]?.text ?? "").slice(0, end).lastIndexOf(text);
      end = at < 0 ? Number.POSITIVE_INFINITY : at;
    }
    if (at < 0) return null;
    styles.unshift(rows[row]?.styles[at + text.length - 1] ?? "");
  }
  return oddOne(styles);
};

const PERMISSION_TITLE = /^\s{1,3}△ Permission required\s*$/;
const PERMISSION_FOOTER = /^\s{1,4}Allow once\s+Allow always\s+Reject\b/;
const QUESTION_FOOTER = /^\s{1,3}(⇆ tab\s+)?↑↓ select\s+enter \w+\s+esc dismiss\s*$/;
/** Of several answers, and of one of several questions, where a digit turns a box, or answers and leads on. */
const TOGGLE_FOOTER = /^\s{1,3}⇆ tab\s+↑↓ select\s+enter toggle\s/;
const NEXT_FOOTER = /^\s{1,3}⇆ tab\s+↑↓ select\s+enter confirm\s/;
/** What the agent adds to a question that takes several answers, wrapped with it. */
const SEVERAL_HINT = /\s+\(select\s+all\s+that\s+apply\)$/;
const REVIEW_FOOTER = /^\s{1,3}⇆ tab\s+enter submit\s+esc dismiss\s*$/;
const NUMBERED = /^\s{1,3}(\d{1,2})\. (\S.*)$/;
const EDIT_HEADING = /^(Edit|Write|Patch|Apply patch)\b/i;

/** Without the sign that opencode puts before a tool's heading. */
const headingOf = (line: string): string => oneLine(line.trim().replace(/^[#→←✱⚙%◇] ?/u, ""));

type StyledLines = readonly string[] | undefined;

/**
 * Index of the selected one of `labels`. Only colours show it: without them it is the first, on which the dialog opens, and they
 * are read again before a key is pressed. Null: the colours do not show it.
 */
const selectionAt = (styledLines: StyledLines, labels: readonly string[]): number | null =>
  styledLines === undefined ? 0 : selectedOf(styledLines, labels);

interface Block {
  lines: readonly string[];
  /** Index on the screen of its first row. */
  top: number;
  styledLines: StyledLines;
  pane: Pane;
  /** Of a permission. */
  options: PromptRequest["options"];
}

/** With keys that move from the chosen option to each; a refusal keeps its own. */
const permissionOptions = ({ styledLines, options }: Block): PromptRequest["options"] => {
  const labels = options.map(({ label }) => label);
  const selected = selectionAt(styledLines, labels);
  if (selected === null) return options;
  return options.map((option, index) => {
    const moves = Array<string>(Math.abs(index - selected)).fill(index > selected ? "Right" : "Left");
    return { ...option, keys: option.role === "deny" ? option.keys : [...moves, "Enter"] };
  });
};

/** Pages and folders, whose dialogs draw all that is asked. What other tools are given is not known. */
const TOLD_TOOL = /^(WebFetch \S|Access external directory \S)/;
const COMMAND = /^# /;
const SIGN = /^\$ /;
const CUT = /…/;

const editFields = (lines: readonly string[], heading: string, pane: Pane): RequestFields => {
  const { content, columns, isWhole } = linesOf(lines, pane);
  const path = heading.replace(EDIT_HEADING, "").trim();
  return {
    kind: "edit",
    title: heading,
    body: path === "" ? null : path,
    ...(content === null ? {} : { content, columns, hasJoints: true }),
    toolName: "edit",
    isWhole: isWhole && path !== "" && !CUT.test(path),
  };
};

const toolFields = (
  { heading: row, rows, isWhole }: DialogText,
  heading: string,
  pane: Pane,
): RequestFields => {
  const [first = "", ...rest] = rows;
  const isCommand = COMMAND.test(row);
  const isTop = isCommand && SIGN.test(first);
  const own = isTop ? [first.replace(SIGN, ""), ...rest] : rows;
  const isTold = isCommand ? isTop : TOLD_TOOL.test(heading) && !CUT.test(heading);
  return {
    kind: isCommand ? "command" : "tool",
    title: heading === "" ? "Permission required" : heading,
    body: own.length === 0 ? null : own.join("\n"),
    columns: columnsOf(pane),
    hasJoints: true,
    ...(isTop ? { inset: COMMAND_INSET } : {}),
    // Its window begins with the sign, and nothing shows how much is below it.
    ...(isTop && !isWhole ? { sight: "start" as const } : {}),
    toolName: isCommand ? "bash" : null,
    isWhole: isWhole && isTold,
  };
};

const readPermission = (found: Block): Reading | null => {
  const { lines: block, top, pane } = found;
  const footer = block.findLastIndex((line) => PERMISSION_FOOTER.test(line));
  // The first one: the text below it may quote it.
  const title = block.findIndex((line) => PERMISSION_TITLE.test(line));
  if (title < 0 || footer < title || block.slice(footer + 1).filter((line) => !isBlank(line)).length > 2)
    return null;
  const start = Math.max(0, title - 1);
  const lines = block.slice(title + 1, footer);
  const text = textOf(lines, block.length - start, pane);
  const heading = headingOf(text.heading);
  const isEdit = EDIT_HEADING.test(heading);
  const fields = isEdit ? editFields(lines, heading, pane) : toolFields(text, heading, pane);
  return asks(
    { state: "waiting_approval", reasonCode: isEdit ? "permission_edit" : "permission_tool" },
    "high",
    `△ Permission required / ${(block[footer] ?? "").trim()}`,
    {
      top: top + start,
      ...fields,
      options: permissionOptions(found),
      isWhole: fields.isWhole === true && title === 1 && isBlank(block[0] ?? ""),
    },
  );
};

/** The footer where one Enter confirms; with several answers or questions it has another word. */
const SINGLE_FOOTER = /^\s{1,3}↑↓ select\s+enter submit\b/;
const OWN_ANSWER = /^Type your own answer$/;
/** Before an answer of which several may be chosen. */
const CHECKBOX = /^\[(.)\] /;

interface Answer {
  /** As it is drawn, by which its colour is found. */
  text: string;
  number: number;
  label: string;
  /** Null: it has no box. */
  ticked: boolean | null;
  description: string;
}

const answersIn = (lines: readonly string[], isSingle: boolean): Answer[] => {
  const answers: Answer[] = [];
  for (const line of lines) {
    const [, number, label] = NUMBERED.exec(line) ?? [];
    const last = answers.at(-1);
    if (number !== undefined && label !== undefined)
      answers.push({
        text: `${number}. ${label}`,
        number: Number(number),
        label: isSingle ? label : label.replace(CHECKBOX, ""),
        ticked: isSingle || !CHECKBOX.test(label) ? null : !label.startsWith("[ ]"),
        description: "",
      });
    else if (last !== undefined && !isBlank(line))
      last.description = `${last.description} ${line.trim()}`.trim();
  }
  return answers;
};

/** Its digit opens the field of the own answer; in an open field the digit would be typed. */
const fieldKeys = (own: Answer | undefined): string[] | null =>
  own === undefined || own.description !== "" || own.number > 9 ? null : [String(own.number)];

/** Names of the pages above one of several questions or answers, the last one, which reviews them, left out. */
const tabsOf = (row: string): string[] | null => {
  const names = row.trim().split(/ {3,}/);
  return names.length > 1 && names.at(-1) === "Confirm" ? names.slice(0, -1) : null;
};

/**
 * How each answer is given. A digit is typed, not chosen, while the field of the own answer is open below it; then, and beyond nine,
 * nothing is known.
 */
const answerOptions = (
  drawn: readonly Answer[],
  { footer, own, selected }: { footer: string; own: Answer | undefined; selected: number | null },
): { options: PromptRequest["options"]; submit?: string[] } => {
  const hasDigits = drawn.length <= 9 && (own === undefined || own.description === "");
  const isToggle = hasDigits && TOGGLE_FOOTER.test(footer);
  const isNext = hasDigits && NEXT_FOOTER.test(footer);
  const options = drawn.map((answer, index) => {
    const isOwn = answer === own;
    const moves = selected === null ? null : movesTo(index, selected);
    return {
      label: answer.label,
      keys: isOwn ? null : isNext ? [String(answer.number)] : moves,
      // Below the own answer its field stands, with a hint or with what was typed.
      ...(answer.description === "" || isOwn ? {} : { description: answer.description }),
      ...(answer.ticked === null || isOwn ? {} : { ticked: answer.ticked }),
      ...(isToggle && answer.ticked !== null && !isOwn ? { toggle: String(answer.number) } : {}),
    };
  });
  return isToggle ? { options, submit: ["Tab"] } : { options };
};

const readQuestion = ({ lines: block, top, styledLines, pane }: Block): Reading | null => {
  const end = block.findLastIndex((line) => !isBlank(line));
  const footer = block[end] ?? "";
  if (end < 0 || !QUESTION_FOOTER.test(footer)) return null;
  const first = block.findIndex((line) => NUMBERED.exec(line)?.[1] === "1");
  if (first < 0 || first >= end) return null;
  const above = withoutBlankEnds(block.slice(0, first));
  const isSingle = SINGLE_FOOTER.test(footer);
  const names = isSingle ? null : tabsOf(above[0] ?? "");
  const rows = (names === null ? above : withoutBlankEnds(above.slice(1))).map((line) => line.slice(2));
  const drawn = answersIn(block.slice(first, end), isSingle);
  const isSeveral = drawn.some(({ ticked }) => ticked !== null);
  const asked = (words: string): string => (isSeveral ? words.replace(SEVERAL_HINT, "") : words);
  const text = asked(joined(rows.filter((line) => !isBlank(line))));
  if (text === "") return null;
  const own = OWN_ANSWER.test(drawn.at(-1)?.label ?? "") ? drawn.at(-1) : undefined;
  const selected = isSingle
    ? selectionAt(
        styledLines,
        drawn.map(({ text: row }) => row),
      )
    : null;
  const { options, submit } = answerOptions(drawn, { footer, own, selected });
  return asks(QUESTION, "high", `${text.slice(0, 200)} / ${footer.trim()}`, {
    top,
    kind: "question",
    title: text,
    body: asked(rows.join("\n")),
    columns: columnsOf(pane),
    hasJoints: true,
    toolName: "question",
    options: options.slice(0, MAX_OPTIONS),
    textEntry: isSingle ? fieldKeys(own) : null,
    // Which one is drawn only its colour says.
    ...(names !== null && names.length > 1 ? { pages: { number: null, names } } : {}),
    ...(isSeveral ? { takesSeveral: true } : {}),
    ...(submit === undefined ? {} : { submit }),
    isWhole: isBlank(block[0] ?? "") && drawn.every(({ number }, index) => number === index + 1),
  });
};

/** The page after several questions or answers: Enter sends what it shows. */
const readReview = ({ lines: block, top, pane }: Block): Reading | null => {
  const end = block.findLastIndex((line) => !isBlank(line));
  const [tabs = "", ...below] = withoutBlankEnds(block.slice(0, Math.max(end, 0)));
  const [title = "", ...rows] = withoutBlankEnds(below).map((line) => line.slice(2));
  if (!REVIEW_FOOTER.test(block[end] ?? "") || tabsOf(tabs) === null || title.trim() !== "Review")
    return null;
  return asks(QUESTION, "high", `Review / ${(block[end] ?? "").trim()}`, {
    top,
    kind: "question",
    title: "Review your answers",
    body: withoutBlankEnds(rows).join("\n"),
    columns: columnsOf(pane),
    toolName: "question",
    options: [{ label: "Submit answers", keys: ["Enter"] }],
    isWhole: isBlank(block[0] ?? ""),
  });
};

/** The dialog that ends the screen, or null. `options`: of its permissions. */
export const readDialog = (
  lines: readonly string[],
  { pane, styledLines, options }: Pick<Block, "pane" | "styledLines" | "options">,
): Reading | null => {
  const found = lastBlock(lines);
  if (found === null) return null;
  const block = { lines: found, top: lines.length - found.length, styledLines, pane, options };
  return readPermission(block) ?? readQuestion(block) ?? readReview(block);
};
