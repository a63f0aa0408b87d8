// What the daemon cannot do to some agents, by agent type, from its list of adapters. Without an answer nothing is ruled out here:
// the daemon itself refuses.
import type { AdapterView } from "../../core/model/adapterView.ts";
import type { ActionContext } from "./disabledReasons.ts";

export type AgentLimits = Pick<ActionContext, "uninterruptible" | "unreadable" | "resetless">;

export const NO_LIMITS: AgentLimits = {
  uninterruptible: new Set(),
  unreadable: new Set(),
  resetless: new Set(),
};

export const agentLimits = (
  items: readonly Pick<AdapterView, "agent_type" | "capabilities">[],
): AgentLimits => {
  const without = (capability: string): ReadonlySet<string> =>
    new Set(
      items.filter(({ capabilities }) => capabilities[capability] === false).map((item) => item.agent_type),
    );
  return {
    uninterruptible: without("supports_interrupt"),
    unreadable: without("supports_send_later"),
    resetless: without("supports_reset"),
  };
};
