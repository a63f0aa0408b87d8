// The adapter for Gemini CLI: wires its parts to the contract, decides nothing itself.
import { ADAPTER_CONTRACT_VERSION, type AgentAdapter } from "../../core/ports/agentAdapter.ts";
import { identifyGemini } from "./identify.ts";
import { createGeminiIntegration } from "./integration.ts";
import { normalizeGemini } from "./normalize.ts";
import { readGeminiScreen } from "./screen.ts";

/** A new adapter. Recorded with 0.61.0, whose title is its state file: there is no other. */
export const createGeminiAdapter = (): AgentAdapter => ({
  contractVersion: ADAPTER_CONTRACT_VERSION,
  agentType: "gemini",
  displayName: "Gemini CLI",
  version: "1.0.0",
  recordedVersions: ["0.61.0"],
  // SessionEnd fires on exit and on INT and TERM.
  announcesExit: true,
  capabilities: {
    event_driven: true,
    polling_required: true,
    supports_waiting_approval: true,
    supports_waiting_input: true,
    supports_completed: true,
    verified: true,
  },
  interruptKeys: [["Escape"]],
  identify: identifyGemini,
  normalize: normalizeGemini,
  readScreen: readGeminiScreen,
  integration: createGeminiIntegration(),
});
