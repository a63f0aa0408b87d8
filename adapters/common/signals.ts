// Building blocks of normalisation: the shapes of signal and the statuses that agents' events turn into. What an event
// means is each adapter's own business.
import { ROOT_AGENT, type ActivitySignal, type RequestSignal } from "../../core/model/evidence.ts";
import type { PromptRequest } from "../../core/model/request.ts";
import type { Confidence, Status } from "../../core/model/state.ts";

export const THINKING: Status = { state: "running", reasonCode: "thinking" };
export const TOOL: Status = { state: "running", reasonCode: "tool" };
export const SUBAGENT: Status = { state: "running", reasonCode: "subagent" };
export const COMPACTING: Status = { state: "running", reasonCode: "compacting" };
export const BACKGROUND: Status = { state: "running", reasonCode: "background_task" };
export const RETRYING: Status = { state: "running", reasonCode: "retrying" };
export const FRESH: Status = { state: "idle", reasonCode: "fresh" };
export const INTERRUPTED: Status = { state: "idle", reasonCode: "interrupted" };
export const COMPLETED: Status = { state: "completed", reasonCode: "turn_ended" };
/** A view of the agent's own, in which keys are commands. */
export const IN_MENU: Status = { state: "unknown", reasonCode: "in_menu" };

/** Nothing that is known is drawn, but a dialog may be open. */
export const HIDDEN: Status = { state: "unknown", reasonCode: "unsupported_signal" };

export const TOOL_APPROVAL: Status = { state: "waiting_approval", reasonCode: "permission_tool" };
export const EDIT_APPROVAL: Status = { state: "waiting_approval", reasonCode: "permission_edit" };
export const PLAN_APPROVAL: Status = { state: "waiting_approval", reasonCode: "plan" };
export const TRUST_APPROVAL: Status = { state: "waiting_approval", reasonCode: "trust" };
export const QUESTION: Status = { state: "waiting_input", reasonCode: "question" };

/** A wait as an adapter builds it from an event: what is asked, and the state that asking means. */
export interface Ask {
  status: Status;
  request: PromptRequest;
}

/** `status` null: proof of life only. */
export const activity = (status: Status | null, fields: Partial<ActivitySignal> = {}): ActivitySignal => ({
  kind: "activity",
  agentId: ROOT_AGENT,
  status,
  confidence: "high",
  boundary: false,
  closes: [],
  names: null,
  ...fields,
});

/** `beside`: what is said of the work, as `progressField` gives it. */
export const boundary = (
  status: Status | null,
  agentId: string,
  confidence: Confidence,
  beside: Pick<ActivitySignal, "progress"> = {},
): ActivitySignal => activity(status, { agentId, confidence, boundary: true, ...beside });

/** `dialogGraceMs`: three times the recorded delay from the event to the drawn dialog, at least 500. */
export const openRequest = (
  ask: Ask,
  fields: Pick<
    RequestSignal,
    "agentId" | "requestKey" | "needsConfirmation" | "confidence" | "dialogGraceMs"
  >,
): RequestSignal => ({ kind: "request", status: ask.status, request: ask.request, ...fields });
