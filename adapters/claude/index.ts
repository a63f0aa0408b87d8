// The adapter for Claude Code: wires its parts to the contract, decides nothing itself.
import {
  type AgentExecutable,
  type IdentifyMatch,
  ADAPTER_CONTRACT_VERSION,
  type AgentAdapter,
} from "../../core/ports/agentAdapter.ts";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import { baseName, firstMatch, wordsOf } from "../common/commandLine.ts";
import { FULL_SUPPORT } from "../common/capabilities.ts";
import { readResetTime } from "../common/resetTime.ts";
import { claudeLoads } from "../common/loads.ts";
import {
  claudeHistory,
  readClaudeSessionTitle,
  readClaudeTranscript,
  titleOfClaudeSession,
} from "./history.ts";
import { createClaudeConfirmation, createClaudeEditorMode, createClaudeIntegration } from "./integration.ts";
import { normalizeClaude } from "./normalize.ts";
import { readDraft as readClaudeDraft, readInputMode, readClaudeScreen } from "./screen.ts";
import { readClaudeStateFile } from "./stateFiles.ts";

// Which process of a pane is Claude Code. Owns the command-line rules only: what the process does is nobody's business
// here. Source: process trees recorded with 2.1.329, notes on 2.1.197 and on npm's node launcher.

/** Subcommands that configure, serve or print and leave: never the agent that a person sits in front of. */
const HELPER_SUBCOMMANDS = new Set([
  "agents",
  "auth",
  "auto-mode",
  "config",
  "daemon",
  "doctor",
  "install",
  "mcp",
  "migrate-installer",
  "plugin",
  "plugins",
  "remote-control",
  "server",
  "setup-token",
  "uninstall",
  "update",
  "upgrade",
]);

/** A prompt may begin with a subcommand's word ("update the readme"); a subcommand is followed by one of these or nothing. */
const HELPER_OPERANDS =
  /^(add|add-json|add-from-claude-desktop|disable|enable|get|install|list|login|logout|marketplace|remove|reset-project-choices|run|serve|start|status|stop|uninstall|update|validate|stable|latest|set|-.*)$/;

const HELPER_FLAGS = new Set([
  "--bg-pty-host",
  "--bg-spare",
  "--chrome-native-host",
  "--claude-in-chrome-mcp",
  "--computer-use-mcp",
  "--daemon-worker",
  "--mcp-cli",
  "--ripgrep",
]);

const NODE_LAUNCHER = /(^|\/)@anthropic-ai\/claude-code\/cli(-wrapper)?\.[cm]?js$/;
/** Npm's link to the launcher, where nobody can follow it. */
const NODE_LINK = /\/\.?bin\/claude$/;
const VERSIONED_BINARY =
  /\/(claude\/versions\/\d+\.\d+\.\d+[^/]*|@anthropic-ai\/claude-code[^/]*\/.*claude[^/]*|claude)$/;
/** Of npm, its own installer, Homebrew, nix and Debian; the variable is named in each recorded version, and in no other agent. */
const CLAUDE_EXECUTABLE: AgentExecutable = {
  paths:
    /\/@anthropic-ai\/claude-code(-[^/]+)?\/(.*\/)?claude(\.exe)?$|\/claude\/versions\/\d+\.\d+\.\d+[^/]*$|\/(Caskroom\/claude-code|nix\/store\/[^/]*-claude-code-\d[^/]*)\/(.*\/)?\.?claude(-wrapped)?$/,
  mark: "CLAUDE_CODE_ENTRYPOINT",
};
const VERSION_TITLE = /^\d+\.\d+\.\d+/;

const isHelper = (operands: readonly string[]): boolean => {
  const [first, second] = operands;
  if (first !== undefined && HELPER_FLAGS.has(first)) return true;
  if (first === undefined || !HELPER_SUBCOMMANDS.has(first)) return false;
  return second === undefined || HELPER_OPERANDS.test(second);
};

const matchOne = (process: ProcessInfo): IdentifyMatch | null => {
  const words = wordsOf(process.args);
  const [program = "", script = ""] = words;
  const comm = baseName(process.comm);
  const programName = baseName(program);

  if (comm === "claude" && programName === "claude" && !isHelper(words.slice(1)))
    return { process, confidence: "high", sign: `process name and program "${comm}"` };

  if (VERSION_TITLE.test(comm) && VERSIONED_BINARY.test(program) && !isHelper(words.slice(1)))
    return { process, confidence: "medium", sign: `version as process name, program path of Claude Code` };

  if (
    (programName === "node" || programName === "bun") &&
    (NODE_LAUNCHER.test(script) || (process.file === undefined && NODE_LINK.test(script))) &&
    !isHelper(words.slice(2))
  )
    return { process, confidence: "high", sign: `${programName} running Claude Code's launcher` };
  return null;
};

/**
 * The first process, parents before children, that is an interactive Claude Code; null for helpers, editors and shells
 * that only mention it, and other agents. A wrapper script named `claude` is passed over for the program that it starts.
 */
export const identifyClaude = (processes: readonly ProcessInfo[]): IdentifyMatch | null =>
  firstMatch(processes, matchOne);

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
