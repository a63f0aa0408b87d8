// Helps to find the pane of events that name no pane or the wrong one. It reads the working folders of the runtimes that such
// events may belong to, and gives their screens to the sink as long as an event waits for them. It decides nothing.
import type { Clock } from "../ports/clock.ts";
import type { TargetFiles } from "../ports/targetExecutor.ts";
import type { CollectorSink, WatchedRuntime, WatchedServer } from "./sink.ts";

const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 4_000;

export interface BindingProbeOptions {
  targetId: string;
  sink: CollectorSink;
  servers: readonly WatchedServer[];
  files: TargetFiles;
  clock: Clock;
  /** Runs a look whose failure must not stop anything. */
  guard: (work: Promise<void>) => void;
}

export class BindingProbe {
  private readonly options: BindingProbeOptions;
  private cancelRetry: (() => void) | null = null;
  private retryMs = FIRST_RETRY_MS;
  private isClosed = false;

  constructor(options: BindingProbeOptions) {
    this.options = options;
  }

  close(): void {
    this.isClosed = true;
    this.stopRetrying();
  }

  private stopRetrying(): void {
    this.cancelRetry?.();
    this.cancelRetry = null;
  }

  /** Reads the folder of each runtime that needs it, once. */
  async learnFolders(): Promise<void> {
    const { sink, targetId } = this.options;
    const due = sink
      .watchedRuntimes(targetId, ({ eventsMayNameOtherPanes }) => eventsMayNameOtherPanes === true)
      .filter(({ processCwd }) => processCwd === undefined);
    await Promise.all(
      due.map(async (watched) => sink.setProcessCwd(watched.runtime.runtimeId, await this.folderOf(watched))),
    );
  }

  /** Linux gives the folder of any process; elsewhere tmux gives that of the process in the foreground. */
  private async folderOf({ runtime, pane }: WatchedRuntime): Promise<string | null> {
    const { files, servers } = this.options;
    const linked = runtime.pid === null ? null : await files.readLink(`/proc/${runtime.pid}/cwd`);
    if (linked !== null) return linked;
    const server = servers.find((one) => one.server === runtime.server);
    return (await server?.currentPath(pane.paneId)) ?? null;
  }

  /** Call after every delivery: gives screens to the sink now if events wait for them, and again until none waits. */
  async handleChange(): Promise<void> {
    this.retryMs = FIRST_RETRY_MS;
    await this.look();
  }

  private async look(): Promise<void> {
    const { sink, targetId, clock, guard } = this.options;
    this.stopRetrying();
    const agents = sink.unplacedAgents(targetId, []);
    if (agents.size === 0 || this.isClosed) return;
    await this.learnFolders();
    await this.showScreens(agents);
    if (this.isClosed || sink.unplacedAgents(targetId, []).size === 0) return;
    const delayMs = this.retryMs;
    this.retryMs = Math.min(LONGEST_RETRY_MS, this.retryMs * 2);
    this.stopRetrying();
    this.cancelRetry = clock.setTimer(delayMs, () => guard(this.look()));
  }

  private async showScreens(agents: ReadonlySet<string>): Promise<void> {
    const { sink, targetId, servers, clock } = this.options;
    const candidates = sink.watchedRuntimes(targetId).filter(({ runtime }) => agents.has(runtime.agentType));
    if (candidates.length === 0) return;
    const readAt = clock.now();
    const screens = new Map<string, string>();
    await Promise.all(
      servers.map(async (server) => {
        const here = candidates.filter(({ runtime }) => runtime.server === server.server);
        if (here.length === 0) return;
        const captured = await server.capture(here.map(({ pane }) => pane.paneId));
        for (const { runtime, pane } of here) {
          const lines = captured.get(pane.paneId);
          if (lines !== undefined) screens.set(runtime.runtimeId, lines.join("\n"));
        }
      }),
    );
    if (!this.isClosed) sink.offerScreens(screens, readAt);
  }
}
