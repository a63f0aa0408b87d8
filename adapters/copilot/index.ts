// The adapter for GitHub Copilot CLI: which process it is, what it loads, its print mode, and how its parts are wired together.
import {
  type IdentifyMatch,
  type AgentAdapter,
  type PrintAnswer,
  type PrintMode,
} from "../../core/ports/agentAdapter.ts";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import { baseName, wordsOf } from "../common/commandLine.ts";
import { BUILT_IN } from "../common/builtIn.ts";
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
import { inFile, place, type AgentLoads } from "../../core/ports/agentFiles.ts";
import { lastOf, option, readRecords } from "../common/printMode.ts";
import * as z from "zod";

// Which process: a node launcher starts the native program and waits for it; the native one is the agent: it holds the session,
// it outlives a launcher that is ended alone, and it is what must be ended. Source: process trees recorded with 1.0.102. Another
// program is called `copilot` too, so a bare name is no proof.

const NATIVE = /\/@github\/copilot-(linux|linuxmusl|darwin|win32)-(x64|arm64)\/copilot$/;
const UNPACKED = /\/copilot\/pkg\/.+\/copilot$/;

/** Subcommands that configure and exit, and modes in which another program is the front end. */
const HELPER_WORDS = /^(completion|help|login|logout|mcp|plugin|update|version)$/;
const HELPER_FLAGS = /^(--acp|--server|--headless|--stdio|--version|--help)$/;

const isHelper = (operands: readonly string[]): boolean =>
  HELPER_WORDS.test(operands[0] ?? "") || operands.some((word) => HELPER_FLAGS.test(word));

const matchOne = (process: ProcessInfo): IdentifyMatch | null => {
  const [program = "", ...operands] = wordsOf(process.args);
  if (isHelper(operands)) return null;
  if (NATIVE.test(program) || UNPACKED.test(program))
    return { process, confidence: "high", sign: "Copilot CLI's native program" };
  // A program packed with node in it names its main thread so; the other tool of this name has no such thread.
  if (baseName(program) === "copilot" && process.comm === "MainThread")
    return { process, confidence: "medium", sign: 'a node program named "copilot"' };
  // macOS gives the program's name instead. The other tool does nothing without a subcommand.
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

// Loads: what it reads when it starts in a folder.

const copilotLoads: AgentLoads = {
  basis: "its documents; hooks of .claude/settings.json seen with 1.0.102",
  wins: {},
  unknown: ["plugins", "settings of an organisation", "permissions that it remembers"],
  places: [
    place("instructions", "person", "~/.copilot/copilot-instructions.md"),
    place("mcp", "person", "~/.copilot/mcp-config.json", inFile("json", "mcpServers")),
    place("settings", "person", "~/.copilot/config.json"),
    place("hooks", "person", "~/.copilot/hooks/*.json"),
    place("skills", "person", "~/.copilot/skills/*/SKILL.md"),
    place("agents", "person", "~/.copilot/agents/*.md"),
    place("instructions", "project", ".github/copilot-instructions.md"),
    place("instructions", "project", ".github/instructions/*.md"),
    place("instructions", "project", "AGENTS.md", { reach: "top" }),
    place("hooks", "project", ".github/hooks/*.json"),
    place("hooks", "project", ".claude/settings.json", inFile("json", "hooks")),
    place("skills", "project", ".github/skills/*/SKILL.md"),
    place("agents", "project", ".github/agents/*.md"),
  ],
};

// Print mode: how it answers without a pane. Recorded against a scripted model (`npm run live:print`; test/fixtures/print).

const copilotSchema = z.union([
  z.object({ type: z.literal("assistant.message"), data: z.object({ content: z.string() }) }),
  z.object({ type: z.literal("result"), sessionId: z.string() }),
]);

const readCopilot = (stdout: string): PrintAnswer => {
  const records = readRecords(stdout, copilotSchema);
  return {
    text: lastOf(records.flatMap((one) => (one.type === "assistant.message" ? [one.data.content] : []))),
    session: records.flatMap((one) => (one.type === "result" ? [one.sessionId] : [])).at(-1) ?? null,
  };
};

const PRINT_MODE: PrintMode = {
  command: "copilot",
  forks: "none",
  argv: ({ session, model }) => [
    "--output-format",
    "json",
    ...(session === null ? [] : [`--resume=${session}`]),
    ...option("--model", model),
  ],
  withoutEnv: [],
  parse: readCopilot,
};

/** A new adapter. Recorded with 1.0.102 with a provider of its own and without a login. */
export const createCopilotAdapter = (): AgentAdapter => ({
  ...BUILT_IN,
  agentType: "copilot",
  displayName: "GitHub Copilot CLI",
  recordedVersions: ["1.0.102"],
  // sessionEnd fires on exit, and when the native program is told to end.
  announcesExit: true,
  // It follows the counter of seconds (recorded 1.0.102).
  movesCursorInDialogs: true,
  // The first one shows "esc again to interrupt".
  interruptKeys: [["Escape"], ["Escape"]],
  // Its documentation (1.0.102).
  launch: { program: "copilot", resume: (id) => [`--resume=${id}`] },
  // Tried live with 1.0.102: it does so at once, and needs no model.
  sessionNameCommand: "/rename",
  identify: identifyCopilot,
  normalize: normalizeCopilot,
  readScreen: readCopilotScreen,
  readDraft: readCopilotDraft,
  readStateFiles: readCopilotStateFiles,
  readTranscript: readCopilotTranscript,
  titleOfSession: titleOfCopilotSession,
  readSessionTitle: readCopilotSessionTitle,
  configFolder: { usual: ".copilot", variable: "COPILOT_HOME" },
  history: copilotHistory,
  loads: copilotLoads,
  printMode: PRINT_MODE,
  integration: createCopilotIntegration(),
});
