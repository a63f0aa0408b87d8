// The adapter for opencode: wires its parts to the contract, decides nothing itself. It has no state file that names the
// state (its sessions are a database), so events and the screen are all there is.
import {
  type AgentExecutable,
  type IdentifyMatch,
  ADAPTER_CONTRACT_VERSION,
  type AgentAdapter,
} from "../../core/ports/agentAdapter.ts";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import { baseName, wordsOf } from "../common/commandLine.ts";
import { FULL_SUPPORT } from "../common/capabilities.ts";
import { opencodeLoads } from "../common/loads.ts";
import { opencodeHistory } from "./history.ts";
import { createOpencodeIntegration } from "./integration.ts";
import { normalizeOpencode } from "./normalize.ts";
import { readOpencodeScreen, titleOfOpencodeSession, readDraft as readOpencodeDraft } from "./screen.ts";

// Tells opencode's terminal program from everything else in a pane. Source: recorded process tree (1.18.33): a native
// program whose name and first argument are both `opencode`, started directly or by npm's launcher.

/** Subcommands without a session on the screen. */
const HELPERS = new Set([
  "acp",
  "agent",
  "auth",
  "completion",
  "db",
  "debug",
  "export",
  "generate",
  "github",
  "import",
  "mcp",
  "models",
  "plugin",
  "pr",
  "run",
  "serve",
  "session",
  "stats",
  "uninstall",
  "upgrade",
  "web",
]);
const ANSWERS_AND_LEAVES = new Set(["--help", "-h", "--version", "-v"]);

/** Of npm, its own installer, Homebrew and nix; its settings' variable is named in it (1.18.33), and in no other agent. */
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
    !HELPERS.has(first) &&
    !ANSWERS_AND_LEAVES.has(first)
  );
};

/** The first process, parents before children, that is opencode with a screen; null for its servers and helpers. */
const identifyOpencode = (processes: readonly ProcessInfo[]): IdentifyMatch | null => {
  const process = processes.find(isOpencode);
  return process === undefined
    ? null
    : { process, confidence: "high", sign: `process name and program "opencode"` };
};

/** A new adapter; recorded with 1.18.33. Leaving may come without any event. */
export const createOpencodeAdapter = (): AgentAdapter => ({
  contractVersion: ADAPTER_CONTRACT_VERSION,
  agentType: "opencode",
  displayName: "opencode",
  version: "1.0.0",
  recordedVersions: ["1.18.33"],
  announcesExit: false,
  capabilities: FULL_SUPPORT,
  // The first one shows "esc again to interrupt".
  interruptKeys: [["Escape"], ["Escape"]],
  // The command that it prints when it ends (1.18.33).
  launch: { program: "opencode", resume: (id) => ["-s", id] },
  executable: OPENCODE_EXECUTABLE,
  identify: identifyOpencode,
  normalize: normalizeOpencode,
  readScreen: readOpencodeScreen,
  readDraft: readOpencodeDraft,
  titleOfSession: titleOfOpencodeSession,
  history: opencodeHistory,
  loads: opencodeLoads,
  integration: createOpencodeIntegration(),
});
