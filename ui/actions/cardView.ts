// What a card shows of a request and which answers it offers, for every surface alike: nothing twice, what is to be judged first,
// and no answer that allows something before all of it is shown (the rule is in docs/security.md). Pure; knows nothing of pixels.
import type { RequestView } from "../../core/model/request.ts";
import type { PaneView } from "../../core/model/view.ts";
import { displayLine } from "../text/displayText.ts";
import { isAtLimit } from "../text/limitText.ts";
import { requestText } from "../text/requestText.ts";
import { optionReasons, type ActionContext, type DisabledReason } from "./disabledReasons.ts";
import { actionOf, type PaneAction, type PaneActionId } from "./paneActions.ts";

export interface CardOption {
  /** The digit that chooses it. */
  number: number;
  label: string;
  /** What the agent says about choosing it; empty where it says nothing. */
  description: string;
  /** Why it cannot be chosen from here; null: it can. */
  reason: DisabledReason;
  /** Null: it has no box. */
  isTicked: boolean | null;
}

/** Says no more than the button beside it. */
const PLAIN_YES =
  /^(?:yes|allow|approve|accept|ok)(?:,? (?:once|proceed|continue|this once|just this once))?[.!]?$/i;

/**
 * Whether "Approve" or "Deny" stands for this option: the first of the role, if its keys are known. A yes that says more than yes
 * is listed too, because its words are a part of what is approved.
 */
const isRepeated = (options: RequestView["options"], index: number): boolean => {
  const { role, keys, label, description } = options[index] ?? {};
  if (role !== "approve" && role !== "deny") return false;
  // Without its keys the button is never there.
  if (keys === null || keys === undefined || keys.length === 0) return false;
  const isPlain = role === "deny" || (PLAIN_YES.test(displayLine(label ?? "")) && (description ?? "") === "");
  return isPlain && options.findIndex((other) => other.role === role) === index;
};

/** The options that a line of their own must stand for, with the digits that choose them. */
export const listedOptions = ({ options }: RequestView) =>
  options.flatMap((option, index) => (isRepeated(options, index) ? [] : [{ number: index + 1, option }]));

const optionsOf = (pane: PaneView, context: ActionContext): CardOption[] => {
  const reasons = optionReasons(pane, context);
  const ticked = context.ticked?.(pane) ?? new Set<number>();
  const listed = pane.request === null ? [] : listedOptions(pane.request);
  return listed.map(({ number, option }) => ({
    number,
    label: displayLine(option.label),
    description: displayLine(option.description ?? ""),
    reason: reasons[number - 1] ?? null,
    isTicked: option.toggle === undefined ? null : ticked.has(number),
  }));
};

const ANSWERS: readonly PaneActionId[] = [
  "approve",
  "deny",
  "denyBecause",
  "several",
  "reply",
  "dismiss",
  "rule",
  "goOn",
  "handOver",
  "attach",
];

const answersOf = (pane: PaneView, context: ActionContext): PaneAction[] =>
  ANSWERS.map(actionOf)
    // Without a request a reply is no answer.
    .filter(({ id }) => id !== "reply" || pane.request !== null)
    // An agent that stopped at a limit can leave its work to another one.
    .filter(({ id }) => id !== "handOver" || isAtLimit(pane))
    .filter(({ disabledReason }) => disabledReason(pane, context) === null)
    .map((action) => (action.id === "reply" ? { ...action, name: "Type an answer…" } : action));

const NOTHING_ASKED: ReturnType<typeof requestText> = {
  heading: "",
  parts: [],
  summary: "",
  lineCount: 0,
  note: "",
};

/** The card of a pane that needs somebody; of one that asks nothing only what can be done about it. */
export const cardView = (pane: PaneView, context: ActionContext) => ({
  ...(pane.request === null ? NOTHING_ASKED : requestText(pane.request)),
  /** All of it is shown. Otherwise showing all comes before any answer that allows something. */
  isShownWhole: context.isShownWhole(pane),
  /** Those that no answer stands for. */
  options: optionsOf(pane, context),
  /** In the order of their buttons. */
  answers: answersOf(pane, context),
});

export type CardView = ReturnType<typeof cardView>;
