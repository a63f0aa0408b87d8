// What a feature is to the daemon: a part that stands beside core, is handed to the daemon by its host, and that core knows
// only by this contract. It sees what surfaces see, and what adapters know of their agents; it reaches no pane, no tmux and no other machine.
import type { Config } from "../model/config.ts";
import type { Check } from "../model/doctorCheck.ts";
import type { FeedChange } from "../model/feedChange.ts";
import type { PaneView } from "../model/view.ts";
import type { AgentAdapter } from "./agentAdapter.ts";
import type { Clock, IdSource } from "./clock.ts";
import type { JobStore } from "./jobStore.ts";
import type { Logger } from "./logger.ts";

/** A call that surfaces make as `<feature>.<name>`. `parse` throws for what it refuses. */
export interface FeatureCall {
  readonly kind: "query" | "mutation";
  readonly input: { parse(input: unknown): unknown };
}

/** The calls of a feature with what answers them, in this process or over a connection. `input` was checked before. */
export interface FeatureAnswers {
  readonly name: string;
  readonly calls: Readonly<Record<string, FeatureCall>>;
  answer(call: string, input: unknown): unknown;
}

/** What the daemon tells a feature about the rows that surfaces see. */
interface FeatureRows {
  /** Called with each look at the screen of an agent, top to bottom. Must return at once. Returns the unsubscribe function. */
  onScreens(listener: (runtimeId: string, lines: readonly string[]) => void): () => void;
  /** Every row now, also of panes without an agent. */
  all(): readonly PaneView[];
  /** Whether the person looks at this pane now. Never rejects; false where that is not known. */
  isInFront(pane: PaneView): Promise<boolean>;
  /** True once the present wait of a runtime was confirmed on the screen since the daemon's start. */
  isConfirmed(runtimeId: string): boolean;
}

export interface FeatureContext {
  readonly rows: FeatureRows;
  /** The configuration in force; ask each time. */
  config(): Config;
  /** Called after each change of it. Returns the unsubscribe function. */
  onConfigChange(listener: () => void): () => void;
  readonly configPath: string;
  readonly jobs: JobStore;
  /** Tells the person at this desktop, where a surface listens; nothing else comes of it. */
  tell(told: { id: string; title: string; body: string; pane: PaneView }): void;
  /** True once everything was looked at since the daemon's start: before that, what is missing may not be gone. */
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

export interface RunningFeature {
  answer(call: string, input: unknown): unknown;
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
  /** Before the daemon looks at anything, so that it gets every change. */
  start(context: FeatureContext): RunningFeature;
}
