// `propose`: reads the recordings of an agent and proposes rules in the format of adapters/declarative/schema.ts, for what its
// adapter does not read right yet. A rule is proposed only where it reads nothing else of the agent wrong and matches no recording of
// any other agent: nothing is proposed that was not recorded.
import type { Label, Recording } from "../../adapters/testkit/recordings.ts";
import { screenOf } from "../../adapters/testkit/recordings.ts";
import { createScreenRules } from "../../adapters/declarative/screenRules.ts";
import {
  type AnswerKeys,
  adapterFileSchema,
  isPatch,
  type PatchFile,
} from "../../adapters/declarative/schema.ts";
import { type Corpus, type Frame, NO_AGENT } from "../../bench/detect/corpus.ts";
import { variationsOf } from "../../bench/detect/variations.ts";
import { createDeadline } from "../../core/pattern/pattern.ts";
import { isWaiting, statusSchema } from "../../core/model/state.ts";
import type { AgentAdapter, Reading } from "../../core/ports/agentAdapter.ts";
import type { LiveAgent } from "../live/agents/liveAgent.ts";
import { optionsIn, rowsOf, type Shape, shapesOf, toPattern } from "./shapes.ts";
import { RULES_BEGIN, RULES_END } from "./templates.ts";

type State = "error" | "waiting_approval" | "waiting_input" | "running" | "completed" | "idle";
/** In this order rules are tried: what asks comes first, what rests comes last. */
const ORDER: readonly State[] = [
  "waiting_approval",
  "waiting_input",
  "running",
  "error",
  "completed",
  "idle",
];

/** Rules of screens and titles, and keys, without whom they are for. */
export type Rules = Omit<PatchFile, "extends" | "$schema" | "version">;
type ScreenRule = Rules["screens"][number];
type TitleRule = Rules["titles"][number];

interface View {
  /** `agent/frame`. */
  key: string;
  rows: readonly string[];
  title: string;
  label: Label;
  frame: Frame;
}

export interface Proposal {
  rules: Rules;
  /** Frames whose state no rule of these and nothing of the adapter tells. */
  unread: string[];
  /** What a person should know of a rule, or of the screen. */
  notes: string[];
}

const acceptable = ({ state, also = [] }: Label): readonly string[] => [state, ...also];

const isState = (state: string): state is State => ORDER.some((one) => one === state);
const waits = (state: string): boolean => state === "waiting_approval" || state === "waiting_input";

const viewOf = (frame: Frame): View => ({
  key: `${frame.agent}/${frame.name}`,
  rows: rowsOf(frame.recording),
  title: frame.recording.title.trim(),
  label: frame.label,
  frame,
});

const isRight = (label: Label, reading: Reading | null): boolean =>
  reading !== null && acceptable(label).includes(reading.status.state);

/** States that a rule tells apart: a wait by what it asks, the rest by their name. */
const groupOf = ({ state, reason_code: reason }: Label): string =>
  waits(state) || state === "idle" ? `${state}/${reason ?? ""}` : state;

const within = (rows: readonly string[], lines: number): string => rows.slice(-lines).join("\n");

/** A pattern with the rows from the end in which it stands on a screen, the lowest place of it. */
const lowestPlace = (pattern: RegExp, rows: readonly string[]): number | null => {
  const at = rows.findLastIndex((row) => pattern.test(row));
  return at < 0 ? null : rows.length - at;
};

interface Candidate extends Shape {
  lines: number;
  covered: readonly View[];
}

/** Its row and its rows below change place a little from version to version. */
const rank = (one: Candidate, other: Candidate): number =>
  other.covered.length - one.covered.length ||
  one.lines - other.lines ||
  Number(other.isAnchored) - Number(one.isAnchored) ||
  Math.min(other.letters, 40) - Math.min(one.letters, 40);

/** `open`: what is still to be told. `others`: where it may not match. */
const candidatesFor = (open: readonly View[], others: readonly View[]): Candidate[] => {
  const shapes = new Map(
    open.flatMap(({ rows }) => rows.flatMap(shapesOf)).map((shape) => [shape.pattern, shape]),
  );
  return [...shapes.values()].flatMap((shape) => {
    const pattern = new RegExp(shape.pattern, "m");
    const places = open.flatMap((view) => {
      const place = lowestPlace(pattern, view.rows);
      return place === null ? [] : [{ view, place }];
    });
    const nearestOther = others.reduce<number>(
      (nearest, { rows }) => Math.min(nearest, lowestPlace(pattern, rows) ?? Infinity),
      Infinity,
    );
    // The most rows in which it stands on no screen of another state.
    const fitting = places.filter(({ place }) => place < nearestOther);
    if (fitting.length === 0) return [];
    const lines = Math.max(...fitting.map(({ place }) => place));
    return { ...shape, lines, covered: fitting.map(({ view }) => view) };
  });
};

const KINDS: Readonly<Record<string, "command" | "edit" | "question" | "trust" | "plan" | "other">> = {
  permission_tool: "command",
  permission_edit: "edit",
  question: "question",
  trust: "trust",
  plan: "plan",
};

const statusOf = ({ state, reason_code: reason }: Label): Pick<ScreenRule, "state" | "reason"> => {
  if (!isState(state)) throw new Error(`no rule tells ${state}`);
  const { success } = statusSchema.safeParse({ state, reasonCode: reason });
  // A reason of a label that is none of the state's own is left out.
  return success && reason !== undefined
    ? ({ state, reason } as Pick<ScreenRule, "state" | "reason">)
    : { state };
};

/** The rule with the options that stand on all of its screens, where the rows that they need show no other state. */
const withRequest = (
  rule: ScreenRule,
  { covered, pattern }: Candidate,
  others: readonly View[],
  keys: AnswerKeys,
): ScreenRule => {
  if (!waits(rule.state)) return rule;
  const kind = KINDS[rule.reason ?? ""] ?? "other";
  const found = covered.map(({ rows }) => optionsIn(rows));
  const [first] = found;
  const lines = Math.max(rule.lines, ...found.map((one) => one?.rows ?? Infinity));
  const compiled = new RegExp(pattern, "m");
  const isFree = others.every(({ rows }) => !compiled.test(within(rows, lines)));
  const hasSame = found.every((one) => one !== null && one.pattern === first?.pattern);
  const options = hasSame && isFree && Number.isFinite(lines) ? (first?.pattern ?? null) : null;
  const title = covered[0]?.rows
    .find((row) => compiled.test(row))
    ?.match(/[\p{L}\d][^│┃]*/u)?.[0]
    ?.trim();
  const request = { kind, title: (title ?? rule.state).slice(0, 200), whole: false };
  if (options === null || keys.approve === undefined) return { ...rule, request };
  return { ...rule, lines, request: { ...request, options } };
};

/** Reads by these rules alone. */
const readerOf = (rules: Rules): ((recording: Recording) => Reading | null) => {
  const engine = createScreenRules(rules, createDeadline(), () => {});
  return (recording) => engine.read(screenOf(recording));
};

/** Whether the rule takes a screen for a wait on which the same agent only shows or quotes an old one. */
const hasFalseWait = (rule: ScreenRule, own: readonly Frame[]): boolean => {
  const read = readerOf({ titles: [], screens: [rule] });
  return own.some((frame) =>
    variationsOf(frame, own).some(({ screen }) => {
      const reading = read(screen);
      return (
        reading !== null && isWaiting(reading.status.state) && !acceptable(frame.label).includes(rule.state)
      );
    }),
  );
};

/** How many of the best are tried on variations. */
const TRIES = 12;

const proposeScreens = (
  group: readonly View[],
  others: readonly View[],
  own: readonly Frame[],
  keys: AnswerKeys,
): { rules: ScreenRule[]; covered: View[] } => {
  const rules: ScreenRule[] = [];
  const covered: View[] = [];
  let open = group;
  while (open.length > 0) {
    const best = candidatesFor(open, others).toSorted(rank).slice(0, TRIES);
    const found = best.flatMap((candidate) => {
      const label = candidate.covered[0]?.label;
      if (label === undefined) return [];
      const plain: ScreenRule = {
        name: `${label.state}: ${candidate.covered[0]?.frame.name}`.slice(0, 60),
        pattern: candidate.pattern,
        lines: candidate.lines,
        ...statusOf(label),
        confidence: "medium",
        steady: false,
      };
      return [{ candidate, rule: withRequest(plain, candidate, others, keys) }];
    });
    const chosen = found.find(({ rule }) => !waits(rule.state) || !hasFalseWait(rule, own));
    if (chosen === undefined) break;
    rules.push(chosen.rule);
    covered.push(...chosen.candidate.covered);
    open = open.filter((view) => !chosen.candidate.covered.includes(view));
  }
  return { rules, covered };
};

/** The sign or the word with which the titles of a state begin, where no other state's title begins so. */
const proposeTitle = (group: readonly View[], others: readonly View[]): TitleRule | null => {
  const label = group[0]?.label;
  const beginnings = [...new Set(group.map(({ title }) => title.match(/^\S+/)?.[0] ?? ""))];
  if (
    label === undefined ||
    beginnings.includes("") ||
    beginnings.some((word) => /\d|^[\w~/.-]*$/.test(word))
  )
    return null;
  const pattern = `^(?:${beginnings.toSorted().map(toPattern).join("|")})(?: |$)`;
  const compiled = new RegExp(pattern);
  if (others.some(({ title }) => compiled.test(title))) return null;
  return { pattern, ...statusOf(label), confidence: "medium" };
};

/** What a person needs for the reading of drafts, from where the cursor stands at a fresh prompt. */
const inputBoxNote = (views: readonly View[]): string[] => {
  const fresh = views.find(({ label }) => label.reason_code === "fresh");
  const { recording } = fresh?.frame ?? {};
  const at = recording?.cursor?.y;
  const row = at === undefined ? undefined : recording?.text.split("\n")[at];
  if (fresh === undefined || row === undefined) return [];
  return [`the cursor of ${fresh.key} stands in the row: ${row.trimEnd() || "(empty)"}`];
};

/** `adapter`: null where there is none yet. `keys`: those that the driver pressed to make the recordings. */
export const propose = (options: {
  corpus: Corpus;
  agent: string;
  adapter: AgentAdapter | null;
  keys: AnswerKeys;
  /** Also for what is read right already. */
  isAll: boolean;
}): Proposal => {
  const { corpus, agent, adapter, keys, isAll } = options;
  const views = corpus.frames.map(viewOf);
  const own = views.filter(({ frame, label }) => frame.agent === agent && label.state !== NO_AGENT);
  const foreign = views.filter(({ frame }) => frame.agent !== agent);
  const ownFrames = own.map(({ frame }) => frame);
  const isRead = ({ frame, label }: View): boolean =>
    adapter !== null && isRight(label, adapter.readScreen(screenOf(frame.recording)));
  const wanted = own.filter((view) => isState(view.label.state) && (isAll || !isRead(view)));
  const screens: ScreenRule[] = [];
  const titles: TitleRule[] = [];
  const told = new Set<View>();
  for (const state of ORDER)
    for (const group of Map.groupBy(
      wanted.filter(({ label }) => label.state === state),
      ({ label }) => groupOf(label),
    ).values()) {
      const key = groupOf(group[0]?.label ?? { state });
      const differs = ({ label }: View): boolean =>
        !acceptable(label).includes(state) || (waits(state) && groupOf(label) !== key);
      // A screen that a rule above tells, or that the adapter reads right, must not be told otherwise by this one.
      const others = [...own.filter((view) => differs(view) && !told.has(view)), ...foreign];
      const proposed = proposeScreens(group, others, ownFrames, keys);
      screens.push(...proposed.rules);
      for (const view of proposed.covered) told.add(view);
      if (!waits(state))
        titles.push(...[proposeTitle(group, [...own.filter(differs), ...foreign]) ?? []].flat());
    }
  const rules: Rules = { titles, screens, ...(Object.keys(keys).length === 0 ? {} : { keys }) };
  return { rules, ...verify(rules, own, foreign, wanted), notes: inputBoxNote(own) };
};

/**
 * Whether the rules, by the engine that runs them, tell what they are for, nothing else of the agent wrong, and nothing of another
 * one. @throws Error naming the frame: a rule that fails is a mistake of this file.
 */
const verify = (
  rules: Rules,
  own: readonly View[],
  foreign: readonly View[],
  wanted: readonly View[],
): Pick<Proposal, "unread"> => {
  const file = adapterFileSchema.parse({ extends: "any", titles: rules.titles, screens: rules.screens });
  if (!isPatch(file)) throw new Error("the rules are no patch");
  const read = readerOf(file);
  for (const { key, frame, label } of own) {
    const reading = read(frame.recording);
    if (reading !== null && !isRight(label, reading))
      throw new Error(
        `${key} is ${label.state}, and a rule reads ${reading.status.state}: ${reading.matched}`,
      );
  }
  for (const { key, frame } of foreign) {
    const reading = read(frame.recording);
    if (reading !== null) throw new Error(`a rule reads ${key}: ${reading.matched}`);
  }
  return { unread: wanted.filter(({ frame }) => read(frame.recording) === null).map(({ key }) => key) };
};

/** The keys with which the driver answered and stopped: pressed while it was recorded. */
export const keysOf = ({ keys }: LiveAgent): AnswerKeys => ({
  approve: [...keys.approve],
  deny: [...keys.deny],
  interrupt: [...keys.interrupt],
});

/** The text with these before what the array of that name holds. */
const prepended = (text: string, name: "screens" | "titles", rules: readonly object[]): string => {
  const array = new RegExp(`(["']?${name}["']?: \\[)`);
  if (!array.test(text)) throw new Error(`the rules have no ${name}: [`);
  const added = rules.map((rule) => `${JSON.stringify(rule, null, 2)},`).join("\n");
  return text.replace(array, (begin) => `${begin}${added}`);
};

/**
 * The text of a screen reader with these rules before those that it has.
 * @throws Error where the text has no place for rules
 */
export const withRules = (text: string, { screens, titles, keys }: Rules): string => {
  const [begin, end] = [text.indexOf(RULES_BEGIN), text.indexOf(RULES_END)];
  if (begin < 0 || end < begin) throw new Error(`no place for rules: a line '${RULES_BEGIN}' begins it`);
  const before = text.slice(begin, end);
  const listed = prepended(prepended(before, "screens", screens), "titles", titles);
  const hasKeys = keys === undefined || /\bkeys["']?: /.test(before);
  const after = hasKeys
    ? listed
    : listed.replace(/RuleData = \{/, (open) => `${open} keys: ${JSON.stringify(keys)},`);
  return text.slice(0, begin) + after + text.slice(end);
};
