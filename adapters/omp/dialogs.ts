// oh-my-pi's dialogs: a box that ends the screen, in the place of the input corner, with a footer of its own. Tool boxes
// and old questions in the conversation look alike but never end the screen. Source: frames recorded with 18.2.3.
import type { Reading } from "../../core/ports/agentAdapter.ts";
import { boundedText, oneLine } from "../common/payload.ts";
import { withRoles } from "../common/roles.ts";
import { asks, isBlank, joined } from "../common/screenText.ts";
import { isEditTool } from "../piFamily/promptRequest.ts";
import { readSelector } from "../piFamily/selector.ts";

const TOP = /^╭─+ (\S.*?) ─+╮$/;
const BOTTOM = /^╰─+╯$/;
const DIVIDER = /^├─+┤$/;
const APPROVAL_TITLE = /^Allow tool: (\S+)$/;
const APPROVAL_FOOTER = /^ ?up\/down navigate {2}enter select {2}esc cancel\b/;
const QUESTION_FOOTER = /^ ?Enter (select|toggle|confirm|submit)\b.*\bEsc cancel\b/;
const SUBJECT = /^ ?(Command|Path|File|URL|Query|Pattern|Input|Arguments): (\S.*)$/;

interface Box {
  title: string;
  /** Lines between the borders, dividers kept as they are. */
  lines: readonly string[];
}

const inside = (line: string): string | null => /^│(.*)│$/.exec(line)?.[1]?.trimEnd() ?? null;

/** The box that ends the screen; null where anything stands below it or a line is not a box's. */
const lastBox = (lines: readonly string[]): Box | null => {
  const end = lines.length - 1;
  if (!BOTTOM.test(lines[end] ?? "")) return null;
  const content: string[] = [];
  for (let index = end - 1; index >= 0; index -= 1) {
    const line = lines[index] ?? "";
    const title = TOP.exec(line)?.[1];
    if (title !== undefined) return { title, lines: content };
    const text = DIVIDER.test(line) ? line : inside(line);
    if (text === null) return null;
    content.unshift(text);
  }
  return null;
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

/** The first `Command: …` with the lines that continue it. */
const subjectOf = (lines: readonly string[]): string | null => {
  const at = lines.findIndex((line) => SUBJECT.test(line));
  if (at < 0) return null;
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => isBlank(line) || SUBJECT.test(line));
  const continued = (end < 0 ? rest : rest.slice(0, end)).map((line) => line.replace(/^ /, ""));
  return boundedText([SUBJECT.exec(lines[at] ?? "")?.[2] ?? "", ...continued].join("\n"));
};

/** Recorded with 18.2.3. */
const ROLES = { approve: /^Approve$/, always: /^(?!)/, deny: /^Deny$/ };

const readApproval = ({ title, lines }: Box): Reading | null => {
  const toolName = APPROVAL_TITLE.exec(title)?.[1];
  const footer = footerAt(lines, APPROVAL_FOOTER);
  if (toolName === undefined || footer < 0) return null;
  const block = blockAbove(lines, footer);
  const options = readSelector(block.lines);
  if (options === null || !options.some(({ label }) => label === "Approve")) return null;
  const body = subjectOf(lines.slice(0, block.start));
  const isEdit = isEditTool(toolName);
  return asks(
    { state: "waiting_approval", reasonCode: isEdit ? "permission_edit" : "permission_tool" },
    "high",
    `${title} / ${(lines[footer] ?? "").trim()}`,
    {
      kind: isEdit ? "edit" : toolName === "bash" ? "command" : "tool",
      title,
      body,
      toolName: oneLine(toolName, 200),
      options: withRoles(
        options.map((option) => (option.label === "Deny" ? { ...option, keys: ["Escape"] } : option)),
        ROLES,
      ),
    },
  );
};

const readQuestion = ({ title, lines }: Box): Reading | null => {
  if (!/^Ask\b/.test(title)) return null;
  const footer = footerAt(lines, QUESTION_FOOTER);
  const divider = lines.findIndex((line) => DIVIDER.test(line));
  if (footer < 0 || divider < 1 || divider > footer) return null;
  const text = joined(lines.slice(0, divider).filter((line) => !isBlank(line)));
  const options = readSelector(blockAbove(lines, footer).lines);
  if (text === "" || options === null) return null;
  return asks(
    { state: "waiting_input", reasonCode: "question" },
    "high",
    `${text.slice(0, 200)} / ${(lines[footer] ?? "").trim()}`,
    { kind: "question", title: oneLine(text), body: boundedText(text), toolName: "ask", options },
  );
};

/** The dialog that ends the screen, or null. */
export const readOmpDialog = (lines: readonly string[]): Reading | null => {
  const box = lastBox(lines);
  return box === null ? null : (readApproval(box) ?? readQuestion(box));
};
