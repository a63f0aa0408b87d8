// The adapter for Claude Code: which process it is, what it loads when it starts in a folder, how it answers without a pane, and
// how its other parts (screen, events, files, hooks) are wired to the contract.
import {
  type AgentExecutable,
  type IdentifyMatch,
  type AgentAdapter,
  type PrintAnswer,
  type PrintMode,
  type PrintQuestion,
} from "../../core/ports/agentAdapter.ts";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import { baseName, firstMatch, wordsOf } from "../common/commandLine.ts";
import { BUILT_IN } from "../common/builtIn.ts";
import { readResetTime } from "../common/resetTime.ts";
import {
  claudeHistory,
  claudeLimits,
  readClaudeSessionTitle,
  readClaudeTranscript,
  titleOfClaudeSession,
} from "./history.ts";
import { createClaudeConfirmation, createClaudeEditorMode, createClaudeIntegration } from "./integration.ts";
import { normalizeClaude } from "./normalize.ts";
import { isOwnScreen, readDraft as readClaudeDraft, readInputMode, readClaudeScreen } from "./screen.ts";
import { claudeBackground, readClaudeStateFile } from "./stateFiles.ts";
import {
  inFile,
  place,
  settingsFile,
  type AgentLoads,
  type LoadLevel,
  type LoadPlace,
} from "../../core/ports/agentFiles.ts";
import { option } from "../common/printMode.ts";
import * as z from "zod";

// Which process: by its command line alone. Source: process trees recorded with 2.1.329, notes on 2.1.197 on npm's launcher.

/** Subcommands that configure, serve, or print and exit: never the agent that a person sits in front of. */
const HELPER_SUBCOMMANDS =
  /^(agents|auth|auto-mode|config|daemon|doctor|install|mcp|migrate-installer|plugin|plugins|remote-control|server|setup-token|uninstall|update|upgrade)$/;

/** A prompt may begin with a subcommand's word ("update the readme"); a subcommand is followed by one of these or nothing. */
const HELPER_OPERANDS =
  /^(add|add-json|add-from-claude-desktop|disable|enable|get|install|list|login|logout|marketplace|remove|reset-project-choices|run|serve|start|status|stop|uninstall|update|validate|stable|latest|set|-.*)$/;

const HELPER_FLAGS =
  /^(--bg-pty-host|--bg-spare|--chrome-native-host|--claude-in-chrome-mcp|--computer-use-mcp|--daemon-worker|--mcp-cli|--ripgrep)$/;

const NODE_LAUNCHER = /(^|\/)@anthropic-ai\/claude-code\/cli(-wrapper)?\.[cm]?js$/;
/** Npm's link to the launcher, where it cannot be followed. */
const NODE_LINK = /\/\.?bin\/claude$/;
const VERSIONED_BINARY =
  /\/(claude\/versions\/\d+\.\d+\.\d+[^/]*|@anthropic-ai\/claude-code[^/]*\/.*claude[^/]*|claude)$/;
/** Paths of npm, its own installer, Homebrew, nix and Debian; each recorded version names the variable, no other agent does. */
const CLAUDE_EXECUTABLE: AgentExecutable = {
  paths:
    /\/@anthropic-ai\/claude-code(-[^/]+)?\/(.*\/)?claude(\.exe)?$|\/claude\/versions\/\d+\.\d+\.\d+[^/]*$|\/(Caskroom\/claude-code|nix\/store\/[^/]*-claude-code-\d[^/]*)\/(.*\/)?\.?claude(-wrapped)?$/,
  mark: "CLAUDE_CODE_ENTRYPOINT",
};
const VERSION_TITLE = /^\d+\.\d+\.\d+/;

const isHelper = (operands: readonly string[]): boolean => {
  const [first, second] = operands;
  if (first !== undefined && HELPER_FLAGS.test(first)) return true;
  if (first === undefined || !HELPER_SUBCOMMANDS.test(first)) return false;
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

// What it loads when it starts in a folder. The managed files are those of Linux and macOS.

const CLAUDE_SETTINGS = { permissions: "permissions", hooks: "hooks" };

const claudeFolders = (level: LoadLevel, folder: string): LoadPlace[] => [
  place("rules", level, `${folder}/rules/*.md`),
  place("skills", level, `${folder}/skills/*/SKILL.md`),
  place("commands", level, `${folder}/commands/*.md`),
  place("agents", level, `${folder}/agents/*.md`),
];

const CLAUDE_MANAGED = ["/etc/claude-code", "/Library/Application Support/ClaudeCode"];

const claudeLoads: AgentLoads = {
  basis: "its documents; settings and hooks seen with 2.1.329",
  wins: { mcp: "nearest", agents: "nearest", skills: "person" },
  unknown: ["plugins", "files that its instructions name with @", "instructions in folders below"],
  places: [
    ...CLAUDE_MANAGED.flatMap((folder) => [
      place("instructions", "managed", `${folder}/CLAUDE.md`),
      ...settingsFile("managed", `${folder}/managed-settings.json`, CLAUDE_SETTINGS),
      place("mcp", "managed", `${folder}/managed-mcp.json`, inFile("json", "mcpServers")),
    ]),
    place("instructions", "person", "~/.claude/CLAUDE.md"),
    ...settingsFile("person", "~/.claude/settings.json", CLAUDE_SETTINGS),
    place("mcp", "person", "~/.claude.json", inFile("json", "mcpServers")),
    ...claudeFolders("person", "~/.claude"),
    place("instructions", "project", "CLAUDE.md", { reach: "root" }),
    place("instructions", "project", "CLAUDE.local.md", { reach: "root" }),
    place("instructions", "project", ".claude/CLAUDE.md"),
    ...settingsFile("project", ".claude/settings.json", CLAUDE_SETTINGS),
    ...settingsFile("project", ".claude/settings.local.json", CLAUDE_SETTINGS),
    place("mcp", "project", ".mcp.json", inFile("json", "mcpServers")),
    ...claudeFolders("project", ".claude"),
  ],
};

// Print mode: how it answers without a pane. Recorded against a scripted model (`npm run live:print`; test/fixtures/print).

/** Repeats the prompt's instructions as a system prompt, where they weigh more. */
const MANNERS =
  "You answer in a Markdown document that a person is editing. Write Markdown and nothing around it; do not repeat the document, and do not edit its file.";

const claudeSchema = z.object({
  result: z.string(),
  session_id: z.string().nullish(),
  is_error: z.boolean().nullish(),
});

const readClaude = (stdout: string): PrintAnswer => {
  const { result, session_id: session, is_error: isError } = claudeSchema.parse(JSON.parse(stdout));
  if (isError === true) throw new Error(result);
  return { text: result, session: session ?? null };
};

const claudeArgs = ({ session, isFork, model, acceptsEdits }: PrintQuestion): string[] => [
  "-p",
  "--output-format",
  "json",
  "--permission-mode",
  acceptsEdits ? "acceptEdits" : "default",
  ...(isFork && session === null ? ["--continue"] : option("--resume", session)),
  ...(isFork ? ["--fork-session"] : []),
  ...option("--model", model),
  "--append-system-prompt",
  MANNERS,
];

/** Where this variable says that it runs inside another session, Claude Code refuses to start. */
const ALONE = ["CLAUDECODE"];

const PRINT_MODE: PrintMode = {
  command: "claude",
  forks: "last too",
  argv: claudeArgs,
  withoutEnv: ALONE,
  parse: readClaude,
};

/** A new adapter with its own cache of settings files. Recorded with 2.1.329; 2.1.197 checked for its differences. */
export const createClaudeAdapter = (): AgentAdapter => ({
  ...BUILT_IN,
  agentType: "claude",
  displayName: "Claude Code",
  recordedVersions: ["2.1.329", "2.1.197"],
  announcesExit: true,
  interruptKeys: [["Escape"]],
  inputModes: { isOn: createClaudeEditorMode(), read: readInputMode, textKeys: ["i"] },
  // The command that it prints when it ends (2.1.329).
  launch: { program: "claude", resume: (id) => ["--resume", id] },
  // Tried live with 2.1.329: it does so at once, and needs no model.
  sessionNameCommand: "/rename",
  skillCommand: (skill, argument) => `/${skill} ${argument}`,
  executable: CLAUDE_EXECUTABLE,
  identify: identifyClaude,
  normalize: normalizeClaude,
  readScreen: readClaudeScreen,
  isOwnScreen,
  readDraft: readClaudeDraft,
  readReset: readResetTime,
  readStateFiles: readClaudeStateFile,
  readTranscript: readClaudeTranscript,
  titleOfSession: titleOfClaudeSession,
  readSessionTitle: readClaudeSessionTitle,
  needsConfirmation: createClaudeConfirmation(),
  configFolder: { usual: ".claude", variable: "CLAUDE_CONFIG_DIR" },
  history: claudeHistory,
  limits: claudeLimits,
  background: claudeBackground,
  loads: claudeLoads,
  printMode: PRINT_MODE,
  integration: createClaudeIntegration(),
});
