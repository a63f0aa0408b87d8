// A stretch of a part that begins and ends at the agent's prompt, or ends the agent.
import type { LiveAgent } from "../agents/liveAgent.ts";
import type { Stage } from "./stage.ts";

export interface Scene {
  readonly name: string;
  /** The steps that it notes, by which `--state` chooses it. */
  readonly steps: readonly string[];
  /** Why this agent cannot be driven there; null: it can. */
  lacks?(agent: LiveAgent): string | null;
  run(stage: Stage): Promise<void>;
}
