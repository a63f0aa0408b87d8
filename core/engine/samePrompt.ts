// Whether two descriptions may be of one prompt: what an event announced, and what the screen shows of it. Pure. They never
// agree to the letter (events know no options, screens wrap and cut, what is stored is redacted). It says what speaks against
// one another; whether a request is the one that is drawn is decided to the letter (dialogOwner.ts).
import type { PromptRequest } from "../model/request.ts";
import { matchPlan, matchDrawn } from "./drawnText.ts";

/** Dialogs show all of a text of this length; what is longer may be cut. In characters. */
const CUT_FROM = 400;
/** At least this much of a cut text must be seen. */
const CUT_LEAST = 200;
/** What the store puts in the place of a secret. */
const REDACTED = "[redacted]";

type Kind = PromptRequest["kind"];

/** The kind that an event gives when it does not know, as does a reader of an unknown dialog. */
const VAGUE: ReadonlySet<Kind> = new Set(["tool", "other"]);
/** These kinds are never reported as a vaguer one. */
const PLAIN: ReadonlySet<Kind> = new Set(["question", "plan", "trust"]);

/** A command is never an edit, and neither is a question, a plan or a trust. */
const mayBeSameKind = (a: Kind, b: Kind): boolean =>
  a === b || ((VAGUE.has(a) || VAGUE.has(b)) && !PLAIN.has(a) && !PLAIN.has(b));

/** Wraps, indentation and frames are a matter of drawing, and so is what becomes of characters that are not seen. */
export const compact = (text: string): string =>
  text.normalize("NFC").replaceAll(/[\s\u2500-\u259f\ufffd\p{Cc}\p{Cf}]/gu, "");

const compactBody = ({ title, body }: PromptRequest): string | null => {
  const text = body === null ? "" : compact(body);
  // A reader that finds no body repeats the title.
  return text === "" || text === compact(title) ? null : text;
};

const labelsOf = ({ options }: PromptRequest): string[] => options.map(({ label }) => compact(label));

/** The screen may add options of its own, such as one for a free text; none may be missing. */
const areLabelsSeen = (announced: PromptRequest, seen: PromptRequest): boolean => {
  const shown = labelsOf(seen);
  return labelsOf(announced).every((label) => shown.includes(label));
};

/**
 * Every piece of one text, secrets left out, stands in the other text in the same order, the first at its beginning and the last at
 * its end. Only what the store kept of a request is compared so.
 */
const isSameButSecrets = (redacted: string, other: string): boolean => {
  const pieces = redacted.split(REDACTED);
  const [first = "", last = ""] = [pieces[0], pieces.at(-1)];
  if (pieces.length < 2 || !other.startsWith(first) || !other.endsWith(last)) return false;
  let from = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const at = other.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return from + last.length <= other.length;
};

/** Agents leave out in their own ways what was removed from an announced text, and what follows it. */
const isLeftOf = (announced: PromptRequest, seen: PromptRequest): boolean => {
  const [whole, left] = [compact(announced.body ?? ""), compact(seen.body ?? "")];
  let at = 0;
  for (const char of whole) if (char === left[at]) at += 1;
  return left !== "" && at === left.length;
};

const isSameText = (announced: string, seen: string): boolean =>
  announced === seen ||
  (announced.length > CUT_FROM &&
    seen.length >= CUT_LEAST &&
    (announced.startsWith(seen) || announced.endsWith(seen))) ||
  isSameButSecrets(announced, seen) ||
  isSameButSecrets(seen, announced);

const words = (text: string): string[] =>
  text.split(/\s+/u).map((word) => word.replaceAll(/^['"`(]+|['"`)?:,]+$/gu, ""));

/** Both name one file: a screen shows its name, or the path from its own folder. */
const namesSameFile = (announced: PromptRequest, seen: PromptRequest): boolean => {
  const path = announced.body?.trim() ?? "";
  if (path === "" || /\s/u.test(path)) return false;
  const isIt = (word: string): boolean =>
    word !== "" && (word === path || path.endsWith(`/${word}`) || word.endsWith(`/${path}`));
  return words(`${seen.title} ${seen.body?.split("\n", 1)[0] ?? ""}`).some(isIt);
};

const isSameEdit = (announced: PromptRequest, seen: PromptRequest): boolean => {
  if (namesSameFile(announced, seen)) return true;
  const [body, shown] = [compactBody(announced), compactBody(seen)];
  // An event may carry nothing more than the dialog's title.
  return (
    compact(announced.title) === compact(seen.title) &&
    (shown === null || (body !== null && isSameText(body, shown)))
  );
};

/** Announced without a body: what it is about is to be read on the screen only. */
export const isBare = (announced: PromptRequest): boolean =>
  announced.body === null && VAGUE.has(announced.kind);

/** `announced`: as an event reported it; `seen`: as the screen shows it. */
export const mayBeSamePrompt = (announced: PromptRequest, seen: PromptRequest): boolean => {
  const { kind } = announced;
  if (!mayBeSameKind(kind, seen.kind)) return false;
  // Nothing is seen of what it is about.
  if (isBare(announced) || (seen.body === null && seen.isWhole !== true && !PLAIN.has(kind))) return true;
  if (!areLabelsSeen(announced, seen) && kind === "question") return false;
  const [body, shown] = [compactBody(announced), compactBody(seen)];
  const hasSameTitle = compact(announced.title) === compact(seen.title);
  if (hasSameTitle && (body === null || body === shown)) return true;
  if (kind === "plan" && hasSameTitle && matchPlan(announced.body ?? "", seen.body ?? "") !== "none")
    return true;
  if (PLAIN.has(kind)) return hasSameTitle && (shown === null || (body !== null && isSameText(body, shown)));
  if (kind === "edit") return seen.kind === "edit" && isSameEdit(announced, seen);
  if (announced.hasMore === true && isLeftOf(announced, seen)) return true;
  // Without a body on the screen the title is all that there is to see.
  if (shown === null || body === null) return shown === null && hasSameTitle;
  const rows = seen.body?.split("\n") ?? [];
  const drawn = matchDrawn(announced.body ?? "", rows, seen.columns ?? null, seen);
  return isSameText(body, shown) || drawn === "all" || (drawn === "part" && seen.isWhole !== true);
};

/** Exactly the same dialog, drawn twice: another selection is no difference. */
export const isSameDialog = (before: PromptRequest, now: PromptRequest): boolean =>
  before.kind === now.kind &&
  before.title === now.title &&
  before.body === now.body &&
  before.content === now.content &&
  (before.remark ?? null) === (now.remark ?? null) &&
  JSON.stringify(before.options.map(({ label, description }) => [label, description])) ===
    JSON.stringify(now.options.map(({ label, description }) => [label, description]));
