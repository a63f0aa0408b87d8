// The adapter for oh-my-pi: wires its parts to the contract, decides nothing itself.
import { ADAPTER_CONTRACT_VERSION, type AgentAdapter } from "../../core/ports/agentAdapter.ts";
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
    events: [
      "session_start",
      "session_switch",
      "session_shutdown",
      "before_agent_start",
      "agent_start",
      "turn_start",
      "turn_end",
      "tool_execution_start",
      "tool_execution_end",
      "tool_approval_requested",
      "tool_approval_resolved",
      "auto_retry_start",
      "auto_retry_end",
      "auto_compaction_start",
      "auto_compaction_end",
      "session_stop",
      "agent_end",
    ],
  }),
});
