// What an action is bound to: exactly what the row showed when the person acted. The daemon refuses when any of it changed.
import type { OutputRequest } from "../../core/model/action.ts";
import type { PaneView } from "../../core/model/view.ts";

const SURFACE = "popover";

/** Which of the row's facts must still hold. The runtime always must. */
interface Bound {
  state?: boolean;
  version?: boolean;
  prompt?: boolean;
}

/** What every call on a pane is given. */
export type PaneInput = ReturnType<typeof inputOf>;

const inputOf = (pane: PaneView, bound: Bound = {}) => ({
  ref: pane.identity.pane_ref,
  surface: SURFACE,
  guards: {
    // Never another agent that took the pane over since it was drawn.
    ifRuntime: pane.identity.runtime_id,
    ifState: bound.state === true ? pane.state : null,
    ifVersion: bound.version === true ? pane.state_version : null,
    ifPrompt: bound.prompt === true ? pane.prompt_fingerprint : null,
  },
});

/** For viewing, attaching and typing at the agent's own prompt: a change of its state does not matter. */
export const agentInput = (pane: PaneView) => inputOf(pane);

/** The very prompt that was shown; the daemon refuses when another is open. */
export const promptInput = (pane: PaneView) => inputOf(pane, { prompt: true });

/** The keys that stop a turn would answer "no" in a dialog that opened meanwhile. */
export const interruptInput = (pane: PaneView) => inputOf(pane, { state: true, prompt: true });

/** The agent in the state that the question showed: if it went on meanwhile, the person is asked again. */
export const killInput = (pane: PaneView) => inputOf(pane, { state: true, version: true });

/** Only this error, not a later one. */
export const dismissInput = (pane: PaneView) => inputOf(pane, { version: true });

/** What its output begins with: its own words where it works or rests, else the screen, which says what it asks or how it broke. */
export const firstOutput = ({ state }: PaneView): OutputRequest =>
  state === "running" || state === "completed" || state === "idle" ? "transcript_or_screen" : "screen";
