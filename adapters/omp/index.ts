// The adapter for oh-my-pi: which process it is, and how its parts are wired to the contract.
import type { ProcessInfo } from "../../core/model/runtime.ts";
import { type AgentAdapter, type IdentifyMatch } from "../../core/ports/agentAdapter.ts";
import { BUILT_IN } from "../common/builtIn.ts";
import { RUN_EVENTS, createExtensionIntegration } from "../piFamily/integration.ts";
import { identifyScript } from "../common/identifyScript.ts";
import { piHistory, readPiTranscript } from "../piFamily/history.ts";
import { createPiNormalizer } from "../piFamily/normalize.ts";
import { readPiSessionFile, readPiSessionTitle, titleOfOmpSession } from "../piFamily/sessionFile.ts";
import { readOmpDraft, readOmpScreen } from "./screen.ts";

/** Source: recorded process tree (18.2.3): bun runs the package's cli.js and the process is renamed `omp`. */
const SIGNS = {
  displayName: "oh-my-pi",
  packagePath: /(^|\/)@oh-my-pi\/pi-coding-agent\/(dist|src)\/cli\.[jt]s$/,
  command: "omp",
  helpers: /^(acp|commit|config|grep|jupyter|plugin|setup|shell|ssh|stats|update)$/,
};

const identifyOmp = (processes: readonly ProcessInfo[]): IdentifyMatch | null =>
  identifyScript(processes, SIGNS);

/** A new adapter; recorded with 18.2.3. It announces every orderly exit, also the one after TERM. */
export const createOmpAdapter = (): AgentAdapter => ({
  ...BUILT_IN,
  agentType: "omp",
  displayName: "oh-my-pi",
  recordedVersions: ["18.2.3"],
  announcesExit: true,
  interruptKeys: [["Escape"]],
  // Measured: an Enter one second after the dialog opened was ignored, after three it counted.
  dialogIgnoresKeysMs: 3_000,
  // Its help (18.2.3); sessions belong to the folder.
  launch: { program: "omp", resume: (id) => [`--resume=${id}`] },
  identify: identifyOmp,
  normalize: createPiNormalizer({ retriesAfterEnd: false, settles: false, hasAskTool: true }),
  readScreen: readOmpScreen,
  readDraft: readOmpDraft,
  readStateFiles: readPiSessionFile,
  readTranscript: readPiTranscript,
  titleOfSession: titleOfOmpSession,
  readSessionTitle: readPiSessionTitle,
  configFolder: { usual: ".omp/agent", variable: "PI_CODING_AGENT_DIR" },
  history: piHistory,
  integration: createExtensionIntegration({
    agentType: "omp",
    folder: ".omp",
    hasAskTimeout: true,
    events: [...RUN_EVENTS, "tool_approval_requested", "tool_approval_resolved", "session_stop"],
  }),
});
