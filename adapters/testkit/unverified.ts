// What an adapter proves without a recording of its own agent: it says that it is unverified, knows the processes that
// the documents describe and nobody else's, reads no other agent's screens, survives any payload, invents no wait.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { envelopeOf } from "./events.ts";
import { signalSchema } from "../../core/model/evidence.ts";
import { isWaiting } from "../../core/model/state.ts";
import { ADAPTER_CONTRACT_VERSION, type AgentAdapter } from "../../core/ports/agentAdapter.ts";
import { FOREIGN_TREES } from "./foreignTrees.ts";
import { fixtureFolder, listFrames, loadRecording, screenOf } from "./recordings.ts";

export interface UnverifiedOptions {
  /** Process (name, arguments) below a shell that is the agent; the sign counts, not the case. */
  own: readonly (readonly [string, string])[];
  notOwn: readonly (readonly [string, string])[];
  /** Names of those that it has; none where no hook of ours may run. */
  events: readonly string[];
}

/** Whose screens no other adapter may read. */
const RECORDED = ["claude", "codex", "gemini", "omp", "opencode", "pi"];

const treeOf = ([comm, args]: readonly [string, string]) =>
  [["bash", "bash"] as const, [comm, args] as const].map(([name, line], index) => ({
    pid: 10 + index,
    ppid: index === 0 ? 1 : 10,
    comm: name,
    args: line,
    startedAt: 0,
  }));

/** Declares the suite; call it at the top level of a test file. */
export const runUnverifiedContract = (adapter: AgentAdapter, options: UnverifiedOptions): void => {
  describe(`unverified adapter: ${adapter.agentType}`, () => {
    it("declares itself", () => {
      expect(adapter.contractVersion).toBe(ADAPTER_CONTRACT_VERSION);
      expect(adapter.agentType).toMatch(/^[a-z0-9_-]{1,40}$/);
      expect(adapter.capabilities).toMatchObject({
        verified: false,
        event_driven: options.events.length > 0,
      });
      expect(adapter.integration === undefined).toBe(options.events.length === 0);
      expect(adapter.recordedVersions).toEqual([]);
      expect(adapter.announcesExit).toBe(false);
    });
    it.each(options.own)("knows %s (%s)", (comm, args) => {
      expect(adapter.identify(treeOf([comm, args]))?.process.pid).toBe(11);
    });
    it.each(options.notOwn)("does not claim %s (%s)", (comm, args) => {
      expect(adapter.identify(treeOf([comm, args]))).toBeNull();
    });
    it.each(FOREIGN_TREES)("does not claim $name", ({ processes }) => {
      expect(adapter.identify(processes)).toBeNull();
    });
    it.each(RECORDED)("sees no wait on the screens of %s", (agent) => {
      const folder = fixtureFolder(agent);
      for (const name of listFrames(folder)) {
        const reading = adapter.readScreen(screenOf(loadRecording(folder, name)));
        expect(reading !== null && isWaiting(reading.status.state), `${agent}/${name}`).toBe(false);
      }
    });
    it("survives any payload, and events that it does not know say nothing", () => {
      fc.assert(
        fc.property(
          fc.constantFrom(...options.events, "Stop"),
          fc.option(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))),
          (name, payload) => {
            for (const { signals } of [
              adapter.normalize(envelopeOf(adapter.agentType, name, payload), { confirmRequests: false }),
            ])
              for (const signal of signals) signalSchema.parse(signal);
            expect(
              adapter.normalize(envelopeOf(adapter.agentType, `X${name}`, payload), {
                confirmRequests: false,
              }).signals,
            ).toEqual([]);
          },
        ),
        { numRuns: 300 },
      );
    });
  });
};
