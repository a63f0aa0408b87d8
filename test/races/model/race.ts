// One race: a scene, one or two actors that act through the real gate, and a world that changes between their steps. The
// verdict is about every delivery that was made: to the runtime that was named, and for answers to the prompt that was seen.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "../../../core/ports/clock.ts";
import { act, type Actor, type ActorPlan, faultOf, newActor, type Outcome } from "../actor.ts";
import { createRaceDaemon, type RaceDaemon } from "../raceDaemon.ts";
import { ask, type EventName, EVENTS, NEIGHBOUR, TARGET } from "./events.ts";
import type { Kind, SceneName } from "./kinds.ts";
import { LaggingEngine } from "./laggingEngine.ts";
import { type Check, ModelExecutor, type Step } from "./modelExecutor.ts";
import { type TextFamily, textOf } from "./texts.ts";
import { type Delivery, type DialogStyle, TmuxModel } from "./tmuxModel.ts";

// Hands out the steps of a race one at a time, so that anything can happen between any two of them, and the same plan
// always gives the same race. Time passes only when nothing else can.

interface Waiting {
  what: string;
  run: () => void;
}
interface Timer {
  at: number;
  order: number;
  callback: () => void;
}

/** Everything that was resolved has run on until it waits again. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

class Scheduler {
  readonly clock: Clock;
  /** What was done, in order, for the report of a race that went wrong. */
  readonly log: string[] = [];
  private readonly waiting: Waiting[] = [];
  private readonly timers = new Set<Timer>();
  private time = 1_000_000;
  private orders = 0;
  private readonly beforeEach: (step: number) => void;
  private steps = 0;

  /** `between` is called at every point at which the world may change: before and after each step. */
  constructor(between: (point: number) => void) {
    this.beforeEach = between;
    this.clock = {
      now: () => this.time,
      setTimer: (delayMs, callback) => {
        const timer = { at: this.time + delayMs, order: (this.orders += 1), callback };
        this.timers.add(timer);
        return () => this.timers.delete(timer);
      },
    };
  }

  readonly step: Step = (what, work) =>
    new Promise((resolve, reject) => {
      this.waiting.push({
        what,
        run: () => {
          try {
            resolve(work());
          } catch (error) {
            reject(error);
          }
        },
      });
    });

  pass(ms: number): void {
    this.time += ms;
  }

  /** Runs the actors to their end. `choose` picks among `count` steps that could be next. */
  async run(actors: readonly Promise<unknown>[], choose: (count: number) => number): Promise<void> {
    let open = actors.length;
    for (const actor of actors)
      void actor.then(
        () => (open -= 1),
        () => (open -= 1),
      );
    for (;;) {
      await settle();
      if (open === 0) return;
      this.next(choose);
      if ((this.steps += 1) > 5_000)
        throw new Error(`the race does not end: ${this.log.slice(-20).join(" ")}`);
    }
  }

  private next(choose: (count: number) => number): void {
    this.point();
    const [chosen] = this.waiting.length === 0 ? [] : this.waiting.splice(choose(this.waiting.length), 1);
    if (chosen === undefined) this.fireTimer();
    else {
      this.log.push(chosen.what);
      chosen.run();
    }
    this.point();
  }

  private points = 0;
  private point(): void {
    this.beforeEach(this.points);
    this.points += 1;
  }

  private fireTimer(): void {
    const [first] = [...this.timers].toSorted((a, b) => a.at - b.at || a.order - b.order);
    if (first === undefined) throw new Error(`the race is stuck: ${this.log.slice(-20).join(" ")}`);
    this.timers.delete(first);
    this.time = Math.max(this.time, first.at);
    first.callback();
  }
}

/** Everything that makes a race: the same plan gives the same race. `at`: points between steps; -1 is before the first. */
export interface RacePlan {
  scene: SceneName;
  isWorking: boolean;
  /** What the agent asks at first. */
  dialog: DialogStyle | null;
  texts: TextFamily;
  /** Which of these texts. */
  asked: number;
  above: number;
  isAnnounced: boolean;
  /** Whether there is a second open request, and the daemon shows that one. */
  queued: "none" | "hidden" | "shown";
  actors: readonly ActorPlan[];
  events: readonly { event: EventName; at: number }[];
  /** When the daemon sees the world as it is. */
  syncs: "never" | "always" | readonly number[];
  /** Which actor's step is next. */
  turns: readonly number[];
}

/** A delivery, and how long nobody had looked: steps at which the world changed, the daemon saw it, the action looked, and read the screen. */
interface Arrival extends Delivery {
  changedAt: number;
  syncedAt: number;
  lookedAt: number;
  readAt: number;
}

interface Racer extends Actor {
  lastLookAt: number;
  lastReadAt: number;
  deliveries: Arrival[];
}

export interface RaceReport {
  outcomes: readonly Outcome[];
  /** What is wrong, in sentences; empty for a race that went right. */
  faults: readonly string[];
  log: readonly string[];
}

const openScene = (model: TmuxModel, plan: RacePlan): void => {
  const { scene, isWorking, dialog, texts, asked, above, queued } = plan;
  const detail = textOf(texts, asked);
  const shell = scene === "agent" ? null : model.spawn("sh", false);
  const agent = scene === "shell" ? null : model.spawn("agent", true);
  const first = shell ?? agent;
  if (first === null) throw new Error("a scene has a program");
  const pane = model.open(TARGET, "base", first, agent ?? first);
  if (agent !== null)
    Object.assign(pane, {
      isWorking,
      prompt: dialog === null ? null : ask(dialog, detail),
      queued: dialog === null || queued === "none" ? null : ask(dialog, detail, true),
      above: Array.from({ length: above }, (_, row) => `log ${row}`),
      texts,
      asked,
    });
  const other = model.open(NEIGHBOUR, "other", model.spawn("agent", true));
  other.prompt = dialog === null ? null : ask(dialog, detail);
};

/** Nothing from outside could have told it yet. */
const isWindow = ({ window }: Kind, { changedAt, syncedAt, lookedAt, readAt }: Arrival): boolean =>
  (window === "unseen" && syncedAt < changedAt) ||
  (window === "unlooked" && lookedAt < changedAt) ||
  (window === "unread" && readAt < changedAt);

/** What is wrong with what an actor did, and how its action counts. */
const judge = (kind: Kind, actor: Racer): { outcome: Outcome; faults: string[] } => {
  const wrong = actor.deliveries.flatMap((delivery) => {
    const fault = faultOf(actor, delivery);
    return fault === null ? [] : [{ fault, delivery }];
  });
  if (wrong.length > 0 && wrong.every(({ delivery }) => isWindow(kind, delivery)))
    return { outcome: "window", faults: [] };
  const faults = wrong.map(({ fault }) => fault);
  if (actor.result === "refused" && actor.deliveries.length > 0) faults.push("refused after a delivery");
  if (actor.result === "delivered" && actor.deliveries.length === 0) faults.push("delivered nothing");
  return { outcome: wrong.length > 0 ? "WRONG" : (actor.result ?? "refused"), faults };
};

class Race {
  private readonly plan: RacePlan;
  private readonly without: Check | null;
  private readonly model = new TmuxModel();
  private readonly actorOf = new AsyncLocalStorage<Racer>();
  private readonly scheduler = new Scheduler((point) => this.between(point));
  private readonly engine: LaggingEngine;
  /** Steps at which the world changed and the daemon saw it last. */
  private changedAt = -1;
  private syncedAt = -1;

  constructor(plan: RacePlan, without: Check | null) {
    this.plan = plan;
    this.without = without;
    openScene(this.model, plan);
    this.engine = new LaggingEngine(this.model, () => this.scheduler.clock.now(), {
      isAnnounced: plan.isAnnounced,
      showsQueued: plan.queued === "shown",
      isLenient: without === "text",
      isWhole: without === "whole",
      isLoose: without === "drawn text",
      isDraftless: without === "draft",
    });
  }

  async run(kind: Kind): Promise<RaceReport> {
    const { engine, model, plan, scheduler } = this;
    const daemon = this.openDaemon();
    const racers = plan.actors.map((one): Racer => ({
      ...newActor(one, engine),
      lastLookAt: -1,
      lastReadAt: -1,
      deliveries: [],
    }));
    this.happen(-1);
    const acting = racers.map((racer, index) =>
      this.actorOf.run(racer, () => act(racer, index, { daemon, engine })),
    );
    let turn = 0;
    await scheduler.run(acting, (count) => (plan.turns[turn++ % plan.turns.length] ?? 0) % count);
    await Promise.all(acting);
    const judged = racers.map((racer) => judge(kind, racer));
    const faults = judged.flatMap((one) => one.faults);
    if (model.isRunning && model.buffers.size > 0) faults.push("a buffer with the text stayed behind");
    return { outcomes: judged.map(({ outcome }) => outcome), faults, log: scheduler.log };
  }

  private openDaemon(): RaceDaemon {
    const { engine, model, scheduler, without } = this;
    const executor = new ModelExecutor(model, this.step, without);
    return createRaceDaemon({
      engine,
      executor,
      tmux: { run: (words, options) => executor.run(["tmux", "-u", ...words], options) },
      clock: scheduler.clock,
      verifyProcess: (pid, startedAt) =>
        this.step("verify", () => model.processes.get(pid)?.startedAt === startedAt),
      hasAgent: ({ paneId }) =>
        this.step("process", () => (model.panes.get(paneId)?.front.runtimeId ?? null) !== null),
      isForgetful: without === "memory",
    });
  }

  private happen(point: number): void {
    for (const { event, at } of this.plan.events)
      if (at === point) {
        EVENTS[event](this.model);
        this.changedAt = this.model.steps;
      }
  }

  private between(point: number): void {
    const { syncs } = this.plan;
    this.model.steps += 1;
    this.happen(point);
    if (syncs === "never" || (syncs !== "always" && !syncs.includes(point))) return;
    this.engine.sync();
    this.syncedAt = this.model.steps;
  }

  private readonly step: Step = (what, work) => {
    const { model } = this;
    const racer = this.actorOf.getStore();
    // As of when the command was given: what the daemon sees after that comes too late for it.
    const known = {
      syncedAt: this.syncedAt,
      lookedAt: racer?.lastLookAt ?? -1,
      readAt: racer?.lastReadAt ?? -1,
    };
    return this.scheduler.step(what, () => {
      const before = model.deliveries.length;
      const result = work();
      const times = { changedAt: this.changedAt, ...known };
      for (const delivery of model.deliveries.slice(before))
        racer?.deliveries.push({ ...delivery, ...times });
      if (racer !== undefined && what !== "deliver") racer.lastLookAt = model.steps;
      if (racer !== undefined && what === "look") racer.lastReadAt = model.steps;
      return result;
    });
  };
}

/** `without`: a check that is taken out of the gate, to show that it is needed. */
export const runRace = (kind: Kind, plan: RacePlan, without: Check | null = null): Promise<RaceReport> =>
  new Race(plan, without).run(kind);
