// A stretch of a part that begins and ends at the agent's prompt, or ends the agent.
import type { AgentId } from "../agents/agentIds.ts";
import type { LiveAgent } from "../agents/liveAgent.ts";
import type { BareStage, Stage } from "./stage.ts";

/** How the agent is started where a scenario needs it otherwise than at its prompt in a trusted project. */
export interface Start {
  /** In its plan mode. */
  isPlan: boolean;
  answersDialogs: boolean;
  isTrusted: boolean;
}
export const USUAL_START: Start = { isPlan: false, answersDialogs: true, isTrusted: true };

/** `On`: what it is driven on. */
export interface Scenario<On extends BareStage = Stage> {
  readonly name: string;
  /** The steps that it notes, by which `--state` chooses it. */
  readonly steps: readonly string[];
  /** Why this agent cannot be driven there; null: it can. */
  lacks?(agent: LiveAgent): string | null;
  /** What of it agtmux refuses by rule for this agent, so that the refusal is what is right; null: nothing. */
  refused?(agent: LiveAgent): { step: string; why: string } | null;
  /** Its own start of the agent; without one it goes on where the scenario before it ended. */
  readonly start?: Start;
  /** Another agent that it needs in the same home, at the version last driven. */
  readonly companion?: AgentId;
  run(stage: On): Promise<void>;
}
