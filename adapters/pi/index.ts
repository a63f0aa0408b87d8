// The adapter for pi: tells its process from others, and wires its parts to the contract. It reads no state from session files: nothing
// maps a terminal to one without events, and beside events the file would speak against dialogs of extensions, of which it
// does not know. For a person it is read as a transcript.
import type { ProcessInfo } from "../../core/model/runtime.ts";
import {
  ADAPTER_CONTRACT_VERSION,
  type AgentAdapter,
  type IdentifyMatch,
} from "../../core/ports/agentAdapter.ts";
import { FULL_SUPPORT } from "../common/capabilities.ts";
import { piLoads } from "../common/loads.ts";
import { identifyScript } from "../piFamily/identify.ts";
import { createPiHistory, createTranscriptReader } from "../piFamily/history.ts";
import { createExtensionIntegration } from "../piFamily/integration.ts";
import { createPiNormalizer } from "../piFamily/normalize.ts";
import { createSessionTitleReader, titleOfPiSession } from "../piFamily/sessionFile.ts";
import { readPiDraft, readPiScreen } from "./screen.ts";

// Tells pi from everything else in a pane, also from other programs called `pi`. Source: recorded process tree (0.87.1):
// pi overwrites its whole argument vector with the two letters, so a path with its package only shows before that.
const SIGNS = {
  displayName: "pi",
  packagePath: /(^|\/)@(earendil-works|mariozechner)\/pi-coding-agent\/(dist|src)\/cli\.[jt]s$/,
  command: "pi",
  helpers: new Set(["config", "install", "list", "remove", "uninstall", "update"]),
};

/** Nobody else's `pi` is known to name its main thread and its whole command line alike; still only medium confidence. */
const isRenamed = ({ comm, args }: ProcessInfo): boolean => comm === "pi" && args.trim() === "pi";

const identifyPi = (processes: readonly ProcessInfo[]): IdentifyMatch | null => {
  const script = identifyScript(processes, SIGNS);
  if (script !== null) return script;
  const process = processes.find(isRenamed);
  return process === undefined
    ? null
    : { process, confidence: "medium", sign: `process that named itself and its command line "pi"` };
};

/** A new adapter; recorded with 0.87.1. Approvals and questions exist only where extensions ask. */
export const createPiAdapter = (): AgentAdapter => ({
  contractVersion: ADAPTER_CONTRACT_VERSION,
  agentType: "pi",
  displayName: "pi",
  version: "1.0.0",
  recordedVersions: ["0.87.1"],
  announcesExit: true,
  capabilities: FULL_SUPPORT,
  interruptKeys: [["Escape"]],
  // Its help (0.87.1); sessions belong to the folder.
  launch: { program: "pi", resume: (id) => ["--session", id] },
  identify: identifyPi,
  normalize: createPiNormalizer({ retriesAfterEnd: false, settles: true, hasAskTool: false }),
  readScreen: readPiScreen,
  readDraft: readPiDraft,
  readTranscript: createTranscriptReader(".pi"),
  titleOfSession: titleOfPiSession,
  readSessionTitle: createSessionTitleReader(".pi"),
  history: createPiHistory(".pi"),
  loads: piLoads,
  integration: createExtensionIntegration({
    agentType: "pi",
    folder: ".pi",
    hasAskTimeout: false,
    events: [
      "session_start",
      "session_shutdown",
      "before_agent_start",
      "agent_start",
      "turn_start",
      "turn_end",
      "tool_execution_start",
      "tool_execution_end",
      "ui_prompt_start",
      "ui_prompt_end",
      "agent_end",
      "agent_before_settle",
      "agent_settled",
    ],
  }),
});
