// Which runtime an event belongs to (spec 7.4). An event is a claim; the pane's process decides.
import type { Envelope } from "../model/envelope.ts";
import type { Runtime, ServerInstance } from "../model/runtime.ts";

/** How much a process start time and a file time may disagree: start times have 10 ms resolution, files that of the kernel's tick. */
const START_TOLERANCE_MS = 1_500;

export type Binding =
  | { kind: "bound"; runtimeId: string }
  | { kind: "pending"; reason: string }
  | { kind: "dropped"; reason: "older_runtime" | "agent_mismatch" | "other_server_life" | "no_pane" };

export interface BindInput {
  envelope: Envelope;
  /** The agent's own session id as the adapter read it from the payload. */
  sessionId: string | null;
  targetId: string;
  /** It tells that a session begins: nothing that comes from an agent after its end does. */
  beginsSession: boolean;
  /** Tmux servers of the target as they are known now. */
  servers: readonly ServerInstance[];
  /** Live runtimes, and those that ended recently; those of other targets are no candidates, whatever the event names. */
  runtimes: readonly Runtime[];
}

const isOfLife = (envelope: Envelope, runtime: Runtime, endToleranceMs = START_TOLERANCE_MS): boolean =>
  (runtime.processStartedAt === null ||
    envelope.eventTime >= runtime.processStartedAt - START_TOLERANCE_MS) &&
  (runtime.endedAt === null || envelope.eventTime <= runtime.endedAt + endToleranceMs);

/** For an event without a pane. Two live runtimes of one session prove nothing. */
const bySession = (
  { envelope, sessionId }: Pick<BindInput, "envelope" | "sessionId">,
  runtimes: readonly Runtime[],
): Runtime | null => {
  if (sessionId === null) return null;
  const known = runtimes.filter(
    (runtime) =>
      runtime.agentSessionId === sessionId &&
      runtime.agentType === envelope.agentType &&
      runtime.endedAt === null,
  );
  return known.length === 1 && known[0] !== undefined && isOfLife(envelope, known[0]) ? known[0] : null;
};

export const bindEvent = (input: BindInput): Binding => {
  const { envelope, servers, targetId } = input;
  const runtimes = input.runtimes.filter((runtime) => runtime.targetId === targetId);
  if (envelope.paneId === null || envelope.tmuxSocket === null) {
    const session = bySession(input, runtimes);
    return session === null
      ? { kind: "dropped", reason: "no_pane" }
      : { kind: "bound", runtimeId: session.runtimeId };
  }

  const server = servers.find((instance) => instance.socketPath === envelope.tmuxSocket);
  if (server === undefined) return { kind: "pending", reason: "its tmux server is not known" };
  if (envelope.tmuxServerPid !== null && envelope.tmuxServerPid !== server.pid)
    return { kind: "dropped", reason: "other_server_life" };

  const ofPane = runtimes.filter(
    (runtime) => runtime.server === server.server && runtime.paneId === envelope.paneId,
  );
  const live = ofPane.find((runtime) => runtime.endedAt === null);
  if (live === undefined) {
    // A session may be taken up in the same pane before its process is recognised.
    const endToleranceMs = input.beginsSession ? 0 : START_TOLERANCE_MS;
    const ended = ofPane.some(
      (runtime) => runtime.agentType === envelope.agentType && isOfLife(envelope, runtime, endToleranceMs),
    );
    return ended
      ? { kind: "dropped", reason: "older_runtime" }
      : { kind: "pending", reason: "no agent is known in its pane yet" };
  }
  if (!isOfLife(envelope, live)) return { kind: "dropped", reason: "older_runtime" };
  if (live.agentType !== envelope.agentType) return { kind: "dropped", reason: "agent_mismatch" };
  return { kind: "bound", runtimeId: live.runtimeId };
};
