// Runs the title and screen rules of one adapter file. Only the bottom of the visible screen counts, the first match wins,
// and rules that hang are given up for good rather than slowing everything else down.
import type { OptionRole, PromptRequest } from "../../core/model/request.ts";
import { isWaiting, type Status } from "../../core/model/state.ts";
import type { Reading, Screen, ScreenTrace } from "../../core/ports/agentAdapter.ts";
import { oneLine } from "../common/events.ts";
import { promptRequest } from "../common/promptRequest.ts";
import { ofWholeScreen } from "../common/screenText.ts";
import { compilePattern, PatternTimeout, type Deadline } from "../../core/pattern/pattern.ts";
import { MAX_RULE_LINES, statusOf, type AnswerKeys, type ScreenRule, type TitleRule } from "./schema.ts";

/** Columns of a line that rules see. */
const MAX_COLUMNS = 400;
/** On a taller screen a dialog's top may be so far up that a quoted one cannot be distinguished from it; then nothing is whole. */
const MAX_WHOLE_LINES = 100;
/** Wall time for all rules of a file on one screen, ms. */
const LIMIT_MS = 100;
/** A busy machine can make one reading late; rules that hang are late every time. */
const MAX_TIMEOUTS = 3;
const MAX_OPTIONS = 30;

interface CompiledScreen {
  name: string;
  rule: ScreenRule;
  status: Status;
  pattern: RegExp;
  not: RegExp | null;
  options: RegExp | null;
}

interface CompiledTitle {
  name: string;
  rule: TitleRule;
  status: Status;
  pattern: RegExp;
}

/** Keys of the n-th option, from 1: the key that the screen shows, else the file's rule for options. */
const optionKeys = (
  key: string | undefined,
  number: number,
  keys: AnswerKeys | undefined,
): string[] | null => {
  if (key !== undefined && key !== "") return [key];
  return keys?.option?.map((one) => one.replace("{n}", String(number))) ?? null;
};

/** The file names keys, not labels: an option that is chosen by the keys for approving is the approval. */
const roleOf = (own: readonly string[] | null, keys: AnswerKeys | undefined): OptionRole | null => {
  const isSame = (other: readonly string[] | undefined): boolean =>
    own !== null && other !== undefined && JSON.stringify(own) === JSON.stringify(other);
  if (isSame(keys?.approve)) return "approve";
  return isSame(keys?.deny) ? "deny" : null;
};

const readOptions = (
  lines: string,
  pattern: RegExp | null,
  keys: AnswerKeys | undefined,
): PromptRequest["options"] => {
  const found =
    pattern === null
      ? []
      : [...lines.matchAll(pattern)].slice(0, MAX_OPTIONS).map((match, index) => ({
          label: match.groups?.["label"] ?? match[0],
          keys: optionKeys(match.groups?.["key"], index + 1, keys),
        }));
  if (found.length > 0) return found.map((option) => ({ ...option, role: roleOf(option.keys, keys) }));
  return [
    ...(keys?.approve === undefined
      ? []
      : [{ label: "Approve", keys: keys.approve, role: "approve" as const }]),
    ...(keys?.deny === undefined ? [] : [{ label: "Deny", keys: keys.deny, role: "deny" as const }]),
  ];
};

/** The lines that rules see, their row on the screen, and the whole screen for the check of a dialog's top. */
interface Bottom {
  lines: readonly string[];
  start: number;
  /** All lines of the screen with text, as far as rules see them; null where a line or the screen is too long. */
  all: string | null;
}

const bottomOf = ({ lines }: Screen): Bottom => {
  const end = lines.findLastIndex((line) => line.trim() !== "") + 1;
  const start = Math.max(0, end - MAX_RULE_LINES);
  const seen = (from: number) => lines.slice(from, end).map((line) => line.slice(0, MAX_COLUMNS).trimEnd());
  const isSeen = end <= MAX_WHOLE_LINES && lines.every((line) => line.length <= MAX_COLUMNS);
  return { lines: seen(start), start, all: isSeen ? seen(0).join("\n") : null };
};

const rowAt = (text: string, index: number): number => text.slice(0, index).split("\n").length - 1;

/** A match of a screen rule, with the lines that it was found in and the row of the screen in which it begins. */
interface Match {
  match: RegExpExecArray;
  lines: string;
  row: number;
}

/** The rule takes all that is asked, and no line further up begins the same: it may be the dialog's true top. */
const isWholeMatch = ({ rule, pattern }: CompiledScreen, { match, row }: Match, { all }: Bottom): boolean => {
  if (rule.request?.whole !== true || match.groups?.["body"] === undefined || all === null) return false;
  const first = pattern.exec(all);
  return first !== null && rowAt(all, first.index) === row;
};

const requestFor = (
  { rule, status, options }: CompiledScreen,
  { match, lines }: Match,
  isWhole: boolean,
  keys: AnswerKeys | undefined,
): PromptRequest | null => {
  if (!isWaiting(status.state)) return null;
  const { title, body } = match.groups ?? {};
  return promptRequest({
    kind: rule.request?.kind ?? "other",
    title: oneLine(title ?? rule.request?.title ?? match[0]) || status.state,
    body: (isWhole ? body : body?.trim()) ?? null,
    options: readOptions(lines, options, keys),
    isWhole,
  });
};

export interface ScreenRules {
  /** Of all rules, as `trace` gives them. */
  readonly names: readonly string[];
  /** Every rule that matches, screens before titles. Empty, for good, once the rules proved too slow. */
  trace(screen: Screen): readonly ScreenTrace[];
  /** What the first matching rule says, or null. */
  read(screen: Screen): Reading | null;
  /** True, for good, once the rules proved too slow. */
  isGivenUp(): boolean;
}

/** `onTooSlow` is called once, when the rules are given up. The rules were checked when they were read. */
export const createScreenRules = (
  file: { titles: readonly TitleRule[]; screens: readonly ScreenRule[]; keys?: AnswerKeys | undefined },
  deadline: Deadline,
  onTooSlow: () => void,
): ScreenRules => {
  const screens = file.screens.map((rule, index): CompiledScreen => ({
    name: rule.name ?? `screens.${index}`,
    rule,
    status: statusOf(rule),
    pattern: compilePattern(rule.pattern),
    not: rule.not === undefined ? null : compilePattern(rule.not),
    options: rule.request?.options === undefined ? null : compilePattern(rule.request.options, "g"),
  }));
  const titles = file.titles.map((rule, index): CompiledTitle => ({
    name: `titles.${index}`,
    rule,
    status: statusOf(rule),
    pattern: compilePattern(rule.pattern),
  }));
  let timeouts = 0;

  const readScreenRule = (compiled: CompiledScreen, bottom: Bottom): Reading | null => {
    const own = bottom.lines.slice(-compiled.rule.lines);
    const lines = own.join("\n");
    const match = compiled.pattern.exec(lines);
    if (match === null || compiled.not?.test(lines) === true) return null;
    const row = bottom.start + bottom.lines.length - own.length + rowAt(lines, match.index);
    const found = { match, lines, row };
    const request = requestFor(compiled, found, isWholeMatch(compiled, found, bottom), file.keys);
    return {
      status: compiled.status,
      confidence: compiled.rule.confidence,
      matched: oneLine(match[0]) || compiled.name,
      request,
      isSteady: compiled.rule.steady,
      ...(request === null ? {} : { dialogTop: row }),
    };
  };
  const readTitleRule = ({ name, rule, status, pattern }: CompiledTitle, title: string): Reading | null => {
    const match = pattern.exec(title);
    if (match === null) return null;
    const matched = oneLine(match[0]) || name;
    const request = promptRequest({
      kind: "other",
      title: matched,
      options: readOptions("", null, file.keys),
    });
    return {
      status,
      confidence: rule.confidence,
      matched,
      request: isWaiting(status.state) ? request : null,
      isSteady: false,
    };
  };

  /** The matching rules, screens before titles; only the first one where `isFirstOnly`. */
  const evaluate = (screen: Screen, isFirstOnly: boolean): ScreenTrace[] => {
    const bottom = bottomOf(screen);
    const title = oneLine(screen.title, MAX_COLUMNS);
    const found: ScreenTrace[] = [];
    const attempts = [
      ...screens.map((compiled) => ({ rule: compiled.name, read: () => readScreenRule(compiled, bottom) })),
      ...titles.map((compiled) => ({ rule: compiled.name, read: () => readTitleRule(compiled, title) })),
    ];
    for (const { rule, read } of attempts) {
      const reading = ofWholeScreen(screen, read());
      if (reading !== null) found.push({ rule, reading });
      if (isFirstOnly && found.length > 0) break;
    }
    return found;
  };
  const isGivenUp = (): boolean => timeouts >= MAX_TIMEOUTS;
  const guarded = (screen: Screen, isFirstOnly: boolean): ScreenTrace[] => {
    if (isGivenUp() || screens.length + titles.length === 0) return [];
    try {
      const found = deadline.run(LIMIT_MS, () => evaluate(screen, isFirstOnly));
      timeouts = 0;
      return found;
    } catch (error) {
      if (!(error instanceof PatternTimeout)) throw error;
      timeouts += 1;
      if (isGivenUp()) onTooSlow();
      return [];
    }
  };

  return {
    names: [...screens, ...titles].map(({ name }) => name),
    trace: (screen) => guarded(screen, false),
    read: (screen) => guarded(screen, true)[0]?.reading ?? null,
    isGivenUp,
  };
};
