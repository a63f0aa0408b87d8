// Events of one agent in tests: envelopes, the recorded payloads with changes, and what an adapter makes of them in a few words.
import type { Envelope } from "../../core/model/envelope.ts";
import type { RequestSignal, Signal } from "../../core/model/evidence.ts";
import type { AgentAdapter, NormalizedEvent } from "../../core/ports/agentAdapter.ts";
import { fixtureFolder, loadEventSamples, type Payload } from "./recordings.ts";

/** As the spool gives it; a payload of null could not be read. */
export const envelopeOf = (
  agentType: string,
  eventName: string | null,
  payload: Envelope["payload"],
  more: Partial<Envelope> = {},
): Envelope => ({
  spoolName: "0001",
  agentType,
  eventName,
  tmuxSocket: null,
  tmuxServerPid: null,
  paneId: null,
  parentPid: null,
  eventTime: 0,
  payload,
  payloadProblem: payload === null ? "not_json" : null,
  ...more,
});

/** `running/tool`, `running/tool!` for one that begins or ends a turn, `alive` for no state, `asks <reason>`, with `?` where it must be seen. */
export const toldBy = (signal: Signal): string => {
  if (signal.kind === "request")
    return `asks ${signal.status.reasonCode}${signal.needsConfirmation ? "?" : ""}`;
  if (signal.kind !== "activity") return signal.kind;
  const { status, boundary } = signal;
  return `${status === null ? "alive" : `${status.state}/${status.reasonCode}`}${boundary ? "!" : ""}`;
};

/** `toolField`: in which a payload names its tool. */
export const eventsOf = (
  agent: string,
  normalize: AgentAdapter["normalize"],
  toolField = "tool_name",
): {
  samples: ReturnType<typeof loadEventSamples>;
  /** The recorded payload of an event, of one tool where it matters, with changes. */
  recorded: (name: string, changes?: Payload, tool?: string) => Payload;
  normalized: (name: string | null, payload: Payload | null, confirmRequests?: boolean) => NormalizedEvent;
  /** The one signal of an event. */
  one: (name: string, payload: Payload | null, confirmRequests?: boolean) => Signal;
  /** What an event opens. */
  requestOf: (name: string, payload: Payload | null, confirmRequests?: boolean) => RequestSignal;
  closedBy: (name: string, payload: Payload) => string[];
} => {
  const samples = loadEventSamples(fixtureFolder(agent));
  const normalized = (name: string | null, payload: Payload | null, confirmRequests = false) =>
    normalize(envelopeOf(agent, name, payload), { confirmRequests });
  return {
    samples,
    normalized,
    recorded: (name, changes = {}, tool) => {
      const found = samples.find(
        (sample) => sample.name === name && (tool === undefined || sample.payload[toolField] === tool),
      );
      return { ...found?.payload, ...changes };
    },
    one: (name, payload, confirmRequests) => {
      const [signal, ...more] = normalized(name, payload, confirmRequests).signals;
      if (signal === undefined || more.length > 0) throw new Error(`${name} gives not one signal`);
      return signal;
    },
    requestOf: (name, payload, confirmRequests) => {
      const found = normalized(name, payload, confirmRequests).signals.find(({ kind }) => kind === "request");
      if (found?.kind !== "request") throw new Error(`${name} asks nothing`);
      return found;
    },
    closedBy: (name, payload) =>
      normalized(name, payload).signals.flatMap((signal) =>
        signal.kind === "activity" ? signal.closes : [],
      ),
  };
};
