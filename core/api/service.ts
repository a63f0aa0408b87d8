// What the router needs from the daemon. The daemon implements it; tests and the renderer's story pages fake it.
import type {
  ActionResult,
  AnswerChoice,
  AuditList,
  OutputSource,
  PaneOutput,
  KillSignal,
} from "../model/actionView.ts";
import type { AdapterCheck, AdapterList, AdapterSwitched, AdapterTry } from "../model/adapterView.ts";
import type { Finding } from "../model/doctorView.ts";
import type { AgtmuxError } from "../model/errors.ts";
import type { NotificationKind } from "../model/notificationPolicy.ts";
import type { ActionGuards, AttachPlan } from "../model/snapshot.ts";
import type { Settings } from "../model/settings.ts";
import type { CanonicalState } from "../model/state.ts";
import type {
  Explanation,
  FeedEntry,
  PaneList,
  PaneView,
  SessionList,
  TargetView,
  WindowList,
} from "../model/view.ts";

export type { AttachPlan };

/** Wire protocol of hello: equal major means compatible. */
export const PROTOCOL_VERSION = 1;

/** Stable across versions, as is `shutdown`: a newer app can always ask an older daemon. */
export interface Hello {
  name: "agtmux";
  version: string;
  protocol: number;
  pid: number;
  startedAt: number;
  host: "app" | "headless" | "test";
  isOnDemand: boolean;
}

/** One value, or several of which any may fit. */
export type OneOrMore<T> = T | readonly T[];

/** All filters combine with and; the values of one with or. `all`: panes without an agent too. */
export interface ListFilters {
  target?: OneOrMore<string> | undefined;
  targetSession?: OneOrMore<string> | undefined;
  session?: OneOrMore<string> | undefined;
  state?: OneOrMore<CanonicalState> | undefined;
  agent?: OneOrMore<string> | undefined;
  needsAction?: boolean | undefined;
  all?: boolean | undefined;
}

/** `repair`: our entries go and come anew, so that drifted ones are replaced. */
export type IntegrationAction = "install" | "repair" | "uninstall";

export interface IntegrationReport {
  agent: string;
  changes: { path: string; diff: string }[];
  applied: boolean;
  backups: string[];
}

/** The three facts of `integrate --verify`. */
export interface IntegrationVerification {
  agent: string;
  entriesPresent: boolean;
  missing: string[];
  problems: string[];
  deliveryWorks: boolean;
  deliveryDetail: string;
  /** Last event of a real agent (not a test event); null: none yet. */
  lastRealEventAt: string | null;
}

/**
 * An agent's integration on a target as its settings say, without a test event. `partial`: some of our entries are there,
 * or they are not as they should be. `unclear`: its settings cannot be read, and `problems` says why.
 */
export interface IntegrationSummary {
  agent: string;
  name: string;
  state: "installed" | "partial" | "absent" | "unclear";
  missing: string[];
  problems: string[];
  /** Last event of a real agent; null: none yet. */
  lastRealEventAt: string | null;
}

/** What can be done from a notice, through the same gate as from anywhere else. */
export type NotificationAction =
  | { kind: "approve" | "deny" | "attach"; label: string }
  | { kind: "option"; number: number; label: string };

/** A text answers the prompt (`answer`), or is typed to the agent (`send`). */
export type NotificationReply = "answer" | "send";

export interface AgentNotification {
  id: string;
  kind: NotificationKind;
  title: string;
  body: string;
  /** As it was when the notice was made: actions are guarded by its runtime, version and prompt. Of many, the most urgent. */
  pane: PaneView;
  /** More than one: it stands for so many panes and leads to the list. */
  count: number;
  /** `default`, `none`, or the name of a system sound. */
  sound: string;
  actions: NotificationAction[];
  /** Null: nothing can be written. */
  reply: NotificationReply | null;
}
export type NotificationEvent =
  | { kind: "show"; notice: AgentNotification }
  | { kind: "withdraw"; id: string };

/** What every action names. `surface`: who asks, for the record. */
export interface ActionRequest {
  ref: string;
  guards: ActionGuards;
  surface: string;
}

/** `ssh_target`: a name of the person's SSH configuration. */
export interface TargetInput {
  name: string;
  ssh_target: string;
  transport?: "auto" | "ssh2" | "openssh" | undefined;
  tmux_path?: string | null | undefined;
}

export interface DaemonService {
  hello(): Hello;
  shutdown(): void;
  listPanes(filters: ListFilters): PaneList;
  listWindows(filters: ListFilters): WindowList;
  listSessions(
    filters: ListFilters & { groupBy?: "target-session" | "session-name" | undefined },
  ): SessionList;
  listTargets(): TargetView[];
  /** Adds a machine behind SSH and begins to connect; how that goes is its health. */
  targetAdd(input: TargetInput): Promise<TargetView>;
  /** Hosts that the person's SSH configuration names, for choosing from; `problems` names files that cannot be read. */
  sshAliases(): Promise<{ aliases: string[]; problems: string[] }>;
  targetChange(input: {
    name: string;
    enabled?: boolean | undefined;
    transport?: TargetInput["transport"];
    tmuxPath?: string | null | undefined;
  }): Promise<TargetView>;
  /** One attempt now; fails with what keeps the target from being connected. */
  targetConnect(input: { name: string }): Promise<TargetView>;
  /** Fails with E_CONFIRMATION_REQUIRED unless confirmed. */
  targetRemove(input: { name: string; isConfirmed: boolean }): Promise<void>;
  /**
   * First a snapshot, or the changes after `since` where they are still stored (`latest`: every row that changed as it is
   * now, then the targets); then every change until the signal aborts.
   */
  feed(
    options: { since: number | null; sinceTime: number | null; all: boolean; latest?: boolean | undefined },
    signal: AbortSignal,
  ): AsyncIterable<FeedEntry>;
  notices(signal: AbortSignal): AsyncIterable<NotificationEvent>;
  /** The machine woke up, or somebody knows that much changed: every target is looked at now, and at most once in a while. */
  lookNow(): Promise<void>;
  explain(ref: string): Promise<Explanation>;
  prepareAttach(input: {
    ref: string;
    guards: ActionGuards;
    surface: string;
    insideTmux: string | null;
    /** The caller can bring a terminal to the front by its tty. */
    mayFocus?: boolean | undefined;
  }): Promise<AttachPlan>;
  /**
   * Brings the terminal that shows the pane's session to the front where the host can, else attaches in a terminal window
   * that it opens; fails with E_UNSUPPORTED where the host has none.
   */
  openAttach(input: { ref: string; guards: ActionGuards; surface: string }): Promise<AttachPlan>;
  dismiss(input: { ref: string; guards: ActionGuards; surface: string }): Promise<{ paneRef: string }>;
  /** The newest `lines` of scrollback and screen; without `ansi` no control character is in them. */
  viewOutput(
    input: ActionRequest & { lines: number; ansi: boolean; source?: OutputSource | undefined },
  ): Promise<PaneOutput>;
  /** Types a text literally. The same `idempotencyKey` sends once per runtime; `toShell`: a shell may get it. */
  send(
    input: ActionRequest & {
      text: string;
      pressEnter: boolean;
      toShell: boolean;
      idempotencyKey: string | null;
    },
  ): Promise<ActionResult>;
  /**
   * Answers the prompt that `guards.ifPrompt` names and no other, with the keys that its adapter knows. The same
   * `idempotencyKey` answers once per runtime. Fails with E_PROMPT_UNCONFIRMED without that guard, with E_STALE_SNAPSHOT
   * when that prompt is not on the screen, with E_UNSUPPORTED where the keys are not known.
   */
  answer(
    input: ActionRequest & { choice: AnswerChoice; idempotencyKey: string | null },
  ): Promise<ActionResult>;
  /** Stops a turn by the agent's own keys. */
  interrupt(input: ActionRequest): Promise<ActionResult>;
  /** Signals the agent's process; fails with E_CONFIRMATION_REQUIRED, saying what would happen, unless confirmed. */
  kill(input: ActionRequest & { signal: KillSignal; isConfirmed: boolean }): Promise<ActionResult>;
  /** What was done to panes, newest first. */
  listAudit(input: { limit: number }): AuditList;
  /** Every adapter in force, and what is wrong with the files of those that are not. */
  adapters(): AdapterList;
  /** Checks the text of an adapter file that need not be in force. */
  adapterCheck(file: { name: string; text: string }): AdapterCheck;
  /** Whether an agent is recognised in panes from now on; it is written into config.json. Fails with E_USAGE, E_CONFIG_INVALID. */
  adapterSwitch(input: { agent: string; enabled: boolean }): Promise<AdapterSwitched>;
  /** What the rules of a file, or of every adapter, say about a live pane; changes nothing. */
  adapterTry(input: { ref: string; file: { name: string; text: string } | null }): Promise<AdapterTry>;
  /** The settings that a surface may change, as the file has them at this moment and with what is in force. */
  configGet(): Promise<Settings>;
  /** Resolves once it is in force. Fails with E_USAGE naming the key, E_CONFIG_INVALID for a file that is not valid as it is. */
  configSet(input: { key: string; value: unknown }): Promise<Settings>;
  /** Looks only. Fails with E_TARGET_UNKNOWN, E_TARGET_UNREACHABLE. */
  integrationList(input: { target?: string | undefined }): Promise<IntegrationSummary[]>;
  /** `target`: this machine where it is left out. */
  integrationChange(input: {
    agent: string;
    target?: string | undefined;
    action: IntegrationAction;
    dryRun: boolean;
  }): Promise<IntegrationReport>;
  integrationVerify(input: { agent: string; target?: string | undefined }): Promise<IntegrationVerification>;
  /** Proves the chain of one target, or of all (null); looks only. Fails with E_REF_NOT_FOUND for an unknown name. */
  doctor(input: { target: string | null }): Promise<{ findings: Finding[] }>;
}

/** The service as it is reached through a connection: what the daemon answers at once takes a round trip there. */
export type ReachableService = Omit<DaemonService, SynchronousMethod> & {
  [M in SynchronousMethod]: (
    ...input: Parameters<DaemonService[M]>
  ) => ReturnType<DaemonService[M]> | Promise<ReturnType<DaemonService[M]>>;
};
type SynchronousMethod =
  | "hello"
  | "shutdown"
  | "listPanes"
  | "listWindows"
  | "listSessions"
  | "listTargets"
  | "listAudit"
  | "adapters"
  | "adapterCheck";

/** Shape of an error on the wire: tRPC's `data` carries it beside the message. */
export interface WireError {
  agtmuxCode: AgtmuxError["code"];
  remedy: string;
  details: readonly string[];
}
