// The processes of a target's panes: which agent runs where, and whether it still does. It reads when something may have
// changed and gives the recognised agents to the sink.
import type { Recognised } from "../engine/epoch.ts";
import { type Pane, paneKeyString, type ProcessInfo } from "../model/runtime.ts";
import type { AgentAdapter, IdentifyMatch } from "../ports/agentAdapter.ts";
import type { Clock } from "../ports/clock.ts";
import type { ProcessLife } from "../ports/processTree.ts";
import { toProcess, type CollectorSink, type ProcessReader, type WatchedRuntime } from "./sink.ts";
import { createYielding } from "./yieldToEventLoop.ts";

// Which panes' processes are worth reading now. A pane with a live runtime is only verified; one without is read when
// something moved in it; everything is read again now and then, because a silent change must be noticed too.
interface LastScan {
  at: number;
  panePid: number;
  title: string;
}

const SWEEP_MS = 60_000;
const MIN_GAP_MS = 700;

export const isScanDue = (
  pane: Pane,
  last: LastScan | undefined,
  hasRuntime: boolean,
  now: number,
): boolean => {
  if (last === undefined || last.panePid !== pane.panePid) return true;
  if (now - last.at >= SWEEP_MS) return true;
  if (hasRuntime || now - last.at < MIN_GAP_MS) return false;
  return last.title !== pane.title || pane.windowActivity >= Math.floor(last.at / 1_000);
};

export interface ProcessWatchDeps {
  targetId: string;
  processes: ProcessReader;
  sink: CollectorSink;
  identify: (processes: readonly ProcessInfo[]) => { adapter: AgentAdapter; match: IdentifyMatch } | null;
  clock: Clock;
}

const VERIFY_MS = 2_000;

export class ProcessWatch {
  private readonly deps: ProcessWatchDeps;
  private readonly scans = new Map<string, LastScan>();
  private readonly verified = new Map<string, number>();
  private isClosed = false;

  constructor(deps: ProcessWatchDeps) {
    this.deps = deps;
  }

  close(): void {
    this.isClosed = true;
  }

  /** Everything is read again with the next scan. */
  forgetAll(): void {
    this.scans.clear();
  }

  forgetGone(panes: ReadonlySet<string>, runtimes: ReadonlySet<string>): void {
    for (const key of this.scans.keys()) if (!panes.has(key)) this.scans.delete(key);
    for (const id of this.verified.keys()) if (!runtimes.has(id)) this.verified.delete(id);
  }

  /** Reads the processes of those panes that are due, or of all of them when forced. */
  async scan(panes: readonly Pane[], isForced: boolean): Promise<void> {
    const now = this.deps.clock.now();
    const live = new Set(
      this.deps.sink.watchedRuntimes(this.deps.targetId).map(({ runtime }) => paneKeyString(runtime)),
    );
    const due = panes.filter(
      (pane) =>
        isForced || isScanDue(pane, this.scans.get(paneKeyString(pane)), live.has(paneKeyString(pane)), now),
    );
    if (due.length === 0) return;
    const trees = await this.deps.processes.ofPanes(due.map((pane) => pane.panePid));
    const yieldToEventLoop = createYielding(this.deps.clock);
    for (const pane of due) {
      await yieldToEventLoop();
      if (this.isClosed) return;
      // A later scan was faster: what it found is newer.
      if ((this.scans.get(paneKeyString(pane))?.at ?? 0) > now) continue;
      const processes = pane.isDead ? [] : (trees.get(pane.panePid) ?? []);
      this.scans.set(paneKeyString(pane), { at: now, panePid: pane.panePid, title: pane.title });
      this.deps.sink.applyRecognised(pane, this.recognise(processes));
    }
  }

  private recognise(processes: readonly ProcessInfo[]): Recognised | null {
    const found = this.deps.identify(processes);
    return found === null ? null : { agentType: found.adapter.agentType, process: found.match.process };
  }

  /** Checks live runtimes whose process is gone or was not seen for a while. If one is gone, its whole pane is read at once. */
  async verifyRuntimes(): Promise<void> {
    const { clock, processes, sink, targetId } = this.deps;
    const now = clock.now();
    const due = sink
      .watchedRuntimes(targetId)
      .filter(
        ({ runtime }) =>
          (runtime.pid !== null && processes.isGone(runtime.pid)) ||
          now - (this.verified.get(runtime.runtimeId) ?? 0) >= VERIFY_MS,
      );
    const gone: Pane[] = [];
    await Promise.all(
      due.map(async (watched) => {
        const { pane, runtime } = watched;
        // Whoever suspends an agent makes the shell print.
        const hasPrinted =
          pane.windowActivity >= Math.floor((this.verified.get(runtime.runtimeId) ?? 0) / 1_000);
        const life = await this.lifeOf(watched, { isFull: hasPrinted });
        if (life === "gone") return gone.push(pane);
        this.verified.set(runtime.runtimeId, now);
        const process = { ...toProcess(watched), isStopped: life === "stopped" };
        sink.applyRecognised(pane, { agentType: runtime.agentType, process });
        return undefined;
      }),
    );
    if (gone.length > 0 && !this.isClosed) await this.scan(gone, true);
  }

  async isAlive(watched: WatchedRuntime): Promise<boolean> {
    return (await this.lifeOf(watched)) !== "gone";
  }

  private async lifeOf({ runtime }: WatchedRuntime, look?: { isFull: boolean }): Promise<ProcessLife> {
    const { pid, processStartedAt } = runtime;
    return pid === null || processStartedAt === null
      ? "gone"
      : this.deps.processes.lifeOf(pid, processStartedAt, look);
  }
}
