// What a card shows of a request and which answers it offers, for every surface alike: nothing twice, what is to be judged first,
// and no answer that allows something before all of it is shown (the rule is in docs/security.md). Pure; knows nothing of pixels.
import type { RequestView } from "../../core/model/request.ts";
import { remarkText, changeSummary, requestHeading } from "../../core/model/words.ts";
import { displayText, displayLine } from "../text/displayText.ts";
import type { PaneView } from "../../core/model/view.ts";
import { optionReasons, type ActionContext, type DisabledReason } from "./disabledReasons.ts";
import { actionOf, type PaneActionId } from "./paneActions.ts";

export interface CardPart {
  /**
   * `change`: lines of a diff, whose signs stay; `prose`: words that may be set in the surface's own letters; `remark`: the
   * agent's own words about what it asks.
   */
  kind: "command" | "path" | "change" | "prose" | "remark";
  /** To the letter. */
  text: string;
}

interface CardOption {
  /** The digit that chooses it. */
  number: number;
  label: string;
  /** What the agent says about choosing it; empty where it says nothing. */
  description: string;
  /** Why it cannot be chosen from here; null: it can. */
  reason: DisabledReason;
}

interface CardAnswer {
  id: PaneActionId;
  key: string;
  name: string;
}

export interface CardView {
  /** What the title says beyond badge and body; empty: nothing. */
  heading: string;
  parts: readonly CardPart[];
  /** `+12 −3 in 2 places`; empty for what is no edit. */
  summary: string;
  /** Lines of all parts together. */
  lineCount: number;
  /** All of it is shown. Otherwise showing all comes before any answer that allows something. */
  isShownWhole: boolean;
  /** Why nothing can be approved here, whatever is unfolded; empty: nothing is missing. */
  note: string;
  /** Those that no answer stands for. */
  options: readonly CardOption[];
  /** In the order of their buttons. */
  answers: readonly CardAnswer[];
}

const BODY_KINDS: Readonly<Record<RequestView["kind"], CardPart["kind"]>> = {
  command: "command",
  edit: "path",
  plan: "prose",
  trust: "path",
  tool: "command",
  question: "prose",
  other: "command",
};

/** The body, what an edit writes, and what the agent says of it; a body that only repeats the title is told by it. */
const partsOf = (request: RequestView, heading: string): CardPart[] => {
  const { kind, body, content } = request;
  const isRepeated = body === null || (heading !== "" && displayText(body) === heading);
  return [
    ...(isRepeated ? [] : [{ kind: BODY_KINDS[kind], text: body }]),
    ...(content === null || content === undefined ? [] : [{ kind: "change", text: content } as const]),
    ...(remarkText(request) === "" ? [] : [{ kind: "remark", text: remarkText(request) } as const]),
  ];
};

/** Says no more than the button beside it. */
const PLAIN_YES =
  /^(?:yes|allow|approve|accept|ok)(?:,? (?:once|proceed|continue|this once|just this once))?[.!]?$/i;

/**
 * Whether "Approve" or "Deny" stands for this option: the first of the role, if its keys are known. A yes that says more than yes is
 * listed too, because its words are a part of what is approved.
 */
const isRepeated = (options: RequestView["options"], index: number): boolean => {
  const { role, keys, label, description } = options[index] ?? {};
  if (role !== "approve" && role !== "deny") return false;
  // Without its keys the button is never there.
  if (keys === null || keys === undefined || keys.length === 0) return false;
  const isPlain = role === "deny" || (PLAIN_YES.test(displayLine(label ?? "")) && (description ?? "") === "");
  return isPlain && options.findIndex((other) => other.role === role) === index;
};

/** An option with the number that chooses it. */
export interface ListedOption {
  number: number;
  option: RequestView["options"][number];
}

/** The options that a line of their own must stand for. */
export const listedOptions = ({ options }: RequestView): ListedOption[] =>
  options.flatMap((option, index) => (isRepeated(options, index) ? [] : [{ number: index + 1, option }]));

const optionsOf = (pane: PaneView, context: ActionContext): CardOption[] => {
  const reasons = optionReasons(pane, context);
  const listed = pane.request === null ? [] : listedOptions(pane.request);
  return listed.map(({ number, option }) => ({
    number,
    label: displayLine(option.label),
    description: displayLine(option.description ?? ""),
    reason: reasons[number - 1] ?? null,
  }));
};

const ANSWERS = [
  "approve",
  "deny",
  "reply",
  "dismiss",
  "rule",
  "goOn",
  "attach",
] as const satisfies readonly PaneActionId[];

const answersOf = (pane: PaneView, context: ActionContext): CardAnswer[] =>
  ANSWERS.flatMap((id) => {
    const { key, name, disabledReason } = actionOf(id);
    // Without a request a reply is no answer.
    if (id === "reply" && pane.request === null) return [];
    if (disabledReason(pane, context) !== null) return [];
    return [{ id, key, name: id === "reply" ? "Type an answer…" : name }];
  });

/** The card of a pane that needs somebody; of one that asks nothing only what can be done about it. */
export const cardView = (pane: PaneView, context: ActionContext): CardView => {
  const { request } = pane;
  const heading = request === null ? "" : requestHeading(request);
  const parts = request === null ? [] : partsOf(request, heading);
  const content = request?.content ?? null;
  return {
    heading,
    parts,
    summary: content === null ? "" : changeSummary(content),
    lineCount: parts.reduce((sum, { text }) => sum + text.split("\n").length, 0),
    isShownWhole: context.isShownWhole(pane),
    note:
      request === null || request.is_whole
        ? ""
        : "Not shown whole: a part of it could not be read. Attach to read it.",
    options: optionsOf(pane, context),
    answers: answersOf(pane, context),
  };
};

/** Characters of a line that is longer than any window is wide. */
const MAX_COLUMNS = 600;

/** An edit is shown from the line before its first change on. */
const fromFirstChange = (text: string): string => {
  const lines = text.split("\n");
  return lines.slice(Math.max(lines.findIndex((line) => /^[+-]/.test(line)) - 1, 0)).join("\n");
};

/**
 * As much of a part as fits, as it is drawn, and how many of its lines are hidden; nothing hidden means that all of it is there,
 * to the letter. `columns`: characters of a row.
 */
export const boundPart = (
  { kind, text }: CardPart,
  { rows, columns }: { rows: number; columns: number },
): { text: string; hiddenLines: number } => {
  const heightOf = (line: string): number => Math.max(1, Math.ceil(line.length / columns));
  const all = displayText(text).split("\n");
  if (all.reduce((sum, line) => sum + heightOf(line), 0) <= rows)
    return { text: all.join("\n"), hiddenLines: 0 };
  const lines = kind === "change" ? displayText(fromFirstChange(text)).split("\n") : all;
  const kept: string[] = [];
  let [left, cut] = [rows, 0];
  for (const line of lines) {
    if (left <= 0) break;
    const part = line.slice(0, Math.min(left * columns, MAX_COLUMNS));
    if (part.length < line.length) cut += 1;
    kept.push(part);
    left -= heightOf(line);
  }
  return { text: kept.join("\n"), hiddenLines: all.length - kept.length + cut };
};
