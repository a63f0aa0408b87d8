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
import { PERMISSION_OPTIONS } from "./normalize.ts";
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

/** With keys that move from the chosen option to each; a refusal keeps its own. */
const permissionOptions = (styledLines: StyledLines): PromptRequest["options"] => {
  const labels = PERMISSION_OPTIONS.map(({ label }) => label);
  const selected = selectionAt(styledLines, labels);
  if (selected === null) return PERMISSION_OPTIONS;
  return PERMISSION_OPTIONS.map((option, index) => {
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

interface Block {
  lines: readonly string[];
  /** Index on the screen of its first row. */
  top: number;
  styledLines: StyledLines;
  pane: Pane;
}

const readPermission = ({ lines: block, top, styledLines, pane }: Block): Reading | null => {
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
      options: permissionOptions(styledLines),
      isWhole: fields.isWhole === true && title === 1 && isBlank(block[0] ?? ""),
    },
  );
};

/** The footer where one Enter confirms; with several answers or questions it has another word. */
const SINGLE_FOOTER = /^\s{1,3}↑↓ select\s+enter submit\b/;
const OWN_ANSWER = /^Type your own answer$/;
/** Before an answer of which several may be chosen; what is chosen already is no part of the question. */
const CHECKBOX = /^\[.\] /;

interface Answer {
  /** As it is drawn, by which its colour is found. */
  text: string;
  number: number;
  label: string;
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

const readQuestion = ({ lines: block, top, styledLines, pane }: Block): Reading | null => {
  const footer = block.findLastIndex((line) => !isBlank(line));
  if (footer < 0 || !QUESTION_FOOTER.test(block[footer] ?? "")) return null;
  const first = block.findIndex((line) => NUMBERED.exec(line)?.[1] === "1");
  if (first < 0 || first >= footer) return null;
  const rows = withoutBlankEnds(block.slice(0, first)).map((line) => line.slice(2));
  const text = joined(rows.filter((line) => !isBlank(line)));
  if (text === "") return null;
  const isSingle = SINGLE_FOOTER.test(block[footer] ?? "");
  const drawn = answersIn(block.slice(first, footer), isSingle);
  const texts = drawn.map(({ text: row }) => row);
  const isSeveral = !isSingle && drawn.some(({ text: row, label }) => !row.endsWith(`. ${label}`));
  const selected = isSingle ? selectionAt(styledLines, texts) : null;
  const own = OWN_ANSWER.test(drawn.at(-1)?.label ?? "") ? drawn.at(-1) : undefined;
  const options = drawn.map((answer, index) => ({
    label: answer.label,
    keys: selected === null || answer === own ? null : movesTo(index, selected),
    // Below the own answer its field stands, with a hint or with what was typed.
    ...(answer.description === "" || answer === own ? {} : { description: answer.description }),
  }));
  return asks(QUESTION, "high", `${text.slice(0, 200)} / ${(block[footer] ?? "").trim()}`, {
    top,
    kind: "question",
    title: text,
    body: rows.join("\n"),
    columns: columnsOf(pane),
    hasJoints: true,
    toolName: "question",
    options: options.slice(0, MAX_OPTIONS),
    textEntry: isSingle ? fieldKeys(own) : null,
    ...(isSeveral ? { takesSeveral: true } : {}),
    isWhole: isBlank(block[0] ?? "") && drawn.every(({ number }, index) => number === index + 1),
  });
};

/** The dialog that ends the screen, or null. */
export const readDialog = (
  lines: readonly string[],
  pane: Pane,
  styledLines?: readonly string[],
): Reading | null => {
  const found = lastBlock(lines);
  if (found === null) return null;
  const block = { lines: found, top: lines.length - found.length, styledLines, pane };
  return readPermission(block) ?? readQuestion(block);
};
