// Building blocks of normalisation that carry Claude Code's own measured figures.
import type { RequestSignal } from "../../core/model/evidence.ts";
import { openRequest as openSharedRequest, type Ask } from "../common/signals.ts";

export {
  activity,
  BACKGROUND,
  boundary,
  COMPACTING,
  COMPLETED,
  FRESH,
  SUBAGENT,
  THINKING,
  TOOL,
} from "../common/signals.ts";

/**
 * Three times the recorded delay from PermissionRequest to the drawn dialog (about 300 ms, 2.1.329): until then a screen
 * without the dialog says nothing.
 */
const DIALOG_GRACE_MS = 1_000;

export const openRequest = (
  ask: Ask,
  fields: Pick<RequestSignal, "agentId" | "requestKey" | "needsConfirmation" | "confidence">,
): RequestSignal => openSharedRequest(ask, { ...fields, dialogGraceMs: DIALOG_GRACE_MS });
