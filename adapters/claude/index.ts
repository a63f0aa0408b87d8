// The adapter for Claude Code: wires its parts to the contract, decides nothing itself.
import { ADAPTER_CONTRACT_VERSION, type AgentAdapter } from "../../core/ports/agentAdapter.ts";
import { FULL_SUPPORT } from "../common/capabilities.ts";
import { readResetTime } from "../common/resetTime.ts";
import { claudeLoads } from "../common/loads.ts";
import { claudeHistory } from "./history.ts";
import { CLAUDE_EXECUTABLE, identifyClaude } from "./identify.ts";
import { createClaudeConfirmation, createClaudeEditorMode, createClaudeIntegration } from "./integration.ts";
import { normalizeClaude } from "./normalize.ts";
import { readDraft as readClaudeDraft, readInputMode } from "./screen/draft.ts";
import { readClaudeScreen } from "./screen.ts";
import { readClaudeStateFile } from "./stateFiles.ts";
import { readClaudeSessionTitle, readClaudeTranscript, titleOfClaudeSession } from "./transcript.ts";

/** A new adapter with its own cache of settings files. Recorded with 2.1.329; 2.1.197 checked for its differences. */
export const createClaudeAdapter = (): AgentAdapter => ({
  contractVersion: ADAPTER_CONTRACT_VERSION,
  agentType: "claude",
  displayName: "Claude Code",
  version: "1.0.0",
  recordedVersions: ["2.1.329", "2.1.197"],
  announcesExit: true,
  capabilities: FULL_SUPPORT,
  interruptKeys: [["Escape"]],
  inputModes: { isOn: createClaudeEditorMode(), read: readInputMode, textKeys: ["i"] },
  // The command that it prints when it ends (2.1.329).
  launch: { program: "claude", resume: (id) => ["--resume", id] },
  skillCommand: (skill, argument) => `/${skill} ${argument}`,
  executable: CLAUDE_EXECUTABLE,
  identify: identifyClaude,
  normalize: normalizeClaude,
  readScreen: readClaudeScreen,
  readDraft: readClaudeDraft,
  readReset: readResetTime,
  readStateFiles: readClaudeStateFile,
  readTranscript: readClaudeTranscript,
  titleOfSession: titleOfClaudeSession,
  readSessionTitle: readClaudeSessionTitle,
  needsConfirmation: createClaudeConfirmation(),
  history: claudeHistory,
  loads: claudeLoads,
  integration: createClaudeIntegration(),
});
