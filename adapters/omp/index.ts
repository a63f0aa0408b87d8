// The adapter for oh-my-pi: wires its parts to the contract, decides nothing itself.
import { ADAPTER_CONTRACT_VERSION, type AgentAdapter } from "../../core/ports/agentAdapter.ts";
import { RUN_EVENTS } from "../piFamily/extensionSource.ts";
import { createExtensionIntegration } from "../piFamily/integration.ts";
import { createPiNormalizer } from "../piFamily/normalize.ts";
import { createSessionFileReader } from "../piFamily/sessionFile.ts";
import { createTranscriptReader } from "../piFamily/transcript.ts";
import { identifyOmp } from "./identify.ts";
import { readOmpScreen } from "./screen.ts";

/** A new adapter; recorded with 18.2.3. It announces every orderly exit, also the one after TERM. */
export const createOmpAdapter = (): AgentAdapter => ({
  contractVersion: ADAPTER_CONTRACT_VERSION,
  agentType: "omp",
  displayName: "oh-my-pi",
  version: "1.0.0",
  recordedVersions: ["18.2.3"],
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
  // Measured: an Enter one second after the dialog opened was ignored, after three it counted.
  dialogDeafMs: 3_000,
  identify: identifyOmp,
  normalize: createPiNormalizer({ retriesAfterEnd: false, settles: false, hasAskTool: true }),
  readScreen: readOmpScreen,
  readStateFiles: createSessionFileReader(".omp"),
  readTranscript: createTranscriptReader(".omp"),
  integration: createExtensionIntegration({
    agentType: "omp",
    folder: ".omp",
    hasAskTimeout: true,
    events: [...RUN_EVENTS, "tool_approval_requested", "tool_approval_resolved", "session_stop"],
  }),
});
