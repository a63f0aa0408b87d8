// Event files: the envelope, the payload of every agent, our wrapper's events, and what of them may be stored.
import * as fc from "fast-check";
import { createAdapterRegistry } from "../../../adapters/index.ts";
import { parseEnvelope } from "../../../core/collect/spoolDrain.ts";
import { normalizeWrapper } from "../../../core/ingest/events.ts";
import { envelopeSchema, type Envelope, readWrapperEvent } from "../../../core/model/envelope.ts";
import { signalSchema, type Signal } from "../../../core/model/evidence.ts";
import { MAX_MARKED_TEXT, requestView } from "../../../core/model/request.ts";
import { isWaiting } from "../../../core/model/state.ts";
import type { AgentAdapter, NormalizedEvent } from "../../../core/ports/agentAdapter.ts";
import { MAX_STORED_BYTES, redactPayload } from "../../../core/store/redact.ts";
import { redactEvidence } from "../../../core/store/redactEvidence.ts";
import { hold, holdLine, holdText } from "../expectations.ts";
import { defineTarget, type FuzzTarget } from "../fuzzTarget.ts";
import { mutatedJson } from "../mutateJson.ts";
import { hostileText, mutatedBytes, mutatedText } from "../mutateText.ts";
import { eventSeeds } from "../seeds.ts";

const headerOf = (agent: string, event: string): string =>
  `agtmux-event 1\nagent=${agent}\nevent=${event}\ntmux=/tmp/tmux-1000/default,4242,0\npane=%5\nppid=777\n\n`;

const parse = (bytes: Buffer): Envelope | null => {
  const parsed = parseEnvelope({
    spoolName: "1795238680000-1.event",
    eventTime: 1_795_238_680_000.5,
    size: bytes.length,
    bytes,
  });
  if (!parsed.isOk) {
    holdLine(parsed.problem, 200, "the problem of an envelope");
    return null;
  }
  envelopeSchema.parse(parsed.envelope);
  return parsed.envelope;
};

const isWait = (signal: Signal): boolean =>
  signal.kind === "request" ||
  (signal.kind === "activity" && signal.status !== null && isWaiting(signal.status.state));

const checkSignal = (signal: Signal): void => {
  signalSchema.parse(signal);
  if (signal.kind === "activity") holdLine(signal.progress, 200, "a progress line");
  if (signal.kind !== "request") return;
  holdLine(signal.request.title, 500, "the title of a request");
  holdLine(signal.request.toolName, 200, "the tool of a request");
  holdText(signal.request.body, MAX_MARKED_TEXT, "the body of a request");
  requestView(signal.request);
  for (const { label, keys } of signal.request.options) {
    holdLine(label, 500, "an option");
    for (const key of keys ?? []) holdLine(key, 20, "a key");
  }
};

const checkEvent = (event: NormalizedEvent, envelope: Envelope): void => {
  for (const signal of event.signals) checkSignal(signal);
  hold(event.signals.length <= 20, `one event gave ${event.signals.length} signals`);
  hold(event.sessionId === null || typeof event.sessionId === "string", "the session id is no text");
  hold(event.eventId === null || typeof event.eventId === "string", "the event's id is no text");
  for (const signal of event.signals) {
    const evidence = {
      eventId: "e1",
      runtimeId: "rt1",
      source: "hook" as const,
      eventType: envelope.eventName ?? "",
      sourceSeq: null,
      eventTime: 1,
      ingestedAt: 1,
      dedupeKey: "d",
      signal,
    };
    const once = redactEvidence(evidence);
    signalSchema.parse(once.signal);
  }
  const stored = Buffer.byteLength(JSON.stringify(redactPayload(envelope.payload)) ?? "");
  hold(stored <= MAX_STORED_BYTES, `${stored} bytes would be stored`);
};

/** The names of events that ask a person for something, as recorded. */
const waitingNames = (adapter: AgentAdapter, samples: ReturnType<typeof eventSeeds>): Set<string> =>
  new Set(
    samples
      .filter(({ name, payload }) => {
        const envelope = parse(Buffer.from(headerOf(adapter.agentType, name) + JSON.stringify(payload)));
        return (
          envelope !== null && adapter.normalize(envelope, { confirmRequests: false }).signals.some(isWait)
        );
      })
      .map(({ name }) => name),
  );

const hookTarget = (adapter: AgentAdapter): FuzzTarget =>
  defineTarget({
    name: `hook/${adapter.agentType}`,
    weight: 3,
    covers: [`hook of ${adapter.agentType}`],
    open: () => {
      const test = adapter.integration?.testEvent;
      const samples = [
        ...eventSeeds(adapter.agentType),
        ...(test === undefined ? [] : [{ name: test.eventName, payload: test.payload }]),
      ];
      const waiting = waitingNames(adapter, samples);
      const recorded = new Set(samples.map(({ name }) => name));
      const perSample = samples.map(({ payload }) => mutatedJson([payload]));
      const names = samples.map(({ name }) => name);
      const any = mutatedJson(samples.map(({ payload }) => payload));
      const own = fc
        .nat(samples.length - 1)
        .chain((index) => fc.tuple(fc.constant(names[index] ?? ""), perSample[index] ?? any));
      const text = fc
        .oneof(
          { weight: 6, arbitrary: own },
          { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...names), any) },
          { weight: 1, arbitrary: fc.tuple(hostileText, any) },
        )
        .map(([name, json]) => headerOf(adapter.agentType, name) + json);
      const plain = text.map((whole) => Buffer.from(whole));
      return {
        arbitrary: fc.tuple(
          fc.oneof({ weight: 4, arbitrary: plain }, { weight: 1, arbitrary: mutatedBytes(text) }),
          fc.boolean(),
        ),
        check: ([bytes, confirmRequests]) => {
          const envelope = parse(bytes);
          if (envelope === null) return;
          const event = adapter.normalize(envelope, { confirmRequests });
          checkEvent(event, envelope);
          const name = envelope.eventName ?? "";
          if (recorded.has(name) && !waiting.has(name))
            hold(!event.signals.some(isWait), `the event '${name}', which never asks, made a wait`);
        },
      };
    },
  });

const envelopeTarget = defineTarget({
  name: "hook/envelope",
  weight: 3,
  open: () => {
    const seeds = eventSeeds("claude").map(
      ({ name, payload }) => headerOf("claude", name) + JSON.stringify(payload),
    );
    return {
      arbitrary: mutatedBytes(mutatedText([...seeds, headerOf("codex", "Stop"), "agtmux-event 1\n\n{}"])),
      check: (bytes) => {
        const envelope = parse(bytes);
        if (envelope === null) return;
        hold(
          JSON.stringify(redactPayload(envelope.payload)).length <= MAX_STORED_BYTES,
          "too much is stored",
        );
      },
    };
  },
});

const wrapperTarget = defineTarget({
  name: "hook/wrapper",
  open: () => ({
    arbitrary: fc
      .tuple(
        fc.constantFrom("wrapper.start", "wrapper.exit", "wrapper.other"),
        mutatedJson([{ pid: 4242, status: 0 }, { pid: null }, { pid: 1, status: 255 }]),
      )
      .map(([name, json]) => Buffer.from(headerOf("claude", name) + json)),
    check: (bytes) => {
      const envelope = parse(bytes);
      if (envelope === null) return;
      const event = readWrapperEvent(envelope);
      if (event?.kind === "exit") hold(event.status >= 0 && event.status <= 255, "no exit status");
      const normalized = normalizeWrapper(envelope);
      for (const signal of normalized.signals) checkSignal(signal);
      hold(!normalized.signals.some(isWait), "the wrapper made a wait");
      hold((event === null) === (normalized.signals.length === 0), "no event, but a sign of life");
    },
  }),
});

export const hookTargets = (): FuzzTarget[] => [
  ...createAdapterRegistry().list().map(hookTarget),
  envelopeTarget,
  wrapperTarget,
];
