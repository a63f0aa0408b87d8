// The adapter for gjc (gajae-code): wires its parts to the contract. Nobody could run it here; everything rests on its
// documents and on copies of its source. Its SDK's endpoint files hold a secret token and are never read.
import { ADAPTER_CONTRACT_VERSION, type AgentAdapter } from "../../core/ports/agentAdapter.ts";
import { FULL_SUPPORT } from "../common/capabilities.ts";
import { readDocumentedScreen } from "../piFamily/documentedScreen.ts";
import { RUN_EVENTS } from "../piFamily/extensionSource.ts";
import { createPiHistory } from "../piFamily/history.ts";
import { createExtensionIntegration } from "../piFamily/integration.ts";
import { createPiNormalizer } from "../piFamily/normalize.ts";
import { createSessionFileReader } from "../piFamily/sessionFile.ts";
import { createTranscriptReader } from "../piFamily/transcript.ts";
import { identifyGjc } from "./identify.ts";
import { createSkillReader } from "./skillProgress.ts";
import { extensionObstacle, requireExtensions } from "./version.ts";

/** A new adapter; never recorded. It has no event for permissions, and its exit was not seen. */
export const createGjcAdapter = (): AgentAdapter => ({
  contractVersion: ADAPTER_CONTRACT_VERSION,
  agentType: "gjc",
  displayName: "gjc",
  version: "1.0.0",
  recordedVersions: [],
  announcesExit: false,
  capabilities: { ...FULL_SUPPORT, supports_waiting_approval: false, verified: false },
  // Its own documentation names a way to go on with a session; nobody could try it.
  launch: { program: "gjc" },
  identify: identifyGjc,
  normalize: createPiNormalizer({ retriesAfterEnd: true, settles: false, hasAskTool: true }),
  readScreen: readDocumentedScreen,
  readStateFiles: createSessionFileReader(".gjc"),
  readTranscript: createTranscriptReader(".gjc"),
  readProgress: createSkillReader(() => Date.now()),
  history: createPiHistory(".gjc"),
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
  }),
});
