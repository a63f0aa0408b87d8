// How much of a request fits into an expanded row, and whether one line says all of it. Pure. Only what is shown to the letter may
// be approved.
import type { RequestView } from "../../core/model/request.ts";
import { displayLine, displayText } from "./displayText.ts";

/** How many rows of a text are shown at first; a longer text is folded until the person unfolds it. */
const MAX_ROWS = 12;
/** Characters of a row at the popover's initial width. */
const COLUMNS = 44;

const rowsOf = (text: string): number =>
  displayText(text)
    .split("\n")
    .reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / COLUMNS)), 0);

/** False: a part of it is folded away at first. */
export const fitsAtOnce = ({ body, content }: Pick<RequestView, "body" | "content">): boolean =>
  rowsOf(body ?? "") + ((content ?? null) === null ? 0 : rowsOf(content ?? "")) <= MAX_ROWS;

/** The row's one line has all of the request in it: nothing was folded, and it has no second part. */
export const isOneLine = ({ title, body, content }: RequestView): boolean =>
  (content ?? null) === null &&
  displayLine(title) === displayText(title) &&
  displayLine(body ?? "") === displayText(body ?? "");
