// The dialogs of the Antigravity CLI, its footer and its input line, by captures that others published (agy 1.1.4 to 1.2.2).
// Nobody could run it here: everything has low confidence, no key is offered, and no reading claims to be whole. A screen with
// options that are not known proves nothing.
import type { PromptRequest } from "../../core/model/request.ts";
import type { Status } from "../../core/model/state.ts";
import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";
import {
  asks,
  isBlank,
  joined,
  ofWholeScreen,
  shows,
  visibleLines,
  withoutBlankEnds,
} from "../common/screenText.ts";
import {
  BACKGROUND,
  EDIT_APPROVAL,
  FRESH,
  QUESTION,
  THINKING,
  TOOL_APPROVAL,
  TRUST_APPROVAL,
} from "../common/events.ts";

interface Kind {
  status: Status;
  kind: PromptRequest["kind"];
}

const TITLES: Readonly<Record<string, Kind>> = {
  "Run this command?": { status: TOOL_APPROVAL, kind: "command" },
  "Do you want to proceed?": { status: TOOL_APPROVAL, kind: "tool" },
  "Allow access to this file?": { status: TOOL_APPROVAL, kind: "tool" },
  "Allow creation of this file?": { status: EDIT_APPROVAL, kind: "edit" },
  "Accept this file edit?": { status: EDIT_APPROVAL, kind: "edit" },
  "Do you trust the contents of this project?": { status: TRUST_APPROVAL, kind: "trust" },
};
const NUMBERED_QUESTION = /^Question \d+\/\d+: (\S.*)$/;
/** Above what a permission is for. */
const ASKED = /^Requesting permission for:$/;

const HINTS = /^ {1,4}↑\/↓ Navigate( · .*)?$/;
/** At the left of the last row, with the model far to the right, while there is something to cancel. */
const CANCEL = /^ {0,2}esc to cancel( {3,}.*)?$/;
const SHORTCUTS = /^ {0,2}\? for shortcuts( {3,}.*)?$/;
/** The model and the account alone. */
const RIGHT_SIDE = /^ {20,}\S/;
const OPTION = /^(> |  )(?:(\d)\. )?(\S.*)$/;
const REFUSAL = /^No(, .*)?$/;
const CONSENT = /^Yes(, .*)?$/;
const RULE = /^─{7,}$/;
const INPUT = /^> ?/;
/** Marks of sub-agents, timers and tools that go on behind an input line at rest. */
const BEHIND = /^\s*(?:[●•]\s+(?:Agent|Schedule)\(|○\s+\S+\(|[●•]\s+\[\d{1,2}:\d{2}|[\u2800-\u28ff]\s)/u;
const TASKS = /\b[1-9]\d* (?:background )?(?:tasks?|commands?)\b/;

/** The longest dialog seen has four options, which may be wrapped, and a sentence above them. */
const MAX_DIALOG_ROWS = 16;
const MAX_BODY_ROWS = 60;
const MAX_OPTIONS = 9;

interface Options {
  /** Index of the first one. */
  start: number;
  labels: string[];
}

/** Rows up to `end` of which one is chosen and which are numbered in order, or not at all; descriptions are indented below. */
const optionsAbove = (rows: readonly string[], end: number): Options | null => {
  let start = end;
  while (start > 0 && end - start < MAX_OPTIONS * 2 && !isBlank(rows[start - 1] ?? "")) {
    if (!/^(?:> |  )/.test(rows[start - 1] ?? "")) break;
    start -= 1;
  }
  const found = rows.slice(start, end).filter((row) => !/^ {4,}/.test(row));
  const options = found.map((row) => OPTION.exec(row));
  if (options.length < 2 || options.length > MAX_OPTIONS || options.includes(null)) return null;
  const isChosenOne = options.filter((option) => option?.[1] === "> ").length === 1;
  const numbers = options.map((option) => option?.[2]);
  const areNumbered = numbers.every((number, index) => number === String(index + 1));
  if (!isChosenOne || !(areNumbered || numbers.every((number) => number === undefined))) return null;
  return { start, labels: options.map((option) => option?.[3] ?? "") };
};

/** Index of the row above `end` that is a title; a blank row and a sentence may stand between. */
const titleAbove = (rows: readonly string[], end: number): number | null => {
  for (let index = end - 1; index >= 0 && end - index <= MAX_DIALOG_ROWS; index -= 1) {
    const row = (rows[index] ?? "").trim();
    if (Object.hasOwn(TITLES, row) || NUMBERED_QUESTION.test(row)) return index;
    // Options of another dialog, or its end.
    if (OPTION.exec(rows[index] ?? "")?.[2] !== undefined || HINTS.test(rows[index] ?? "")) return null;
  }
  return null;
};

/** What stands below the words that ask for a permission; null where they are not seen. */
const bodyAbove = (rows: readonly string[], title: number): string | null => {
  const first = Math.max(0, title - MAX_BODY_ROWS);
  const asked = rows.slice(first, title).findLastIndex((row) => ASKED.test(row.trim()));
  if (asked < 0) return null;
  const body = withoutBlankEnds(rows.slice(first + asked + 1, title));
  return body.length === 0 ? null : body.join("\n");
};

/** The rows without the footer: hints of keys are part of a dialog. */
const withoutFooter = (rows: readonly string[]): number => {
  let end = rows.length;
  while (
    end > 0 &&
    (isBlank(rows[end - 1] ?? "") || CANCEL.test(rows[end - 1] ?? "") || RIGHT_SIDE.test(rows[end - 1] ?? ""))
  )
    end -= 1;
  return end;
};

const readDialog = (rows: readonly string[], hints: number): Reading | null => {
  let end = hints;
  while (end > 0 && isBlank(rows[end - 1] ?? "")) end -= 1;
  const options = optionsAbove(rows, end);
  const title = options === null ? null : titleAbove(rows, options.start);
  if (options === null || title === null) return null;
  const text = (rows[title] ?? "").trim();
  const question = NUMBERED_QUESTION.exec(text)?.[1];
  const { labels } = options;
  const shown = { options: labels.map((label) => ({ label, keys: null })) };
  const matched = `${text} / ${labels.at(-1) ?? ""}`;
  if (question !== undefined) {
    const whole = joined([question, ...rows.slice(title + 1, options.start)]);
    return asks(QUESTION, "low", matched, { kind: "question", title: whole, body: whole, ...shown });
  }
  const known = TITLES[text];
  if (known === undefined || !CONSENT.test(labels[0] ?? "") || !REFUSAL.test(labels.at(-1) ?? ""))
    return null;
  return asks(known.status, "low", matched, {
    kind: known.kind,
    title: text,
    body: bodyAbove(rows, title),
    ...shown,
  });
};

/** The input line between its rules, above a footer in the last row. */
const hasInput = (rows: readonly string[]): boolean => {
  const bottom = rows.findLastIndex((row) => RULE.test(row.trim()));
  if (bottom !== rows.length - 2) return false;
  const top = rows.slice(0, bottom).findLastIndex((row) => RULE.test(row.trim()));
  return top >= 0 && INPUT.test(rows[top + 1] ?? "");
};

const readFooter = (rows: readonly string[]): Reading | null => {
  const footer = rows.at(-1) ?? "";
  if (!hasInput(rows)) return null;
  if (CANCEL.test(footer)) return shows(THINKING, "low", footer.trim());
  if (!SHORTCUTS.test(footer)) return null;
  const behind = rows.slice(-12).find((row) => BEHIND.test(row));
  const tasks = TASKS.exec(footer)?.[0];
  if (behind !== undefined || tasks !== undefined)
    return shows(BACKGROUND, "low", behind?.trim() ?? tasks ?? "");
  return shows(FRESH, "low", footer.trim());
};

/** A dialog, work, or its input line at rest; null for everything else. */
export const readAntigravityScreen = (screen: Screen): Reading | null => {
  const rows = visibleLines(screen);
  const end = withoutFooter(rows);
  const isDialog = HINTS.test(rows[end - 1] ?? "");
  return ofWholeScreen(screen, isDialog ? readDialog(rows, end - 1) : readFooter(rows));
};
