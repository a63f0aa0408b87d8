// The contract that every adapter passes, as a vitest suite over recordings: it knows its own processes and no others',
// reads frames right or not at all, survives any payload, invents no wait, and is quick.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_PAYLOAD_BYTES, type Envelope } from "../../core/model/envelope.ts";
import { envelopeOf } from "./events.ts";
import { signalSchema, type Signal } from "../../core/model/evidence.ts";
import { promptRequestSchema } from "../../core/model/request.ts";
import { isWaiting, statusSchema } from "../../core/model/state.ts";
import { ADAPTER_CONTRACT_VERSION, type AgentAdapter, type Reading } from "../../core/ports/agentAdapter.ts";
import { FOREIGN_TREES, MAC_TREES } from "./foreignTrees.ts";
import {
  fixtureFolder,
  labelsOf,
  listFrames,
  loadEventSamples,
  loadRecording,
  screenOf,
  type Label,
  type Labels,
  type RecordedEvent,
} from "./recordings.ts";

export interface ContractOptions {
  /** Recorded frames whose reason nothing on the screen tells: the state must be right. */
  reasonUnseen?: readonly string[];
  /** The agent's own launchers between the pane's shell and its process: 0, or 1 for one that may end alone. */
  launcherCount?: number;
}

/** How many times more a work may cost than the yardstick, and how often it is tried. */
const MAX_TIMES = 4;
const TRIES = 5;
/** Two megabytes of a million words, which take some ten milliseconds to be told apart. */
const YARDSTICK: readonly string[] = Array<string>(1_000).fill(`node ${"/a b".repeat(500)}`);
const CONTEXT = { confirmRequests: false };

const isWait = (signal: Signal): boolean =>
  signal.kind === "request" ||
  (signal.kind === "activity" && signal.status !== null && isWaiting(signal.status.state));

/** In milliseconds of this thread's own computing. Some systems count in steps of four. */
const computingMs = (work: () => unknown): number => {
  const began = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(began);
  return (user + system) / 1_000;
};
/**
 * How long something takes is up to the machine and to what else runs there. So each work is compared with another one that is done
 * directly before it, and is tried again where it seems to cost too much.
 */
const expectQuick = (works: readonly (readonly [what: string, work: () => unknown])[]): void => {
  let slow = works.map(([what, work]) => ({ what, work, times: 0 }));
  for (let turn = 0; turn < TRIES && slow.length > 0; turn += 1) {
    const yardstickMs = computingMs(() => YARDSTICK.map((line) => line.split(/\s+/).length));
    slow = slow
      .map(({ what, work }) => ({ what, work, times: computingMs(work) / yardstickMs }))
      .filter(({ times }) => times > MAX_TIMES);
  }
  expect(slow.map(({ what, times }) => `${what}: ${times.toFixed(1)} times the yardstick`)).toEqual([]);
};

const expectFrame = (reading: Reading | null, label: Label, isReasonUnseen: boolean): void => {
  if (label.state === "unknown") {
    const { reason_code: reasonCode } = label;
    expect(reading?.status ?? null).toEqual(
      reasonCode === undefined ? null : { state: "unknown", reasonCode },
    );
    return;
  }
  if (reading === null) throw new Error("the frame is not recognised");
  statusSchema.parse(reading.status);
  if (reading.request !== null) promptRequestSchema.parse(reading.request);
  expect([label.state, ...(label.also ?? [])]).toContain(reading.status.state);
  expect(reading.matched).not.toBe("");
  if (reading.status.state === label.state && label.reason_code !== undefined && !isReasonUnseen)
    expect(reading.status.reasonCode).toBe(label.reason_code);
  if (isWaiting(reading.status.state)) expect(reading.request).not.toBeNull();
};

const RECORDED = "recorded frames";

const describeFrames = (
  adapter: AgentAdapter,
  title: string,
  folder: string,
  labels: Labels,
  reasonUnseen: readonly string[],
): void => {
  describe(title, () => {
    const frames = listFrames(folder);
    it("has a label for every frame", () => {
      expect(frames.filter((name) => labels[`${adapter.agentType}/${name}`] === undefined)).toEqual([]);
      // Variants are made by hand, where a recording was not to be had.
      if (title === RECORDED) expect(frames.length, `no recordings in ${folder}`).toBeGreaterThan(0);
    });
    // A frame without an agent is never shown to an adapter: the process is gone.
    it.each(frames.filter((name) => labels[`${adapter.agentType}/${name}`]?.state !== "none"))(
      "reads %s",
      (name) => {
        const label = labels[`${adapter.agentType}/${name}`] ?? { state: "unknown" };
        expectFrame(
          adapter.readScreen(screenOf(loadRecording(folder, name))),
          label,
          reasonUnseen.includes(name),
        );
      },
    );
    it.each(frames)("gives a request of the model's form for %s in a pane of any width", (name) => {
      for (const width of [0, 1, 7, 10_000]) {
        const request = adapter.readScreen({ ...screenOf(loadRecording(folder, name)), width })?.request;
        if (request !== null && request !== undefined) promptRequestSchema.parse(request);
      }
    });
  });
};

const describeIdentification = (
  adapter: AgentAdapter,
  folder: string,
  labels: Labels,
  launcherCount: number,
): void => {
  describe("identification", () => {
    const withAgent = listFrames(folder).filter(
      (name) => (labels[`${adapter.agentType}/${name}`]?.state ?? "none") !== "none",
    );
    it.each(withAgent)("finds the agent in the processes of %s", (name) => {
      const { processes } = loadRecording(folder, name);
      const match = adapter.identify(processes);
      // Below the pane's shell and its own launchers, above its tools.
      expect(match?.process).toBe(processes[1 + launcherCount]);
      expect(match?.sign).not.toBe("");
    });
    const onMac = MAC_TREES.filter((tree) => tree.agentType === adapter.agentType);
    it.each(onMac)("finds the agent in the processes of $name", ({ processes, agentAt = -1 }) => {
      expect(adapter.identify(processes)?.process).toBe(processes[agentAt]);
    });
    it.each(FOREIGN_TREES.filter((tree) => tree.agentType !== adapter.agentType))(
      "does not claim $name",
      (tree) => {
        expect(adapter.identify(tree.processes)).toBeNull();
      },
    );
    it("claims nothing where there is nothing", () => {
      expect(adapter.identify([])).toBeNull();
    });
  });
};

const wrongValue = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.string(),
  fc.constant("x".repeat(100_000)),
  fc.jsonValue({ maxDepth: 3 }),
);

/** A recorded payload with fields taken out, replaced and added, hostile names among them. */
const mutated = (sample: RecordedEvent): fc.Arbitrary<Record<string, unknown>> => {
  const names = Object.keys(sample.payload);
  return fc
    .tuple(
      fc.subarray(names),
      fc.dictionary(fc.constantFrom(...names, "agent_id", "extra"), wrongValue, { maxKeys: 3 }),
      fc.boolean(),
    )
    .map(([removed, replaced, isPolluted]): Record<string, unknown> => {
      const kept = Object.entries(sample.payload).filter(([name]) => !removed.includes(name));
      const base = JSON.stringify({ ...Object.fromEntries(kept), ...replaced });
      return JSON.parse(
        isPolluted ? base.replace(/^\{/, base === "{}" ? "{" : '{"__proto__":{"tool_name":"Bash"},') : base,
      );
    });
};

const describeEvents = (adapter: AgentAdapter, samples: readonly RecordedEvent[]): void => {
  const normalize = (name: string | null, payload: Envelope["payload"]) =>
    adapter.normalize(envelopeOf(adapter.agentType, name, payload), CONTEXT);
  const waitingEvents = new Set(
    samples
      .filter(({ name, payload }) => normalize(name, payload).signals.some(isWait))
      .map(({ name }) => name),
  );

  describe("events", () => {
    it("turns every recorded payload into valid signals", () => {
      for (const { name, payload } of samples)
        for (const signal of normalize(name, payload).signals) signalSchema.parse(signal);
      expect(waitingEvents.size > 0).toBe(
        samples.length > 0 && adapter.capabilities.supports_waiting_approval,
      );
    });
    it("survives any payload and makes no wait of an event that is none", () => {
      if (samples.length === 0) return;
      const event = fc
        .constantFrom(...samples)
        .chain((sample) => fc.tuple(fc.constant(sample.name), mutated(sample)));
      fc.assert(
        fc.property(event, ([name, payload]) => {
          const { signals } = normalize(name, payload);
          for (const signal of signals) signalSchema.parse(signal);
          if (!waitingEvents.has(name)) expect(signals.filter(isWait)).toEqual([]);
        }),
        { numRuns: 400 },
      );
    });
    it("makes nothing but proof of life of events that it does not know", () => {
      fc.assert(
        fc.property(fc.string({ minLength: 1 }), fc.constantFrom(...samples, null), (name, sample) => {
          const { signals, isExit } = normalize(`X${name}`, sample?.payload ?? null);
          expect(signals.every((signal) => signal.kind === "activity" && signal.status === null)).toBe(true);
          expect(isExit).toBe(false);
        }),
      );
    });
    it("gives the same request key to the same request, whatever the order of its fields", () => {
      for (const { name, payload } of samples) {
        const reversed = Object.fromEntries(Object.entries(payload).toReversed());
        expect(normalize(name, reversed)).toEqual(normalize(name, payload));
      }
    });
  });
};

const describeCost = (adapter: AgentAdapter, samples: readonly RecordedEvent[]): void => {
  describe("cost", () => {
    it("is quick with the largest payload", () => {
      const huge = "x \u001b[2J".repeat(Math.floor(MAX_PAYLOAD_BYTES / 6));
      const works = samples.map(({ name, payload }) => {
        const grown = Object.fromEntries(
          Object.entries(payload).map(([key, value]) => [
            key,
            key === "tool_input" ? { command: huge } : value,
          ]),
        );
        const work = () => adapter.normalize(envelopeOf(adapter.agentType, name, grown), CONTEXT);
        return [name, work] as const;
      });
      expectQuick(works);
    });
    it.each([
      ["blanks", " ".repeat(1_000)],
      ["rules", "─".repeat(1_000)],
      ["rules that are none", `${"─".repeat(998)}x`],
      ["digits", "1".repeat(1_000)],
      ["prompts", "❯ 1. ".repeat(200)],
      ["spinners", "✻ a for 1s 1m ".repeat(80)],
    ])("is quick with a screen full of %s", (what, line) => {
      const screen = {
        lines: Array<string>(500).fill(line),
        title: line,
        isAlternate: true,
        width: 1_000,
        height: 500,
      };
      expectQuick([[what, () => adapter.readScreen(screen)]]);
    });
    it("is quick with a thousand processes", () => {
      const processes = YARDSTICK.map((args, index) => ({
        pid: index + 2,
        ppid: index + 1,
        comm: "node",
        args,
        startedAt: 0,
      }));
      expectQuick([["identify", () => adapter.identify(processes)]]);
    });
  });
};

/** Declares the suite over all frames of the agent; call it at the top level of a test file. */
export const runAdapterContract = (
  adapter: AgentAdapter,
  { reasonUnseen = [], launcherCount = 0 }: ContractOptions = {},
): void => {
  const folder = fixtureFolder(adapter.agentType);
  const labels = labelsOf("recordings");
  const variantLabels = labelsOf("variants");
  const samples = loadEventSamples(folder);
  const recorded = listFrames(folder).flatMap((name) => loadRecording(folder, name).events);
  describe(`adapter contract: ${adapter.agentType}`, () => {
    it("declares itself", () => {
      expect(adapter.contractVersion).toBe(ADAPTER_CONTRACT_VERSION);
      expect(adapter.agentType).toMatch(/^[a-z0-9_-]{1,40}$/);
      expect(adapter.capabilities.event_driven).toBe(adapter.integration !== undefined);
    });
    it("declares every state that a frame of its agent shows", () => {
      const { capabilities } = adapter;
      const isDeclared: Readonly<Record<string, boolean>> = {
        waiting_approval: capabilities.supports_waiting_approval,
        waiting_input: capabilities.supports_waiting_input,
        completed: capabilities.supports_completed,
      };
      const undeclared = Object.entries({ ...labels, ...variantLabels }).filter(
        ([frame, { state }]) => frame.startsWith(`${adapter.agentType}/`) && isDeclared[state] === false,
      );
      expect(undeclared).toEqual([]);
    });
    describeIdentification(adapter, folder, labels, launcherCount);
    describeFrames(adapter, RECORDED, folder, labels, reasonUnseen);
    describeFrames(adapter, "variants", fixtureFolder(adapter.agentType, "variants"), variantLabels, []);
    describeEvents(adapter, [...samples, ...recorded]);
    describeCost(adapter, samples);
  });
};
