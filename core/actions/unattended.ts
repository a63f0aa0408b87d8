// What keeps a text from being typed while nobody watches: an agent that does not rest, a person who types or reads there, a draft
// in the input box. Asked when a text is due, and again on the very screen on which it is typed. Also when a limit is over
// (`findReset`).
import type { RuntimeEntry } from "../ingest/liveState.ts";
import { HOST_TARGET, type Pane } from "../model/runtime.ts";
import { isLimit, type Status } from "../model/state.ts";
import type { AgentAdapter } from "../ports/agentAdapter.ts";
import type { TmuxClient } from "../tmux/clients.ts";
import { compact, readCapture, readDraft } from "./screenReading.ts";
import type { PaneCapture } from "./paneClient.ts";

export interface Unattended {
  /** Why nothing may be typed on this screen now, after "because"; null: it may. `capture`: with colours. */
  findObstacle(capture: PaneCapture): Promise<string | null>;
  /** Whether the input box holds what was typed and nothing else. `capture`: with colours. */
  holdsOnlyTyped(capture: PaneCapture): boolean;
}

/** Why a text may go in although no person sends it. */
export interface Occasion {
  /** It may have stopped at a limit of its provider: a person set a time by which that is over. */
  afterLimit: boolean;
  /** Nothing was typed to this agent before: where its box cannot be read, that there is no draft in it is known all the same. */
  isFirst: boolean;
}

interface UnattendedText extends Occasion {
  pane: Pane;
  text: string;
  adapter: AgentAdapter | null;
  /** As the engine has it; null: nothing is known. */
  status: () => Status | null;
  /** Where the engine is not sure of the state, the screen itself must show that the agent rests. */
  isSure: () => boolean;
  /** Who is attached to the pane's server. @throws where tmux does not answer. */
  clients: () => Promise<readonly TmuxClient[]>;
  /** Epoch ms. */
  now: () => number;
}

/** A person who has the pane in front may still go on for this many seconds after the last key. */
const TYPES_S = 30;
/** The same where nobody can tell whether there is a draft. */
const TYPES_UNSEEN_S = 60;
/** Clocks of targets differ, and tmux counts whole seconds. */
const SLACK_S = 5;

const isAtRest = (status: Status | null, afterLimit: boolean): boolean => {
  if (status === null) return false;
  if (status.state === "error") return afterLimit && isLimit(status.reasonCode);
  return status.state === "idle" || status.state === "completed";
};

/** Somebody who has the pane in front pressed a key a moment ago; a time in the future is one of a clock that runs ahead. */
export const isTypedIn = (
  clients: readonly TmuxClient[],
  paneId: string,
  nowMs: number,
  withinS = TYPES_S,
): boolean =>
  clients.some(
    (client) =>
      client.paneId === paneId && !client.isReadOnly && nowMs / 1_000 - client.activeAt <= withinS + SLACK_S,
  );

/** How agents show a long paste instead of its text. */
const PLACEHOLDER = /^\[paste[^\]]{0,60}\]$/i;
/** A box that is too small for a long text shows its end: at least so many characters of it must be there. */
const CUT_FROM = 24;

/** What stands in the way in the input box; null: nothing, or nobody can tell and nobody has typed there yet. */
const findInBox = ({ adapter, pane }: UnattendedText, capture: PaneCapture): string | null => {
  if (adapter?.readDraft === undefined) return null;
  const draft = readDraft(adapter, pane, capture);
  if (draft === null) return "its input box isn't visible";
  return draft === "" ? null : "its input box has a draft";
};

export const createUnattended = (deps: UnattendedText): Unattended => ({
  findObstacle: async (capture) => {
    const { pane, adapter, afterLimit } = deps;
    if (!isAtRest(deps.status(), afterLimit)) return "its agent isn't idle";
    if (adapter?.readDraft === undefined && !deps.isFirst)
      return "can't tell how its agent shows what somebody typed";
    // The engine may be some hundred milliseconds behind.
    const seen = readCapture({ adapter }, pane, capture)?.status ?? null;
    if (seen === null ? !deps.isSure() : !isAtRest(seen, afterLimit)) return "its agent isn't idle";
    if (capture.inMode) return "somebody reads in it (copy mode)";
    const inBox = findInBox(deps, capture);
    if (inBox !== null) return inBox;
    const withinS = adapter?.readDraft === undefined ? TYPES_UNSEEN_S : TYPES_S;
    return isTypedIn(await deps.clients(), pane.paneId, deps.now(), withinS) ? "somebody types there" : null;
  },
  holdsOnlyTyped: (capture) => {
    const { adapter, pane } = deps;
    if (adapter?.readDraft === undefined && deps.isFirst) return true;
    const draft = adapter === null ? null : readDraft(adapter, pane, capture);
    if (draft === null) return false;
    const [typed, shown] = [compact(deps.text), compact(draft)];
    if (shown === typed || PLACEHOLDER.test(shown)) return true;
    return shown.length >= CUT_FROM && typed.endsWith(shown);
  },
});

/** Words without a zone mean that of the agent's machine, which is known only for this machine. */
const zoneOf = (targetId: string): string | null =>
  targetId === HOST_TARGET ? Intl.DateTimeFormat().resolvedOptions().timeZone : null;

/** When the limit at which the agent stopped is over, from the words of any source that names it: epoch ms; null: not known. */
export const findReset = ({ adapter, resolution, runtime, progress }: RuntimeEntry): number | null => {
  const status = resolution?.status;
  if (status?.state !== "error" || !isLimit(status.reasonCode) || resolution === null) return null;
  const seen = { at: resolution.since, timeZone: zoneOf(runtime.targetId) };
  const words = [...resolution.verdicts.map(({ matched }) => matched), progress.shown];
  for (const text of words) {
    const at = text === null ? null : (adapter?.readReset?.(text, seen) ?? null);
    if (at !== null) return at;
  }
  return null;
};
