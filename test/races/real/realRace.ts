// One race on real tmux: real commands of the real gate, and a change of the world right before or during one of them.
import { createLocalExecutor } from "../../../core/targets/executors/localExecutor.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import type { TargetExecutor } from "../../../core/ports/targetExecutor.ts";
import { createProcessTree } from "../../../core/tmux/processTree.ts";
import { callsOn } from "../../harness/tmuxCalls.ts";
import { realClock } from "../../setup/realClock.ts";
import { act, faultOf, newActor, type Actor, type ActorPlan, type Outcome } from "../actor.ts";
import { ask, NEIGHBOUR } from "../model/events.ts";
import { LaggingEngine } from "../model/laggingEngine.ts";
import { textOf } from "../model/texts.ts";
import type { DialogStyle } from "../model/tmuxModel.ts";
import type { SceneName } from "../model/kinds.ts";
import { createRaceDaemon } from "../raceDaemon.ts";
import { Lane } from "./lane.ts";
import { isAlive, type RealKind } from "./realEvents.ts";

/** Waiting is what races do most: it is cut, for all waits alike. */
const SPEED = 4;
const READ_EVERY_MS = 4;

/** `at`: at which command of the actors the world changes; `isDuring`: while it runs, else before it. */
export interface RealPlan {
  scene: SceneName;
  dialog: DialogStyle | null;
  /** Which text of its family it asks about. */
  asked: number;
  /** The daemon shows the other open request, where there is one. */
  showsQueued: boolean;
  isWorking: boolean;
  actors: readonly ActorPlan[];
  at: number;
  isDuring: boolean;
  delayMs: number;
  syncs: "never" | "always";
}

export interface RealReport {
  outcomes: readonly Outcome[];
  faults: readonly string[];
}

const fastClock: Clock = {
  now: () => realClock.now() * SPEED,
  setTimer: (delayMs, callback) => realClock.setTimer(delayMs / SPEED, callback),
};

export const createBench = () => {
  const executor = createLocalExecutor({ targetId: "host", env: process.env });
  return {
    executor,
    processes: createProcessTree({ executor, platform: process.platform, clock: realClock }),
  };
};

export type RealBench = ReturnType<typeof createBench>;

/** Changes the world at a command of the actors, and shows the daemon what is there where it is to see it. */
const meddle = (
  bench: RealBench,
  plan: RealPlan,
  about: { change: () => Promise<void>; sync: () => void },
): { executor: TargetExecutor; changed: () => Promise<void> } => {
  let commands = 0;
  let changing: Promise<void> = Promise.resolve();
  const change = async (): Promise<void> => {
    if (plan.isDuring) await new Promise((next) => setTimeout(next, plan.delayMs));
    await about.change();
  };
  const step = async (): Promise<void> => {
    if (commands++ === plan.at) {
      changing = change();
      if (!plan.isDuring) await changing;
    }
    if (plan.syncs === "always") about.sync();
  };
  return {
    changed: () => changing,
    executor: {
      ...bench.executor,
      run: async (argv, options) => {
        await step();
        return bench.executor.run(argv, options);
      },
      runTmux: async (call, options) => {
        await step();
        return bench.executor.runTmux(call, options);
      },
    },
  };
};

const setScene = async (lane: Lane, kind: RealKind, { scene, dialog, asked, isWorking }: RealPlan) => {
  const pane = await lane.open(scene);
  pane.texts = kind.texts ?? "plain";
  pane.above = Array.from({ length: kind.above ?? 0 }, (_, row) => `log ${row}`);
  pane.asked = asked;
  const detail = textOf(pane.texts, asked);
  pane.prompt = dialog === null ? null : ask(dialog, detail);
  pane.queued = dialog === null || kind.hasQueued !== true ? null : ask(dialog, detail, true);
  pane.isWorking = isWorking;
  const neighbour = lane.panes.get(NEIGHBOUR);
  if (neighbour !== undefined) {
    neighbour.prompt = dialog === null ? null : ask(dialog, "make target-0");
    neighbour.draw();
  }
  await lane.drawn(pane);
  return pane;
};

const judge = (lane: Lane, actors: readonly Actor[]): { wrong: string[]; isWindow: boolean } => {
  const named = actors.find((actor) => actor.named !== null);
  const late = named === undefined ? lane.arrivals : [];
  const found =
    named === undefined ? [] : lane.arrivals.filter((arrival) => faultOf(named, arrival) !== null);
  const wrong = [
    ...late.map(({ what }) => `${what} without a gate`),
    ...found.filter(({ isSettled }) => isSettled).map((arrival) => (named && faultOf(named, arrival)) ?? ""),
  ];
  for (const pane of lane.panes.values())
    for (const program of new Set([pane.first, pane.front]))
      if (!isAlive(program.pid) && program.runtimeId !== named?.named?.snapshot.runtimeId)
        wrong.push(`process ${program.pid} of ${pane.paneId} was ended`);
  return { wrong, isWindow: found.some(({ isSettled }) => !isSettled) };
};

export const runRealRace = async (
  bench: RealBench,
  lane: Lane,
  kind: RealKind,
  plan: RealPlan,
): Promise<RealReport> => {
  const pane = await setScene(lane, kind, plan);
  const engine = new LaggingEngine(lane, () => fastClock.now(), {
    isAnnounced: kind.isAnnounced ?? false,
    showsQueued: plan.showsQueued,
    isLenient: false,
    isWhole: false,
    isLoose: false,
    isDraftless: false,
  });
  const sync = (): void => engine.sync();
  const change = async (): Promise<void> => {
    for (const event of kind.events) await event(lane, lane.panes.get(pane.paneId) ?? pane);
  };
  const { executor, changed } = meddle(bench, plan, { change, sync });
  const daemon = createRaceDaemon({
    engine,
    executor,
    tmux: callsOn(executor, lane.tmux.socketPath),
    clock: fastClock,
    verifyProcess: (pid, startedAt) => bench.processes.verify(pid, startedAt),
    hasAgent: () => Promise.resolve(false),
    isForgetful: false,
  });
  const actors = plan.actors.map((one) => newActor(one, engine));
  const reading = setInterval(() => {
    for (const one of lane.panes.values()) one.read();
    if (plan.syncs === "always") engine.sync();
  }, READ_EVERY_MS);
  try {
    await Promise.all(actors.map((actor, index) => act(actor, index, { daemon, engine })));
    await changed();
  } finally {
    clearInterval(reading);
    for (const one of lane.panes.values()) one.read();
  }
  const { wrong, isWindow } = judge(lane, actors);
  const outcomes = actors.map(({ result }): Outcome => {
    if (wrong.length > 0) return "WRONG";
    return isWindow ? "window" : (result ?? "refused");
  });
  return { outcomes, faults: wrong };
};
