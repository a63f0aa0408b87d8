// Measures what the gate cannot close: an agent that has replaced its prompt but has not drawn it yet. The played agent
// swaps its prompt inside at a random moment of an answer, and draws it after a chosen delay; what arrives in between has
// reached a prompt that nobody could see.
import { performance } from "node:perf_hooks";
import type { TargetExecutor } from "../../../core/ports/targetExecutor.ts";
import { callsOn } from "../../harness/tmuxCalls.ts";
import { realClock } from "../../setup/realClock.ts";
import { spreadOf, type Spread } from "../../../bench/statistics.ts";
import { act, newActor } from "../actor.ts";
import { ask } from "../model/events.ts";
import { LaggingEngine } from "../model/laggingEngine.ts";
import { createRaceDaemon } from "../raceDaemon.ts";
import { Lane } from "./lane.ts";
import type { RealPane } from "./realPane.ts";
import { createBench, type RealBench } from "./realRace.ts";

const READ_EVERY_MS = 1;

export interface UndrawnBucket {
  /** Between the swap inside and the end of its drawing as tmux has it, in ms. */
  delayMs: number;
  trials: number;
  /** The prompt was swapped before the keys came. */
  swappedFirst: number;
  /** Keys reached the prompt that was swapped in and not drawn yet. */
  hits: number;
  /** Keys reached it although tmux showed it: must be none. */
  wrong: number;
}

export interface UndrawnFigures {
  buckets: UndrawnBucket[];
  /** From the answer of the last look to the answer of the command with check and keys, ms. */
  lookToKeys: Spread;
  /** From the call of the action to the answer of the command with check and keys, ms. */
  callToKeys: Spread;
}

interface Times {
  startedAt: number;
  lookedAt: number;
  keysAt: number;
}

const timed = (bench: RealBench, times: Times): TargetExecutor => ({
  ...bench.executor,
  runTmux: async (call, options) => {
    const isDelivery = call.words.includes("source-file");
    const result = await bench.executor.runTmux(call, options);
    if (isDelivery && times.keysAt === 0) times.keysAt = performance.now();
    else if (call.words.includes("capture-pane") && times.keysAt === 0) times.lookedAt = performance.now();
    return result;
  },
});

const wait = (ms: number): Promise<void> => new Promise((next) => setTimeout(next, ms));

/** Swaps inside at once and draws later. */
const swapUnseen = async (lane: Lane, pane: RealPane, delayMs: number): Promise<void> => {
  pane.isHidden = true;
  pane.change({ prompt: ask("digits", "make other-1") });
  await wait(delayMs);
  pane.isHidden = false;
  await lane.drawn(pane);
  pane.settle();
};

const tryOnce = async (
  bench: RealBench,
  lane: Lane,
  { pane, delayMs, swapAfterMs }: { pane: RealPane; delayMs: number; swapAfterMs: number },
) => {
  lane.arrivals.length = 0;
  pane.change({ prompt: ask("digits", "make target-0"), isWorking: false, box: "" });
  await lane.drawn(pane);
  pane.settle();
  const engine = new LaggingEngine(lane, () => realClock.now());
  const times: Times = { startedAt: performance.now(), lookedAt: 0, keysAt: 0 };
  const executor = timed(bench, times);
  const daemon = createRaceDaemon({
    engine,
    executor,
    tmux: callsOn(executor, lane.tmux.socketPath),
    clock: realClock,
    verifyProcess: (pid, startedAt) => bench.processes.verify(pid, startedAt),
    hasAgent: () => Promise.resolve(false),
    isForgetful: false,
  });
  const actor = newActor({ action: "answer", isByRuntime: false, guard: "none", choice: "approve" }, engine);
  const reading = setInterval(() => pane.read(), READ_EVERY_MS);
  let swappedAt = 0;
  const swapping = wait(swapAfterMs).then(() => {
    swappedAt = performance.now();
    return swapUnseen(lane, pane, delayMs);
  });
  try {
    await Promise.all([act(actor, 0, { daemon, engine }), swapping]);
  } finally {
    clearInterval(reading);
  }
  pane.read();
  const others = lane.arrivals.filter(({ prompt }) => prompt !== null && prompt.id !== actor.promptId);
  return {
    times,
    isSwappedFirst: times.keysAt === 0 || swappedAt < times.keysAt,
    isHit: others.some(({ isSettled }) => !isSettled),
    isWrong: others.some(({ isSettled }) => isSettled),
  };
};

/** `trials` per delay. The swap falls evenly on the time that an answer takes up to its keys. */
export const measureUndrawn = async (options: {
  trials: number;
  delays: readonly number[];
}): Promise<UndrawnFigures> => {
  const bench = createBench();
  const lane = new Lane("undrawn", bench.processes);
  const lookToKeys: number[] = [];
  const callToKeys: number[] = [];
  const buckets: UndrawnBucket[] = [];
  try {
    const pane = await lane.open("agent");
    for (const delayMs of options.delays) {
      const bucket: UndrawnBucket = { delayMs, trials: 0, swappedFirst: 0, hits: 0, wrong: 0 };
      for (let trial = 0; trial < options.trials; trial += 1) {
        const span = callToKeys.length === 0 ? 30 : spreadOf(callToKeys).median;
        const swapAfterMs = (span * trial) / options.trials;
        const { times, isSwappedFirst, isHit, isWrong } = await tryOnce(bench, lane, {
          pane,
          delayMs,
          swapAfterMs,
        });
        bucket.trials += 1;
        bucket.swappedFirst += isSwappedFirst ? 1 : 0;
        bucket.hits += isHit ? 1 : 0;
        bucket.wrong += isWrong ? 1 : 0;
        if (times.keysAt > 0) {
          lookToKeys.push(times.keysAt - times.lookedAt);
          callToKeys.push(times.keysAt - times.startedAt);
        }
      }
      buckets.push(bucket);
    }
  } finally {
    await lane.close();
    await bench.executor.close();
  }
  return { buckets, lookToKeys: spreadOf(lookToKeys), callToKeys: spreadOf(callToKeys) };
};
