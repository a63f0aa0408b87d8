// Fields that every adapter in the tree has in common.
import { ADAPTER_CONTRACT_VERSION, type AgentAdapter } from "../../core/ports/agentAdapter.ts";

/** For an adapter with recorded events and screens; one that does less overrides a field. */
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
