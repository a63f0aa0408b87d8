// The wrapper's events on their way in: what they say and whose they are. The wrapper knows the pid of the agent, not its
// type, so the process decides which runtime is meant.
import { bindEvent, type Binding, type BindInput } from "../engine/bind.ts";
import type { Envelope } from "../model/envelope.ts";
import { ROOT_AGENT, type Signal } from "../model/evidence.ts";
import { readWrapperEvent } from "../model/wrapperEvent.ts";
import type { NormalizedEvent } from "../ports/agentAdapter.ts";

/** Proof of life, and no more: that an agent was started says nothing about its turn, and its end is for the runtime's end to judge. */
const SIGN_OF_LIFE: Signal = {
  kind: "activity",
  agentId: ROOT_AGENT,
  status: null,
  confidence: "high",
  boundary: false,
  closes: [],
  names: null,
};

export const normalizeWrapper = (envelope: Envelope): NormalizedEvent => ({
  signals: readWrapperEvent(envelope) === null ? [] : [SIGN_OF_LIFE],
  sessionId: null,
  eventId: null,
  isExit: false,
});

/** Bound to the runtime whose process the wrapper started; never to another one of the same pane. */
export const bindWrapper = (input: Omit<BindInput, "sessionId">): Binding => {
  const { envelope, runtimes, targetId } = input;
  const pid = readWrapperEvent(envelope)?.pid ?? null;
  const own = runtimes.filter(
    (runtime) => pid !== null && runtime.pid === pid && runtime.targetId === targetId,
  );
  const agentType = own.find(({ paneId }) => paneId === envelope.paneId)?.agentType ?? envelope.agentType;
  const binding = bindEvent({ ...input, envelope: { ...envelope, agentType }, sessionId: null });
  if (binding.kind !== "bound" || own.some(({ runtimeId }) => runtimeId === binding.runtimeId))
    return binding;
  return { kind: "dropped", reason: "agent_mismatch" };
};
