// The events of a recording, in the form of event files, and what they alone tell.
import type { AdapterRegistry } from "../../adapters/index.ts";
import type { RecordedEvent } from "../../adapters/testkit/recordings.ts";
import type { Envelope } from "../../core/model/envelope.ts";
import { ROOT_AGENT, type Signal } from "../../core/model/evidence.ts";
import type { AgentAdapter } from "../../core/ports/agentAdapter.ts";
import type { Frame } from "./corpus.ts";

/** The tmux server in which everything was recorded. */
export const SERVER = {
  server: "default",
  socketPath: "/tmp/agtmux-detect/default",
  pid: 99,
  startedAt: 1_000,
};
const PANE_OF_NO_EVENT = "%999999";

const toEnvelope = (agent: string, event: RecordedEvent, pane: string | null, index: number): Envelope => ({
  spoolName: `${String(index).padStart(6, "0")}.${agent}`,
  agentType: agent,
  eventName: event.name,
  tmuxSocket: pane === null ? null : SERVER.socketPath,
  tmuxServerPid: pane === null ? null : SERVER.pid,
  paneId: pane !== null && /^%\d+$/.test(pane) ? pane : null,
  parentPid: null,
  eventTime: event.at,
  payload: event.payload,
  payloadProblem: null,
});

const CONTEXT = { confirmRequests: false };

const hasAgent = (frame: Frame, registry: AdapterRegistry): boolean =>
  registry.identify(frame.recording.processes) !== null;

/** Events are recorded from the whole tmux server: an end of session while the agent still runs came from another pane. */
export const framePane = (
  frame: Frame,
  envelopes: readonly Envelope[],
  registry: AdapterRegistry,
): string => {
  const adapter = registry.byAgentType(frame.agent);
  const isAlive = hasAgent(frame, registry);
  const own = envelopes.findLast(
    (envelope) =>
      envelope.paneId !== null && !(isAlive && adapter?.normalize(envelope, CONTEXT).isExit === true),
  );
  return own?.paneId ?? PANE_OF_NO_EVENT;
};

/** In order of time. If no event names a pane, all events count as the frame's own. */
export const envelopesOf = (frame: Frame): Envelope[] => {
  const isPaneRecorded = frame.panes.some((pane) => pane !== null);
  return frame.recording.events
    .map((event, index) => {
      const pane = isPaneRecorded ? (frame.panes[index] ?? null) : PANE_OF_NO_EVENT;
      return toEnvelope(frame.agent, event, pane, index);
    })
    .toSorted((a, b) => a.eventTime - b.eventTime);
};

const statesOf = (signal: Signal): string[] => {
  switch (signal.kind) {
    case "activity":
      return signal.status === null ? [] : [signal.status.state];
    case "request":
    case "observation":
      return [signal.status.state];
    case "settled":
      return ["idle"];
    case "dismissal":
      return [];
  }
};

/** The states that a frame's events report since the agent's last turn boundary. */
export const statesToldByEvents = (frame: Frame, adapter: AgentAdapter): Set<string> => {
  let told = new Set<string>();
  for (const envelope of envelopesOf(frame))
    for (const signal of adapter.normalize(envelope, CONTEXT).signals) {
      if (signal.kind === "activity" && signal.boundary && signal.agentId === ROOT_AGENT) told = new Set();
      for (const state of statesOf(signal)) told.add(state);
    }
  return told;
};

/** The process works where its events say that it does; null where none says. */
export const workingFolder = (envelopes: readonly Envelope[], adapter: AgentAdapter): string | null => {
  for (const envelope of envelopes) {
    const { cwd = null } = adapter.normalize(envelope, CONTEXT);
    if (cwd !== null) return cwd;
  }
  return null;
};
