// The adapter for Codex: wires its parts to the contract, decides nothing itself.
import { ADAPTER_CONTRACT_VERSION, type AgentAdapter } from "../../core/ports/agentAdapter.ts";
import { FULL_SUPPORT } from "../common/capabilities.ts";
import { readResetTime } from "../common/resetTime.ts";
import { codexLoads } from "../common/loads.ts";
import { codexHistory } from "./history.ts";
import { CODEX_EXECUTABLE, identifyCodex } from "./identify.ts";
import { createCodexConfirmation, createCodexIntegration } from "./integration.ts";
import { normalizeCodex } from "./normalize.ts";
import { readCodexScreen, readDraft as readCodexDraft } from "./screen.ts";
import { readCodexStateFile } from "./stateFiles.ts";
import { readCodexTranscript } from "./transcript.ts";

/**
 * A new adapter with its own cache of settings files. Recorded with 0.169.0 and its background server on: hooks carry the
 * environment of whichever pane started the server, and no event tells that a window closed.
 */
export const createCodexAdapter = (): AgentAdapter => ({
  contractVersion: ADAPTER_CONTRACT_VERSION,
  agentType: "codex",
  displayName: "Codex",
  version: "1.0.0",
  recordedVersions: ["0.169.0"],
  announcesExit: false,
  eventsMayNameOtherPanes: true,
  capabilities: FULL_SUPPORT,
  interruptKeys: [["Escape"]],
  // The command that it prints when it ends (0.169.0).
  launch: { program: "codex", resume: (id) => ["resume", id] },
  executable: CODEX_EXECUTABLE,
  identify: identifyCodex,
  normalize: normalizeCodex,
  readScreen: readCodexScreen,
  readDraft: readCodexDraft,
  readReset: readResetTime,
  readStateFiles: readCodexStateFile,
  readTranscript: readCodexTranscript,
  needsConfirmation: createCodexConfirmation(),
  history: codexHistory,
  loads: codexLoads,
  integration: createCodexIntegration(),
});
