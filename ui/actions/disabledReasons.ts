// Why something cannot be done to a pane from here. This keeps dead buttons out of a surface; the daemon itself decides whether
// a requested action goes through.
import { plainWords } from "../../core/model/plainWords.ts";
import { isWaiting, mayAnswer } from "../../core/model/needs.ts";
import type { RequestView } from "../../core/model/request.ts";
import { pageOfPane } from "../../core/model/requestPage.ts";
import type { PaneView } from "../../core/model/view.ts";
import { agentName } from "../text/rowText.ts";
import { takesSeveral } from "./ticks.ts";
import { isAtLimit } from "../text/limitText.ts";
import { THIS_MACHINE } from "../text/sessionText.ts";
import type { AdapterView } from "../../core/model/adapterView.ts";

/** Null: it can be done. Otherwise one sentence that says why not. */
export type DisabledReason = string | null;

/** What the daemon cannot do to some agents, by agent type. */
export interface AgentLimits {
  /** Agent types for which no way to stop a turn is known. */
  uninterruptible: ReadonlySet<string>;
  /** Agent types whose input box cannot be read, so that nothing is typed to them unseen. */
  unreadable: ReadonlySet<string>;
  /** Agent types that do not say when a limit ends, as far as is known. */
  resetless: ReadonlySet<string>;
  /** Agent types whose session can be given a name. */
  naming: ReadonlySet<string>;
}

/** What a surface knows beside the pane. */
export interface ActionContext extends AgentLimits {
  isConnected: boolean;
  /** The pane's target is down. */
  isUnreachable: boolean;
  /** Whether the row shows all of the text of its request when it is expanded. */
  isShownWhole: (pane: PaneView) => boolean;
  /** Numbers of the options that are ticked, of a question that takes several. Absent: none. */
  ticked?: (pane: PaneView) => ReadonlySet<number>;
}

/** Why no action is possible; null when some are. */
export const unreachableReason = (pane: PaneView, { isConnected, isUnreachable }: ActionContext) => {
  if (!isConnected) return "the daemon isn't connected.";
  return isUnreachable ? `${pane.identity.target} is unreachable.` : null;
};

/** A process that has ended takes neither keys nor signals. */
export const notLiveReason = (pane: PaneView, context: ActionContext): DisabledReason =>
  unreachableReason(pane, context) ??
  (pane.reason_code === "crashed" || pane.identity.runtime_id === null ? "its agent has ended." : null);

/** No pane shows it, so that nothing can be typed to it; one that shows it takes keys like any other. */
const backgroundReason = ({ background }: PaneView): DisabledReason =>
  background === null ? null : "it runs in the background; attach to do this.";

/** On this machine it is opened for a moment, as an answer is given. */
const farBackgroundReason = (pane: PaneView): DisabledReason =>
  pane.identity.target === THIS_MACHINE ? null : backgroundReason(pane);

/** Only its screen is known: nothing is done to its process, and nothing while nobody watches. */
const insideReason = ({ inside }: PaneView): DisabledReason =>
  inside === null ? null : `it is inside ${inside}, where only its screen can be read; attach to do this.`;

/** A watch only reads, so that it is possible wherever the state is known. */
export const tellReason = (pane: PaneView, context: ActionContext): DisabledReason => {
  const notLive = notLiveReason(pane, context);
  if (notLive !== null) return notLive;
  return pane.state === "running" ||
    pane.state === "unknown" ||
    (pane.state !== null && isWaiting(pane.state))
    ? null
    : "no turn is running.";
};

export const killReason = (pane: PaneView, context: ActionContext): DisabledReason =>
  notLiveReason(pane, context) ?? insideReason(pane);

/** Opened again, it does not show what it asks. */
const elsewhereReason = (pane: PaneView): DisabledReason =>
  pane.background?.is_answered_elsewhere === true
    ? `${agentName(pane)} doesn't show it again; answer where it was asked.`
    : null;

/** Why the prompt as a whole cannot be answered from here. */
const promptReason = (pane: PaneView): DisabledReason => {
  if (pane.state === null || !isWaiting(pane.state)) return "it isn't asking anything.";
  const elsewhere = elsewhereReason(pane);
  if (elsewhere !== null) return elsewhere;
  if (pane.request === null) return "couldn't read what it asks.";
  if (pane.prompt_fingerprint !== null) return null;
  return backgroundReason(pane) ?? insideReason(pane) ?? "can't tell its prompt from another.";
};

/** The rule of every answer: to allow something, its complete text must be shown. */
const notWholeReason = (
  pane: PaneView,
  role: "approve" | "approve_always" | "deny" | null | undefined,
  { isShownWhole }: ActionContext,
): DisabledReason => {
  const isWhole = pane.request?.is_whole === true;
  if (mayAnswer(isWhole && isShownWhole(pane), role)) return null;
  return isWhole ? "not shown in full; show all of it first." : "not shown in full.";
};

type Option = RequestView["options"][number];

const optionReason = (
  pane: PaneView,
  { keys, role, toggle }: Option,
  context: ActionContext,
): DisabledReason =>
  toggle === undefined && (keys === null || keys.length === 0)
    ? "the keys that choose it are unknown."
    : notWholeReason(pane, role, context);

/** Reasons by the place of an option in the request. */
export const optionReasons = (pane: PaneView, context: ActionContext): DisabledReason[] => {
  const reason = notLiveReason(pane, context) ?? promptReason(pane);
  return (pane.request?.options ?? []).map((option) => reason ?? optionReason(pane, option, context));
};

/** Why the ticked options cannot be sent. */
export const severalReason = (pane: PaneView, context: ActionContext): DisabledReason => {
  const general = notLiveReason(pane, context) ?? promptReason(pane);
  if (general !== null) return general;
  if (!takesSeveral(pane)) return "it doesn't take several answers.";
  const count = context.ticked?.(pane).size ?? 0;
  return count === 0 ? "nothing is ticked." : notWholeReason(pane, null, context);
};

export const roleReason = (
  pane: PaneView,
  role: "approve" | "deny",
  context: ActionContext,
): DisabledReason => {
  const general = notLiveReason(pane, context) ?? promptReason(pane);
  if (general !== null) return general;
  const options = pane.request?.options ?? [];
  // Its event told all of it; which option has that role is read when it is opened for the answer.
  if (options.length === 0 && pane.background !== null) return notWholeReason(pane, role, context);
  if (options.length === 0) return "couldn't read the options; open the pane.";
  const option = options.find((candidate) => candidate.role === role);
  return option === undefined
    ? "can't tell which option does only that; open the pane."
    : optionReason(pane, option, context);
};

/** What is handed over is read from the agent's own log of its session, whether it still runs or not. */
export const handOverReason = (pane: PaneView, context: ActionContext): DisabledReason =>
  unreachableReason(pane, context) ??
  (pane.agent_session_id === null ? "can't tell which session it has." : null);

/** Rules are made of commands that were read. */
export const ruleReason = (pane: PaneView, context: ActionContext): DisabledReason => {
  const general = notLiveReason(pane, context) ?? promptReason(pane);
  if (general !== null) return general;
  if (pane.state !== "waiting_approval" || pane.request?.kind !== "command")
    return "it isn't asking to run a command.";
  if (pane.inside !== null) return insideReason(pane);
  if (plainWords(pane.request.body ?? "") === null) return "rules support only simple commands.";
  return notWholeReason(pane, "approve", context);
};

export const replyReason = (pane: PaneView, context: ActionContext): DisabledReason => {
  const notLive = notLiveReason(pane, context);
  if (notLive !== null) return notLive;
  if (pane.state === null || !isWaiting(pane.state)) return farBackgroundReason(pane);
  const general = promptReason(pane);
  if (general !== null) return general;
  return (pane.request?.text_entry ?? null) === null
    ? "its prompt doesn't take text; answer it or attach."
    : notWholeReason(pane, null, context);
};

/** What the agent left can be seen after its end, too. */
export const changesReason = (pane: PaneView, context: ActionContext): DisabledReason =>
  unreachableReason(pane, context) ??
  ((pane.activity?.work_tree ?? null) === null ? "it isn't in a git worktree." : null);

/** Its page may be opened while its machine is unreachable, too. */
export const pageReason = (pane: PaneView): DisabledReason => {
  if ((pane.workspace?.pull_request ?? null) === null) return "no pull request of its branch is known.";
  return pageOfPane(pane) === null ? "its host names no page of it." : null;
};

/** The reason follows the denial as a message, which has to be possible. */
export const denyBecauseReason = (pane: PaneView, context: ActionContext): DisabledReason => {
  if (pane.state !== "waiting_approval") return "it isn't asking for approval.";
  return roleReason(pane, "deny", context) ?? laterReason(pane, context);
};

/** Whether a text could wait for the end of a turn: anything else takes it now, or asks something. */
export const isLaterOffered = ({ state }: PaneView): boolean => state === "running";

/** Why no text can wait until the agent rests. */
export const laterReason = (pane: PaneView, context: ActionContext): DisabledReason =>
  notLiveReason(pane, context) ??
  backgroundReason(pane) ??
  insideReason(pane) ??
  (context.unreadable.has(pane.agent ?? "")
    ? `can't tell whether somebody is typing in ${agentName(pane)}, so nothing is sent.`
    : null);

/** Why no text can wait for the end of the limit at which it stopped. */
export const goOnReason = (pane: PaneView, context: ActionContext): DisabledReason => {
  const later = laterReason(pane, context);
  if (later !== null) return later;
  if (!isAtLimit(pane)) return "it hasn't hit a limit.";
  return context.resetless.has(pane.agent ?? "") ? `${agentName(pane)} doesn't say when a limit ends.` : null;
};

export const interruptReason = (pane: PaneView, context: ActionContext): DisabledReason => {
  const isOpened = pane.state === "running";
  const notLive =
    notLiveReason(pane, context) ?? (isOpened ? farBackgroundReason(pane) : backgroundReason(pane));
  if (notLive !== null) return notLive;
  if (context.uninterruptible.has(pane.agent ?? "")) return "don't know how to interrupt this agent.";
  switch (pane.state) {
    case "running":
    case "waiting_approval":
    case "waiting_input":
    // In the state `unknown` there may be a turn that nobody sees.
    case "unknown":
      return null;
    case "error":
    case "completed":
    case "idle":
    case null:
      return "no turn is running.";
  }
};

/** Without an answer of the daemon nothing is ruled out here: the daemon itself refuses. */
export const NO_LIMITS: AgentLimits = {
  uninterruptible: new Set(),
  unreadable: new Set(),
  resetless: new Set(),
  naming: new Set(),
};

/** One that no pane shows has no input box to type the agent's command into. */
export const canNameSession = ({ agent, background }: PaneView, { naming }: AgentLimits): boolean =>
  background === null && naming.has(agent ?? "");

/** From the daemon's list of adapters. */
export const agentLimits = (items: readonly AdapterView[]): AgentLimits => {
  const without = (capability: string): ReadonlySet<string> =>
    new Set(
      items.filter(({ capabilities }) => capabilities[capability] === false).map((item) => item.agent_type),
    );
  return {
    uninterruptible: without("supports_interrupt"),
    unreadable: without("supports_send_later"),
    resetless: without("supports_reset"),
    naming: new Set(
      items
        .filter(({ capabilities }) => capabilities["supports_session_name"] === true)
        .map((item) => item.agent_type),
    ),
  };
};
