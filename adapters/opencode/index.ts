// The adapter for opencode, and for OpenCode 2 as its documents describe it: which process it is, what it loads, how it answers without a pane, and how its parts are wired to the
// contract. Its sessions are a database, so events and the screen are all there is for one in a pane.
import {
  type AgentExecutable,
  type IdentifyMatch,
  type AgentAdapter,
  type PrintAnswer,
  type PrintMode,
} from "../../core/ports/agentAdapter.ts";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import { baseName, wordsOf } from "../common/commandLine.ts";
import { BUILT_IN } from "../common/builtIn.ts";
import { opencodeHistory } from "./history.ts";
import { createOpencodeIntegration } from "./integration.ts";
import { opencodeBackground, readOpencodeNote } from "./served.ts";
import { normalizeOpencode } from "./normalize.ts";
import { readOpencodeScreen, titleOfOpencodeSession, readDraft as readOpencodeDraft } from "./screen.ts";
import {
  inFile,
  place,
  settingsFile,
  type AgentLoads,
  type LoadLevel,
  type LoadPlace,
} from "../../core/ports/agentFiles.ts";
import { lastOf, option, readRecords, textSchema } from "../common/printMode.ts";
import * as z from "zod";

// Which process: opencode's terminal program. Source: recorded process tree (1.18.33): a native program whose name and first
// argument are both `opencode`, started directly or by npm's launcher.

/** Subcommands without a session on the screen; `api`, `service` and `update` are of OpenCode 2. */
const HELPERS =
  /^(acp|agent|api|auth|completion|db|debug|export|generate|github|import|mcp|models|plugin|pr|run|serve|service|session|stats|uninstall|update|upgrade|web)$/;
const ANSWERS_AND_LEAVES = /^(--help|-h|--version|-v)$/;

/** Of npm, its own installer, Homebrew and nix; its settings' variable is named in it (1.18.33); Cline carries a part of it. */
const OPENCODE_EXECUTABLE: AgentExecutable = {
  paths:
    /\/(opencode-(ai|(linux|darwin)[^/]*)|\.opencode|Cellar\/opencode\/[^/]+)\/(.*\/)?bin\/\.?opencode(\.exe)?$/,
  mark: "OPENCODE_CONFIG_CONTENT",
};

const isOpencode = ({ comm, args }: ProcessInfo): boolean => {
  const [program = "", first = ""] = wordsOf(args);
  return (
    baseName(comm) === "opencode" &&
    /^\.?opencode$/.test(baseName(program)) &&
    !HELPERS.test(first) &&
    !ANSWERS_AND_LEAVES.test(first)
  );
};

/** The first process, parents before children, that is opencode with a screen; null for its servers and helpers. */
const identifyOpencode = (processes: readonly ProcessInfo[]): IdentifyMatch | null => {
  const process = processes.find(isOpencode);
  return process === undefined
    ? null
    : { process, confidence: "high", sign: `process name and program "opencode"` };
};

// Loads: what it reads when it starts in a folder.

const opencodeFolders = (level: LoadLevel, folder: string): LoadPlace[] =>
  ["", "s"].flatMap((plural) => [
    place("commands", level, `${folder}/command${plural}/*.md`),
    place("agents", level, `${folder}/agent${plural}/*.md`),
    place("extensions", level, `${folder}/plugin${plural}/*.js`),
    place("extensions", level, `${folder}/plugin${plural}/*.ts`),
  ]);

const opencodeLoads: AgentLoads = {
  basis: "its documents; plugins seen with 1.18.33",
  wins: { mcp: "nearest" },
  unknown: ["names in opencode.jsonc", "files that its settings name as instructions", "skills"],
  places: [
    place("instructions", "person", ["~/.config/opencode/AGENTS.md", "~/.claude/CLAUDE.md"]),
    ...settingsFile("person", "~/.config/opencode/opencode.json", { mcp: "mcp", permissions: "permission" }),
    place("settings", "person", "~/.config/opencode/opencode.jsonc"),
    ...opencodeFolders("person", "~/.config/opencode"),
    place("instructions", "project", ["AGENTS.md", "CLAUDE.md"], { reach: "top" }),
    place("mcp", "project", "opencode.json", { reach: "top", ...inFile("json", "mcp") }),
    place("permissions", "project", "opencode.json", { reach: "top", ...inFile("json", "permission") }),
    place("settings", "project", "opencode.jsonc", { reach: "top" }),
    ...opencodeFolders("project", ".opencode"),
  ],
};

// Print mode: how it answers without a pane. Recorded against a scripted model (`npm run live:print`; test/fixtures/print).

const opencodeSchema = z.object({
  type: z.literal("text"),
  sessionID: z.string(),
  part: textSchema,
});

const readOpencode = (stdout: string): PrintAnswer => {
  const records = readRecords(stdout, opencodeSchema);
  return { text: lastOf(records.map(({ part }) => part.text)), session: records.at(-1)?.sessionID ?? null };
};

const PRINT_MODE: PrintMode = {
  command: "opencode",
  forks: "last too",
  argv: ({ session, isFork, model }) => [
    "run",
    "--format",
    "json",
    ...(isFork && session === null ? ["--continue"] : option("--session", session)),
    ...(isFork ? ["--fork"] : []),
    ...option("--model", model),
  ],
  withoutEnv: [],
  parse: readOpencode,
};

/**
 * A new adapter; recorded with 1.18.33. It may exit without any event. OpenCode 2 runs our plugin in one background service for all
 * its terminals, so that the process of an event, its session or its prompt says whose it is.
 */
export const createOpencodeAdapter = (): AgentAdapter => ({
  ...BUILT_IN,
  agentType: "opencode",
  displayName: "opencode",
  recordedVersions: ["1.18.33"],
  unverifiedVersions: ["2"],
  announcesExit: false,
  eventsMayNameOtherPanes: true,
  // The first one shows "esc again to interrupt".
  interruptKeys: [["Escape"], ["Escape"]],
  // The command that it prints when it ends (1.18.33).
  launch: { program: "opencode", resume: (id) => ["-s", id] },
  executable: OPENCODE_EXECUTABLE,
  identify: identifyOpencode,
  normalize: normalizeOpencode,
  readStateFiles: readOpencodeNote,
  background: opencodeBackground,
  readScreen: readOpencodeScreen,
  readDraft: readOpencodeDraft,
  titleOfSession: titleOfOpencodeSession,
  // OPENCODE_CONFIG_DIR names one that is read beside these (its documentation).
  configFolder: { usual: ".config/opencode", variable: "XDG_CONFIG_HOME", below: "opencode" },
  dataFolder: { usual: ".local/share/opencode", variable: "XDG_DATA_HOME", below: "opencode" },
  history: opencodeHistory,
  loads: opencodeLoads,
  printMode: PRINT_MODE,
  integration: createOpencodeIntegration(),
});
