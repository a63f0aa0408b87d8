// What is shown of a request, in the same order and words on every surface: what is to be judged first, and nothing twice; how
// long the agent waits; how much fits into a card at first. Pure. Only what is shown to the letter may be approved.
import type { RequestView } from "../../core/model/request.ts";
import { changeSummary, formatAge, remarkText, requestHeading } from "../../core/model/words.ts";
import { displayText } from "./displayText.ts";

export interface RequestPart {
  /** `change`: a diff, whose signs stay; `prose`: may be set in the surface's own font; `remark`: what the agent says about it. */
  kind: "command" | "path" | "change" | "prose" | "remark";
  /** To the letter. */
  text: string;
}

const BODY_KINDS: Readonly<Record<RequestView["kind"], RequestPart["kind"]>> = {
  command: "command",
  edit: "path",
  plan: "prose",
  trust: "path",
  tool: "command",
  question: "prose",
  other: "command",
};

/** How many lines a request has: those of what it writes, else of its text. */
export const lineCount = ({ body, content }: RequestView): number =>
  (content ?? body ?? "").split("\n").length;

/** `Question 1 of 2 · Colour`; empty for one alone. */
const pageText = ({ pages }: RequestView): string => {
  if (pages === undefined || pages.names.length < 2) return "";
  const { number, names } = pages;
  return number === null
    ? `One of ${names.length} questions: ${names.join(", ")}`
    : `Question ${number} of ${names.length} · ${names[number - 1] ?? ""}`;
};

/** All of a request but its options. */
export const requestText = (request: RequestView) => {
  const { kind, body, content = null, is_whole: isWhole } = request;
  const remark = remarkText(request);
  const parts: RequestPart[] = [
    ...(body === null ? [] : [{ kind: BODY_KINDS[kind], text: body }]),
    ...(content === null ? [] : [{ kind: "change", text: content } as const]),
    ...(remark === "" ? [] : [{ kind: "remark", text: remark } as const]),
  ];
  return {
    /** What the title says beyond badge and body; empty: nothing. */
    heading: [pageText(request), requestHeading(request)].filter((text) => text !== "").join(" · "),
    parts,
    /** `+12 −3 in 2 places`; empty for what is no edit. */
    summary: content === null ? "" : changeSummary(content),
    lineCount: lineCount(request),
    /** Why nothing can be approved here, whatever is unfolded; empty: nothing is missing. */
    note: isWhole ? "" : "Not shown in full: part of it couldn't be read. Attach to read it.",
  };
};

/** Above this no seconds are shown. */
const MINUTES_FROM_MS = 120_000;

export const timeLeft = (leftMs: number): string => {
  if (leftMs <= 0) return "any moment now";
  return leftMs > MINUTES_FROM_MS ? `in ${formatAge(leftMs)}` : `in ${Math.ceil(leftMs / 1_000)}\u00a0s`;
};

/** How long the agent waits; empty: for ever. `now`: epoch ms by the daemon's clock. */
export const expiryText = ({ expires_at: at }: RequestView, now: number): string =>
  at === null ? "" : `The agent continues without an answer ${timeLeft(Date.parse(at) - now)}.`;

/** How many rows of a text are shown at first; a longer text is folded until the person unfolds it. */
const MAX_ROWS = 12;
/** Characters of a row at the popover's initial width. */
export const COLUMNS = 44;

const rowsOf = (text: string): number =>
  displayText(text)
    .split("\n")
    .reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / COLUMNS)), 0);

/** False: a part of it is folded away at first. */
export const fitsAtOnce = (request: RequestView): boolean => {
  const remark = remarkText(request);
  const texts = [request.body ?? "", request.content ?? null, remark === "" ? null : remark];
  return texts.reduce((rows, text) => rows + (text === null ? 0 : rowsOf(text)), 0) <= MAX_ROWS;
};

/** Characters of a line that is longer than any window is wide. */
const MAX_COLUMNS = 600;

/** An edit is shown from the line before its first change on. */
const fromFirstChange = (text: string): string => {
  const lines = text.split("\n");
  return lines.slice(Math.max(lines.findIndex((line) => /^[+-]/.test(line)) - 1, 0)).join("\n");
};

/** As much of a part as fits into some rows of the popover, as it is drawn. */
export const boundPart = ({ kind, text }: RequestPart, rows: number): string => {
  if (rowsOf(text) <= rows) return displayText(text);
  const kept: string[] = [];
  let left = rows;
  for (const line of displayText(kind === "change" ? fromFirstChange(text) : text).split("\n")) {
    if (left <= 0) break;
    kept.push(line.slice(0, Math.min(left * COLUMNS, MAX_COLUMNS)));
    left -= rowsOf(line);
  }
  return kept.join("\n");
};
