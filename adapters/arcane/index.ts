// The adapter for arcane (command `arc`): wires its parts to the contract. Nobody could run it here; everything rests on
// its documents and its public source. It has no permission dialogs of its own, and no event for extensions' dialogs.
import { type AgentAdapter } from "../../core/ports/agentAdapter.ts";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import { BUILT_IN } from "../common/builtIn.ts";
import { readDocumentedScreen } from "../piFamily/screen.ts";
import { identifyScript } from "../common/identifyScript.ts";
import { RUN_EVENTS, createExtensionIntegration } from "../piFamily/integration.ts";
import { piHistory, readPiTranscript } from "../piFamily/history.ts";
import { createPiNormalizer } from "../piFamily/normalize.ts";
import { readPiSessionFile } from "../piFamily/sessionFile.ts";

/** `arc` is the name of other programs too: only bun running it, or the package's own path, counts. */
const SIGNS = {
  displayName: "arcane",
  packagePath: /(^|\/)@nghyane\/arcane\/(.*\/)?cli\.[jt]s$/,
  command: "arc",
  helpers: /^(commit|config|grep|jupyter|plugin|q|search|setup|shell|ssh|stats|update)$/,
};

const identifyArcane = (processes: readonly ProcessInfo[]) => {
  const match = identifyScript(processes, SIGNS);
  // Scripts called `arc` that node runs belong to others.
  return match?.confidence === "medium" && !match.sign.startsWith("bun ") ? null : match;
};

/** A new adapter; never recorded. Signals end it without any event. */
export const createArcaneAdapter = (): AgentAdapter => ({
  ...BUILT_IN,
  agentType: "arcane",
  displayName: "arcane",
  recordedVersions: [],
  announcesExit: false,
  capabilities: { ...BUILT_IN.capabilities, supports_waiting_approval: false, verified: false },
  // Its own documentation names a way to go on with a session; nobody could try it.
  launch: { program: "arc" },
  identify: identifyArcane,
  normalize: createPiNormalizer({ retriesAfterEnd: true, settles: false, hasAskTool: true }),
  readScreen: readDocumentedScreen,
  readStateFiles: readPiSessionFile,
  readTranscript: readPiTranscript,
  configFolder: { usual: ".arcane/agent", variable: "ARCANE_AGENT_DIR" },
  history: piHistory,
  integration: createExtensionIntegration({
    agentType: "arcane",
    folder: ".arcane",
    hasAskTimeout: true,
    events: RUN_EVENTS,
    notifications: {
      what: "rings the bell of its terminal, or shows a notification there",
      how: "Set ask.notify and completion.notify to off in its config.yml.",
    },
  }),
});
