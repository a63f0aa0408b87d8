// One race: a scene, one or two actors that act through the real gate, and a world that changes between their steps. The
// verdict is about every delivery that was made: to the runtime that was named, and for answers to the prompt that was seen.
import { AsyncLocalStorage } from "node:async_hooks";
import { ask, EVENTS, NEIGHBOUR, TARGET, type EventName } from "./events.ts";
import type { Kind, SceneName } from "./kinds.ts";
import { LaggingEngine } from "./laggingEngine.ts";
import { act, faultOf, newActor, type Actor, type ActorPlan, type Outcome } from "../actor.ts";
import { createRaceDaemon } from "../raceDaemon.ts";
import { ModelExecutor, type Check, type Step } from "./modelExecutor.ts";
import { Scheduler } from "./scheduler.ts";
import { TmuxModel, type Delivery, type DialogStyle } from "./tmuxModel.ts";

/** Everything that makes a race: the same plan gives the same race. `at`: points between steps; -1 is before the first. */
export interface RacePlan {
  scene: SceneName;
  isWorking: boolean;
  /** What the agent asks at first. */
  dialog: DialogStyle | null;
  actors: readonly ActorPlan[];
  events: readonly { event: EventName; at: number }[];
  /** When the daemon sees the world as it is. */
  syncs: "never" | "always" | readonly number[];
  /** Which actor's step is next. */
  turns: readonly number[];
}

/** A delivery, and how long nobody had looked: steps at which the world changed, the daemon saw it, the action looked. */
interface Arrival extends Delivery {
  changedAt: number;
  syncedAt: number;
  lookedAt: number;
}

interface Racer extends Actor {
  lastLookAt: number;
  deliveries: Arrival[];
}

export interface RaceReport {
  outcomes: readonly Outcome[];
  /** What is wrong, in sentences; empty for a race that went right. */
  faults: readonly string[];
  log: readonly string[];
}

const DETAIL = "make target-0";

const openScene = (model: TmuxModel, { scene, isWorking, dialog }: RacePlan): void => {
  const shell = scene === "agent" ? null : model.spawn("sh", false);
  const agent = scene === "shell" ? null : model.spawn("agent", true);
  const first = shell ?? agent;
  if (first === null) throw new Error("a scene has a program");
  const pane = model.open(TARGET, "base", first, agent ?? first);
  if (agent !== null)
    Object.assign(pane, { isWorking, prompt: dialog === null ? null : ask(dialog, DETAIL) });
  const other = model.open(NEIGHBOUR, "other", model.spawn("agent", true));
  other.prompt = dialog === null ? null : ask(dialog, DETAIL);
};

/** Nothing from outside could have told it yet. */
const isWindow = ({ window }: Kind, { changedAt, syncedAt, lookedAt }: Arrival): boolean =>
  (window === "unseen" && syncedAt < changedAt) || (window === "unlooked" && lookedAt < changedAt);

/** `without`: a check that is taken out of the gate, to show that it is needed. */
export const runRace = async (
  kind: Kind,
  plan: RacePlan,
  without: Check | null = null,
): Promise<RaceReport> => {
  const model = new TmuxModel();
  openScene(model, plan);
  const actorOf = new AsyncLocalStorage<Racer>();
  const events = plan.events.map((one) => ({ ...one }));
  let lastEventAt = -1;
  let lastSyncAt = -1;
  const happen = (point: number): void => {
    for (const one of events.filter(({ at }) => at === point)) {
      EVENTS[one.event](model);
      lastEventAt = model.steps;
    }
  };
  const scheduler = new Scheduler((point) => {
    model.steps += 1;
    happen(point);
    if (plan.syncs === "always" || (plan.syncs !== "never" && plan.syncs.includes(point))) {
      engine.sync();
      lastSyncAt = model.steps;
    }
  });
  const engine = new LaggingEngine(model, () => scheduler.clock.now());
  const step: Step = (what, work) => {
    const actor = actorOf.getStore();
    // As of when the command was given: what the daemon sees after that comes too late for it.
    const known = { syncedAt: lastSyncAt, lookedAt: actor?.lastLookAt ?? -1 };
    return scheduler.step(what, () => {
      const before = model.deliveries.length;
      const result = work();
      const times = { changedAt: lastEventAt, ...known };
      for (const delivery of model.deliveries.slice(before))
        actor?.deliveries.push({ ...delivery, ...times });
      if (actor !== undefined && what !== "deliver") actor.lastLookAt = model.steps;
      return result;
    });
  };
  const daemon = createRaceDaemon({
    engine,
    executor: new ModelExecutor(model, step, without),
    tmuxPath: "tmux",
    socketArgs: [],
    clock: scheduler.clock,
    verifyProcess: (pid, startedAt) =>
      step("verify", () => model.processes.get(pid)?.startedAt === startedAt),
    hasAgent: ({ paneId }) =>
      step("process", () => (model.panes.get(paneId)?.front.runtimeId ?? null) !== null),
    isForgetful: without === "memory",
  });

  const actors = plan.actors.map((one): Racer => ({
    ...newActor(one, engine),
    lastLookAt: -1,
    deliveries: [],
  }));
  happen(-1);
  const acting = actors.map((actor, index) =>
    actorOf.run(actor, () => act(actor, index, { daemon, engine })),
  );
  let turn = 0;
  await scheduler.run(acting, (count) => (plan.turns[turn++ % plan.turns.length] ?? 0) % count);
  await Promise.all(acting);

  const faults: string[] = [];
  const outcomes = actors.map((actor): Outcome => {
    const wrong = actor.deliveries.flatMap((delivery) => {
      const fault = faultOf(actor, delivery);
      return fault === null ? [] : [{ fault, delivery }];
    });
    if (wrong.length > 0 && wrong.every(({ delivery }) => isWindow(kind, delivery))) return "window";
    faults.push(...wrong.map(({ fault }) => fault));
    if (actor.result === "refused" && actor.deliveries.length > 0) faults.push("refused after a delivery");
    if (actor.result === "delivered" && actor.deliveries.length === 0) faults.push("delivered nothing");
    return wrong.length > 0 ? "WRONG" : (actor.result ?? "refused");
  });
  if (model.isRunning && model.buffers.size > 0) faults.push("a buffer with the text stayed behind");
  return { outcomes, faults, log: scheduler.log };
};
