// The first prompts of agents that were just started: each waits until its agent is ready, and then goes the way of every text that
// a person sends, through the gate. It never goes into a dialog, to another agent or twice. They are kept in memory alone.
import { AgtmuxError } from "../../../core/model/errors.ts";
import type { Started } from "../../../core/model/started.ts";
import type { PaneView } from "../../../core/model/view.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";

export interface FirstPrompt {
  /** The agent that was started; another one never gets it. */
  agent: string;
  target: string;
  server: string;
  paneId: string;
  text: string;
}

export type PromptOutcome = Pick<Started, "prompt" | "prompt_detail">;

interface Waiting extends FirstPrompt {
  id: string;
  addedAt: number;
  /** The runtime that it is for, once it was seen. */
  runtimeId: string | null;
  /** Since when the agent has been ready without a break, with the version of that state. */
  ready: { at: number; version: number } | null;
  tries: number;
  isSending: boolean;
  settle: (outcome: PromptOutcome) => void;
}

const LOOK_EVERY_MS = 250;
/** So long the agent must have been ready: while it starts it draws its box before it takes keys. */
const READY_MS = 1_000;
/** An agent that is not there by then does not come, and one that asks for trust waits for its person. */
const APPEAR_MS = 60_000;
const EXPIRES_MS = 30 * 60_000;
const MAX_TRIES = 5;

/** Nothing is typed before that. */
const isReady = ({ state, confidence, request }: PaneView): boolean =>
  (state === "idle" || state === "completed") && confidence !== "low" && request === null;

/** After these nothing was sent, and the agent may be ready again. */
const mayTryAgain = (error: unknown): boolean =>
  error instanceof AgtmuxError && (error.code === "E_STALE_SNAPSHOT" || error.code === "E_PROMPT_OPEN");

export class FirstPrompts {
  private readonly context: Pick<FeatureContext, "rows" | "send" | "clock" | "ids">;
  private readonly waiting = new Map<string, Waiting>();
  private cancelLook: (() => void) | null = null;

  constructor(context: Pick<FeatureContext, "rows" | "send" | "clock" | "ids">) {
    this.context = context;
  }

  get count(): number {
    return this.waiting.size;
  }

  /** Resolves with what became of it. */
  add(prompt: FirstPrompt): Promise<PromptOutcome> {
    const { promise, resolve } = Promise.withResolvers<PromptOutcome>();
    const id = this.context.ids.next("fp");
    this.waiting.set(id, {
      ...prompt,
      id,
      addedAt: this.context.clock.now(),
      runtimeId: null,
      ready: null,
      tries: 0,
      isSending: false,
      settle: (outcome) => {
        this.waiting.delete(id);
        resolve(outcome);
      },
    });
    this.plan();
    return promise;
  }

  close(): void {
    this.cancelLook?.();
    for (const one of this.waiting.values())
      one.settle({ prompt: "dropped", prompt_detail: "the daemon ended before the agent was ready" });
  }

  private plan(): void {
    if (this.waiting.size === 0) return;
    this.cancelLook ??= this.context.clock.setTimer(LOOK_EVERY_MS, () => {
      this.cancelLook = null;
      const rows = this.context.rows.all();
      for (const one of this.waiting.values()) if (!one.isSending) this.look(one, rows);
      this.plan();
    });
  }

  private look(one: Waiting, rows: readonly PaneView[]): void {
    const now = this.context.clock.now();
    const row = rows.find(
      ({ identity }) =>
        identity.pane_id === one.paneId &&
        identity.target === one.target &&
        identity.tmux_server === one.server,
    );
    const lost = this.lostReason(one, row, now);
    if (lost !== null) one.settle({ prompt: "dropped", prompt_detail: lost });
    else if (row !== undefined && row.state !== null && row.agent === one.agent)
      this.lookAtAgent(one, row, now);
  }

  /** Why it will never be delivered; null: it may be. */
  private lostReason(one: Waiting, row: PaneView | undefined, now: number): string | null {
    const age = now - one.addedAt;
    if (age > EXPIRES_MS) return "the agent was not ready within half an hour";
    const runtimeId = row === undefined || row.agent !== one.agent ? null : row.identity.runtime_id;
    if (runtimeId === null) {
      if (one.runtimeId !== null) return "the agent ended before it was ready";
      return age > APPEAR_MS ? `no ${one.agent} was seen in the pane` : null;
    }
    one.runtimeId ??= runtimeId;
    return one.runtimeId === runtimeId ? null : "the agent was started again";
  }

  private lookAtAgent(one: Waiting, row: PaneView, now: number): void {
    if (!isReady(row)) {
      one.ready = null;
      return;
    }
    if (one.ready?.version !== row.state_version) one.ready = { at: now, version: row.state_version };
    if (now - one.ready.at >= READY_MS) void this.send(one, row);
  }

  private async send(one: Waiting, { state, state_version: version }: PaneView): Promise<void> {
    one.isSending = true;
    one.tries += 1;
    try {
      const { outcome, detail } = await this.context.send({
        ref: `runtime:${one.runtimeId ?? ""}`,
        guards: {
          ifRuntime: one.runtimeId,
          ifState: state,
          ifVersion: version,
          ifPrompt: null,
          ifUpdatedWithinMs: null,
          forceStale: false,
        },
        surface: "start",
        text: one.text,
        pressEnter: true,
        toShell: false,
        idempotencyKey: one.id,
      });
      one.settle({ prompt: outcome, prompt_detail: detail });
    } catch (error) {
      if (mayTryAgain(error) && one.tries < MAX_TRIES) {
        one.ready = null;
        one.isSending = false;
        return;
      }
      const detail = error instanceof Error ? error.message : "it could not be sent";
      // Where the connection broke it may have been typed.
      const isUnknown = error instanceof AgtmuxError && error.code === "E_TARGET_UNREACHABLE";
      one.settle({ prompt: isUnknown ? "unverified" : "not_delivered", prompt_detail: detail });
    }
  }
}
