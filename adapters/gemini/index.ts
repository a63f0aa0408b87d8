// The adapter for Gemini CLI: tells its process from others, and wires its parts to the contract.
import type { ProcessInfo } from "../../core/model/runtime.ts";
import {
  ADAPTER_CONTRACT_VERSION,
  type AgentAdapter,
  type IdentifyMatch,
} from "../../core/ports/agentAdapter.ts";
import { FULL_SUPPORT } from "../common/capabilities.ts";
import { readScriptCommand } from "../common/commandLine.ts";
import { geminiLoads } from "../common/loads.ts";
import { geminiHistory, readGeminiTranscript } from "./history.ts";
import { createGeminiIntegration } from "./integration.ts";
import { normalizeGemini } from "./normalize.ts";
import { readGeminiScreen } from "./screen.ts";
import { readDraft as readGeminiDraft } from "./layout.ts";

// Which process of a pane is Gemini CLI. Node names its main thread alike for every program, so the script on the command
// line decides. Source: process trees recorded with 0.61.0; launcher forms from the package's own entry points.
const SCRIPT = /(^|\/)(\.bin|bin)\/gemini$|\/@google\/gemini-cli\/(dist|bundle)\/(index|gemini)\.[cm]?js$/;

/** Subcommands that configure and leave, and modes in which another program is the front end. */
const HELPER_WORDS = new Set(["mcp", "extensions", "extension", "hooks", "hook", "skills", "skill"]);
const HELPER_FLAGS = new Set(["--acp", "--experimental-acp", "--list-sessions", "--list-extensions"]);

/** A prompt may begin with a subcommand's word; the subcommand itself is followed by one of these or by nothing. */
const HELPER_OPERANDS =
  /^(add|config|disable|enable|install|link|list|migrate|new|remove|uninstall|update|validate|-.*)$/;

const isHelper = (operands: readonly string[]): boolean => {
  if (operands.some((word) => HELPER_FLAGS.has(word))) return true;
  const [first = "", second] = operands;
  return HELPER_WORDS.has(first) && (second === undefined || HELPER_OPERANDS.test(second));
};

/**
 * The first process, parents before children, that is an interactive Gemini CLI. It starts itself again as its own child
 * unless told not to; the outer one lives as long as the session and is the agent.
 */
export const identifyGemini = (processes: readonly ProcessInfo[]): IdentifyMatch | null => {
  for (const process of processes) {
    const command = readScriptCommand(process.args);
    if (command !== null && SCRIPT.test(command.script) && !isHelper(command.operands))
      return { process, confidence: "high", sign: `${command.program} running Gemini CLI's script` };
  }
  return null;
};

/** A new adapter. Recorded with 0.61.0, whose title is its state file: there is no other. */
export const createGeminiAdapter = (): AgentAdapter => ({
  contractVersion: ADAPTER_CONTRACT_VERSION,
  agentType: "gemini",
  displayName: "Gemini CLI",
  version: "1.0.0",
  recordedVersions: ["0.61.0"],
  // SessionEnd fires on exit and on INT and TERM.
  announcesExit: true,
  capabilities: FULL_SUPPORT,
  interruptKeys: [["Escape"]],
  // Its documentation; sessions belong to the folder (0.61.0).
  launch: { program: "gemini", resume: (id) => ["--resume", id] },
  identify: identifyGemini,
  normalize: normalizeGemini,
  readScreen: readGeminiScreen,
  readDraft: readGeminiDraft,
  readTranscript: readGeminiTranscript,
  history: geminiHistory,
  loads: geminiLoads,
  integration: createGeminiIntegration(),
});
