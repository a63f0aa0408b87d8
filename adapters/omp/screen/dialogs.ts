// oh-my-pi's dialogs: a box that ends the screen, in the place of the input corner, with a footer of its own. Tool boxes
// and old questions in the conversation look alike but never end the screen. What is asked is read row by row, by its place,
// but an approval is never whole by its rows: arguments of a command are not among them, and control characters of what is
// asked reach the terminal, so that they may draw anything. Source: frames recorded with 18.2.3.
import type { Reading } from "../../../core/ports/agentAdapter.ts";
import { withoutBlankEnds } from "../../common/frames.ts";
import { oneLine } from "../../common/payload.ts";
import type { RequestFields } from "../../common/promptRequest.ts";
import { withRoles } from "../../common/roles.ts";
import { asks, isBlank, joined } from "../../common/screenText.ts";
import { QUESTION } from "../../common/signals.ts";
import { isEditTool } from "../../piFamily/promptRequest.ts";
import { readSelector } from "../../piFamily/selector.ts";

const TOP = /^╭─+ (\S.*?) ─+╮$/;
const BOTTOM = /^╰─+╯$/;
const DIVIDER = /^├─+┤$/;
const APPROVAL_TITLE = /^Allow tool: (\S+)$/;
const APPROVAL_FOOTER = /^ ?up\/down navigate {2}enter select {2}esc cancel\b/;
const QUESTION_FOOTER = /^ ?Enter (select|toggle|confirm|submit)\b.*\bEsc cancel\b/;
const SUBJECT = /^((?:Command|URL|Query|Pattern|Input|Arguments): )(\S.*)$/;
const FILE = /^(?:File|Path): (\S.*)$/;
const CONTENT = /^Content:$/;
/** Columns of the frame and of the blanks inside it. */
const FRAME_COLUMNS = 4;

interface Box {
  /** Null where its upper edge is out of sight. */
  title: string | null;
  /** Lines between the borders, dividers kept as they are. */
  lines: readonly string[];
  /** Index on the screen of its first row in sight. */
  top: number;
  /** Every row ends in its border at the right place. */
  isStraight: boolean;
}

const inside = (line: string): string | null => /^│(.*)│$/.exec(line)?.[1]?.trimEnd() ?? null;

/** The box that ends the screen; null where anything stands below it or a line is not a box's. */
const lastBox = (lines: readonly string[]): Box | null => {
  const end = lines.length - 1;
  const edge = lines[end] ?? "";
  if (!BOTTOM.test(edge)) return null;
  const content: string[] = [];
  let isStraight = true;
  for (let index = end - 1; index >= 0; index -= 1) {
    const line = lines[index] ?? "";
    const title = TOP.exec(line)?.[1];
    if (title !== undefined) return { title, lines: content, top: index, isStraight };
    const text = DIVIDER.test(line) ? line : inside(line);
    if (text === null) return null;
    isStraight &&= line.length === edge.length;
    content.unshift(text);
  }
  return { title: null, lines: content, top: 0, isStraight };
};

const footerAt = (lines: readonly string[], footer: RegExp): number => {
  const last = lines.findLastIndex((line) => !isBlank(line) && !DIVIDER.test(line));
  return footer.test(lines[last] ?? "") ? last : -1;
};

/** Adjoining lines directly above `end`, blanks and dividers between left out. */
const blockAbove = (lines: readonly string[], end: number): { lines: readonly string[]; start: number } => {
  let to = end;
  while (to > 0 && (isBlank(lines[to - 1] ?? "") || DIVIDER.test(lines[to - 1] ?? ""))) to -= 1;
  let from = to;
  while (from > 0 && !isBlank(lines[from - 1] ?? "") && !DIVIDER.test(lines[from - 1] ?? "")) from -= 1;
  return { lines: lines.slice(from, to), start: from };
};

const rowsOf = (lines: readonly string[]): string[] =>
  withoutBlankEnds(lines).map((line) => line.replace(/^ /, ""));

/** A file is drawn as it would be written, without numbers: where a row is a line and where it goes on nobody can tell. */
const editFields = ([first = "", second, ...content]: readonly string[], columns: number): RequestFields => ({
  kind: "edit",
  title: "",
  body: FILE.exec(first)?.[1] ?? null,
  ...(CONTENT.test(second ?? "") ? { content: content.map((row) => `+${row}`).join("\n"), columns } : {}),
});

const textFields = (kind: "command" | "tool", rows: readonly string[], columns: number): RequestFields => {
  const [first = "", ...rest] = rows;
  const [, label = "", subject = first] = SUBJECT.exec(first) ?? [];
  return {
    kind,
    title: "",
    body: rows.length === 0 ? null : [subject, ...rest].join("\n"),
    columns,
    ...(label === "" ? {} : { inset: label.length }),
  };
};

const fieldsOf = (toolName: string | null, rows: readonly string[], width: number): RequestFields => {
  const columns = Math.max(1, width - FRAME_COLUMNS);
  if (toolName === null)
    return { kind: "other", title: "", body: rows.length === 0 ? null : rows.join("\n"), columns };
  if (isEditTool(toolName)) return editFields(rows, columns);
  return textFields(toolName === "bash" ? "command" : "tool", rows, columns);
};

/** Recorded with 18.2.3. */
const ROLES = { approve: /^Approve$/, always: /^(?!)/, deny: /^Deny$/ };

const readApproval = ({ title, lines, top }: Box, width: number): Reading | null => {
  const toolName = title === null ? null : APPROVAL_TITLE.exec(title)?.[1];
  const footer = footerAt(lines, APPROVAL_FOOTER);
  if (toolName === undefined || footer < 0) return null;
  const block = blockAbove(lines, footer);
  const options = readSelector(block.lines);
  if (options === null || options.map(({ label }) => label).join("/") !== "Approve/Deny") return null;
  const fields = fieldsOf(toolName, rowsOf(lines.slice(0, block.start)), width);
  const name = title ?? "Allow tool";
  return asks(
    {
      state: "waiting_approval",
      reasonCode: fields.kind === "edit" ? "permission_edit" : "permission_tool",
    },
    title === null ? "medium" : "high",
    `${name} / ${(lines[footer] ?? "").trim()}`,
    {
      ...fields,
      title: name,
      toolName: toolName === null ? null : oneLine(toolName, 200),
      options: withRoles(
        options.map((option) => (option.label === "Deny" ? { ...option, keys: ["Escape"] } : option)),
        ROLES,
      ),
    },
    top,
  );
};

const readQuestion = ({ title, lines, top, isStraight }: Box, width: number): Reading | null => {
  if (title === null || !/^Ask\b/.test(title)) return null;
  const footer = footerAt(lines, QUESTION_FOOTER);
  const divider = lines.findIndex((line) => DIVIDER.test(line));
  if (footer < 0 || divider < 1 || divider > footer) return null;
  const rows = rowsOf(lines.slice(0, divider));
  const text = joined(rows.filter((line) => !isBlank(line)));
  const options = readSelector(blockAbove(lines, footer).lines);
  if (text === "" || options === null) return null;
  return asks(
    QUESTION,
    "high",
    `${text.slice(0, 200)} / ${(lines[footer] ?? "").trim()}`,
    {
      kind: "question",
      title: text,
      body: rows.join("\n"),
      columns: Math.max(1, width - FRAME_COLUMNS),
      toolName: "ask",
      options,
      isWhole: isStraight,
    },
    top,
  );
};

/** The dialog that ends the screen, or null. `width`: of the pane. */
export const readOmpDialog = (lines: readonly string[], width: number): Reading | null => {
  const box = lastBox(lines);
  return box === null ? null : (readApproval(box, width) ?? readQuestion(box, width));
};
