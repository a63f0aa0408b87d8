// The adapter for GitHub Copilot CLI: wires its parts to the contract, decides nothing itself.
import {
  type IdentifyMatch,
  ADAPTER_CONTRACT_VERSION,
  type AgentAdapter,
} from "../../core/ports/agentAdapter.ts";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import { baseName, wordsOf } from "../common/commandLine.ts";
import { FULL_SUPPORT } from "../common/capabilities.ts";
import { copilotLoads } from "../common/loads.ts";
import { copilotHistory } from "./history.ts";
import { createCopilotIntegration } from "./integration.ts";
import { normalizeCopilot } from "./normalize.ts";
import { readCopilotScreen } from "./screen.ts";
import { readDraft as readCopilotDraft } from "./layout.ts";
import {
  readCopilotSessionTitle,
  readCopilotStateFiles,
  readCopilotTranscript,
  titleOfCopilotSession,
} from "./stateFiles.ts";

// Which process of a pane is GitHub Copilot CLI. A node launcher starts the native program and waits for it; the native one
// is the agent: it holds the session, it outlives a launcher that is ended alone, and it is what must be ended. Source:
// process trees recorded with 1.0.102. Another program is called `copilot` too, so a bare name is no proof.

const NATIVE = /\/@github\/copilot-(linux|linuxmusl|darwin|win32)-(x64|arm64)\/copilot$/;
const UNPACKED = /\/copilot\/pkg\/.+\/copilot$/;

/** Subcommands that configure and leave, and modes in which another program is the front end. */
const HELPER_WORDS = new Set(["completion", "help", "login", "logout", "mcp", "plugin", "update", "version"]);
const HELPER_FLAGS = new Set(["--acp", "--server", "--headless", "--stdio", "--version", "--help"]);

const isHelper = (operands: readonly string[]): boolean =>
  HELPER_WORDS.has(operands[0] ?? "") || operands.some((word) => HELPER_FLAGS.has(word));

const matchOne = (process: ProcessInfo): IdentifyMatch | null => {
  const [program = "", ...operands] = wordsOf(process.args);
  if (isHelper(operands)) return null;
  if (NATIVE.test(program) || UNPACKED.test(program))
    return { process, confidence: "high", sign: "Copilot CLI's native program" };
  // A program packed with node in it names its main thread so; the other tool of this name has no such thread.
  if (baseName(program) === "copilot" && process.comm === "MainThread")
    return { process, confidence: "medium", sign: 'a node program named "copilot"' };
  // macOS tells the program's name instead. The other tool does nothing without a word that says what.
  if (baseName(program) === "copilot" && process.comm === "copilot" && (operands[0] ?? "-").startsWith("-"))
    return { process, confidence: "medium", sign: 'a program named "copilot" without a subcommand' };
  return null;
};

/**
 * The native program, parents before children; null for a launcher that has not started it yet, because the agent that
 * would be found a moment later is another process.
 */
export const identifyCopilot = (processes: readonly ProcessInfo[]): IdentifyMatch | null => {
  let fallback: IdentifyMatch | null = null;
  for (const process of processes) {
    const match = matchOne(process);
    if (match?.confidence === "high") return match;
    fallback ??= match;
  }
  return fallback;
};

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
