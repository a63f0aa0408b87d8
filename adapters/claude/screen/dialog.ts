// A dialog between the rule above it and the keys below it, and what readers of every kind of dialog take from it.
import type { Confidence, Status } from "../../../core/model/state.ts";
import type { Reading } from "../../../core/ports/agentAdapter.ts";
import type { RequestFields } from "../../common/promptRequest.ts";
import { asks, indentOf, isBlank, joined } from "../../common/screenText.ts";
import { isSeparator } from "./body.ts";
import type { Selector } from "./options.ts";

/** The dialog's own text above its selector, without the rule that separates it from the conversation. */
export interface Dialog {
  lines: readonly string[];
  selector: Selector;
  footer: string;
  hasRule: boolean;
  /** A part of it is out of sight, and its last row but the footer says so. */
  isScrolled: boolean;
  /** Index on the screen of its first row in sight. */
  top: number;
  /** Columns of the pane. */
  width: number;
}

export const reading = (
  status: Status,
  confidence: Confidence,
  matched: string,
  request: RequestFields,
  { top }: Pick<Dialog, "top">,
): Reading => asks(status, confidence, matched, request, top);

/** The question's paragraph directly above the selector, and its first line's index. */
export const questionOf = (dialog: Dialog): { text: string; start: number; indent: number } => {
  let end = dialog.selector.start;
  while (end > 0 && isBlank(dialog.lines[end - 1] ?? "")) end -= 1;
  let start = end;
  while (start > 0 && !isBlank(dialog.lines[start - 1] ?? "") && !isSeparator(dialog.lines[start - 1] ?? ""))
    start -= 1;
  // A wrapped question has its known beginning some lines up; the nearest line that begins like one wins.
  const known = dialog.lines
    .slice(start, end)
    .findLastIndex((line) => /^ ?(Do you want|Would you like|Exit plan)/.test(line));
  const from = known < 0 ? start : start + known;
  return {
    text: joined(dialog.lines.slice(from, end)),
    start: from,
    indent: indentOf(dialog.lines[from] ?? ""),
  };
};
