// Words of watches that only the daemon says. Pure.
import type { WatchCondition } from "../../../core/model/job.ts";
import type { PaneView } from "../../../core/model/view.ts";
import { conditionText } from "../../../core/model/watchText.ts";

/** Why a job ended without what it waited for. */
export const endedText = (condition: WatchCondition): string => `ended before ${conditionText(condition)}`;

export const agentName = ({ agent, agent_name, short_ref }: PaneView): string =>
  agent_name ?? (agent === null ? `The pane ${short_ref}` : "An agent");
