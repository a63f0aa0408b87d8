// The adapter for pi: wires its parts to the contract, decides nothing itself. It reads no state from session files: nothing
// maps a terminal to one without events, and beside events the file would speak against dialogs of extensions, of which it
// does not know. For a person it is read as a transcript.
import { ADAPTER_CONTRACT_VERSION, type AgentAdapter } from "../../core/ports/agentAdapter.ts";
import { createExtensionIntegration } from "../piFamily/integration.ts";
import { createPiNormalizer } from "../piFamily/normalize.ts";
import { createTranscriptReader } from "../piFamily/transcript.ts";
import { identifyPi } from "./identify.ts";
import { readPiScreen } from "./screen.ts";

/** A new adapter; recorded with 0.87.1. Approvals and questions exist only where extensions ask. */
export const createPiAdapter = (): AgentAdapter => ({
  contractVersion: ADAPTER_CONTRACT_VERSION,
  agentType: "pi",
  displayName: "pi",
  version: "1.0.0",
  recordedVersions: ["0.87.1"],
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
  identify: identifyPi,
  normalize: createPiNormalizer({ retriesAfterEnd: false, settles: true, hasAskTool: false }),
  readScreen: readPiScreen,
  readTranscript: createTranscriptReader(".pi"),
  integration: createExtensionIntegration({
    agentType: "pi",
    folder: ".pi",
    hasAskTimeout: false,
    events: [
      "session_start",
      "session_shutdown",
      "before_agent_start",
      "agent_start",
      "turn_start",
      "turn_end",
      "tool_execution_start",
      "tool_execution_end",
      "ui_prompt_start",
      "ui_prompt_end",
      "agent_end",
      "agent_before_settle",
      "agent_settled",
    ],
  }),
});
