// Whether two descriptions are of one prompt: what an event announced, and what the screen shows of it. Pure. They never
// agree to the letter (events know no options, screens wrap and cut), but a yes to the one must be a yes to the other:
// what cannot be told counts as another prompt.
import type { PromptRequest } from "../model/request.ts";

/** Dialogs show all of a text of this length; what is longer may be cut. In characters. */
const CUT_FROM = 400;
/** So much of a cut text must be seen. */
const CUT_LEAST = 200;
/** Other kinds name the same thing differently: an event's `tool` may be a screen's `command`. */
const DISTINCT_KINDS = new Set<PromptRequest["kind"]>(["question", "plan", "trust"]);

/** Wraps, indentation and frames are a matter of drawing. */
const compact = (text: string): string => text.normalize("NFC").replaceAll(/[\s\u2500-\u259f]/gu, "");

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

const isSameText = (announced: string, seen: string): boolean =>
  announced === seen ||
  (announced.length > CUT_FROM &&
    seen.length >= CUT_LEAST &&
    (announced.startsWith(seen) || announced.endsWith(seen)));

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
  // An event may carry a whole patch of which the dialog names the file, or nothing more than its title.
  return (
    compact(announced.title) === compact(seen.title) &&
    (shown === null || (body !== null && (isSameText(body, shown) || namesFileOf(announced, seen))))
  );
};

/** A patch names the file that the dialog does. */
const namesFileOf = (announced: PromptRequest, seen: PromptRequest): boolean => {
  const path = seen.body?.trim() ?? "";
  const lines = announced.body?.split("\n") ?? [];
  return path !== "" && !/\s/u.test(path) && lines.some((line) => words(line).at(-1) === path);
};

/** `announced`: as it was told, by an event or a reading before; `seen`: as the screen shows it. */
export const isSamePrompt = (announced: PromptRequest, seen: PromptRequest): boolean => {
  const { kind } = announced;
  if (kind !== seen.kind && (DISTINCT_KINDS.has(kind) || DISTINCT_KINDS.has(seen.kind))) return false;
  if (!areLabelsSeen(announced, seen) && kind === "question") return false;
  const [body, shown] = [compactBody(announced), compactBody(seen)];
  const hasSameTitle = compact(announced.title) === compact(seen.title);
  if (hasSameTitle && body === shown) return true;
  if (kind === "plan" || kind === "trust" || kind === "question")
    return hasSameTitle && (body === null || shown === null || isSameText(body, shown));
  if (kind === "edit" || seen.kind === "edit") return isSameEdit(announced, seen);
  // Without a body on the screen the title is all that there is to see.
  if (shown === null) return hasSameTitle;
  return body !== null && isSameText(body, shown);
};

/** Exactly the same dialog, drawn twice: another selection is no difference. */
export const isSameDialog = (before: PromptRequest, now: PromptRequest): boolean =>
  before.kind === now.kind &&
  compact(before.title) === compact(now.title) &&
  compactBody(before) === compactBody(now) &&
  JSON.stringify(labelsOf(before)) === JSON.stringify(labelsOf(now));

/** Announced without a body, under the title that the screen has: what it is about is to be read there only. */
const lacksBody = (announced: PromptRequest, seen: PromptRequest): boolean =>
  announced.body === null &&
  compact(announced.title) === compact(seen.title) &&
  (announced.kind === seen.kind || !(DISTINCT_KINDS.has(announced.kind) || DISTINCT_KINDS.has(seen.kind))) &&
  (announced.kind !== "question" || areLabelsSeen(announced, seen));

/**
 * The prompt with what only the screen tells of it: its options and, where none was announced, its body. Unchanged where
 * the screen shows another one, or none. A body that was added belongs to the prompt's identity; options do not.
 */
export const completePrompt = (announced: PromptRequest, seen: PromptRequest | null): PromptRequest => {
  if (seen === null || !(isSamePrompt(announced, seen) || lacksBody(announced, seen))) return announced;
  const completed = { ...announced, body: announced.body ?? seen.body };
  return seen.options.length === 0
    ? completed
    : { ...completed, options: seen.options, textEntry: seen.textEntry };
};
