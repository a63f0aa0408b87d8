// A stage that keeps what the agent shows instead of holding agtmux against it: the scenarios of `npm run live` drive the agent, and
// each state that they made and that held is kept as a recording with its label.
import { randomInt } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Label } from "../../adapters/testkit/recordings.ts";
import type { BareStage } from "../live/drive/stage.ts";
import type { Shown } from "../live/results/result.ts";
import type { LivePane } from "../live/rig/livePane.ts";
import type { Stand } from "../live/rig/openStand.ts";
import { readLoggedEvents, takeSnapshot, type LoggedEvent, type Snapshot } from "./recording.ts";

/** When a state that just began has been drawn. */
const DRAWN_MS = 1_500;
/** How long a screen has to stay as it is until it is the state's own, and how long that is waited for: a busy machine draws late. */
const STEADY_MS = 1_000;
const STEADY_LIMIT_MS = 15_000;
const FIRST_NUMBER = 1_000;
const NUMBERS = 8_000;

/** How recordings call the steps of the scenarios, where that is otherwise. */
const NAMES: Readonly<Record<string, string>> = {
  idle: "idle_fresh",
  tool: "tool_running",
  waiting_input: "waiting_input_question",
  error: "error_400",
  trust: "trust_dialog",
};

/** Reasons that the driver knows, because it made the state. */
const REASONS: Readonly<Record<string, string>> = {
  idle: "fresh",
  tool: "tool",
  waiting_approval: "permission_tool",
  approval_edit: "permission_edit",
  waiting_input: "question",
  trust: "trust",
};

/** What a person would name who saw only this screen: an ended turn and a fresh prompt may look alike. */
export const labelOf = (step: string, state: Shown): Label => {
  switch (state) {
    case "gone":
      return { state: "none" };
    case "completed":
      return { also: ["idle"], state };
    case "idle":
      if (step !== "idle") return { also: ["completed"], reason_code: "interrupted", state };
      break;
    case "error":
    case "running":
    case "waiting_approval":
    case "waiting_input":
    case "unknown":
      break;
  }
  const reason = REASONS[step];
  return reason === undefined ? { state } : { reason_code: reason, state };
};

/** `completed`, in a pane of the usual size; `completed_60_columns`. */
export const nameOf = (step: string, columns: number): string =>
  `${NAMES[step] ?? step}${columns === USUAL_COLUMNS ? "" : `_${columns}_columns`}`;
export const USUAL_COLUMNS = 120;

/** A state that was made, as it looked. */
export interface Kept {
  step: string;
  label: Label;
  snapshot: Snapshot;
  /** Since the prompt that led to it. */
  events: readonly LoggedEvent[];
}

const untilSteady = async (pane: LivePane): Promise<void> => {
  const deadline = Date.now() + STEADY_LIMIT_MS;
  const look = async (): Promise<string> => `${await pane.screen()}${await pane.show("#{pane_title}")}`;
  for (let before = await look(); Date.now() < deadline;) {
    await wait(STEADY_MS);
    const now = await look();
    if (now === before) return;
    before = now;
  }
};

/** `log`: where the agent's hooks write. */
export const createRecordingStage = (options: {
  stand: Stand;
  pane: LivePane;
  log: string;
  keep: (kept: Kept) => void;
  /** A state that could not be made, and why. */
  miss: (step: string, why: string) => void;
}): BareStage => {
  const { stand, log, keep, miss } = options;
  let count = FIRST_NUMBER + randomInt(NUMBERS);
  let promptedAt = 0;
  const pane: LivePane = {
    ...options.pane,
    say: async (...args) => {
      promptedAt = Date.now();
      return options.pane.say(...args);
    },
  };
  return {
    rig: stand,
    pane,
    next: () => (count += 1),
    since: (at) => stand.exchanges().filter((exchange) => exchange.at >= at),
    check: async ({ step, states: [state = "unknown"], since, holds }) => {
      await wait(Math.max(0, since + DRAWN_MS - Date.now()));
      // What works changes all the time.
      if (state !== "running") await untilSteady(pane);
      const heldBefore = await holds();
      const snapshot = await takeSnapshot(stand.tmux, pane.paneId, (args) => args.includes(log));
      if (!heldBefore || !(await holds())) return miss(step, "the agent left the state by itself");
      const events = readLoggedEvents(log).filter(({ t }) => t >= promptedAt);
      keep({ step, label: labelOf(step, state), snapshot, events });
    },
    undriven: async (step, _states, why) => miss(step, `${why}; the screen was\n${await pane.screen()}`),
    did: async (step, isRight, detail) => {
      if (!isRight) miss(step, detail);
    },
  };
};
