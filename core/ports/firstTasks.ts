// The first text of an agent that was just started: from the feature that starts agents to the one that sends texts later. Neither
// knows the other; who puts the features together hands this from one to the other.
import type { NewAgentPane } from "../model/job.ts";
import type { Started } from "../model/started.ts";

/** How it went by now; `waiting`: it may still be sent. */
export type FirstTaskOutcome = Pick<Started, "prompt" | "prompt_detail">;

export interface FirstTasks {
  /**
   * Arms a text for the agent that appears in this pane. It is typed once, when that agent is ready, also by a later daemon; a
   * text with a secret is kept in memory alone (`isStored` false). @throws AgtmuxError E_USAGE for a text that is empty.
   */
  arm(task: { place: NewAgentPane; text: string; surface: string }): { jobId: string; isStored: boolean };
  outcomeOf(jobId: string): FirstTaskOutcome;
}
