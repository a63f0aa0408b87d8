// The adapter for GitHub Copilot CLI: wires its parts to the contract, decides nothing itself.
import { ADAPTER_CONTRACT_VERSION, type AgentAdapter } from "../../core/ports/agentAdapter.ts";
import { FULL_SUPPORT } from "../common/capabilities.ts";
import { copilotLoads } from "../common/loads.ts";
import { copilotHistory } from "./history.ts";
import { identifyCopilot } from "./identify.ts";
import { createCopilotIntegration } from "./integration.ts";
import { normalizeCopilot } from "./normalize.ts";
import { readCopilotScreen } from "./screen.ts";
import { readDraft as readCopilotDraft } from "./screen/layout.ts";
import {
  readCopilotSessionTitle,
  readCopilotStateFiles,
  readCopilotTranscript,
  titleOfCopilotSession,
} from "./stateFiles.ts";

/** A new adapter. Recorded with 1.0.102 with a provider of its own and without a login. */
export const createCopilotAdapter = (): AgentAdapter => ({
  contractVersion: ADAPTER_CONTRACT_VERSION,
  agentType: "copilot",
  displayName: "GitHub Copilot CLI",
  version: "1.0.0",
  recordedVersions: ["1.0.102"],
  // sessionEnd fires on exit, and when the native program is told to end.
  announcesExit: true,
  capabilities: FULL_SUPPORT,
  // The first one shows "esc again to interrupt".
  // It follows the counter of seconds (recorded 1.0.102).
  movesCursorInDialogs: true,
  interruptKeys: [["Escape"], ["Escape"]],
  // Its documentation (1.0.102).
  launch: { program: "copilot", resume: (id) => [`--resume=${id}`] },
  identify: identifyCopilot,
  normalize: normalizeCopilot,
  readScreen: readCopilotScreen,
  readDraft: readCopilotDraft,
  readStateFiles: readCopilotStateFiles,
  readTranscript: readCopilotTranscript,
  titleOfSession: titleOfCopilotSession,
  readSessionTitle: readCopilotSessionTitle,
  history: copilotHistory,
  loads: copilotLoads,
  integration: createCopilotIntegration(),
});
