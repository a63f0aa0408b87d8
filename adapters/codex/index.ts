// The adapter for Codex: which process it is, what it loads when it starts in a folder, how it answers without a pane, and how its
// other parts (screen, events, files, hooks) are wired to the contract.
import type { ProcessInfo } from "../../core/model/runtime.ts";
import {
  type AgentExecutable,
  type IdentifyMatch,
  type AgentAdapter,
  type PrintAnswer,
  type PrintMode,
} from "../../core/ports/agentAdapter.ts";
import { baseName, firstMatch, wordsOf } from "../common/commandLine.ts";
import { BUILT_IN } from "../common/builtIn.ts";
import { readResetTime } from "../common/resetTime.ts";
import { codexHistory, codexLimits, readCodexTranscript } from "./history.ts";
import { createCodexConfirmation, createCodexIntegration } from "./integration.ts";
import { normalizeCodex } from "./normalize.ts";
import { isOwnScreen, readCodexScreen, readDraft as readCodexDraft } from "./screen.ts";
import { createCodexBackground, readCodexStateFile } from "./stateFiles.ts";
import { inFile, place, type AgentLoads } from "../../core/ports/agentFiles.ts";
import { lastOf, option, readRecords } from "../common/printMode.ts";
import * as z from "zod";

// Which process: by its command line alone. Source: process trees recorded with 0.169.0
// (native binary; the npm launcher execs it), notes on its background server.

/** Subcommands that serve, configure, or print and exit: never the agent that a person sits in front of. */
const HELPERS =
  /^(app-server|app-server-daemon|app-server-updater|e|exec|exec-server|execpolicy|mcp-server|proto|responses-api-proxy|stdio-to-uds)$/;

/** The same where the word may also begin a prompt ("update the readme"): a subcommand is followed by an operand or nothing. */
const AMBIGUOUS_HELPERS =
  /^(apply|cloud|completion|debug|doctor|features|login|logout|mcp|plugin|remote-control|review|sandbox|update|upgrade)$/;
const HELPER_OPERANDS =
  /^(-.*|add|bash|disable|enable|exec|fish|get|install|linux|list|login|logout|macos|remove|seatbelt|landlock|serve|start|status|stop|windows|zsh|task_\S+)$/;

/** Options that take a value of their own, so that the value is not taken for a subcommand. */
const WITH_VALUE =
  /^(-[acCimps]|--(add-dir|ask-for-approval|cd|config|disable|enable|image|local-provider|model|profile|remote|sandbox))$/;

const BINARY = /^codex(-(x86_64|aarch64|arm64)-[\w-]+)?(\.exe)?$/;
/** The background server's own copy of the binary. */
const SERVER_COPY = /\/packages\/app-server-daemon\//;

/** Paths of npm, Homebrew and nix; the crate's name is in its messages (0.169.0), and in none of the programs beside it. */
const CODEX_EXECUTABLE: AgentExecutable = {
  paths:
    /\/@openai\/codex(-[^/]+)?\/(.*\/)?codex(\.exe)?$|\/(Caskroom\/codex|nix\/store\/[^/]*-codex-\d[^/]*)\/(.*\/)?\.?codex(-(x86_64|aarch64)-[\w-]+)?(-wrapped)?$/,
  mark: "codex_tui",
};

const isHelper = (words: readonly string[]): boolean => {
  let index = 0;
  while (index < words.length && (words[index] ?? "").startsWith("-"))
    index += WITH_VALUE.test(words[index] ?? "") ? 2 : 1;
  const [first, second] = words.slice(index);
  if (first === undefined) return false;
  if (HELPERS.test(first)) return true;
  return AMBIGUOUS_HELPERS.test(first) && (second === undefined || HELPER_OPERANDS.test(second));
};

const matchOne = (process: ProcessInfo): IdentifyMatch | null => {
  const words = wordsOf(process.args);
  const [program = ""] = words;
  const comm = baseName(process.comm);
  if (!comm.startsWith("codex") || !BINARY.test(baseName(program)) || SERVER_COPY.test(program)) return null;
  if (isHelper(words.slice(1))) return null;
  return { process, confidence: "high", sign: `process name "${comm}", no subcommand that serves or prints` };
};

/**
 * The first process, parents before children, that is an interactive Codex; null for its background server, `exec`,
 * servers for others, launchers, and whatever only mentions it.
 */
export const identifyCodex = (processes: readonly ProcessInfo[]): IdentifyMatch | null =>
  firstMatch(processes, matchOne);

// What it loads when it starts in a folder. The managed files are those of Linux and macOS.

const CODEX_INSTRUCTIONS = ["AGENTS.override.md", "AGENTS.md"];

const codexLoads: AgentLoads = {
  basis: "its documents; settings and hooks seen with 0.169.0",
  wins: { mcp: "nearest" },
  unknown: [
    "managed settings",
    "other names of instruction files (project_doc_fallback_filenames)",
    "whether the folder is trusted: else settings and hooks of the project are not read",
  ],
  places: [
    place(
      "instructions",
      "person",
      CODEX_INSTRUCTIONS.map((name) => `~/.codex/${name}`),
    ),
    place("mcp", "person", "~/.codex/config.toml", inFile("toml", "mcp_servers")),
    place("hooks", "person", "~/.codex/config.toml", inFile("toml", "hooks")),
    place("hooks", "person", "~/.codex/hooks.json", inFile("json", "hooks")),
    place("rules", "person", "~/.codex/rules/*.rules"),
    place("commands", "person", "~/.codex/prompts/*.md"),
    place("skills", "person", "~/.codex/skills/*/SKILL.md"),
    place("skills", "person", "~/.agents/skills/*/SKILL.md"),
    place("instructions", "project", CODEX_INSTRUCTIONS, { reach: "top" }),
    place("mcp", "project", ".codex/config.toml", { reach: "top", ...inFile("toml", "mcp_servers") }),
    place("hooks", "project", ".codex/hooks.json", inFile("json", "hooks")),
    place("skills", "project", ".codex/skills/*/SKILL.md", { reach: "top" }),
    place("skills", "project", ".agents/skills/*/SKILL.md", { reach: "top" }),
  ],
};

// Print mode: how it answers without a pane. Recorded against a scripted model (`npm run live:print`; test/fixtures/print).

const codexSchema = z.union([
  z.object({ type: z.literal("thread.started"), thread_id: z.string() }),
  z.object({
    type: z.literal("item.completed"),
    item: z.object({ type: z.literal("agent_message"), text: z.string() }),
  }),
]);

const readCodex = (stdout: string): PrintAnswer => {
  const records = readRecords(stdout, codexSchema);
  return {
    text: lastOf(records.flatMap((one) => (one.type === "item.completed" ? [one.item.text] : []))),
    session: records.flatMap((one) => (one.type === "thread.started" ? [one.thread_id] : [])).at(-1) ?? null,
  };
};

const PRINT_MODE: PrintMode = {
  command: "codex",
  forks: "named",
  argv: ({ session, isFork, model }) => [
    "exec",
    ...(session === null ? [] : [isFork ? "fork" : "resume"]),
    "--json",
    "--skip-git-repo-check",
    ...option("--model", model),
    ...(session === null ? ["-"] : [session, "-"]),
  ],
  withoutEnv: [],
  parse: readCodex,
};

/**
 * A new adapter with its own cache of settings files. Recorded with 0.169.0 and its background server on: hooks carry the
 * environment of whichever pane started the server, and no event says that a window closed.
 */
export const createCodexAdapter = (): AgentAdapter => ({
  ...BUILT_IN,
  agentType: "codex",
  displayName: "Codex",
  recordedVersions: ["0.169.0"],
  announcesExit: false,
  eventsMayNameOtherPanes: true,
  interruptKeys: [["Escape"]],
  // Tried live with 0.169.0: it does so at once, and needs no model.
  sessionNameCommand: "/rename",
  // The command that it prints when it ends (0.169.0).
  launch: { program: "codex", resume: (id) => ["resume", id] },
  executable: CODEX_EXECUTABLE,
  identify: identifyCodex,
  normalize: normalizeCodex,
  readScreen: readCodexScreen,
  isOwnScreen,
  readDraft: readCodexDraft,
  readReset: readResetTime,
  readStateFiles: readCodexStateFile,
  background: createCodexBackground(),
  readTranscript: readCodexTranscript,
  needsConfirmation: createCodexConfirmation(),
  configFolder: { usual: ".codex", variable: "CODEX_HOME" },
  history: codexHistory,
  limits: codexLimits,
  loads: codexLoads,
  printMode: PRINT_MODE,
  integration: createCodexIntegration(),
});
