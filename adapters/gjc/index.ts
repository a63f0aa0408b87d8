// The adapter for gjc (gajae-code): which process it is, whether the installed version loads extensions, and how its parts are
// wired to the contract. Nobody could run it here; everything rests on its documents and on copies of its source. Its SDK's
// endpoint files hold a secret token and are never read.
import {
  type IdentifyMatch,
  type IntegrationRequest,
  type AgentAdapter,
} from "../../core/ports/agentAdapter.ts";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import { baseName, wordsOf } from "../common/commandLine.ts";
import { identifyScript, isWithoutScreen } from "../common/identifyScript.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import { parsePayload, textOf } from "../common/events.ts";
import { BUILT_IN } from "../common/builtIn.ts";
import { readDocumentedScreen } from "../piFamily/screen.ts";
import { RUN_EVENTS, createExtensionIntegration } from "../piFamily/integration.ts";
import { piHistory, readPiTranscript } from "../piFamily/history.ts";
import { createPiNormalizer } from "../piFamily/normalize.ts";
import { readPiSessionFile } from "../piFamily/sessionFile.ts";
import { createSkillReader } from "./skillProgress.ts";

// Which process: path and command are from its documents and a copy of its source; a name alone gives medium confidence.

const SIGNS = {
  displayName: "gjc",
  packagePath: /(^|\/)(@gajae-code\/coding-agent|gajae-code)\/(.*\/)?cli\.[jt]s$/,
  command: "gjc",
  helpers: /^(acp|agents|deep-interview|ralplan|sdk|session|state|stats|team|ultragoal|update)$/,
};

/** A compiled release is one program of that name. */
const isProgram = ({ comm, args }: ProcessInfo): boolean => {
  const [program = "", ...operands] = wordsOf(args);
  return baseName(comm) === "gjc" && baseName(program) === "gjc" && !isWithoutScreen(operands, SIGNS.helpers);
};

const identifyGjc = (processes: readonly ProcessInfo[]): IdentifyMatch | null => {
  const script = identifyScript(processes, SIGNS);
  if (script !== null) return script;
  const process = processes.find(isProgram);
  return process === undefined
    ? null
    : { process, confidence: "medium", sign: `process name and program "gjc"` };
};

// Which version: from the package file beside it. User extensions were quarantined from 0.1.1 until about 0.17 (its issue and
// fix, outside our recordings), so older ones would never load ours.

const FIRST_WITH_EXTENSIONS = [0, 17] as const;
const MAX_BYTES = 256 * 1024;
const PACKAGES = ["@gajae-code/coding-agent", "gajae-code"];

const foldersOf = (homeDir: string): string[] => [
  `${homeDir}/.bun/install/global/node_modules`,
  `${homeDir}/.npm-global/lib/node_modules`,
  `${homeDir}/.local/lib/node_modules`,
  "/opt/homebrew/lib/node_modules",
  "/usr/local/lib/node_modules",
  "/usr/lib/node_modules",
];

/** Versions of all installed packages; a single compiled program leaves no such file. */
const installedVersions = async ({ files, homeDir }: IntegrationRequest): Promise<string[]> => {
  const paths = foldersOf(homeDir).flatMap((folder) =>
    PACKAGES.map((name) => `${folder}/${name}/package.json`),
  );
  // A folder that cannot be read gives no version; without any the install is refused.
  const texts = await Promise.all(paths.map((path) => files.readText(path, MAX_BYTES).catch(() => null)));
  return texts.flatMap((text) => (text === null ? [] : (textOf(parsePayload(text) ?? {}, "version") ?? [])));
};

const loadsExtensions = (version: string): boolean => {
  const [, major, minor] = /^(\d{1,6})\.(\d{1,6})\./.exec(version) ?? [];
  if (major === undefined || minor === undefined) return false;
  const [firstMajor, firstMinor] = FIRST_WITH_EXTENSIONS;
  return Number(major) > firstMajor || (Number(major) === firstMajor && Number(minor) >= firstMinor);
};

/** Why an extension would not load, as one sentence; null where every installed gjc is known to load it. */
const extensionObstacle = async (request: IntegrationRequest): Promise<string | null> => {
  const versions = await installedVersions(request);
  if (versions.length === 0)
    return "The installed version of gjc could not be found, and gjc before 0.17 does not load extensions";
  const old = versions.find((version) => !loadsExtensions(version));
  return old === undefined
    ? null
    : `gjc ${old.slice(0, 40)} does not load extensions: 0.17 is the first that does`;
};

/** Fails with E_INTEGRATION_REFUSED where the extension would not be loaded. */
const requireExtensions = async (request: IntegrationRequest): Promise<void> => {
  const obstacle = await extensionObstacle(request);
  if (obstacle !== null)
    throw new AgtmuxError("E_INTEGRATION_REFUSED", `${obstacle}.`, {
      remedy: "Nothing was changed; without an extension gjc is read from its session file.",
    });
};

/** A new adapter; never recorded. It has no event for permissions, and its exit was not seen. */
export const createGjcAdapter = (): AgentAdapter => ({
  ...BUILT_IN,
  agentType: "gjc",
  displayName: "gjc",
  recordedVersions: [],
  announcesExit: false,
  capabilities: { ...BUILT_IN.capabilities, supports_waiting_approval: false, verified: false },
  // Its own documentation names a way to go on with a session; nobody could try it.
  launch: { program: "gjc" },
  identify: identifyGjc,
  normalize: createPiNormalizer({ retriesAfterEnd: true, settles: false, hasAskTool: true }),
  readScreen: readDocumentedScreen,
  readStateFiles: readPiSessionFile,
  readTranscript: readPiTranscript,
  readProgress: createSkillReader(() => Date.now()),
  configFolder: { usual: ".gjc/agent", variable: "GJC_CODING_AGENT_DIR" },
  history: piHistory,
  integration: createExtensionIntegration({
    agentType: "gjc",
    folder: ".gjc",
    hasAskTimeout: true,
    events: RUN_EVENTS,
    mayInstall: requireExtensions,
    problemsOf: async (request) => {
      const obstacle = await extensionObstacle(request);
      return obstacle === null ? [] : [obstacle];
    },
    notifications: {
      what: "rings the bell of its terminal, or shows a notification there",
      how: "Set ask.notify and completion.notify to off in its config.yml.",
    },
  }),
});
