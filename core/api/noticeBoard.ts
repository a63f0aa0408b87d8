// When a person is told: once per wait, withdrawn when it is over, silent for what lay in the spool and was not confirmed.
import { isWaiting, type CanonicalState } from "../model/state.ts";
import type { Config } from "../model/config.ts";
import type { PaneView } from "../model/view.ts";
import { AsyncQueue } from "./asyncQueue.ts";
import type { FeedChange } from "./feedHub.ts";
import type { Notice, NoticeEvent } from "./service.ts";

export interface NoticeBoardDeps {
  now(): number;
  policy(): Config["notifications"];
  /** True once the present wait was confirmed on the screen since the daemon's start. */
  isConfirmed(runtimeId: string): boolean;
}

/** A wait older than this when it is first heard of is backlog: it must be seen before anybody is told. */
const FRESH_MS = 10_000;

const isWanted = (state: CanonicalState, policy: Config["notifications"]): boolean => {
  switch (state) {
    case "waiting_approval":
      return policy.waiting_approval;
    case "waiting_input":
      return policy.waiting_input;
    case "error":
      return policy.error;
    case "completed":
      return policy.completed;
    case "running":
    case "idle":
    case "unknown":
      return false;
  }
};

const VERB: Partial<Record<CanonicalState, string>> = {
  waiting_approval: "needs a permission",
  waiting_input: "has a question",
  error: "stopped with an error",
  completed: "is done",
};

/** What tells one wait from the next: the thing asked, not the source that noticed it. */
const topicOf = (pane: PaneView): string =>
  `${pane.state}/${isWaiting(pane.state ?? "unknown") ? (pane.request?.body ?? "") : pane.state_version}`;

export const toNotice = (id: string, pane: PaneView): Notice => ({
  id,
  title: `${pane.agent_name ?? "Agent"} ${VERB[pane.state ?? "unknown"] ?? "changed"}`,
  body: [
    pane.request?.body?.split("\n")[0] ?? pane.request?.title,
    `${pane.identity.session_name} · ${pane.window_name}`,
  ]
    .filter(Boolean)
    .join("\n"),
  pane,
});

interface Shown {
  id: string;
  topic: string;
  state: CanonicalState;
}

export class NoticeBoard {
  private readonly deps: NoticeBoardDeps;
  private readonly queues = new Set<AsyncQueue<NoticeEvent>>();
  private readonly shown = new Map<string, Shown>();
  private readonly held = new Map<string, PaneView>();

  constructor(deps: NoticeBoardDeps) {
    this.deps = deps;
  }

  /** Feeds the board with what ingest changed. */
  heed(changes: readonly FeedChange[]): void {
    for (const change of changes) {
      if (change.kind === "removed" && change.runtimeId !== null) this.clear(change.runtimeId);
      if (change.kind === "pane" && change.isTransition && change.pane.identity.runtime_id !== null)
        this.consider(change.pane.identity.runtime_id, change.pane);
    }
  }

  /** Looks again at held waits; call about once a second. */
  review(): void {
    for (const [runtimeId, pane] of this.held)
      if (this.deps.isConfirmed(runtimeId)) {
        this.held.delete(runtimeId);
        this.show(runtimeId, pane);
      }
  }

  private consider(runtimeId: string, pane: PaneView): void {
    const known = this.shown.get(runtimeId);
    const state = pane.state ?? "unknown";
    if (!isWanted(state, this.deps.policy())) {
      this.clear(runtimeId);
      return;
    }
    // The first source to notice a wait may know less of it than the next one; that is still the same wait.
    if (known?.topic === topicOf(pane) || (known?.state === state && (pane.request?.body ?? null) === null))
      return;
    if (known !== undefined) this.clear(runtimeId);
    const age = pane.since === null ? 0 : this.deps.now() - Date.parse(pane.since);
    if (age <= FRESH_MS || this.deps.isConfirmed(runtimeId)) this.show(runtimeId, pane);
    else this.held.set(runtimeId, pane);
  }

  private show(runtimeId: string, pane: PaneView): void {
    const id = `${runtimeId}:${pane.state_version}`;
    this.shown.set(runtimeId, { id, topic: topicOf(pane), state: pane.state ?? "unknown" });
    this.emit({ kind: "show", notice: toNotice(id, pane) });
  }

  private clear(runtimeId: string): void {
    this.held.delete(runtimeId);
    const known = this.shown.get(runtimeId);
    if (known === undefined) return;
    this.shown.delete(runtimeId);
    this.emit({ kind: "withdraw", id: known.id });
  }

  private emit(event: NoticeEvent): void {
    for (const queue of this.queues) queue.push(event);
  }

  /** Surfaces that listen now. */
  get listenerCount(): number {
    return this.queues.size;
  }

  async *subscribe(signal: AbortSignal): AsyncGenerator<NoticeEvent> {
    const queue = new AsyncQueue<NoticeEvent>({ signal, limit: 1_000 });
    this.queues.add(queue);
    try {
      for await (const event of queue) if (event !== "overflow") yield event;
    } finally {
      this.queues.delete(queue);
    }
  }
}
