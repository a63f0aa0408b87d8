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

/** Titles that only repeat the badge of a card: they name a tool, and all that it is to do is the body. */
const PLAIN_TITLES: Readonly<Partial<Record<RequestView["kind"], RegExp>>> = {
  command: /^(?:bash|shell|terminal|run)?(?: ?(?:a )?command)?$/i,
  edit: /^(?:edit|write|update|create)(?: (?:a )?file)?$/i,
};
const EDIT_QUESTION =
  /^Do you want to (?:make this edit|write|create|overwrite|update|edit)\b[^\n]{0,200}\?$/;

const isPlainTitle = ({ kind, title, body, tool_name: tool }: RequestView): boolean => {
  if (PLAIN_TITLES[kind]?.test(title) === true) return true;
  if (kind === "command") return body !== null && title === tool;
  const file = body?.split("/").at(-1) ?? "";
  return kind === "edit" && file !== "" && title.includes(file) && EDIT_QUESTION.test(title);
};

/** What a request's title says beyond its badge and its body; empty where it adds nothing. */
export const requestHeading = (request: RequestView): string => {
  const title = displayLine(request.title);
  const body = displayLine(request.body ?? "");
  if (title === "" || title === body || (body !== "" && isPlainTitle(request))) return "";
  return request.kind === "question" && body.startsWith(title) ? "" : title;
};

/** How many lines a request has: those of what it writes, else of its text. */
export const lineCount = ({ body, content }: Pick<RequestView, "body" | "content">): number =>
  (content ?? body ?? "").split("\n").length;

/** `+12 −3 in 2 places`: what an edit adds and removes, and in how many runs of changed lines. */
export const changeSummary = (content: string): string => {
  let [added, removed, places] = [0, 0, 0];
  let isInside = false;
  for (const line of content.split("\n")) {
    const isChange = line.startsWith("+") || line.startsWith("-");
    if (line.startsWith("+")) added += 1;
    else if (line.startsWith("-")) removed += 1;
    if (isChange && !isInside) places += 1;
    isInside = isChange;
  }
  return `+${added} −${removed} in ${places} ${places === 1 ? "place" : "places"}`;
};

/** Characters of a line that is longer than any window is wide. */
const FOLDED_CHARACTERS = 600;

/** The first rows of a text that does not fit, for a person to begin with. */
export const foldText = (text: string, rows: number): string => {
  const lines: string[] = [];
  let left = rows;
  for (const line of displayText(text.slice(0, rows * FOLDED_CHARACTERS)).split("\n")) {
    if (left <= 0) break;
    const kept = line.slice(0, left * COLUMNS);
    lines.push(kept);
    left -= Math.max(1, Math.ceil(kept.length / COLUMNS));
  }
  return lines.join("\n");
};

/** An edit from the line before its first change on. */
export const fromFirstChange = (content: string): string => {
  const lines = content.split("\n");
  const first = lines.findIndex((line) => /^[+-]/.test(line));
  return lines.slice(Math.max(first - 1, 0)).join("\n");
};

/** An option with the number that chooses it. */
export interface ListedOption {
  number: number;
  option: RequestView["options"][number];
}

const PLAIN_YES = /^(?:yes|allow|approve|accept|ok)(?: once|,? (?:proceed|continue|just this once))?[.!]?$/i;

/**
 * The options that a button of their own must stand for. A plain yes is said by "Approve", and every refusal by "Deny"; a yes
 * that says more than yes is listed too, because its words are a part of what is approved.
 */
export const listedOptions = ({ options }: RequestView): ListedOption[] =>
  options
    .map((option, index) => ({ number: index + 1, option }))
    .filter(
      ({ option: { role, label } }) =>
        !(role === "deny" || (role === "approve" && PLAIN_YES.test(displayLine(label).trim()))),
    );

/** False: a part of it is folded away at first. */
export const fitsAtOnce = ({ body, content }: Pick<RequestView, "body" | "content">): boolean =>
  rowsOf(body ?? "") + ((content ?? null) === null ? 0 : rowsOf(content ?? "")) <= MAX_ROWS;

/** The row's one line has all of the request in it: nothing was folded, and it has no second part. */
export const isOneLine = ({ title, body, content }: RequestView): boolean =>
  (content ?? null) === null &&
  displayLine(title) === displayText(title) &&
  displayLine(body ?? "") === displayText(body ?? "");
