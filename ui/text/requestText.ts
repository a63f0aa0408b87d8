// How much of a request fits into a card of the popover at first. Pure. Only what is shown to the letter may be approved.
import type { RequestView } from "../../core/model/request.ts";
import { remarkText } from "../../core/model/words.ts";
import { displayText } from "./displayText.ts";

/** How many rows of a text are shown at first; a longer text is folded until the person unfolds it. */
const MAX_ROWS = 12;
/** Characters of a row at the popover's initial width. */
export const COLUMNS = 44;

const rowsOf = (text: string): number =>
  displayText(text)
    .split("\n")
    .reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / COLUMNS)), 0);

/** How many lines a request has: those of what it writes, else of its text. */
export const lineCount = ({ body, content }: RequestView): number =>
  (content ?? body ?? "").split("\n").length;

/** False: a part of it is folded away at first. */
export const fitsAtOnce = (request: RequestView): boolean => {
  const remark = remarkText(request);
  const texts = [request.body ?? "", request.content ?? null, remark === "" ? null : remark];
  return texts.reduce((rows, text) => rows + (text === null ? 0 : rowsOf(text)), 0) <= MAX_ROWS;
};
