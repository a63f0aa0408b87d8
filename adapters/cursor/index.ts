// The adapter for the Cursor CLI: wires its parts to the contract. Nobody could run it here: its events are those of its
// documents, its screens those that others published. No event means a wait, so that waits are known by the screen alone.
import { ADAPTER_CONTRACT_VERSION, type AgentAdapter } from "../../core/ports/agentAdapter.ts";
import { FULL_SUPPORT } from "../common/capabilities.ts";
import { identifyCursor } from "./identify.ts";
import { createCursorIntegration } from "./integration.ts";
import { normalizeCursor } from "./normalize.ts";
import { readCursorScreen } from "./screen.ts";

/** A new adapter; never recorded. */
export const createCursorAdapter = (): AgentAdapter => ({
  contractVersion: ADAPTER_CONTRACT_VERSION,
  agentType: "cursor",
  displayName: "Cursor CLI",
  version: "1.0.0",
  recordedVersions: [],
  announcesExit: false,
  capabilities: { ...FULL_SUPPORT, verified: false },
  // How it goes on with a session is not known.
  launch: { program: "cursor-agent" },
  identify: identifyCursor,
  normalize: normalizeCursor,
  readScreen: readCursorScreen,
  integration: createCursorIntegration(),
});
