// The adapter for the Cursor CLI: wires its parts to the contract. Nobody could run it here, so its screens are unknown
// and give no reading, and it claims no waiting states.
import { ADAPTER_CONTRACT_VERSION, type AgentAdapter } from "../../core/ports/agentAdapter.ts";
import { identifyCursor } from "./identify.ts";
import { createCursorIntegration } from "./integration.ts";
import { normalizeCursor } from "./normalize.ts";

/** A new adapter; never recorded. */
export const createCursorAdapter = (): AgentAdapter => ({
  contractVersion: ADAPTER_CONTRACT_VERSION,
  agentType: "cursor",
  displayName: "Cursor CLI",
  version: "1.0.0",
  recordedVersions: [],
  announcesExit: false,
  capabilities: {
    event_driven: true,
    polling_required: false,
    supports_waiting_approval: false,
    supports_waiting_input: false,
    supports_completed: true,
    verified: false,
  },
  identify: identifyCursor,
  normalize: normalizeCursor,
  readScreen: () => null,
  integration: createCursorIntegration(),
});
