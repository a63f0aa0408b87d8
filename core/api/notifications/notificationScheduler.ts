// Shows each notification once: follows the rows, waits where the policy says so, tells surfaces, and withdraws what is over.
// judgeNotification.ts makes the decisions; nothing counts as shown while nobody listens.
import type { NotificationKind, NotificationPolicy } from "../../model/notificationPolicy.ts";
import { isWaiting } from "../../model/state.ts";
import type { PaneView } from "../../model/view.ts";
import { AsyncQueue } from "../asyncQueue.ts";
import type { FeedChange } from "../../model/feedChange.ts";
import type { AgentNotification, NotificationEvent } from "../service.ts";
import {
  BURST_MS,
  judgeNotification,
  notificationKindOf,
  planBatch,
  SETTLE_MS,
} from "./judgeNotification.ts";
import { toGroupNotification, toNotification } from "./toNotification.ts";

export interface NotificationSchedulerDeps {
  now(): number;
  /** Local wall clock, 0 to 1439. */
  minuteOfDay(): number;
  setTimer(delayMs: number, callback: () => void): () => void;
  policy(): NotificationPolicy;
  /** Takes secrets out of a text, because notifications stay on screens and in the system's lists. */
  redact(text: string): string;
  /** True once the present wait was confirmed on the screen since the daemon's start. */
  isConfirmed(runtimeId: string): boolean;
  /** Whether the person looks at this pane now. Never rejects; false if that is not known. */
  isInFront(pane: PaneView): Promise<boolean>;
}

/** A wait that may need a notification. */
interface Candidate {
  readonly runtimeId: string;
  readonly kind: NotificationKind;
  topic: string;
  readonly heardAt: number;
  readonly since: number | null;
  pane: PaneView;
}

interface Told {
  readonly topic: string;
  readonly kind: NotificationKind;
  /** Null: the person saw it anyway, or does not want to be notified of it. */
  readonly notificationId: string | null;
}

/** Identifies a wait by its request, not by the source that noticed it. */
const topicOf = (pane: PaneView, kind: NotificationKind): string =>
  `${kind}/${isWaiting(kind) ? (pane.request?.body ?? "") : pane.state_version}`;

/** The first source that notices a wait may know less of it than a later one; it is still the same wait. */
const isSameWait = (known: Pick<Told, "topic" | "kind">, kind: NotificationKind, pane: PaneView): boolean =>
  known.topic === topicOf(pane, kind) || (known.kind === kind && (pane.request?.body ?? null) === null);

const isComplete = ({ request, prompt_fingerprint }: PaneView, kind: NotificationKind): boolean =>
  !isWaiting(kind) || (request !== null && prompt_fingerprint !== null && request.options.length > 0);

export class NotificationScheduler {
  private readonly deps: NotificationSchedulerDeps;
  private readonly queues = new Set<AsyncQueue<NotificationEvent>>();
  private readonly candidates = new Map<string, Candidate>();
  private readonly told = new Map<string, Told>();
  private readonly toldAt = new Map<string, number>();
  /** The agents for which a grouped notification still stands. */
  private readonly groups = new Map<string, Set<string>>();
  /** When the latest notices were shown. */
  private shownAt: number[] = [];
  private isLooking = false;
  private cancelLook: (() => void) | null = null;

  constructor(deps: NotificationSchedulerDeps) {
    this.deps = deps;
  }

  /** Takes in changes from ingest. */
  handleChanges(changes: readonly FeedChange[]): void {
    for (const change of changes) {
      if (change.kind === "removed" && change.identity.runtime_id !== null) {
        this.settle(change.identity.runtime_id);
        this.toldAt.delete(change.identity.runtime_id);
      }
      if (change.kind === "pane" && change.pane.identity.runtime_id !== null)
        this.consider(change.pane.identity.runtime_id, change.pane, change.isTransition);
    }
  }

  /** Looks again at held notifications; call about once a second. */
  review(): void {
    if (this.candidates.size > 0) void this.look();
  }

  /** A notification that follows from no state: shown at once, to those who listen now. */
  announce(notice: AgentNotification): void {
    this.emit({ kind: "show", notice });
  }

  close(): void {
    this.cancelLook?.();
    this.cancelLook = null;
  }

  private consider(runtimeId: string, pane: PaneView, isTransition: boolean): void {
    const candidate = this.candidates.get(runtimeId);
    const kind = notificationKindOf(pane.state);
    const about = candidate?.kind ?? this.told.get(runtimeId)?.kind ?? null;
    // Somebody has looked at the finished turn.
    if (!isTransition && about === "completed" && pane.unread_since === null) this.settle(runtimeId);
    if (candidate !== undefined && kind !== null && isSameWait(candidate, kind, pane)) {
      // More of a request may become known without a change of state.
      if (pane.request !== null || candidate.pane.request === null) candidate.pane = pane;
      return;
    }
    if (candidate?.kind === kind && kind !== null && !isTransition && candidate.pane.request === null) {
      candidate.pane = pane;
      candidate.topic = topicOf(pane, kind);
      return;
    }
    if (!isTransition) return;
    const told = this.told.get(runtimeId);
    if (kind !== null && told !== undefined && isSameWait(told, kind, pane)) return;
    this.settle(runtimeId);
    if (kind === null) return;
    this.candidates.set(runtimeId, {
      runtimeId,
      kind,
      topic: topicOf(pane, kind),
      heardAt: this.deps.now(),
      since: pane.since === null ? null : Date.parse(pane.since),
      pane,
    });
    this.cancelLook ??= this.deps.setTimer(SETTLE_MS, () => {
      this.cancelLook = null;
      void this.look();
    });
  }

  private async look(): Promise<void> {
    if (this.isLooking || this.queues.size === 0) return;
    this.isLooking = true;
    try {
      const ripe = this.takeRipe();
      const inFront = await Promise.all(ripe.map(({ pane }) => this.deps.isInFront(pane)));
      // The wait may be over meanwhile.
      const current = ripe.filter((one, index) => {
        if (this.candidates.get(one.runtimeId) !== one) return false;
        if (inFront[index] === true) this.markTold(one, null);
        return inFront[index] !== true;
      });
      this.tell(current);
    } finally {
      this.isLooking = false;
    }
  }

  private takeRipe(): Candidate[] {
    const policy = this.deps.policy();
    const now = this.deps.now();
    return [...this.candidates.values()].filter((one) => {
      const verdict = judgeNotification(
        {
          ...one,
          target: one.pane.identity.target,
          now,
          // The first question for the local time loads the time zones: half a megabyte for those who have no quiet hours.
          minuteOfDay: policy.quiet_hours === null ? 0 : this.deps.minuteOfDay(),
          isConfirmed: this.deps.isConfirmed(one.runtimeId),
          isComplete: isComplete(one.pane, one.kind),
          toldAt: this.toldAt.get(one.runtimeId) ?? null,
        },
        policy,
      );
      if (verdict.kind === "drop") this.markTold(one, null);
      return verdict.kind === "tell";
    });
  }

  private tell(ready: readonly Candidate[]): void {
    const { group_from: groupFrom, sounds } = this.deps.policy();
    const now = this.deps.now();
    const redact = (text: string): string => this.deps.redact(text);
    this.shownAt = this.shownAt.filter((at) => now - at < BURST_MS);
    const { singles, group } = planBatch(ready, { recent: this.shownAt.length, groupFrom });
    for (const one of singles) {
      const notice = toNotification(`${one.runtimeId}:${one.pane.state_version}`, one.pane, {
        kind: one.kind,
        sound: sounds[one.kind],
        redact,
      });
      this.show(notice, [one]);
    }
    const [first, ...rest] = group;
    if (first !== undefined) {
      const id = `group:${first.runtimeId}:${first.pane.state_version}`;
      this.groups.set(id, new Set(group.map(({ runtimeId }) => runtimeId)));
      this.show(toGroupNotification(id, [first, ...rest], { sound: sounds[first.kind], redact }), group);
    }
  }

  private show(notice: AgentNotification, about: readonly Candidate[]): void {
    this.shownAt.push(this.deps.now());
    for (const one of about) {
      this.markTold(one, notice.id);
      this.toldAt.set(one.runtimeId, this.deps.now());
    }
    this.emit({ kind: "show", notice });
  }

  private markTold({ runtimeId, topic, kind }: Candidate, notificationId: string | null): void {
    this.candidates.delete(runtimeId);
    this.told.set(runtimeId, { topic, kind, notificationId });
  }

  /**
   * The wait of this agent, and its notification, are over. A grouped notification is withdrawn with the last of its agents.
   */
  private settle(runtimeId: string): void {
    this.candidates.delete(runtimeId);
    const notificationId = this.told.get(runtimeId)?.notificationId ?? null;
    this.told.delete(runtimeId);
    if (notificationId === null) return;
    const group = this.groups.get(notificationId);
    group?.delete(runtimeId);
    if (group !== undefined && group.size > 0) return;
    this.groups.delete(notificationId);
    this.emit({ kind: "withdraw", id: notificationId });
  }

  private emit(event: NotificationEvent): void {
    for (const queue of this.queues) queue.push(event);
  }

  /** Surfaces that listen now. */
  get listenerCount(): number {
    return this.queues.size;
  }

  async *subscribe(signal: AbortSignal): AsyncGenerator<NotificationEvent> {
    const queue = new AsyncQueue<NotificationEvent>({ signal, limit: 1_000 });
    this.queues.add(queue);
    try {
      for await (const event of queue) if (event !== "overflow") yield event;
    } finally {
      this.queues.delete(queue);
    }
  }
}
