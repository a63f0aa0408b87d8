// What an adapter with events and screens of its own does; one that does less says so itself.
import type { AgentAdapter } from "../../core/ports/agentAdapter.ts";

/** As recorded. */
export const FULL_SUPPORT: AgentAdapter["capabilities"] = {
  event_driven: true,
  polling_required: true,
  supports_waiting_approval: true,
  supports_waiting_input: true,
  supports_completed: true,
  verified: true,
};
