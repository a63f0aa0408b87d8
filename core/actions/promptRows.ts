// Which rows of a screen are the prompt: those that must still be there when the keys arrive. Pure, and without knowledge
// of any agent: the texts of the request are looked up from the bottom, where dialogs stand.
import type { PromptRequest } from "../model/request.ts";

/** More rows make one tmux command too long. */
const MAX_ROWS = 16;
/** Shorter pieces of a body stand in any row. */
const LEAST = 3;
/** So much of a text tells where it begins; the rest may be wrapped. */
const HEAD = 20;

const compact = (text: string): string => text.normalize("NFC").replaceAll(/[\s\u2500-\u259f]/gu, "");
/** Signs and numbers before an option. */
const withoutMark = (row: string): string => compact(row).replace(/^[^\p{L}\p{N}]*(?:\d{1,2}\.)?/u, "");

const lastRowWith = (rows: readonly string[], text: string): number =>
  text === "" ? -1 : rows.findLastIndex((row) => compact(row).includes(text));

/** Rows as they stand, options first; the last rows with a text where nothing of the request can be found. */
export const promptRows = (rows: readonly string[], { title, body, options }: PromptRequest): string[] => {
  const labels = options.map(({ label }) => compact(label).slice(0, HEAD)).filter((label) => label !== "");
  const first = labels.length === 0 ? -1 : lastRowWith(rows, labels[0] ?? "");
  const head = lastRowWith(first < 0 ? rows : rows.slice(0, first), compact(title).slice(0, HEAD));
  const start = Math.max(0, head >= 0 ? head : first);
  const region = rows.slice(start).filter((row) => compact(row) !== "");
  const isOption = (row: string): boolean => labels.some((label) => compact(row).includes(label));
  const text = compact(`${title}\n${body ?? ""}`);
  const isText = (row: string): boolean => {
    const own = withoutMark(row);
    return own.length >= LEAST && text.includes(own);
  };
  const found = [...region.filter(isOption), ...region.filter((row) => !isOption(row) && isText(row))];
  return found.length > 0 ? found.slice(0, MAX_ROWS) : region.slice(-LEAST);
};
