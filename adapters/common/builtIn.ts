// What every adapter in the tree says of itself in the same words.
import { ADAPTER_CONTRACT_VERSION, type AgentAdapter } from "../../core/ports/agentAdapter.ts";

/** With events and screens of its own, as recorded; one that does less says so itself. */
export const BUILT_IN = {
  contractVersion: ADAPTER_CONTRACT_VERSION,
  version: "1.0.0",
  capabilities: {
    event_driven: true,
    polling_required: true,
    supports_waiting_approval: true,
    supports_waiting_input: true,
    supports_completed: true,
    verified: true,
  },
} satisfies Partial<AgentAdapter>;
