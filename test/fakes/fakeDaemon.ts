// A daemon with made-up panes: it follows the contract of DaemonService and records what it was asked to do. What the test
// did not give it is empty or refused; tests that want an answer to everything take an AnsweringDaemon.
import { once } from "node:events";
import type { DaemonService, IntegrationAction, ListFilters, TargetInput } from "../../core/api/calls.ts";
import { listPanes, listSessions, listWindows } from "../../core/api/listing.ts";
import { type Hello, PROTOCOL_VERSION } from "../../core/api/protocol.ts";
import type { NotificationEvent } from "../../core/model/notifications.ts";
import { resolveTyped, type TypedFrom, type TypedSubject } from "../../core/engine/typedRef.ts";
import type {
  ActionGuards,
  ActionOutcome,
  ActionResult,
  AuditList,
  PaneOutput,
  AttachPlan,
} from "../../core/model/action.ts";
import type {
  AdapterCheck,
  AdapterList,
  AdapterSwitched,
  AdapterTry,
  RemovalReport,
  SetupLook,
  IntegrationReport,
  IntegrationSummary,
  IntegrationVerification,
} from "../../core/model/adapterView.ts";
import type { PackList, PackOffer, PackView } from "../../core/model/detectionPack.ts";
import { DEFAULT_CONFIG, type Settings, settingsOf } from "../../core/model/config.ts";
import type { Finding } from "../../core/model/doctor.ts";
import { AgtmuxError, type ErrorCode } from "../../core/model/errors.ts";
import type { Notifier } from "../../core/model/words.ts";
import {
  type Explanation,
  type PaneList,
  type PaneView,
  SCHEMA_VERSION,
  type SessionList,
  type TargetView,
  type WindowList,
} from "../../core/model/view.ts";
import { FakeFeed, type FakeFeedOptions } from "./fakeFeed.ts";

// What becomes of the actions on a fake daemon's panes: each is recorded, and then refused, held or settled as the test says.

interface ActionInput {
  ref: string;
  surface: string;
  guards: ActionGuards;
}

/** An action as it was asked for, whole. */
export interface AskedAction {
  action:
    | ActionResult["action"]
    | "openAttach"
    | "prepareAttach"
    | "dismiss"
    | "mute"
    | "rename"
    | "integrationChange";
  input: Readonly<Record<string, unknown>>;
}

class FakeGate {
  /** Oldest first, refused ones too. */
  readonly asked: AskedAction[] = [];
  private readonly find: (ref: string) => PaneView;
  private result: Pick<ActionResult, "outcome" | "detail" | "notes"> = {
    outcome: "delivered",
    detail: "It was seen to arrive",
    notes: [],
  };
  private opened: Promise<void> = Promise.resolve();
  private refusal: AgtmuxError | null = null;

  constructor(find: (ref: string) => PaneView) {
    this.find = find;
  }

  /** Every action from now on fails with this error. */
  refuse(code: ErrorCode, message: string): void {
    this.refusal = new AgtmuxError(code, message);
  }
  /** What actions on panes come to from now on. */
  settleWith(outcome: ActionOutcome, detail: string, notes: readonly string[] = []): void {
    this.result = { outcome, detail, notes: [...notes] };
  }
  /** Actions do not end until the returned function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.opened = promise;
    return resolve;
  }

  /** As the daemon's own: what was guarded must hold, or nothing is done. */
  async permit(action: AskedAction["action"], input: ActionInput): Promise<PaneView> {
    this.asked.push({ action, input: { ...input } });
    await this.opened;
    if (this.refusal !== null) throw this.refusal;
    const pane = this.find(input.ref);
    const { ifRuntime, ifPrompt, ifState, ifVersion } = input.guards;
    const changed =
      (ifRuntime !== null && ifRuntime !== pane.identity.runtime_id) ||
      (ifState !== null && ifState !== pane.state) ||
      (ifVersion !== null && ifVersion !== pane.state_version) ||
      (ifPrompt !== null && ifPrompt !== pane.prompt_fingerprint);
    if (changed)
      throw new AgtmuxError("E_STALE_SNAPSHOT", `nothing was sent to ${pane.identity.pane_id}: it changed`);
    return pane;
  }

  async act(action: ActionResult["action"], input: ActionInput): Promise<ActionResult> {
    const { identity } = await this.permit(action, input);
    return {
      schema_version: SCHEMA_VERSION,
      action_id: `act-${this.asked.length}`,
      action,
      pane_ref: identity.pane_ref,
      runtime_id: identity.runtime_id,
      snapshot_id: `snap-${identity.pane_ref}`,
      ...this.result,
      is_repeat: false,
    };
  }
}

export interface FakeOutput {
  screen: readonly string[];
  isAlternate?: boolean;
  transcript?: readonly string[];
}

export interface FakeDaemonOptions extends FakeFeedOptions {
  /** False: opening a terminal fails with E_UNSUPPORTED, as in a headless daemon. */
  canOpenTerminal?: boolean;
  /** The terminal that it switches then. */
  lastTerminal?: string;
}

/** Whatever the adapters in force, a filter may name these, and those of the rows. */
const AGENTS: readonly string[] = ["claude", "codex", "gemini"];

const refuse = (what: string): Promise<never> =>
  Promise.reject(new AgtmuxError("E_UNSUPPORTED", `the fake daemon ${what}`));

const toSubject = (row: PaneView): TypedSubject & { row: PaneView } => ({
  target: row.identity.target,
  server: row.identity.tmux_server,
  links: [
    {
      sessionId: `$${row.identity.session_name}`,
      sessionName: row.identity.session_name,
      windowIndex: row.window_index,
    },
  ],
  windowId: row.identity.window_id,
  windowName: row.window_name,
  paneId: row.identity.pane_id ?? "",
  paneIndex: row.pane_index,
  isAgent: row.agent !== null,
  row,
});

export class FakeDaemon extends FakeFeed implements DaemonService {
  readonly gate = new FakeGate((ref) => this.find(ref));
  readonly explanations = new Map<string, Explanation>();
  /** By pane reference; a pane that is not here cannot be read. */
  readonly outputs = new Map<string, FakeOutput>();
  readonly outputRequests: Parameters<DaemonService["viewOutput"]>[0][] = [];
  notificationClients = 0;
  greeting: Hello;
  /** Null: the tmux command of the pane. */
  attachArgv: string[] | null = null;
  /** Resolves once `shutdown` was asked for. */
  readonly stopped: Promise<void>;
  private readonly stop: () => void;
  private readonly canOpenTerminal: boolean;
  private readonly lastTerminal: string | null;

  constructor(panes: readonly PaneView[] = [], options: FakeDaemonOptions = {}) {
    super(panes, options);
    this.canOpenTerminal = options.canOpenTerminal ?? true;
    this.lastTerminal = options.lastTerminal ?? null;
    this.greeting = {
      name: "agtmux",
      version: "0.1.0",
      protocol: PROTOCOL_VERSION,
      pid: process.pid,
      startedAt: this.now(),
      host: "test",
      isOnDemand: false,
    };
    const { promise, resolve } = Promise.withResolvers<void>();
    this.stopped = promise;
    this.stop = resolve;
  }

  /** What was to change something; unconfirmed kills are questions, not actions. */
  get asked(): readonly AskedAction[] {
    return this.gate.asked;
  }

  hello(): Hello {
    return this.greeting;
  }
  shutdown(): void {
    this.goDown();
    this.stop();
  }

  panes(filters: ListFilters): PaneList {
    return listPanes(this.listing(), filters);
  }
  windows(filters: ListFilters): WindowList {
    return listWindows(this.listing(), filters);
  }
  sessions(filters: Parameters<DaemonService["sessions"]>[0]): SessionList {
    return listSessions(this.listing(), filters);
  }

  targetAdd(_input: TargetInput): Promise<TargetView> {
    return refuse("has fixed targets");
  }
  targetChange(_input: Parameters<DaemonService["targetChange"]>[0]): Promise<TargetView> {
    return refuse("has fixed targets");
  }
  targetConnect(_input: { name: string }): Promise<TargetView> {
    return refuse("has fixed targets");
  }
  targetRemove(_input: { name: string; isConfirmed: boolean }): Promise<void> {
    return refuse("has fixed targets");
  }
  sshAliases(): Promise<{ aliases: string[]; problems: string[] }> {
    return Promise.resolve({ aliases: [], problems: [] });
  }

  // oxlint-disable-next-line require-yield -- nothing is ever noticed
  async *notices(signal: AbortSignal): AsyncGenerator<NotificationEvent> {
    this.notificationClients += 1;
    try {
      if (!signal.aborted) await once(signal, "abort");
    } finally {
      this.notificationClients -= 1;
    }
  }
  lookNow(): Promise<void> {
    return Promise.resolve();
  }

  /** By the daemon's own rules; whoever is inside tmux is inside the default server. */
  async resolve(input: Parameters<DaemonService["resolve"]>[0]): Promise<PaneView> {
    const { ref, insideTmux, tmuxPane: paneId } = input;
    const from: TypedFrom =
      insideTmux === null
        ? { kind: "outside" }
        : { kind: "inside", target: "host", server: "default", paneId };
    const targets = this.targets().map(({ target }) => target);
    return resolveTyped(ref, { targets, from, subjects: this.rows().map(toSubject) }).row;
  }
  async explain({ ref }: { ref: string }): Promise<Explanation> {
    const pane = this.find(ref);
    const made = this.explanations.get(pane.identity.pane_ref);
    return {
      ...this.frame(),
      rule: "newest evidence of the turn",
      evidence: [],
      activity: [],
      screen: null,
      timeline: [],
      ...made,
      pane,
    };
  }
  async viewOutput(input: Parameters<DaemonService["viewOutput"]>[0]): Promise<PaneOutput> {
    this.outputRequests.push(input);
    const { pane_ref, runtime_id } = this.find(input.ref).identity;
    const output = this.outputs.get(pane_ref);
    if (output === undefined)
      throw new AgtmuxError("E_TARGET_UNREACHABLE", `the screen of ${pane_ref} cannot be read`);
    const asked = input.source ?? "screen";
    const source =
      asked !== "transcript_or_screen" ? asked : output.transcript === undefined ? "screen" : "transcript";
    return {
      ...this.frame(),
      pane_ref,
      runtime_id,
      snapshot_id: `snap-${pane_ref}`,
      has_ansi: input.ansi,
      is_alternate: output.isAlternate ?? false,
      source,
      transcript_offered: source === "screen",
      cut: "none",
      lines: [...(source === "screen" ? output.screen : (output.transcript ?? ["> from the transcript"]))],
    };
  }

  async prepareAttach(input: ActionInput): Promise<AttachPlan> {
    return this.plan(await this.gate.permit("prepareAttach", input));
  }
  async openAttach(input: ActionInput): Promise<AttachPlan> {
    const pane = await this.gate.permit("openAttach", input);
    if (!this.canOpenTerminal && this.lastTerminal !== null) {
      const existingClient = { tty: this.lastTerminal, isNative: false };
      return { ...this.plan(pane), mode: "switch_client", existingClient };
    }
    if (!this.canOpenTerminal) throw new AgtmuxError("E_UNSUPPORTED", "this host has no terminal to open");
    return this.plan(pane);
  }
  async dismiss(input: ActionInput): Promise<{ paneRef: string }> {
    const pane = await this.gate.permit("dismiss", input);
    return { paneRef: pane.identity.pane_ref };
  }
  async mute({ forMs, ...input }: Parameters<DaemonService["mute"]>[0]) {
    const { identity } = await this.gate.permit("mute", { ...input, forMs } as ActionInput);
    const until = typeof forMs === "number" ? new Date(this.now() + forMs).toISOString() : null;
    const muted = forMs === null ? null : { until };
    this.refine(identity.pane_ref, { muted });
    return { paneRef: identity.pane_ref, muted };
  }
  async rename(input: Parameters<DaemonService["rename"]>[0]) {
    const { identity } = await this.gate.permit("rename", input);
    const name = input.name.trim() || null;
    this.refine(identity.pane_ref, { name });
    const session = input.session ? ({ outcome: "delivered", detail: "Submitted." } as const) : null;
    return { paneRef: identity.pane_ref, name, session };
  }
  async markSeen({ ref, until }: { ref: string; until: string }): Promise<void> {
    const { identity, unread_since: since } = this.find(ref);
    if (since !== null && since <= until) this.refine(identity.pane_ref, { unread_since: null });
  }
  send(input: ActionInput): Promise<ActionResult> {
    return this.gate.act("send", input);
  }
  async answer(input: ActionInput): Promise<ActionResult> {
    if (input.guards.ifPrompt === null)
      throw new AgtmuxError("E_PROMPT_UNCONFIRMED", "an answer must name the prompt that it is for");
    return this.gate.act("answer", input);
  }
  interrupt(input: ActionInput): Promise<ActionResult> {
    return this.gate.act("interrupt", input);
  }
  async kill(input: ActionInput & { signal: string; isConfirmed: boolean }): Promise<ActionResult> {
    if (input.isConfirmed) return this.gate.act("kill", input);
    const { agent, identity } = this.find(input.ref);
    throw new AgtmuxError(
      "E_CONFIRMATION_REQUIRED",
      `kill sends ${input.signal} to process 4242 (${agent ?? "?"}) in ${identity.pane_ref}`,
    );
  }
  underWay(): { actions: number } {
    return { actions: 0 };
  }
  audit(): AuditList {
    return { ...this.frame(), items: [] };
  }

  adapters(): AdapterList {
    return { ...this.frame(), contract_version: "1.0", items: [], problems: [], disabled_unknown: [] };
  }
  adapterCheck(_file: { name: string; text: string }): AdapterCheck {
    throw new AgtmuxError("E_UNSUPPORTED", "the fake daemon takes no adapter files");
  }
  adapterSwitch(_input: { agent: string; enabled: boolean }): Promise<AdapterSwitched> {
    return refuse("switches no adapters");
  }
  adapterTry(_input: Parameters<DaemonService["adapterTry"]>[0]): Promise<AdapterTry> {
    return refuse("takes no adapter files");
  }
  async packs(): Promise<PackList> {
    return { ...this.frame(), items: [] };
  }
  packLook(_input: { hash: string }): Promise<PackOffer> {
    return refuse("takes no detection packs");
  }
  packTake(_input: { hash: string; approvesAnswers: boolean }): Promise<PackView> {
    return refuse("takes no detection packs");
  }
  packRollBack(_input: { agent: string }): Promise<PackView> {
    return refuse("takes no detection packs");
  }
  configGet(): Promise<Settings> {
    const values = settingsOf(DEFAULT_CONFIG);
    return Promise.resolve({ path: "config.json", problem: null, values, defaults: values });
  }
  configSet({ key }: { key: string; value: unknown }): Promise<Settings> {
    return Promise.reject(new AgtmuxError("E_USAGE", `'${key}' cannot be set from here`));
  }
  integrationList(_input: { target?: string | undefined }): Promise<IntegrationSummary[]> {
    return Promise.resolve([]);
  }
  integrationChange(_input: {
    agent: string;
    target?: string | undefined;
    action: IntegrationAction;
    dryRun: boolean;
  }): Promise<IntegrationReport> {
    return refuse("has no integrations");
  }
  integrationNotifier(_input: {
    agent: string;
    target?: string | undefined;
    who: Notifier;
    folder?: string | undefined;
    dryRun: boolean;
  }): Promise<IntegrationReport> {
    return refuse("has no integrations");
  }
  integrationVerify(_input: { agent: string }): Promise<IntegrationVerification> {
    return refuse("has no integrations");
  }
  integrationRemoveAll(_input: { target?: string | undefined; dryRun: boolean }): Promise<RemovalReport> {
    return refuse("has no integrations");
  }
  loginItemOff(_input: { dryRun: boolean }): Promise<{ wasOn: boolean } | null> {
    return Promise.resolve(null);
  }
  setupLook(_input: { target?: string | undefined }): Promise<SetupLook> {
    return refuse("has nothing to set up");
  }
  doctor(_input: { target: string | null }): Promise<{ findings: Finding[] }> {
    return refuse("has nothing to examine");
  }

  protected frame() {
    return { schema_version: SCHEMA_VERSION, generated_at: new Date(this.now()).toISOString() } as const;
  }

  private listing() {
    return {
      rows: this.rows(),
      targets: this.targets(),
      agents: () => AGENTS,
      now: this.now(),
    };
  }

  private plan({ identity }: PaneView): AttachPlan {
    const { pane_ref, session_name: session, window_id: window, pane_id: pane } = identity;
    const argv = [
      "tmux",
      "attach-session",
      "-t",
      `=${session}`,
      ";",
      "select-pane",
      "-t",
      `${window}.${pane}`,
    ];
    return {
      snapshotId: `snap-${pane_ref}`,
      paneRef: pane_ref,
      argv: this.attachArgv ?? argv,
      mode: "attach",
      existingClient: null,
    };
  }
}
