// The screens and state files of a target's agents: when each is due (`nextReadAt`), and reading all due ones of a server together
// and handing the readings to the sink (`ScreenWatch`). What a screen means is the adapter's business.
import { QUIET_RECHECK_MS, type Timing } from "../model/config.ts";
import { BACKGROUND_SERVER } from "../model/shortRef.ts";
import {
  type WatchedRuntime,
  createYielding,
  toProcess,
  type Attention,
  type CollectorSink,
  type SinkReading,
  type WatchedServer,
} from "./sink.ts";
import type { Reading, Screen } from "../ports/agentAdapter.ts";
import type { Clock } from "../ports/clock.ts";
import type { ScreenLook } from "../tmux/topology.ts";
import type { Logger } from "../ports/logger.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import { WorkWatch } from "./workWatch.ts";

// When a screen is due: `nextReadAt` gives the moment, `ScreenWatch` reads.

interface LastRead {
  at: number;
  text: string;
  /** Of the pane, as it was listed last before the read. */
  title: string;
  /** When its window was last active by then, as tmux has it; of a background session, when its files changed. */
  activity: number;
  /** Reads in a row, this one included, that showed the same. */
  sameReads: number;
}

/** An unconfirmed claim must be seen within half a second of its first frame, and so must what follows an action or a title. */
const CLOSE_INTERVAL_MS = 200;
/** An active screen that does not change is captured again after this long, so that a frozen agent is noticed. */
const ACTIVE_RECHECK_MS = 2_000;

/**
 * A screen at rest is captured again after 2, 4, 8 … seconds, up to a minute (spec 7.4): soon after a change it is read often, and
 * a screen that rests for long costs next to nothing.
 */
const restMs = ({ sameReads }: LastRead): number =>
  Math.min(ACTIVE_RECHECK_MS * 2 ** Math.min(sameReads, 10), QUIET_RECHECK_MS);

/** tmux gives a window's activity in whole seconds: a change within the second of the last read counts as unseen. */
const hasChangedSince = (runtime: WatchedRuntime, last: LastRead): boolean =>
  runtime.pane.windowActivity >= Math.floor(last.at / 1_000);

/** A title without the frame of its spinner, which goes on without any news. */
const stillTitle = (title: string): string => title.replaceAll(/[\u2800-\u28ff]/gu, "\u2800");

/** Agents write into the title when a turn begins or ends: what the screen shows now is something else. */
const hasOtherTitle = ({ pane }: WatchedRuntime, last: LastRead): boolean =>
  pane.title !== last.title && stillTitle(pane.title) !== stillTitle(last.title);

/** The files of a background session: at once when they changed; what works or waits is confirmed now and then. */
const nextFilesAt = ({ pane, attention }: WatchedRuntime, last: LastRead): number => {
  if (pane.windowActivity !== last.activity) return last.at + CLOSE_INTERVAL_MS;
  return last.at + (attention === "quiet" ? restMs(last) : ACTIVE_RECHECK_MS);
};

/** Epoch ms at which the screen should be read next. */
export const nextReadAt = (runtime: WatchedRuntime, last: LastRead | undefined, timing: Timing): number => {
  if (last === undefined) return 0;
  if (runtime.pane.server === BACKGROUND_SERVER && !runtime.isUnsustained) return nextFilesAt(runtime, last);
  switch (runtime.attention) {
    case "close":
      return last.at + CLOSE_INTERVAL_MS;
    case "waiting":
      return last.at + timing.waiting_read_interval_ms;
    case "active":
    case "quiet": {
      if (hasOtherTitle(runtime, last)) return last.at + CLOSE_INTERVAL_MS;
      if (runtime.isUnsustained) return last.at + timing.contest_ms;
      // A working agent's screen moves all the time: that it rests now is news, and tmux reports no rest.
      const mayRest = runtime.attention === "active" && last.sameReads === 0;
      // Neither a title nor a file nor an event tells of what runs behind another program.
      const usualMs = runtime.runtime.inside === null ? timing.screen_read_interval_ms : timing.contest_ms;
      if (mayRest || hasChangedSince(runtime, last)) return last.at + usualMs;
      return last.at + (runtime.attention === "active" ? ACTIVE_RECHECK_MS : restMs(last));
    }
  }
};

/** Whether it may be read early: not where the time between two reads counts (watched closely, or must show the same twice). */
const mayBeEarly = ({ attention, isUnsustained }: WatchedRuntime): boolean =>
  (attention === "active" || attention === "quiet") && !isUnsustained;

const CONFIRM_REFRESH_MS = 30_000;
/** With a hundred busy agents something is to be planned all the time, and each plan goes through all of them. */
const PLAN_GAP_MS = 50;
/**
 * A read takes along the screens that are due within this time: they stay due together, and tmux is asked a few times a second
 * instead of once for each agent.
 */
const GATHER_MS = 250;
/** Panes that are read together; what is most urgent comes first. */
const PANES_PER_READ = 50;
/** Their readings are stored together: a transaction costs more than what is written in it. */
const SCREENS_PER_COMMIT = 10;
const URGENCY: readonly Attention[] = ["close", "waiting", "active", "quiet"];

/** So long may a screen be another's before its agent counts as gone: what redraws itself is back sooner. */
const STRANGE_MS = 2_000;

/** Panes whose agent is known by its screen alone, and the others. */
const partition = (due: readonly WatchedRuntime[]): [alone: string[], others: string[]] => {
  const { true: alone = [], false: others = [] } = Object.groupBy(due, ({ runtime }) =>
    runtime.inside === null ? "false" : "true",
  );
  const ids = (some: readonly WatchedRuntime[]): string[] => some.map(({ pane }) => pane.paneId);
  return [ids(alone), ids(others)];
};

export class ScreenWatch {
  private readonly deps: ConstructorParameters<typeof ScreenWatch>[0];
  private readonly work: WorkWatch;
  private readonly reads = new Map<string, LastRead>();
  /** Runtimes whose screen showed nothing that its adapter knows when it was read last. */
  private readonly unknown = new Set<string>();
  /** Since when the screen of an agent that is known by it alone is another's. */
  private readonly strangeSince = new Map<string, number>();
  private readonly confirmations = new Map<string, { at: number; cwd: string | null }>();
  /** Runtimes whose project settings are to be read; one read at a time. */
  private readonly toConfirm = new Map<string, WatchedRuntime>();
  private isConfirming = false;
  private cancelReading: (() => void) | null = null;
  private plannedAt = 0;
  private isPlanned = false;
  private reading: Promise<void> | null = null;
  private isClosed = false;

  constructor(deps: {
    targetId: string;
    servers: readonly WatchedServer[];
    executor: TargetExecutor;
    sink: CollectorSink;
    timing: () => Timing;
    clock: Clock;
    logger: Logger;
    /** Checks which agents still run: what a screen says counts only for one that does. */
    verifyProcesses: () => Promise<void>;
    /** Handles failures of work that nobody awaits. */
    guard: (work: Promise<void>) => void;
  }) {
    this.deps = deps;
    this.work = new WorkWatch(deps);
  }

  async start(): Promise<void> {}

  close(): void {
    this.isClosed = true;
    this.work.close();
    this.cancelReading?.();
  }

  /** Every screen counts as never read. */
  forgetAll(): void {
    this.reads.clear();
  }

  /** Reads every screen again; reads that are already running began too early to count. */
  async readAll(): Promise<void> {
    while (this.reading !== null) await this.reading.catch(() => {});
    this.forgetAll();
    await this.readDue();
  }

  forgetGone(runtimes: ReadonlySet<string>): void {
    this.work.forgetGone(runtimes);
    for (const map of [this.reads, this.unknown, this.strangeSince, this.confirmations, this.toConfirm])
      for (const id of map.keys()) if (!runtimes.has(id)) map.delete(id);
  }

  /** To be called whenever something may have made a screen worth reading: of many calls in a moment the last one counts. */
  schedule(): void {
    if (this.isClosed || this.reading !== null || this.isPlanned) return;
    const leftMs = this.plannedAt + PLAN_GAP_MS - this.deps.clock.now();
    if (leftMs <= 0 || leftMs > PLAN_GAP_MS) {
      this.plan();
      return;
    }
    this.isPlanned = true;
    this.cancelReading?.();
    this.cancelReading = this.deps.clock.setTimer(leftMs, () => this.plan());
  }

  /** Finds the screen that is due next. */
  private plan(): void {
    this.isPlanned = false;
    this.cancelReading?.();
    this.cancelReading = null;
    if (this.isClosed || this.reading !== null) return;
    this.plannedAt = this.deps.clock.now();
    const due = this.deps.sink
      .watchedRuntimes(this.deps.targetId)
      .map((watched) => nextReadAt(watched, this.reads.get(watched.runtime.runtimeId), this.deps.timing()));
    if (due.length === 0) return;
    const delayMs = Math.max(0, Math.min(...due) - this.deps.clock.now());
    // Screens that are due after the next listing are planned then, with fresh activity times.
    if (delayMs > this.deps.timing().topology_interval_ms) return;
    this.cancelReading = this.deps.clock.setTimer(delayMs, () => this.deps.guard(this.readDue()));
  }

  /** One at a time: a caller that comes during one gets its result. */
  readDue(): Promise<void> {
    if (this.isClosed) return Promise.resolve();
    this.reading ??= this.readOnce().finally(() => {
      this.reading = null;
      this.schedule();
    });
    return this.reading;
  }

  private async readOnce(): Promise<void> {
    const due = this.dueAt(this.deps.clock.now());
    await Promise.all(
      this.deps.servers.map((server) =>
        this.readServer(
          server,
          due.filter(({ runtime }) => runtime.server === server.server),
        ),
      ),
    );
  }

  /** What is due at `now`, with what may as well be read now; nothing where nothing is due. */
  private dueAt(now: number): WatchedRuntime[] {
    const watched = this.deps.sink.watchedRuntimes(this.deps.targetId).map((one) => {
      const last = this.reads.get(one.runtime.runtimeId);
      return { one, dueAt: nextReadAt(one, last, this.deps.timing()) };
    });
    if (watched.every(({ dueAt }) => dueAt > now)) return [];
    return watched
      .filter(({ one, dueAt }) => dueAt <= now + (mayBeEarly(one) ? GATHER_MS : 0))
      .map(({ one }) => one);
  }

  private async readServer(server: WatchedServer, due: readonly WatchedRuntime[]): Promise<void> {
    const begunAt = this.deps.clock.now();
    const byUrgency = due.toSorted((a, b) => URGENCY.indexOf(a.attention) - URGENCY.indexOf(b.attention));
    for (let from = 0; from < byUrgency.length && !this.isClosed; from += PANES_PER_READ)
      await this.readTogether(server, byUrgency.slice(from, from + PANES_PER_READ), begunAt);
  }

  /** `begunAt`: when the read of all due screens began, of which this is one part. */
  private async readTogether(
    server: WatchedServer,
    due: readonly WatchedRuntime[],
    begunAt: number,
  ): Promise<void> {
    const readAt = this.deps.clock.now();
    for (const watched of due) this.noteConfirmation(watched);
    this.deps.guard(this.readConfirmations());
    // Where the program in front is says nothing of the agent behind it.
    this.work.note(due.filter(({ runtime }) => runtime.inside === null));
    const [alone, others] = partition(due);
    const [screens, looks] = await Promise.all([
      server.capture(others),
      alone.length === 0 ? new Map<string, ScreenLook>() : server.look(alone),
      ...due.map((watched) => this.readStateFiles(watched)),
      this.deps.verifyProcesses(),
    ]);
    const yieldToEventLoop = createYielding(this.deps.clock);
    for (let from = 0; from < due.length; from += SCREENS_PER_COMMIT) {
      await yieldToEventLoop();
      if (this.isClosed) return;
      const read = due.slice(from, from + SCREENS_PER_COMMIT).flatMap((watched) => {
        const { paneId } = watched.pane;
        const look = looks.get(paneId) ?? null;
        const lines = screens.get(paneId) ?? look?.lines ?? null;
        const reading = this.readScreen(watched, lines, { readAt, begunAt, look });
        if (reading === null) return [];
        // Its title is older than its screen: where the two do not go together, it is the title that has to be read again.
        if (this.isNowUnknown(watched, reading)) server.expectChange();
        return [[watched.runtime.runtimeId, reading] as const];
      });
      this.deps.sink.applyReadings("poller", new Map(read));
    }
    for (const { runtime, pane } of due)
      if (
        readAt - (this.strangeSince.get(runtime.runtimeId) ?? readAt) >= STRANGE_MS &&
        // Meanwhile its program may have ended, and another agent begun there.
        this.deps.sink.watchedRuntimeIn(pane)?.runtime.runtimeId === runtime.runtimeId
      )
        this.deps.sink.applyRecognised(pane, null);
  }

  private isNowUnknown({ runtime: { runtimeId } }: WatchedRuntime, { reading }: SinkReading): boolean {
    const wasUnknown = this.unknown.has(runtimeId);
    if (reading === null) this.unknown.add(runtimeId);
    else this.unknown.delete(runtimeId);
    return reading === null && !wasUnknown;
  }

  /** Null where the pane is gone. */
  private readScreen(
    watched: WatchedRuntime,
    lines: readonly string[] | null,
    { readAt, begunAt, look }: { readAt: number; begunAt: number; look: ScreenLook | null },
  ): SinkReading | null {
    const { runtimeId } = watched.runtime;
    const { title, windowActivity: activity } = watched.pane;
    const last = this.reads.get(runtimeId);
    if (lines === null) {
      const sameReads = last?.activity === activity ? last.sameReads + 1 : 0;
      this.reads.set(runtimeId, { at: begunAt, text: last?.text ?? "", title, activity, sameReads });
      return null;
    }
    const text = lines.join("\n");
    const sameReads = last?.text === text ? last.sameReads + 1 : 0;
    this.reads.set(runtimeId, { at: begunAt, text, title, activity, sameReads });
    this.deps.sink.noteScreen(runtimeId, lines);
    const isChanged = last !== undefined && last.text !== text;
    const isBlank = text.trim() === "";
    const { isAlternate, width, height } = watched.pane;
    const screen = { lines, title, isAlternate, width, height, ...look };
    const reading = this.interpret(watched, screen);
    this.noteStrange(watched, { screen, readAt, isRead: reading !== null });
    return { reading, readAt, isChanged, isBlank };
  }

  /** Of an agent that is known by its screen alone: since when nothing on it is the agent's. */
  private noteStrange(
    { adapter, runtime: { runtimeId, inside } }: WatchedRuntime,
    { screen, readAt, isRead }: { screen: Screen; readAt: number; isRead: boolean },
  ): void {
    if (inside === null) return;
    if (isRead || adapter.isOwnScreen?.(screen) === true) this.strangeSince.delete(runtimeId);
    else if (!this.strangeSince.has(runtimeId)) this.strangeSince.set(runtimeId, readAt);
  }

  /** An adapter that fails on a screen has not recognised it; the other screens of the batch are read all the same. */
  private interpret({ adapter }: WatchedRuntime, screen: Screen): Reading | null {
    try {
      return adapter.readScreen(screen);
    } catch (error) {
      this.deps.logger.error({ error, agent: adapter.agentType }, "an adapter could not read a screen");
      return null;
    }
  }

  private async readStateFiles(watched: WatchedRuntime): Promise<void> {
    const { adapter, runtime, pane, account } = watched;
    if (runtime.pid === null || runtime.processStartedAt === null || account === null) return;
    const readAt = this.deps.clock.now();
    const request = {
      files: this.deps.executor.files,
      configDir: account.configDir,
      process: toProcess(watched),
      pane,
      agentSessionId: runtime.agentSessionId,
      transcriptPath: watched.transcriptPath,
      cwd: watched.cwd,
    };
    const [reading, progress] = await Promise.all([
      adapter.readStateFiles?.(request) ?? null,
      adapter.readProgress?.(request) ?? null,
    ]);
    if (this.isClosed) return;
    if (reading !== null)
      this.deps.sink.applyReadings(
        "transcript",
        new Map([[runtime.runtimeId, { reading, readAt, isChanged: false }]]),
      );
    if (adapter.readProgress !== undefined) this.deps.sink.applyProgress(runtime.runtimeId, progress);
  }

  private noteConfirmation(watched: WatchedRuntime): void {
    const { adapter, runtime, cwd, account } = watched;
    if (adapter.needsConfirmation === undefined) return;
    const known = this.confirmations.get(runtime.runtimeId);
    const now = this.deps.clock.now();
    if (known !== undefined && known.cwd === cwd && now - known.at < CONFIRM_REFRESH_MS) return;
    if (account !== null) {
      this.confirmations.set(runtime.runtimeId, { at: now, cwd });
      this.toConfirm.set(runtime.runtimeId, watched);
    }
    // Until its settings were read, nobody knows whether a request answers itself.
    if (known === undefined || known.cwd !== cwd) this.deps.sink.setConfirmRequests(runtime.runtimeId, true);
  }

  /**
   * Nothing waits for these reads, and only one runs at a time: if the project is in a folder for which macOS asks the person's
   * permission, the read returns only after the person answered.
   */
  private async readConfirmations(): Promise<void> {
    if (this.isConfirming) return;
    this.isConfirming = true;
    try {
      for (const [runtimeId, { adapter, cwd, account }] of this.toConfirm) {
        this.toConfirm.delete(runtimeId);
        if (account === null) continue;
        const { executor, sink } = this.deps;
        const confirm = await adapter.needsConfirmation?.({
          files: executor.files,
          configDir: account.configDir,
          cwd,
        });
        if (this.isClosed) return;
        if (confirm !== undefined) sink.setConfirmRequests(runtimeId, confirm);
      }
    } finally {
      this.isConfirming = false;
    }
  }
}
