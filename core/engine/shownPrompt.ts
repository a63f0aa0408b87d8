// What is shown of a prompt that an event announced and the screen draws, and whether that is the complete text. Pure. Every
// comparison is to the letter: white space counts, except where a wrap explains that it is missing, and a request never matches
// one of another kind.
import type { PromptRequest } from "../model/request.ts";
import { isContentDrawn } from "./drawnContent.ts";
import { matchPlan } from "./drawnPlan.ts";
import { matchDrawn } from "./drawnText.ts";
import { mayBeSamePrompt } from "./samePrompt.ts";

const rowsOf = (text: string): string[] => text.split("\n");

/** An absolute path without `.` and `..`; null where `path` is relative and nobody knows to what. */
const absolutePath = (path: string, cwd: string | null): string | null => {
  if (!path.startsWith("/") && cwd === null) return null;
  const parts: string[] = [];
  for (const part of `${path.startsWith("/") ? "" : cwd}/${path}`.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
};

const isSamePath = (announced: PromptRequest, drawn: string): boolean => {
  if (announced.body === null) return false;
  if (announced.body === drawn) return true;
  const cwd = announced.cwd ?? null;
  const path = absolutePath(announced.body, cwd);
  return path !== null && path === absolutePath(drawn, cwd);
};

const isSameEdit = (announced: PromptRequest, seen: PromptRequest): boolean => {
  if (seen.body === null || !isSamePath(announced, seen.body)) return false;
  const drawn = seen.content ?? null;
  return drawn === null || isContentDrawn(announced.content ?? "", drawn, seen.columns ?? null, seen);
};

/** A dialog without the plan asks for no more than to leave the mode. */
const isPlanDrawn = (announced: PromptRequest, seen: PromptRequest): boolean => {
  if (announced.title !== seen.title) return false;
  if (seen.body === null) return seen.isWhole === true;
  const drawn = matchPlan(announced.body ?? "", seen.body);
  return drawn === "all" || (drawn === "part" && seen.isWhole !== true);
};

const isBodyDrawn = (announced: PromptRequest, seen: PromptRequest): boolean => {
  if (announced.body === null || seen.body === null)
    return announced.body === seen.body && announced.title === seen.title;
  const columns = seen.columns ?? null;
  const rows = rowsOf(seen.body);
  const remark = announced.remark ?? null;
  const drawn = matchDrawn(announced.body, rows, columns, seen);
  return (
    drawn === "all" ||
    (drawn === "part" && seen.isWhole !== true) ||
    (remark !== null && matchDrawn(`${announced.body}\n${remark}`, rows, columns, seen) === "all")
  );
};

const areOptionsDrawn = (announced: PromptRequest, seen: PromptRequest): boolean =>
  announced.kind !== "question" ||
  announced.options.every(({ label }) => seen.options.some((option) => option.label === label));

/** Kinds never cross; `other`: the dialog's heading is out of sight, but rows of its text are not. */
const isSameKind = (announced: PromptRequest, seen: PromptRequest): boolean =>
  announced.kind === seen.kind ||
  (announced.kind === "command" && seen.kind === "other" && seen.body !== null && seen.isWhole !== true);

/** What is drawn of the dialog is, to the letter, a piece of what was announced, or all of it. */
const isDrawn = (announced: PromptRequest, seen: PromptRequest): boolean => {
  if (!isSameKind(announced, seen)) return false;
  if (announced.kind === "edit") return isSameEdit(announced, seen);
  if (announced.kind === "plan" && isPlanDrawn(announced, seen)) return true;
  return isBodyDrawn(announced, seen) && areOptionsDrawn(announced, seen);
};

/** What an event told of an edit's change stands in for rows that the dialog does not draw: to look at, never for all of it. */
const toldContent = (announced: PromptRequest, seen: PromptRequest): Partial<PromptRequest> => {
  const told = announced.content ?? null;
  return told === null || (seen.content ?? null) !== null ? {} : { content: told, isWhole: false };
};

/**
 * The prompt as surfaces show it. `announced`: as an event told it in this life of the daemon; `seen`: the dialog on the
 * screen, null while none was read. It is whole where one of the two is whole and the other agrees with it. Null: the screen
 * shows another prompt.
 */
export const shownPrompt = (announced: PromptRequest, seen: PromptRequest | null): PromptRequest | null => {
  if (seen === null) return { ...announced, isWhole: false };
  const drawn = isDrawn(announced, seen);
  if (!drawn && !mayBeSamePrompt(announced, seen)) return null;
  const { options, textEntry, takesSeveral } = seen;
  if (announced.isWhole === true) {
    const ways = {
      ...(textEntry === undefined ? {} : { textEntry }),
      ...(takesSeveral === undefined ? {} : { takesSeveral }),
    };
    return { ...announced, options, isWhole: drawn, ...ways };
  }
  const { toolName, expiresAt } = announced;
  const shown = {
    ...seen,
    ...toldContent(announced, seen),
    toolName: toolName ?? seen.toolName,
    expiresAt: expiresAt ?? seen.expiresAt,
  };
  return announced.hasMore === true ? { ...shown, isWhole: false } : shown;
};
