// The adapter for Gemini CLI: which process it is, what it loads, its print mode, and how its parts are wired to the contract.
import type { ProcessInfo } from "../../core/model/runtime.ts";
import {
  type AgentAdapter,
  type PrintAnswer,
  type PrintMode,
  type IdentifyMatch,
} from "../../core/ports/agentAdapter.ts";
import { BUILT_IN } from "../common/builtIn.ts";
import { readScriptCommand } from "../common/commandLine.ts";
import { geminiHistory, readGeminiTranscript } from "./history.ts";
import { createGeminiIntegration } from "./integration.ts";
import { normalizeGemini } from "./normalize.ts";
import { readGeminiScreen } from "./screen.ts";
import { readDraft as readGeminiDraft } from "./layout.ts";
import { place, settingsFile, type AgentLoads } from "../../core/ports/agentFiles.ts";
import { option } from "../common/printMode.ts";
import * as z from "zod";

// Which process: node names its main thread alike for every program, so the script on the command line decides. Source: process
// trees recorded with 0.61.0; launcher forms from the package's own entry points.

const SCRIPT = /(^|\/)(\.bin|bin)\/gemini$|\/@google\/gemini-cli\/(dist|bundle)\/(index|gemini)\.[cm]?js$/;

/** Subcommands that configure and exit, and modes in which another program is the front end. */
const HELPER_WORDS = /^(mcp|extensions|extension|hooks|hook|skills|skill)$/;
const HELPER_FLAGS = /^(--acp|--experimental-acp|--list-sessions|--list-extensions)$/;

/** A prompt may begin with a subcommand's word; the subcommand itself is followed by one of these or by nothing. */
const HELPER_OPERANDS =
  /^(add|config|disable|enable|install|link|list|migrate|new|remove|uninstall|update|validate|-.*)$/;

const isHelper = (operands: readonly string[]): boolean => {
  if (operands.some((word) => HELPER_FLAGS.test(word))) return true;
  const [first = "", second] = operands;
  return HELPER_WORDS.test(first) && (second === undefined || HELPER_OPERANDS.test(second));
};

/**
 * The first process, parents before children, that is an interactive Gemini CLI. It starts itself again as its own child
 * unless told not to; the outer one runs as long as the session and is the agent.
 */
export const identifyGemini = (processes: readonly ProcessInfo[]): IdentifyMatch | null => {
  for (const process of processes) {
    const command = readScriptCommand(process.args);
    if (command !== null && SCRIPT.test(command.script) && !isHelper(command.operands))
      return { process, confidence: "high", sign: `${command.program} running Gemini CLI's script` };
  }
  return null;
};

// Loads: what it reads when it starts in a folder. The managed files are those of Linux and macOS.

const GEMINI_SETTINGS = { mcp: "mcpServers", hooks: "hooks" };

const geminiLoads: AgentLoads = {
  basis: "its documents; settings and hooks seen with 0.61.0",
  wins: { mcp: "nearest", commands: "nearest" },
  unknown: [
    "other names of instruction files (context.fileName)",
    "instructions in folders below",
    "whether the folder is trusted: else settings and hooks of the project are not read",
  ],
  places: [
    ...settingsFile("managed", "/etc/gemini-cli/settings.json", GEMINI_SETTINGS),
    ...settingsFile("managed", "/Library/Application Support/GeminiCli/settings.json", GEMINI_SETTINGS),
    place("instructions", "person", "~/.gemini/GEMINI.md"),
    ...settingsFile("person", "~/.gemini/settings.json", GEMINI_SETTINGS),
    place("commands", "person", "~/.gemini/commands/*.toml"),
    place("extensions", "person", "~/.gemini/extensions/*/gemini-extension.json"),
    place("instructions", "project", "GEMINI.md", { reach: "top" }),
    ...settingsFile("project", ".gemini/settings.json", GEMINI_SETTINGS),
    place("commands", "project", ".gemini/commands/*.toml"),
    place("extensions", "project", ".gemini/extensions/*/gemini-extension.json"),
  ],
};

// Print mode: how it answers without a pane. Recorded against a scripted model (`npm run live:print`; test/fixtures/print).

const geminiSchema = z.object({ response: z.string(), session_id: z.string().nullish() });

const readGemini = (stdout: string): PrintAnswer => {
  // It says what it does in lines before the object.
  const { response, session_id: session } = geminiSchema.parse(JSON.parse(stdout.slice(stdout.indexOf("{"))));
  return { text: response, session: session ?? null };
};

const PRINT_MODE: PrintMode = {
  command: "gemini",
  forks: "none",
  argv: ({ session, model, acceptsEdits }) => [
    "--output-format",
    "json",
    "--approval-mode",
    acceptsEdits ? "auto_edit" : "default",
    ...option("--resume", session),
    ...option("--model", model),
  ],
  withoutEnv: [],
  parse: readGemini,
};

/** A new adapter. Recorded with 0.61.0. It has no state file; its title says what one would. */
export const createGeminiAdapter = (): AgentAdapter => ({
  ...BUILT_IN,
  agentType: "gemini",
  displayName: "Gemini CLI",
  recordedVersions: ["0.61.0"],
  // SessionEnd fires on exit and on INT and TERM.
  announcesExit: true,
  interruptKeys: [["Escape"]],
  // Its documentation; sessions belong to the folder (0.61.0).
  launch: { program: "gemini", resume: (id) => ["--resume", id] },
  identify: identifyGemini,
  normalize: normalizeGemini,
  readScreen: readGeminiScreen,
  readDraft: readGeminiDraft,
  readTranscript: readGeminiTranscript,
  configFolder: { usual: ".gemini", variable: "GEMINI_CLI_HOME", below: ".gemini" },
  history: geminiHistory,
  loads: geminiLoads,
  printMode: PRINT_MODE,
  integration: createGeminiIntegration(),
});
