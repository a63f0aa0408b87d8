// opencode's dialogs: a permission or a question takes the input box's place, so it is the barred block that ends the
// screen, with its own footer. Source: frames recorded with 1.18.33. Which option is chosen is told by colour alone.
import { MAX_OPTIONS, type PromptRequest } from "../../../core/model/request.ts";
import type { Reading } from "../../../core/ports/agentAdapter.ts";
import { boundedText, oneLine } from "../../common/payload.ts";
import { asks, indentOf, isBlank, joined, movesTo } from "../../common/screenText.ts";
import { PERMISSION_OPTIONS } from "../promptRequest.ts";
import { lastBlock } from "./layout.ts";
import { selectedOf } from "./selection.ts";

const PERMISSION_TITLE = /^\s{1,3}△ Permission required\s*$/;
const PERMISSION_FOOTER = /^\s{1,4}Allow once\s+Allow always\s+Reject\b/;
const QUESTION_FOOTER = /^\s{1,3}(⇆ tab\s+)?↑↓ select\s+enter \w+\s+esc dismiss\s*$/;
const NUMBERED = /^\s{1,3}(\d{1,2})\. (\S.*)$/;
const EDIT_HEADING = /^(Edit|Write|Patch|Apply patch)\b/i;

const trimmed = (lines: readonly string[]): string[] => {
  const kept = lines.slice();
  while (kept.length > 0 && isBlank(kept[0] ?? "")) kept.shift();
  while (kept.length > 0 && isBlank(kept.at(-1) ?? "")) kept.pop();
  return kept;
};

const bodyOf = (lines: readonly string[]): string | null => {
  const kept = trimmed(lines);
  if (kept.length === 0) return null;
  const indent = Math.min(...kept.filter((line) => !isBlank(line)).map(indentOf));
  return boundedText(kept.map((line) => line.slice(indent)).join("\n"));
};

/** Signs that opencode puts before a tool's heading. */
const headingOf = (line: string): string => oneLine(line.trim().replace(/^[#→←✱⚙%◇] ?/u, ""));

type StyledLines = readonly string[] | undefined;

/** Keys from the chosen option to the others; a refusal needs none. */
const permissionOptions = (styledLines: StyledLines): PromptRequest["options"] => {
  const labels = PERMISSION_OPTIONS.map(({ label }) => label);
  const selected = selectedOf(styledLines, labels);
  if (selected === null) return PERMISSION_OPTIONS;
  return PERMISSION_OPTIONS.map((option, index) => {
    const moves = Array<string>(Math.abs(index - selected)).fill(index > selected ? "Right" : "Left");
    return { ...option, keys: option.role === "deny" ? option.keys : [...moves, "Enter"] };
  });
};

const readPermission = (block: readonly string[], styledLines: StyledLines): Reading | null => {
  const footer = block.findLastIndex((line) => PERMISSION_FOOTER.test(line));
  const title = block.findLastIndex((line) => PERMISSION_TITLE.test(line));
  if (title < 0 || footer < title || block.slice(footer + 1).filter((line) => !isBlank(line)).length > 2)
    return null;
  const text = trimmed(block.slice(title + 1, footer));
  const [first = "", ...rest] = text;
  const heading = headingOf(first);
  const body = bodyOf(rest);
  const options = permissionOptions(styledLines);
  const matched = `△ Permission required / ${(block[footer] ?? "").trim()}`;
  if (EDIT_HEADING.test(heading))
    return asks({ state: "waiting_approval", reasonCode: "permission_edit" }, "high", matched, {
      kind: "edit",
      title: heading,
      body: body ?? boundedText(heading.replace(EDIT_HEADING, "").trim()),
      toolName: "edit",
      options,
    });
  const command = body !== null && body.startsWith("$ ") ? body.slice(2) : null;
  return asks({ state: "waiting_approval", reasonCode: "permission_tool" }, "high", matched, {
    kind: command === null ? "tool" : "command",
    title: heading === "" ? "Permission required" : heading,
    body: command ?? body,
    toolName: command === null ? null : "bash",
    options,
  });
};

/** Several answers or questions are confirmed by other keys than one Enter: its footer then says another word. */
const SINGLE_FOOTER = /^\s{1,3}↑↓ select\s+enter submit\b/;
const OWN_ANSWER = /^Type your own answer$/;

const readQuestion = (block: readonly string[], styledLines: StyledLines): Reading | null => {
  const footer = block.findLastIndex((line) => !isBlank(line));
  if (footer < 0 || !QUESTION_FOOTER.test(block[footer] ?? "")) return null;
  const first = block.findIndex((line) => NUMBERED.exec(line)?.[1] === "1");
  if (first < 0 || first >= footer) return null;
  const text = joined(block.slice(0, first).filter((line) => !isBlank(line)));
  if (text === "") return null;
  const drawn = block.slice(first, footer).flatMap((line) => {
    const [, number, label] = NUMBERED.exec(line) ?? [];
    return number === undefined || label === undefined ? [] : [{ label, text: `${number}. ${label}` }];
  });
  // What is chosen shows by colour alone: without colours the way to another answer is not known.
  const selected = SINGLE_FOOTER.test(block[footer] ?? "")
    ? selectedOf(
        styledLines,
        drawn.map(({ text }) => text),
      )
    : null;
  const options = drawn.map(({ label }, index) => ({
    label: oneLine(label),
    keys: selected === null || OWN_ANSWER.test(label) ? null : movesTo(index, selected),
  }));
  return asks(
    { state: "waiting_input", reasonCode: "question" },
    "high",
    `${text.slice(0, 200)} / ${(block[footer] ?? "").trim()}`,
    {
      kind: "question",
      title: oneLine(text),
      body: boundedText(text),
      toolName: "question",
      options: options.slice(0, MAX_OPTIONS),
    },
  );
};

/** The dialog that ends the screen, or null. */
export const readDialog = (lines: readonly string[], styledLines?: readonly string[]): Reading | null => {
  const block = lastBlock(lines);
  return block === null ? null : (readPermission(block, styledLines) ?? readQuestion(block, styledLines));
};
