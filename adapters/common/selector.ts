// What dialogs and views of several agents draw alike: the roles of options, the row that explains keys, and lists of options of
// which one is marked. Which keys choose an option is each adapter's own business.
import { type OptionRole, type PromptRequest, MAX_OPTIONS } from "../../core/model/request.ts";
import { oneLine } from "./events.ts";
import { indentOf, isBlank, joined } from "./screenText.ts";

// Roles: what choosing an option of a permission dialog means, by its label. Each adapter lists the labels it has seen; others have
// no role, so `approve` never presses a key that does more.

type Option = PromptRequest["options"][number];

/** Labels as a dialog draws them. An option that changes the agent's mode, exits it or opens something has no role. */
interface RoleLabels {
  approve: RegExp;
  always: RegExp;
  deny: RegExp;
}

const roleOf = (label: string, { approve, always, deny }: RoleLabels): OptionRole | null => {
  if (approve.test(label)) return "approve";
  if (always.test(label)) return "approve_always";
  return deny.test(label) ? "deny" : null;
};

/** Where two options would approve once, or two deny, the dialog is not a known one, and no option has a role. */
export const withRoles = (options: readonly Option[], labels: RoleLabels): Option[] => {
  const roles = options.map(({ label }) => roleOf(label, labels));
  const isPlain = ["approve", "deny"].every((role) => roles.filter((one) => one === role).length <= 1);
  return options.map((option, index) => ({ ...option, role: isPlain ? (roles[index] ?? null) : null }));
};

// Key hints: the row with which pickers, settings and pagers explain their keys ("enter select · esc back"). Only the form of such
// rows is known here, not which view it is.

const NAMED =
  "any key|esc(?:ape)?|enter|return|tab|space|backspace|home|end|pgup|pgdn|page ?up|page ?down|left|right|up|down|↵|⏎|[←→↑↓]+|\\^\\S|f\\d{1,2}|(?:ctrl|alt|shift|⌃|⇧)(?: ?[-+] ?(?:[a-z]{2,9}|\\S))+";
const KEY = `(?:${NAMED}|[a-z?/*@-]|jk|hl)`;
/** Keys that do the same, and what they do in a few words. */
const PART = new RegExp(
  `^(?:press |use )?(${KEY}(?:(?: ?/ ?| or |, )${KEY})*)(?:: ?| =? ?(?:to )?)(\\S.{0,40})$`,
  "i",
);
/** `Quit: q`. */
const ACTION_FIRST = new RegExp(`^([^:]{1,30}): (${KEY}(?:\\/${KEY})*)$`, "i");
const HAS_NAMED = new RegExp(`(?:^|[/ ])(?:${NAMED})(?:$|[/ ])`, "i");
/** What closes a view, and does nothing to a prompt. */
const LEAVES =
  /^(?:(?:go )?back|close|cancel|exit|quit|dismiss|clear|save\/close|latest|browse|edit prev|return)\b/i;
const ESCAPE = /(?:^|[/ ])(?:esc(?:ape)?|any key)$/i;
/** `n · new   esc · close`: here the sign is no gap between two keys. */
const KEY_THEN_SIGN = new RegExp(`(^|\\s{2,})(${KEY}) [·•] `, "gi");
const GAP = /\s+[·•|│]\s+|,\s+|\s{2,}/;

interface KeyHints {
  /** How many keys it explains, and whether one of them has a name of its own. */
  count: number;
  hasNamed: boolean;
  /** Whether all that it says, and whether most of it, is about keys. */
  isPure: boolean;
  isMostly: boolean;
  /** It stands in brackets of its own. */
  isEnclosed: boolean;
  /** Escape closes what is open. */
  leaves: boolean;
}

export const readKeyHints = (row: string): KeyHints => {
  const trimmed = row.slice(0, 500).trim();
  const isEnclosed = /^\(.*\)$/.test(trimmed);
  const text = (isEnclosed ? trimmed.slice(1, -1) : trimmed).replace(KEY_THEN_SIGN, "$1$2 ");
  const parts = text.split(GAP).filter((part) => part !== "");
  const hints = parts.flatMap((part) => {
    const [, action, keys] = ACTION_FIRST.exec(part) ?? [];
    const [, keysFirst = keys, actionLast = action] = PART.exec(part) ?? [];
    return keysFirst === undefined || actionLast === undefined
      ? []
      : [{ keys: keysFirst, action: actionLast }];
  });
  return {
    count: hints.length,
    hasNamed: hints.some(({ keys }) => HAS_NAMED.test(keys)),
    isPure: parts.length > 0 && hints.length === parts.length,
    isMostly: 2 * hints.length > parts.length,
    isEnclosed,
    leaves: hints.some(({ keys, action }) => ESCAPE.test(keys) && LEAVES.test(action)),
  };
};

/** Whether a row explains a view's keys: Escape closes the view, or the row explains several keys and little else. */
export const isKeyHints = (row: string): boolean => {
  const { count, hasNamed, isPure, isMostly, isEnclosed, leaves } = readKeyHints(row);
  if (leaves || !hasNamed) return leaves;
  return isPure ? count >= 2 || isEnclosed : isMostly && count >= 3;
};

export interface Selector {
  labels: readonly string[];
  /** What stands below each option, where labels are not wrapped. */
  descriptions?: readonly string[];
  /** Index of the marked option. */
  marked: number;
  /** Index of the first option's line, and the one after the last option's. */
  start: number;
  end: number;
}

interface SelectorForm {
  /** Sign in front of the marked option. */
  mark: string;
  /** Columns of the options' numbers or labels, at most: quoted lists are indented further. */
  maxIndent: number;
  /** Wrapped labels are joined; else what is indented below an option is its description. */
  isWrapped: boolean;
}

const NUMBERED = /^(\d{1,2})\.\s+(\S.*)$/;

/** Numbered options, read upwards from `end`; null unless they count from 1 and exactly one is marked. */
export const readNumberedOptions = (
  lines: readonly string[],
  end: number,
  { mark, maxIndent, isWrapped }: SelectorForm,
): Selector | null => {
  const labels: string[] = [];
  const descriptions: string[] = [];
  let marked = -1;
  let expected: number | null = null;
  let last = -1;
  let rest: string[] = [];
  for (let index = end - 1; index >= 0; index -= 1) {
    const line = lines[index] ?? "";
    const isMarked = line.trimStart().startsWith(mark);
    const text = isMarked ? line.replace(mark, " ") : line;
    const match = indentOf(text) <= maxIndent ? NUMBERED.exec(text.trimStart()) : null;
    if (match === null) {
      // Rows above a gap belong to no option below it.
      if (isBlank(line) && rest.length > 0) return null;
      if (!isBlank(line)) rest.unshift(line.trim());
      continue;
    }
    const number = Number(match[1]);
    if (expected !== null && number !== expected) return null;
    if (last < 0) last = index;
    labels.unshift(oneLine([match[2] ?? "", ...(isWrapped ? rest : [])].join(" ")));
    descriptions.unshift(isWrapped ? "" : oneLine(rest.join(" ")));
    if (isMarked) {
      if (marked >= 0) return null;
      marked = number - 1;
    }
    rest = [];
    expected = number - 1;
    if (number === 1)
      return marked < 0 ? null : { labels, descriptions, marked, start: index, end: last + 1 };
  }
  return null;
};

/** The same for an agent that marks the chosen option by different signs. */
export const readMarkedOptions = (
  lines: readonly string[],
  end: number,
  marks: readonly string[],
  form: Omit<SelectorForm, "mark">,
): Selector | null =>
  marks
    .map((mark) => readNumberedOptions(lines, end, { ...form, mark }))
    .find((selector) => selector !== null) ?? null;

/** Options without numbers: adjoining lines above `end`, exactly one of them marked. */
export const readPlainOptions = (
  lines: readonly string[],
  end: number,
  { mark, maxIndent }: SelectorForm,
): Selector | null => {
  const bottom = lines.slice(0, end).findLastIndex((line) => !isBlank(line)) + 1;
  const options: { label: string; isMarked: boolean }[] = [];
  for (const line of lines.slice(0, bottom).toReversed()) {
    const isMarked = line.trimStart().startsWith(mark);
    const text = isMarked ? line.replace(mark, " ") : line;
    // A title in the labels' own row ends the list; labels stand after the space for the mark.
    if (isBlank(line) || indentOf(text) < indentOf(line) || indentOf(text) > maxIndent) break;
    if (!isMarked && indentOf(text) < 2) break;
    options.unshift({ label: oneLine(text), isMarked });
  }
  if (options.length < 2 || options.filter(({ isMarked }) => isMarked).length !== 1) return null;
  return {
    labels: options.map(({ label }) => label),
    marked: options.findIndex(({ isMarked }) => isMarked),
    start: bottom - options.length,
    end: bottom,
  };
};

/** The line that says how to choose, at the end of a dialog; it may be wrapped. `end`: index of its first line. */
export const splitFooter = (content: readonly string[]): { footer: string; end: number } => {
  const last = content.findLastIndex((line) => !isBlank(line));
  let start = last;
  while (start > 0 && last - start < 3 && !isBlank(content[start - 1] ?? "")) start -= 1;
  const footer = joined(content.slice(Math.max(start, 0), last + 1));
  const isFooter = /^(enter|esc|↑\/↓) /i.test(footer);
  return isFooter ? { footer, end: start } : { footer: "", end: content.length };
};

export const optionsOf = (
  selector: Selector,
  keysOf: (index: number, label: string) => string[] | null,
): Option[] =>
  selector.labels.slice(0, MAX_OPTIONS).map((label, index) => {
    const description = selector.descriptions?.[index] ?? "";
    return { label, keys: keysOf(index, label), ...(description === "" ? {} : { description }) };
  });

/** Keys of dialogs in which digits choose, and Escape is the option that says so. */
export const digitOrEscape = (index: number, label: string): string[] | null =>
  /\(esc\)/i.test(label) ? ["Escape"] : index < 9 ? [String(index + 1)] : null;
