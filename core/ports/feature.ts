// What a feature is to the daemon: a part beside core, handed to the daemon by its host, that core knows only by this contract. It
// sees what surfaces see, what adapters know of their agents, and files and programs of targets through their executors. It has no
// way of its own to a pane: keys go through the actions of the daemon. Also here: who makes a call, and the first text of an agent.
import type { NewAgentPane } from "../model/job.ts";
import type { Started, WorkspaceView } from "../model/workspace.ts";
import type { ActionResult, ActionGuards, AnswerChoice } from "../model/action.ts";
import type { Config } from "../model/config.ts";
import type { Check } from "../model/doctor.ts";
import type { Account } from "../model/runtime.ts";
import type { AccountLimits, AwakeView, FeedChange, PaneView } from "../model/view.ts";
import type { ToldRequest } from "../model/request.ts";
import type { AgentAdapter } from "./agentAdapter.ts";
import type { Clock, IdSource } from "./clock.ts";
import type { JobStore, RuleStore } from "./store.ts";
import type { Logger } from "./logger.ts";
import type { RunResult, TargetExecutor, TargetFiles } from "./targetExecutor.ts";

/** The page of the app, in this process; a program on the socket; or one that gives no hint, such as a browser. Few calls ask. */
export type Caller =
  | { readonly kind: "window" }
  /** `findPids`: the processes that prove to be the caller, at this moment; empty where that is not known. */
  | { readonly kind: "program"; readonly findPids: () => Promise<readonly number[]> }
  | { readonly kind: "unknown" };

/** What a procedure knows beside its input; absent: unknown. */
export interface CallContext {
  readonly caller?: Caller | undefined;
}

// First text of an agent that was just started: from the feature that starts agents to the one that sends texts later. Neither
// knows the other; the code that puts the features together hands this from one to the other.

/** How it went by now; `waiting`: it may still be sent. */
export type FirstTaskOutcome = Pick<Started, "prompt" | "prompt_detail">;

export interface FirstTasks {
  /**
   * Arms a text for the agent that appears in this pane. It is typed once, when that agent is ready, also by a later daemon; a
   * text with a secret is kept in memory alone (`isStored` false). @throws AgtmuxError E_USAGE for a text that is empty.
   */
  arm(task: { place: NewAgentPane; text: string; surface: string }): { jobId: string; isStored: boolean };
  outcomeOf(jobId: string): FirstTaskOutcome;
}

/** A call that surfaces make as `<feature>.<name>`. `parse` throws for what it refuses. */
interface FeatureCall {
  readonly kind: "query" | "mutation";
  readonly input: { parse(input: unknown): unknown };
}

/** The calls of a feature with what answers them, in this process or over a connection. `input` was checked before. */
export interface FeatureAnswers {
  readonly name: string;
  readonly calls: Readonly<Record<string, FeatureCall>>;
  answer(call: string, input: unknown, caller: Caller): unknown;
}

/** What a feature can ask and hear about the rows that surfaces see. */
interface FeatureRows {
  /** Called with each capture of an agent's screen, top to bottom. Must return at once. Returns the unsubscribe function. */
  onScreens(listener: (runtimeId: string, lines: readonly string[]) => void): () => void;
  /** Every row now, also of panes without an agent. */
  all(): readonly PaneView[];
  /** What stands on an agent's row of what is armed for it, in a few words; null: nothing. */
  setArmed(runtimeId: string, armed: string | null): void;
  /** What a pane shows now, top to bottom; null where it cannot be captured. For panes that nobody else captures. */
  readScreen(pane: PaneView): Promise<readonly string[] | null>;
  /** Whether the person looks at this pane now. Never rejects; false where that is not known. */
  isInFront(pane: PaneView): Promise<boolean>;
  /** True once the present wait of a runtime was confirmed on the screen since the daemon's start, and since `since` (epoch ms). */
  isConfirmed(runtimeId: string, since: number | null): boolean;
  /** Called when the first surface begins to draw rows for a person, and when the last ends. Returns the unsubscribe function. */
  onShown(listener: (areShown: boolean) => void): () => void;
  /** What is known of the worktree of a runtime, for its row; kept until the runtime ends or memory is rebuilt (`reset`). */
  setWorkspace(runtimeId: string, workspace: WorkspaceView | null): void;
}

/** A tmux server of a target. */
export interface FeatureTmux {
  readonly server: string;
  /**
   * Runs commands of tmux: the words behind the options that choose a server. `mayStart`: a server is started where none runs.
   * @throws AgtmuxError E_SOCKET_UNSAFE where the server is not the person's own.
   */
  run(
    words: readonly string[],
    options: { timeoutMs: number; maxBytes?: number; mayStart?: boolean },
  ): Promise<RunResult>;
}

/** A target that is connected now. */
export interface FeatureTarget {
  readonly kind: TargetExecutor["kind"];
  homeDir(): Promise<string>;
  readonly run: TargetExecutor["run"];
  /**
   * One of its tmux servers; null: the first that is watched.
   * @throws AgtmuxError E_TMUX_MISSING, E_USAGE for a server that is not watched.
   */
  tmux(server: string | null): FeatureTmux;
  /** Reads go over the connection through which the target is watched. */
  readonly files: TargetFiles;
  /** The folders of an agent that are known there, the usual ones first. */
  accounts(adapter: AgentAdapter): Promise<readonly Account[]>;
}

interface SendInput {
  ref: string;
  guards: ActionGuards;
  /** For the audit. */
  surface: string;
  text: string;
  pressEnter: boolean;
  toShell: boolean;
  idempotencyKey: string | null;
}

interface AnswerInput {
  ref: string;
  /** `ifPrompt` names what was shown. */
  guards: ActionGuards;
  choice: AnswerChoice;
  /** For the audit. */
  surface: string;
  idempotencyKey: string | null;
}

/** How a text reaches an agent while nobody watches: through the gate, on record, and only where it disturbs nobody. */
interface FeatureSends {
  /**
   * Why nothing may be typed to this agent now; null: it may. It only reads. `afterLimit`: it may also be one that stopped at a
   * limit of its provider. `isFirst`: nothing was typed to it since it was started; then agents whose input box cannot be read
   * are taken too.
   * @throws AgtmuxError E_TARGET_UNREACHABLE, E_STALE_SNAPSHOT, E_UNSUPPORTED as `send` would.
   */
  findObstacle(runtimeId: string, options: { afterLimit: boolean; isFirst: boolean }): Promise<string | null>;
  /**
   * Types a text and presses Enter, if this runtime still has this state version, rests, has an empty input box, and nobody types
   * there. The same key types once. @throws AgtmuxError where nothing was typed; after E_TARGET_UNREACHABLE that is not known.
   */
  send(input: {
    runtimeId: string;
    stateVersion: number;
    afterLimit: boolean;
    isFirst: boolean;
    text: string;
    surface: string;
    idempotencyKey: string;
  }): Promise<ActionResult>;
  /** When the limit that this agent stopped at ends, epoch ms; null: it stopped at none, or nobody knows. */
  findReset(runtimeId: string): number | null;
  /** Takes in the events that wait at this moment on the machine of this agent. @throws Error where they cannot be read. */
  takeEvents(runtimeId: string): Promise<void>;
}

/** How a request is answered while nobody watches: through the gate, on record, and an approval only without any doubt. */
interface FeatureRequests {
  /** What an agent asks now, to the letter; null where it isn't asking anything. */
  find(runtimeId: string): ToldRequest | null;
  /**
   * Answers this request if this runtime still has this state version, nobody types or reads there, and `obstacle`, asked directly
   * before the key, still gives null. `lookAgain` is awaited before that, once the dialog was found on the screen. The same key
   * answers once. @throws AgtmuxError where no key was pressed; after E_TARGET_UNREACHABLE that is not known.
   */
  answer(input: {
    runtimeId: string;
    stateVersion: number;
    fingerprint: string;
    choice: "approve" | "deny";
    surface: string;
    idempotencyKey: string;
    lookAgain: () => Promise<void>;
    obstacle: () => string | null;
  }): Promise<ActionResult>;
}

export interface FeatureContext {
  readonly rows: FeatureRows;
  /** What the row of this machine says of being kept awake; null: nothing. Clients hear of it only when it changed. */
  setAwake(awake: AwakeView | null): void;
  /** What the row of this machine says of a newer agtmux; null: nothing. Clients hear of it only when it changed. */
  setNewerRelease(version: string | null): void;
  /** What the row of a target says of its agents' accounts. Clients hear of it only when it changed. */
  setLimits(target: string, limits: readonly AccountLimits[]): void;
  /** Types a text through the gate, as a person does; see the call of this name. */
  send(input: SendInput): Promise<ActionResult>;
  /** Answers through the gate what a person was shown, as any surface does; see the call of this name. */
  answer(input: AnswerInput): Promise<ActionResult>;
  /** Puts something that was done on a person's order on record, where 'agtmux audit' shows it. `ref`: what it was done to. */
  record(entry: { action: string; surface: string; ref: string; outcome: string }): void;
  /** By the name that rows have. @throws AgtmuxError E_TARGET_UNKNOWN, E_TARGET_UNREACHABLE while there is no connection. */
  target(name: string): FeatureTarget;
  /** The configuration in force; ask each time. */
  config(): Config;
  /** Called after each change of it. Returns the unsubscribe function. */
  onConfigChange(listener: () => void): () => void;
  readonly configPath: string;
  readonly jobs: JobStore;
  readonly sends: FeatureSends;
  readonly requests: FeatureRequests;
  /** What rules did, and which of them a person armed. */
  readonly rules: RuleStore;
  /** Whether a surface listens now that shows what `tell` says. */
  hasListeners(): boolean;
  /** Tells the person at this desktop, where a surface listens; nothing else comes of it. */
  tell(told: { id: string; title: string; body: string; pane: PaneView }): void;
  /** True once everything was collected since the daemon's start: before that, what is missing may not be gone. */
  isReady(): boolean;
  /** The runtime home: a feature keeps its own files there, under its own name. */
  readonly homePath: string;
  /** The adapters of the agents that are not disabled; ask each time. */
  adapters(): readonly AgentAdapter[];
  /** Environment of the person, with HOME. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly uid: number;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
}

interface RunningFeature {
  answer(call: string, input: unknown, caller: Caller): unknown;
  /** After each commit, in order. Must return at once. */
  onChanges(changes: readonly FeedChange[]): void;
  /** True while something depends on this daemon to go on, so that one that was started on demand stays. */
  keepsAwake(): boolean;
  doctorChecks(): readonly Check[];
  close(): Promise<void>;
}

export interface Feature {
  /** One word; the first part of its calls. */
  readonly name: string;
  readonly calls: FeatureAnswers["calls"];
  /** Before the daemon collects anything, so that it gets every change. */
  start(context: FeatureContext): RunningFeature;
}
