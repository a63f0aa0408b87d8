// A daemon with scripted panes and a feed that the test moves by hand. It follows the contract of DaemonService and
// records the actions that it was asked for.
import { EventEmitter, once } from "node:events";
import type {
  AttachPlan,
  DaemonService,
  Hello,
  IntegrationReport,
  IntegrationSummary,
  IntegrationVerification,
  NoticeEvent,
} from "../../core/api/service.ts";
import { PROTOCOL_VERSION } from "../../core/api/service.ts";
import type { ActionOutcome, ActionResult, AuditList, PaneOutput } from "../../core/model/actionView.ts";
import type { AdapterList } from "../../core/model/adapterView.ts";
import { DEFAULT_CONFIG } from "../../core/model/config.ts";
import type { Finding } from "../../core/model/doctorView.ts";
import { AgtmuxError, type ErrorCode } from "../../core/model/errors.ts";
import { settingsOf, type Settings } from "../../core/model/settings.ts";
import type { ActionGuards } from "../../core/model/snapshot.ts";
import {
  SCHEMA_VERSION,
  type Explanation,
  type FeedEntry,
  type PaneView,
  type TargetView,
} from "../../core/model/view.ts";
import { makeCounts, makeTarget } from "../factories/view.ts";

type Subscriber<T> = { queue: T[]; wake: EventEmitter };

/** Fans values out to any number of async readers. */
class Broadcast<T> {
  private readonly subscribers = new Set<Subscriber<T>>();
  private failure: Error | null = null;

  get size(): number {
    return this.subscribers.size;
  }

  push(value: T): void {
    for (const subscriber of this.subscribers) {
      subscriber.queue.push(value);
      subscriber.wake.emit("wake");
    }
  }

  /** Ends all readers of now with an error, as a daemon that goes away does. */
  drop(message: string): void {
    this.failure = new AgtmuxError("E_DAEMON_UNAVAILABLE", message);
    for (const subscriber of this.subscribers) subscriber.wake.emit("wake");
  }

  async *read(signal: AbortSignal, opening: readonly T[]): AsyncGenerator<T> {
    const subscriber: Subscriber<T> = { queue: [...opening], wake: new EventEmitter() };
    this.failure = null;
    this.subscribers.add(subscriber);
    const stop = () => subscriber.wake.emit("wake");
    signal.addEventListener("abort", stop, { once: true });
    try {
      for (;;) {
        // More may come in while a value is taken.
        while (subscriber.queue.length > 0)
          for (const value of subscriber.queue.splice(0)) {
            if (signal.aborted) return;
            yield value;
          }
        if (signal.aborted) return;
        if (this.failure !== null) throw this.failure;
        await once(subscriber.wake, "wake");
      }
    } finally {
      signal.removeEventListener("abort", stop);
      this.subscribers.delete(subscriber);
    }
  }
}

export interface RecordedAction {
  action: "openAttach" | "prepareAttach" | "dismiss";
  ref: string;
  surface: string;
  ifRuntime: string | null;
}

/** An action on a pane as it was asked for, whole. */
export interface AskedAction {
  action: ActionResult["action"];
  input: ActionInput & Readonly<Record<string, unknown>>;
}

interface ActionInput {
  ref: string;
  surface: string;
  guards: ActionGuards;
}

export interface FakeDaemonOptions {
  now?: () => number;
  /** False: opening a terminal fails with E_UNSUPPORTED, as in a headless daemon. */
  canOpenTerminal?: boolean;
  /** True: subscriptions of the feed fail until `resume` is called. */
  startsDown?: boolean;
}

export class FakeDaemon implements DaemonService {
  readonly actions: RecordedAction[] = [];
  /** Sends, answers, interrupts and kills that were asked for, refused ones too; unconfirmed kills are questions, not actions. */
  readonly asked: AskedAction[] = [];
  readonly explanations = new Map<string, Explanation>();
  /** Lines by pane reference; a pane that is not here cannot be read. */
  readonly outputs = new Map<string, readonly string[]>();
  outputReads = 0;
  /** What the feed was asked for, again and again. */
  readonly feedRequests: { since: number | null; latest?: boolean | undefined }[] = [];
  private outcome: { outcome: ActionOutcome; detail: string } = {
    outcome: "delivered",
    detail: "It was seen to arrive",
  };
  private gate: Promise<void> = Promise.resolve();
  private readonly panes = new Map<string, PaneView>();
  private targets: TargetView[] = [makeTarget()];
  private version = 1;
  /** Version of the last change by pane reference; what was reset since is not known one by one. */
  private readonly changedAt = new Map<string, number>();
  private resetAt = 0;
  private isDown: boolean;
  private refusal: AgtmuxError | null = null;
  private readonly changes = new Broadcast<FeedEntry>();
  private readonly noticeEvents = new Broadcast<NoticeEvent>();
  private readonly options: Required<FakeDaemonOptions>;

  constructor(panes: readonly PaneView[] = [], options: FakeDaemonOptions = {}) {
    this.options = { now: () => Date.now(), canOpenTerminal: true, startsDown: false, ...options };
    this.isDown = this.options.startsDown;
    for (const pane of panes) this.panes.set(pane.identity.pane_ref, pane);
  }

  get feedClients(): number {
    return this.changes.size;
  }
  get noticeClients(): number {
    return this.noticeEvents.size;
  }

  /** Adds or changes a row, as an event of an agent does. */
  put(pane: PaneView): void {
    this.version += 1;
    const previous = this.panes.get(pane.identity.pane_ref)?.state ?? null;
    const row = { ...pane, state_version: this.version };
    this.panes.set(pane.identity.pane_ref, row);
    this.changedAt.set(pane.identity.pane_ref, this.version);
    this.changes.push({
      kind: "state",
      version: this.version,
      at: this.options.now(),
      pane: row,
      previous_state: previous,
    });
  }

  remove(paneRef: string): void {
    this.version += 1;
    const runtimeId = this.panes.get(paneRef)?.identity.runtime_id ?? null;
    this.panes.delete(paneRef);
    this.changedAt.set(paneRef, this.version);
    this.changes.push({
      kind: "removed",
      version: this.version,
      at: this.options.now(),
      pane_ref: paneRef,
      runtime_id: runtimeId,
    });
  }

  setTargets(targets: readonly TargetView[]): void {
    this.targets = [...targets];
    for (const target of targets)
      this.changes.push({ kind: "target", version: this.version, at: this.options.now(), target });
  }

  /** Replaces everything and tells readers with a gap and a snapshot. */
  reset(panes: readonly PaneView[], targets: readonly TargetView[] = this.targets): void {
    this.panes.clear();
    for (const pane of panes) this.panes.set(pane.identity.pane_ref, pane);
    this.targets = [...targets];
    this.version += 1;
    this.resetAt = this.version;
    this.changes.push({ kind: "gap", version: this.version, at: this.options.now(), reason: "reset" });
    this.changes.push(this.snapshot());
  }

  /** Cuts every feed and refuses new ones until `resume`. */
  goDown(): void {
    this.isDown = true;
    this.changes.drop("the daemon is gone");
  }
  resume(): void {
    this.isDown = false;
  }

  notify(event: NoticeEvent): void {
    this.noticeEvents.push(event);
  }

  /** Every action from now on fails with this error. */
  refuseActions(code: ErrorCode, message: string): void {
    this.refusal = new AgtmuxError(code, message);
  }

  /** What actions on panes come to from now on. */
  settleWith(outcome: ActionOutcome, detail: string): void {
    this.outcome = { outcome, detail };
  }
  /** Actions on panes do not end until the returned function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.gate = promise;
    return resolve;
  }

  /** As the gate does: what was guarded must hold, or nothing is done. */
  private async act(action: ActionResult["action"], input: AskedAction["input"]): Promise<ActionResult> {
    this.asked.push({ action, input });
    await this.gate;
    if (this.refusal !== null) throw this.refusal;
    const pane = this.find(input.ref);
    const { ifRuntime, ifPrompt, ifState } = input.guards;
    const changed =
      (ifRuntime !== null && ifRuntime !== pane.identity.runtime_id) ||
      (ifState !== null && ifState !== pane.state) ||
      (ifPrompt !== null && ifPrompt !== pane.prompt_fingerprint);
    if (changed)
      throw new AgtmuxError("E_STALE_SNAPSHOT", `nothing was sent to ${pane.identity.pane_id}: it changed`);
    return {
      schema_version: SCHEMA_VERSION,
      action_id: `act-${this.asked.length}`,
      action,
      pane_ref: input.ref,
      runtime_id: pane.identity.runtime_id,
      snapshot_id: `snap-${input.ref}`,
      ...this.outcome,
      notes: [],
      is_repeat: false,
    };
  }

  private record(action: RecordedAction["action"], input: ActionInput): void {
    const { ref, surface, guards } = input;
    this.actions.push({ action, ref, surface, ifRuntime: guards.ifRuntime });
    if (this.refusal !== null) throw this.refusal;
  }

  private snapshot(): FeedEntry {
    const panes = [...this.panes.values()];
    return {
      kind: "snapshot",
      version: this.version,
      at: this.options.now(),
      panes,
      targets: this.targets,
      summary: makeCounts(panes),
    };
  }

  /** Rows that changed after `since`, then the targets. */
  private latest(since: number): FeedEntry[] {
    const at = this.options.now();
    const { version } = this;
    const refs = [...this.changedAt].flatMap(([ref, changedAt]) => (changedAt > since ? [ref] : []));
    return [
      ...refs.map((ref): FeedEntry => {
        const pane = this.panes.get(ref);
        return pane === undefined
          ? { kind: "removed", version, at, pane_ref: ref, runtime_id: null }
          : { kind: "state", version, at, pane, previous_state: null };
      }),
      ...this.targets.map((target) => ({ kind: "target" as const, version, at, target })),
    ];
  }

  private find(ref: string): PaneView {
    const pane = this.panes.get(ref);
    if (pane === undefined) throw new AgtmuxError("E_REF_NOT_FOUND", `no pane ${ref}`);
    return pane;
  }

  private plan(ref: string): AttachPlan {
    const { session_name: session, window_id: window, pane_id: pane } = this.find(ref).identity;
    return {
      snapshotId: `snap-${ref}`,
      paneRef: ref,
      argv: ["tmux", "attach-session", "-t", `=${session}`, ";", "select-pane", "-t", `${window}.${pane}`],
      mode: "attach",
      existingClient: null,
    };
  }

  hello(): Hello {
    return {
      name: "agtmux" as const,
      version: "0.0.0-test",
      protocol: PROTOCOL_VERSION,
      pid: process.pid,
      startedAt: 0,
      host: "test" as const,
      isOnDemand: false,
    };
  }
  shutdown(): void {
    this.goDown();
  }
  listPanes() {
    const items = [...this.panes.values()];
    return {
      schema_version: SCHEMA_VERSION,
      generated_at: new Date(this.options.now()).toISOString(),
      filters: {},
      summary: makeCounts(items),
      problems: [],
      items,
    } as const satisfies ReturnType<DaemonService["listPanes"]>;
  }
  listWindows(): never {
    throw new AgtmuxError("E_UNSUPPORTED", "the fake daemon lists no windows");
  }
  listSessions(): never {
    throw new AgtmuxError("E_UNSUPPORTED", "the fake daemon lists no sessions");
  }
  listTargets(): TargetView[] {
    return this.targets;
  }
  targetAdd(): Promise<never> {
    return Promise.reject(new AgtmuxError("E_UNSUPPORTED", "the fake daemon has fixed targets"));
  }
  targetChange(): Promise<never> {
    return this.targetAdd();
  }
  targetConnect(): Promise<never> {
    return this.targetAdd();
  }
  targetRemove(): Promise<never> {
    return this.targetAdd();
  }
  feed(
    options: { since: number | null; latest?: boolean | undefined },
    signal: AbortSignal,
  ): AsyncIterable<FeedEntry> {
    this.feedRequests.push(options);
    if (this.isDown) throw new AgtmuxError("E_DAEMON_UNAVAILABLE", "the daemon is gone");
    if (options.latest === true && options.since !== null && options.since >= this.resetAt)
      return this.changes.read(signal, this.latest(options.since));
    // Stored history is none of the fake's business: a client that is not up to date gets everything anew.
    const isCurrent = options.since === this.version;
    return this.changes.read(signal, isCurrent ? [] : [this.snapshot()]);
  }
  notices(signal: AbortSignal): AsyncIterable<NoticeEvent> {
    return this.noticeEvents.read(signal, []);
  }
  /** How often it was told to look at everything. */
  looks = 0;
  lookNow(): Promise<void> {
    this.looks += 1;
    return Promise.resolve();
  }
  async explain(ref: string): Promise<Explanation> {
    const pane = this.find(ref);
    const stored = this.explanations.get(ref);
    if (stored !== undefined) return { ...stored, pane };
    return {
      schema_version: SCHEMA_VERSION,
      generated_at: new Date(this.options.now()).toISOString(),
      pane,
      rule: "newest evidence of the turn",
      evidence: [],
      screen: null,
      timeline: [],
    };
  }
  async prepareAttach(input: ActionInput): Promise<AttachPlan> {
    this.record("prepareAttach", input);
    return Promise.resolve(this.plan(input.ref));
  }
  async openAttach(input: ActionInput): Promise<AttachPlan> {
    this.record("openAttach", input);
    if (!this.options.canOpenTerminal)
      throw new AgtmuxError("E_UNSUPPORTED", "this host has no terminal to open");
    return Promise.resolve(this.plan(input.ref));
  }
  async dismiss(input: ActionInput): Promise<{ paneRef: string }> {
    this.record("dismiss", input);
    this.find(input.ref);
    return Promise.resolve({ paneRef: input.ref });
  }
  async viewOutput(input: { ref: string; source?: PaneOutput["source"] | undefined }): Promise<PaneOutput> {
    this.outputReads += 1;
    const lines = this.outputs.get(input.ref);
    if (lines === undefined)
      throw new AgtmuxError("E_TARGET_UNREACHABLE", `the screen of ${input.ref} cannot be read`);
    const source = input.source ?? "screen";
    return Promise.resolve({
      schema_version: SCHEMA_VERSION,
      generated_at: new Date(this.options.now()).toISOString(),
      pane_ref: input.ref,
      runtime_id: this.find(input.ref).identity.runtime_id,
      snapshot_id: `snap-${input.ref}`,
      has_ansi: false,
      is_alternate: false,
      source,
      transcript_offered: source === "screen",
      cut: "none",
      lines: source === "screen" ? [...lines] : ["> from the transcript"],
    });
  }
  send(input: ActionInput): Promise<ActionResult> {
    return this.act("send", { ...input });
  }
  answer(input: ActionInput): Promise<ActionResult> {
    return this.act("answer", { ...input });
  }
  interrupt(input: ActionInput): Promise<ActionResult> {
    return this.act("interrupt", { ...input });
  }
  async kill(input: ActionInput & { signal: string; isConfirmed: boolean }): Promise<ActionResult> {
    if (input.isConfirmed) return this.act("kill", { ...input });
    const { agent, identity } = this.find(input.ref);
    throw new AgtmuxError(
      "E_CONFIRMATION_REQUIRED",
      `kill sends ${input.signal} to process 4242 (${agent ?? "?"}) in ${identity.pane_ref}`,
    );
  }
  listAudit(): AuditList {
    return {
      schema_version: SCHEMA_VERSION,
      generated_at: new Date(this.options.now()).toISOString(),
      items: [],
    };
  }
  adapters(): AdapterList {
    return {
      schema_version: SCHEMA_VERSION,
      generated_at: new Date(this.options.now()).toISOString(),
      contract_version: "1.0",
      items: [],
      problems: [],
      disabled_unknown: [],
    };
  }
  adapterCheck(): never {
    throw new AgtmuxError("E_UNSUPPORTED", "the fake daemon takes no adapter files");
  }
  adapterSwitch(): Promise<never> {
    return Promise.reject(new AgtmuxError("E_UNSUPPORTED", "the fake daemon switches no adapters"));
  }
  adapterTry(): Promise<never> {
    return Promise.reject(new AgtmuxError("E_UNSUPPORTED", "the fake daemon takes no adapter files"));
  }
  async sshAliases(): Promise<{ aliases: string[]; problems: string[] }> {
    return Promise.resolve({ aliases: [], problems: [] });
  }
  configGet(): Settings {
    const values = settingsOf(DEFAULT_CONFIG);
    return { path: "config.json", problem: null, values, defaults: values };
  }
  configSet({ key }: { key: string; value: unknown }): Promise<Settings> {
    return Promise.reject(new AgtmuxError("E_USAGE", `'${key}' cannot be set from here`));
  }
  async integrationList(_input: { target?: string | undefined }): Promise<IntegrationSummary[]> {
    return Promise.resolve([]);
  }
  integrationChange(): Promise<IntegrationReport> {
    return Promise.reject(new AgtmuxError("E_UNSUPPORTED", "the fake daemon has no integrations"));
  }
  integrationVerify(): Promise<IntegrationVerification> {
    return Promise.reject(new AgtmuxError("E_UNSUPPORTED", "the fake daemon has no integrations"));
  }
  doctor(): Promise<{ findings: Finding[] }> {
    return Promise.reject(new AgtmuxError("E_UNSUPPORTED", "the fake daemon has nothing to examine"));
  }
}
