// The adapter for Kilo CLI, a fork of opencode: which process it is, what it loads, where its folders are, and its parts, which are
// opencode's with other names. Its sessions are a database like opencode's, so events and the screen are all there is for one in a
// pane. What was not seen in Kilo itself is left out: its servers, its cloud and how it answers without a pane.
import type { ProcessInfo } from "../../core/model/runtime.ts";
import {
  type AgentLoads,
  inFile,
  type LoadLevel,
  type LoadPlace,
  place,
  settingsFile,
} from "../../core/ports/agentFiles.ts";
import type { AgentAdapter, AgentExecutable, IdentifyMatch } from "../../core/ports/agentAdapter.ts";
import { BUILT_IN } from "../common/builtIn.ts";
import { baseName, wordsOf } from "../common/commandLine.ts";
import { opencodeHistory } from "../opencode/history.ts";
import { createPluginIntegration } from "../opencode/integration.ts";
import { createFirstNormalizer } from "../opencode/normalize.ts";
import { readDraft } from "../opencode/screen.ts";
import { KILO_PERMISSION_OPTIONS, readKiloScreen, titleOfKiloSession } from "./screen.ts";

// Which process. Source: recorded process trees (7.7.7): npm's launcher, a script of node, starts `@kilocode/cli/bin/.kilo`. An editor
// is called kilo too, so the name alone proves nothing: the path of the package does, or the file itself.

/** Subcommands without a session on the screen, by its own help (7.7.7); `attach` and a folder have one. */
const HELPERS =
  /^(acp|agent|auth|cloud|completion|config|console|daemon|db|debug|export|github|help|import|mcp|models|plug|plugin|pr|profile|providers|remote|roll-call|run|serve|session|stats|uninstall|upgrade|worktree)$/;
const ANSWERS_AND_LEAVES = /^(--help|-h|--version|-v)$/;

const PROGRAM = /^\.?kilo$/;
const OF_PACKAGE = /(^|\/)@kilocode\/cli(-[^/\s]+)?\/bin\/\.?kilo$/;

/** Of npm; its settings' variable is named in it (7.7.7), and in no other agent. */
const KILO_EXECUTABLE: AgentExecutable = {
  paths: /\/@kilocode\/cli(-[^/]+)?\/bin\/\.?kilo(\.exe)?$/,
  mark: "KILO_CONFIG_CONTENT",
};

const isKilo = ({ comm, args, file }: ProcessInfo): boolean => {
  const [program = "", first = ""] = wordsOf(args);
  return (
    PROGRAM.test(baseName(comm)) &&
    PROGRAM.test(baseName(program)) &&
    (OF_PACKAGE.test(program) || file?.agentType === "kilo") &&
    !HELPERS.test(first) &&
    !ANSWERS_AND_LEAVES.test(first)
  );
};

/** The first process, parents before children, that is Kilo with a screen; null for its servers and helpers. */
const identifyKilo = (processes: readonly ProcessInfo[]): IdentifyMatch | null => {
  const process = processes.find(isKilo);
  return process === undefined
    ? null
    : { process, confidence: "high", sign: "the program of the package of Kilo CLI" };
};

// Loads: what it reads when it starts in a folder, by the reference of its settings that it carries (7.7.7).

const FILES = ["kilo", "opencode"];

const kiloFolders = (level: LoadLevel, folder: string): LoadPlace[] =>
  ["", "s"].flatMap((plural) => [
    place("commands", level, `${folder}/command${plural}/*.md`),
    place("agents", level, `${folder}/agent${plural}/*.md`),
    place("extensions", level, `${folder}/plugin${plural}/*.js`),
    place("extensions", level, `${folder}/plugin${plural}/*.ts`),
  ]);

const kiloLoads: AgentLoads = {
  basis: "the reference of its settings in 7.7.7",
  wins: { mcp: "nearest" },
  unknown: [
    "names in kilo.jsonc",
    "files that its settings name as instructions",
    "skills",
    "managed settings",
  ],
  places: [
    ...FILES.flatMap((name) => [
      ...settingsFile("person", `~/.config/kilo/${name}.json`, { mcp: "mcp", permissions: "permission" }),
      place("settings", "person", `~/.config/kilo/${name}.jsonc`),
    ]),
    ...["~/.config/kilo", "~/.kilo", "~/.kilocode"].flatMap((folder) => kiloFolders("person", folder)),
    place("instructions", "project", "AGENTS.md", { reach: "top" }),
    ...FILES.flatMap((name) => [
      place("mcp", "project", `${name}.json`, { reach: "top", ...inFile("json", "mcp") }),
      place("permissions", "project", `${name}.json`, { reach: "top", ...inFile("json", "permission") }),
      place("settings", "project", `${name}.jsonc`, { reach: "top" }),
    ]),
    ...[".kilo", ".kilocode"].flatMap((folder) => kiloFolders("project", folder)),
  ],
};

/** A new adapter; recorded with 7.7.7. It may exit without any event. */
export const createKiloAdapter = (): AgentAdapter => ({
  ...BUILT_IN,
  agentType: "kilo",
  displayName: "Kilo CLI",
  recordedVersions: ["7.7.7"],
  announcesExit: false,
  // The first one shows "esc again to interrupt".
  interruptKeys: [["Escape"], ["Escape"]],
  launch: { program: "kilo", resume: (id) => ["-s", id] },
  executable: KILO_EXECUTABLE,
  identify: identifyKilo,
  normalize: createFirstNormalizer(KILO_PERMISSION_OPTIONS),
  readScreen: readKiloScreen,
  readDraft,
  titleOfSession: titleOfKiloSession,
  // KILO_CONFIG_DIR names one that is read beside these.
  configFolder: { usual: ".config/kilo", variable: "XDG_CONFIG_HOME", below: "kilo" },
  dataFolder: { usual: ".local/share/kilo", variable: "XDG_DATA_HOME", below: "kilo" },
  history: { ...opencodeHistory, file: "kilo.db" },
  loads: kiloLoads,
  integration: createPluginIntegration({
    agentType: "kilo",
    displayName: "Kilo",
    packageName: "@kilocode/plugin",
    servers: [],
  }),
});
