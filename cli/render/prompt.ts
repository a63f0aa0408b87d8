// A prompt as a person reads it: what is asked, on what, the options, and when the agent goes on without an answer.
import type { OptionRole, RequestView } from "../../core/model/request.ts";
import { formatAge } from "../../core/model/words.ts";
import { cleanLine, cleanLines } from "./clean.ts";

const ROLES: Readonly<Record<OptionRole, string>> = {
  approve: " (approve)",
  approve_always: "",
  deny: " (deny)",
};

/** Every line indented; no control character of an agent is in them. */
export const promptLines = (request: RequestView, now: number): string[] => {
  const lines = [`  ${cleanLine(request.title)}`];
  if (request.body !== null && request.body !== request.title)
    lines.push(...cleanLines(request.body).map((line) => `    ${line}`));
  if (request.expires_at !== null) {
    const leftMs = Date.parse(request.expires_at) - now;
    lines.push(
      `    It goes on without an answer ${leftMs > 0 ? `in ${formatAge(leftMs)}` : "any moment now"}.`,
    );
  }
  for (const [index, { label, role }] of request.options.entries())
    lines.push(
      `  ${index + 1}. ${cleanLine(label)}${role === null || role === undefined ? "" : ROLES[role]}`,
    );
  return lines;
};
