// A prompt as a person reads it: what is asked, on what, the options, and when the agent goes on without an answer. All of its
// text is printed, to the letter. Characters that a terminal would obey or that nobody would see become marks, which can be
// read back.
import type { OptionRole, RequestView } from "../../core/model/request.ts";
import { remarkText } from "../../core/model/requestWords.ts";
import { visibleLine, visibleOnTerminal } from "../../core/model/visibleText.ts";
import { formatAge } from "../../core/model/words.ts";

const ROLES: Readonly<Record<OptionRole, string>> = {
  approve: " (approve)",
  approve_always: "",
  deny: " (deny)",
};

const NOT_WHOLE = "Not shown whole: a part of it could not be read. It may be denied; attach to read it.";

const indented = (text: string): string[] =>
  visibleOnTerminal(text)
    .split("\n")
    .map((line) => `    ${line}`);

const optionLines = (
  { label, description, role }: RequestView["options"][number],
  index: number,
): string[] => [
  `  ${index + 1}. ${visibleLine(label)}${role === null || role === undefined ? "" : ROLES[role]}`,
  ...((description ?? "") === "" ? [] : [`     ${visibleLine(description ?? "")}`]),
];

/** Every line is indented; no control character of an agent is in them. */
export const promptLines = (request: RequestView, now: number): string[] => {
  const { title, body, content = null } = request;
  const lines = [`  ${visibleLine(title)}`];
  if (body !== null && body !== title) lines.push(...indented(body));
  if (content !== null) lines.push(...indented(content));
  const remark = remarkText(request);
  if (remark !== "") lines.push(...indented(remark));
  if (!request.is_whole) lines.push(`    ${NOT_WHOLE}`);
  if (request.expires_at !== null) {
    const leftMs = Date.parse(request.expires_at) - now;
    lines.push(
      `    It goes on without an answer ${leftMs > 0 ? `in ${formatAge(leftMs)}` : "any moment now"}.`,
    );
  }
  return [...lines, ...request.options.flatMap(optionLines)];
};
