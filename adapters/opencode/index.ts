// The adapter for opencode: wires its parts to the contract, decides nothing itself. It has no state file that names the
// state (its sessions are a database), so events and the screen are all there is.
import { ADAPTER_CONTRACT_VERSION, type AgentAdapter } from "../../core/ports/agentAdapter.ts";
import { FULL_SUPPORT } from "../common/capabilities.ts";
import { opencodeLoads } from "../common/loads.ts";
import { opencodeHistory } from "./history.ts";
import { identifyOpencode, OPENCODE_EXECUTABLE } from "./identify.ts";
import { createOpencodeIntegration } from "./integration.ts";
import { normalizeOpencode } from "./normalize.ts";
import { readOpencodeScreen, titleOfOpencodeSession } from "./screen.ts";
import { readDraft as readOpencodeDraft } from "./screen/drafts.ts";

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
