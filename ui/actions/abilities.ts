// What can be done to a pane from here, and why the rest cannot. Pure. It keeps dead buttons out of the popover; whether an
// action really goes through is the daemon's to decide when it is asked.
import { mayAnswer, type RequestView } from "../../core/model/request.ts";
import { isWaiting } from "../../core/model/state.ts";
import type { PaneView } from "../../core/model/view.ts";

/** Null: it can be done. Otherwise one sentence that says why not. */
export type Hindrance = string | null;

export interface Abilities {
  attach: Hindrance;
  /** A text at the agent's own prompt, or as the answer to its question. */
  reply: Hindrance;
  approve: Hindrance;
  deny: Hindrance;
  /** By place among the request's options. */
  options: readonly Hindrance[];
  interrupt: Hindrance;
  output: Hindrance;
  kill: Hindrance;
  dismiss: Hindrance;
}

export interface Surroundings {
  isConnected: boolean;
  /** The pane's target is down. */
  isUnreachable: boolean;
  /** Agent types of which it is not known how a turn is stopped. */
  uninterruptible: ReadonlySet<string>;
  /** Whether the row shows all of the text of its request when it is expanded. */
  isShownWhole: (pane: PaneView) => boolean;
}

const KEYS_UNKNOWN = "which keys choose it is not known.";

const NOT_WHOLE = "it is not shown whole.";
const FOLDED = "it is not shown whole: show all of it first.";

/** The rule of every answer: what allows something needs that the complete text is what is shown. */
const wholeHindrance = (
  pane: PaneView,
  role: "approve" | "approve_always" | "deny" | null | undefined,
  { isShownWhole }: Surroundings,
): Hindrance => {
  const isWhole = pane.request?.is_whole === true;
  if (mayAnswer(isWhole && isShownWhole(pane), role)) return null;
  return isWhole ? FOLDED : NOT_WHOLE;
};

const hasKeys = (keys: readonly string[] | null): boolean => keys !== null && keys.length > 0;

/** Why the prompt as a whole cannot be answered from here. */
const promptHindrance = (pane: PaneView): Hindrance => {
  if (pane.state === null || !isWaiting(pane.state)) return "it asks nothing.";
  if (pane.request === null) return "what it asks could not be read.";
  return pane.prompt_fingerprint === null ? "its prompt cannot be told from another." : null;
};

const roleHindrance = (pane: PaneView, role: "approve" | "deny", around: Surroundings): Hindrance => {
  const general = promptHindrance(pane);
  if (general !== null) return general;
  const options = pane.request?.options ?? [];
  if (options.length === 0) return "its options have not been read from the screen.";
  const option = options.find((candidate) => candidate.role === role);
  if (option === undefined) return "it is not known which option does that and nothing else.";
  return hasKeys(option.keys) ? wholeHindrance(pane, role, around) : KEYS_UNKNOWN;
};

const takesText = (request: RequestView): boolean => (request.text_entry ?? null) !== null;

/** True when a reply is the answer to the open prompt, false when it goes to the agent's own prompt. */
export const repliesToPrompt = (pane: PaneView): boolean =>
  pane.state !== null && isWaiting(pane.state) && pane.request !== null;

const replyHindrance = (pane: PaneView, around: Surroundings): Hindrance => {
  if (pane.state === null || !isWaiting(pane.state)) return null;
  const general = promptHindrance(pane);
  if (general !== null) return general;
  return pane.request !== null && takesText(pane.request)
    ? wholeHindrance(pane, null, around)
    : "its prompt takes no text; answer it or attach.";
};

const interruptHindrance = (pane: PaneView, { uninterruptible }: Surroundings): Hindrance => {
  if (uninterruptible.has(pane.agent ?? "")) return "how this agent is interrupted is not known.";
  switch (pane.state) {
    case "running":
    case "waiting_approval":
    case "waiting_input":
    // Unknown may be a turn that nobody sees.
    case "unknown":
      return null;
    case "error":
    case "completed":
    case "idle":
    case null:
      return "no turn is running.";
  }
};

/** Why nothing at all can be done; null when something can. */
const generalHindrance = (pane: PaneView, around: Surroundings): Hindrance => {
  if (!around.isConnected) return "there is no connection to the daemon.";
  return around.isUnreachable ? `${pane.identity.target} cannot be reached.` : null;
};

/** A process that has ended takes neither keys nor signals. */
const endedHindrance = (pane: PaneView): Hindrance =>
  pane.reason_code === "crashed" || pane.identity.runtime_id === null ? "its agent has ended." : null;

export const abilitiesOf = (pane: PaneView, around: Surroundings): Abilities => {
  const general = generalHindrance(pane, around);
  const live = general ?? endedHindrance(pane);
  const prompt = live ?? promptHindrance(pane);
  return {
    attach: general,
    reply: live ?? replyHindrance(pane, around),
    approve: live ?? roleHindrance(pane, "approve", around),
    deny: live ?? roleHindrance(pane, "deny", around),
    options: (pane.request?.options ?? []).map(
      ({ keys, role }) => prompt ?? (hasKeys(keys) ? wholeHindrance(pane, role, around) : KEYS_UNKNOWN),
    ),
    interrupt: live ?? interruptHindrance(pane, around),
    output: general,
    kill: live,
    // Dismissing is the daemon's own affair, so that a target that is down does not keep its errors in the list.
    dismiss:
      pane.state !== "error"
        ? "there is no error."
        : around.isConnected
          ? null
          : "there is no connection to the daemon.",
  };
};

/** What the person would look for in this row and does not find, as sentences. Only what is about the present state. */
export const missingAbilities = (pane: PaneView, abilities: Abilities): string[] => {
  const waits = pane.state !== null && isWaiting(pane.state);
  const asked: [string, Hindrance][] = waits
    ? [
        ...(pane.state === "waiting_approval"
          ? ([
              ["Approve", abilities.approve],
              ["Deny", abilities.deny],
            ] as [string, Hindrance][])
          : []),
        ["Reply", abilities.reply],
      ]
    : [["Reply", abilities.reply]];
  const rest: [string, Hindrance][] = [
    ["Interrupt", abilities.interrupt],
    ["View output", abilities.output],
    ["Kill", abilities.kill],
    ["Attach", abilities.attach],
  ];
  const hindered = [...asked, ...rest].filter((entry): entry is [string, string] => entry[1] !== null);
  // One reason that holds for several is said once.
  const byReason = Map.groupBy(hindered, ([, why]) => why);
  return [...byReason].map(([why, entries]) => `${entries.map(([name]) => name).join(", ")}: ${why}`);
};
