// Notifications: their words and actions, and the scheduler that shows each one once: it follows the rows, waits where the policy
// says so, sends notifications to the surfaces, and withdraws what is over. Whether and when a person is notified is decided in
// judgeNotification.ts; nothing counts as shown while no surface listens.
import {
  NOTIFICATION_KINDS,
  type NotificationKind,
  type NotificationPolicy,
  type AgentNotification,
  type NotificationAction,
  type NotificationReply,
  type NotificationEvent,
} from "../../model/notifications.ts";
import type { RequestView } from "../../model/request.ts";
import {
  askedLine,
  remarkText,
  folderOf,
  rowTitle,
  REASON_WORDS,
  STATE_WORDS,
  stateCount,
} from "../../model/words.ts";
import type { PaneView, FeedChange } from "../../model/view.ts";
import { isWaiting } from "../../model/needs.ts";
import { AsyncQueue } from "../feedHub.ts";
import {
  BURST_MS,
  judgeNotification,
  notificationKindOf,
  planBatch,
  SETTLE_MS,
} from "./judgeNotification.ts";

// Words and actions: text of agents is hostile, so it is cut to one bounded line without control characters; surfaces still escape
// it as they need.

const MAX_LINE = 160;
const MAX_TITLE = 80;
const MAX_LABEL = 40;
/** The longest request, in characters, that may be answered from its notification. */
const MAX_ANSWERED = 100;
/** A question with more options is answered in the popover or the pane. */
const MAX_OPTIONS = 4;
/** How many panes a grouped notification names. */
const NAMED = 3;

/** Kinds whose request can fit on one line; the others also have the content of an edit or the name of a tool. */
const NEEDS_NO_MORE: ReadonlySet<RequestView["kind"]> = new Set(["command", "question", "other"]);

type Redact = (text: string) => string;

const plain = (text: string, limit: number): string => {
  const clean = text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .replaceAll(/\s+/gu, " ")
    .trim();
  return clean.length <= limit ? clean : `${clean.slice(0, limit - 1).trimEnd()}…`;
};

/** A label that is shown unchanged. */
const isPlain = (label: string): boolean => plain(label, MAX_LABEL) === label;

/** What a notification begins with: the state, as rows say it. */
const stateWords = (kind: NotificationKind): string => {
  const [first = "", ...rest] = STATE_WORDS[kind];
  return `${first.toUpperCase()}${rest.join("")}`;
};

const nameOf = (pane: PaneView): string => plain(pane.agent_name ?? "Agent", MAX_LABEL);

/** Agent, machine, repository and branch, as in the second line of a row; without a repository the folder or the session. */
const placeOf = (pane: PaneView): string => {
  const { identity, activity } = pane;
  const parts = [
    nameOf(pane),
    identity.target === "host" ? "" : identity.target,
    (activity?.repository ?? "") || folderOf(pane) || identity.session_name,
    activity?.branch ?? "",
  ];
  return plain(parts.filter((part) => part !== "").join(" · "), MAX_LINE);
};

/** The row's title: the work, where that is known. */
const titleOf = (pane: PaneView, redact: Redact): string => plain(redact(rowTitle(pane).text), MAX_TITLE);

const isReason = (code: string): code is keyof typeof REASON_WORDS => Object.hasOwn(REASON_WORDS, code);

interface Asked {
  /** What is asked, on one line and without secrets. */
  line: string;
  /** True when `line` is the complete request, to the letter. */
  isWhole: boolean;
  /** The agent's remark on it. Where the remark does not fit too, the request is not whole here. */
  remark: string;
}

/**
 * A notification is read at a glance and stays where others may see it. So its line counts as the complete request only if it
 * is short and neither redaction nor cleaning changed it.
 */
const askedOf = ({ request }: PaneView, redact: Redact): Asked => {
  const text = request?.body ?? request?.title ?? "";
  if (request?.kind === "edit")
    return { line: plain(redact(askedLine(request)), MAX_LINE), isWhole: false, remark: "" };
  const [first = "", ...more] = redact(text).trim().split("\n");
  const line = plain(more.length === 0 ? first : `${first} …`, MAX_LINE);
  const said = request === null ? "" : remarkText(request);
  const isSaid = plain(redact(said), MAX_LINE) === said;
  const isAll = line === text && text.length <= MAX_ANSWERED && isSaid;
  const isWhole = request?.is_whole === true && isAll && NEEDS_NO_MORE.has(request.kind);
  return { line, isWhole, remark: isWhole ? said : "" };
};

/** What is asked; else what went wrong, or what was said last. */
const lineOf = (pane: PaneView, kind: NotificationKind, asked: Asked, redact: Redact): string => {
  const { activity, progress, reason_code: reason } = pane;
  switch (kind) {
    case "waiting_approval":
    case "waiting_input":
      return asked.line;
    case "error": {
      const known = reason !== null && isReason(reason) ? REASON_WORDS[reason] : "";
      const parts = [known, progress ?? ""].filter((part) => part !== "");
      return plain(redact(parts.join(" · ")), MAX_LINE);
    }
    case "completed":
      return plain(redact(activity?.said ?? ""), MAX_LINE);
  }
};

/**
 * An action whose keys are not known is left out, because it would be refused. So is a yes to a request that is shown only in
 * part: the hidden part may be the dangerous one.
 */
const actionsOf = (pane: PaneView, kind: NotificationKind, { isWhole }: Asked): NotificationAction[] => {
  const { request, prompt_fingerprint } = pane;
  const attach: NotificationAction = { kind: "attach", label: "Open" };
  const isElsewhere = pane.background?.is_answered_elsewhere === true;
  if (request === null || prompt_fingerprint === null || isElsewhere) return [attach];
  const known = request.options.filter(({ keys }) => keys !== null && keys.length > 0);
  const has = (role: "approve" | "deny"): boolean => known.some((option) => option.role === role);
  if (kind === "waiting_approval")
    return [
      ...(isWhole && has("approve") ? [{ kind: "approve", label: "Approve" } as const] : []),
      ...(has("deny") ? [{ kind: "deny", label: "Deny" } as const] : []),
      attach,
    ];
  const isChosenHere =
    isWhole &&
    known.length === request.options.length &&
    known.length <= MAX_OPTIONS &&
    known.every(({ label, description }) => isPlain(label) && (description ?? "") === "");

  if (kind === "waiting_input" && isChosenHere)
    return [
      ...request.options.map(({ label }, index): NotificationAction => ({
        kind: "option",
        number: index + 1,
        label: plain(label, MAX_LABEL),
      })),
      attach,
    ];
  return [attach];
};

const replyOf = (
  { request, prompt_fingerprint, background }: PaneView,
  kind: NotificationKind,
  { isWhole }: Asked,
): NotificationReply | null => {
  switch (kind) {
    case "waiting_approval":
      return null;
    case "waiting_input":
      return isWhole &&
        (request?.text_entry ?? null) !== null &&
        prompt_fingerprint !== null &&
        background?.is_answered_elsewhere !== true
        ? "answer"
        : null;
    case "error":
    case "completed":
      return "send";
  }
};

/** The notification of one pane. `sound`: as in the policy. */
export const toNotification = (
  id: string,
  pane: PaneView,
  { kind, sound, redact }: { kind: NotificationKind; sound: string; redact: Redact },
): AgentNotification => {
  const asked = askedOf(pane, redact);
  return {
    id,
    kind,
    title: `${stateWords(kind)}: ${titleOf(pane, redact)}`,
    body: [lineOf(pane, kind, asked, redact), isWaiting(kind) ? asked.remark : "", placeOf(pane)]
      .filter(Boolean)
      .join("\n"),
    pane,
    count: 1,
    sound,
    actions: actionsOf(pane, kind, asked),
    reply: replyOf(pane, kind, asked),
  };
};

/** One notification for many panes, the most urgent first; it leads to the list. */
export const toGroupNotification = (
  id: string,
  told: readonly [
    { pane: PaneView; kind: NotificationKind },
    ...{ pane: PaneView; kind: NotificationKind }[],
  ],
  { sound, redact }: { sound: string; redact: Redact },
): AgentNotification => {
  const counts = NOTIFICATION_KINDS.flatMap((kind) => {
    const count = told.filter((one) => one.kind === kind).length;
    return count === 0 ? [] : [stateCount(kind, count)];
  });
  const names = told.slice(0, NAMED).map(({ pane }) => `${titleOf(pane, redact)} · ${nameOf(pane)}`);
  const more = told.length - names.length;
  return {
    id,
    kind: told[0].kind,
    title: `${told.length} agents: ${counts.join(", ")}`,
    body: [...names, ...(more > 0 ? [`and ${more} more`] : [])].join("\n"),
    pane: told[0].pane,
    count: told.length,
    sound,
    actions: [],
    reply: null,
  };
};

// Scheduler.

export interface NotificationSchedulerDeps {
  now(): number;
  /** Local wall clock, 0 to 1439. */
  minuteOfDay(): number;
  setTimer(delayMs: number, callback: () => void): () => void;
  policy(): NotificationPolicy;
  /** Takes secrets out of a text, because notifications stay on screens and in the system's lists. */
  redact(text: string): string;
  /**
   * True once the present wait was confirmed on the screen since the daemon's start, and since `since` (epoch ms; null: ever). With
   * `since` also for a turn that ended.
   */
  isConfirmed(runtimeId: string, since: number | null): boolean;
  /** Whether the person has this pane in front now. Never rejects; false if that is not known. */
  isInFront(pane: PaneView): Promise<boolean>;
}

/** A wait of which nothing is known goes on, as after sleep, if it is seen again within this time. */
const LAPSE_MS = 60_000;

/** Reviews come every second: when none came for so long, the machine slept. */
const LEAP_MS = 10_000;

/** A wait that may need a notification. */
interface Candidate {
  readonly runtimeId: string;
  readonly kind: NotificationKind;
  topic: string;
  heardAt: number;
  /** When time was last seen to pass. */
  reviewedAt: number;
  /** When the machine woke up, epoch ms: what was heard before it slept may be over. Null: it did not sleep since. */
  wokeAt: number | null;
  readonly since: number | null;
  pane: PaneView;
  /** As its row says now, whatever the row of the wait. */
  isMuted: boolean;
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
  /** Since when nothing is known of a wait that was told, by agent. */
  private readonly lapsed = new Map<string, number>();
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

  /** Judges held notifications again; call about once a second. */
  review(): void {
    this.noteTime();
    for (const [runtimeId, at] of this.lapsed) if (this.deps.now() - at >= LAPSE_MS) this.settle(runtimeId);
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
    if (candidate !== undefined) candidate.isMuted = pane.muted !== null;
    const about = candidate?.kind ?? this.told.get(runtimeId)?.kind ?? null;
    // Somebody has seen the finished turn.
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
    if (pane.state === "unknown" && told !== undefined && isWaiting(told.kind)) {
      if (!this.lapsed.has(runtimeId)) this.lapsed.set(runtimeId, this.deps.now());
      return;
    }
    this.lapsed.delete(runtimeId);
    if (kind !== null && told !== undefined && isSameWait(told, kind, pane)) return;
    this.settle(runtimeId);
    if (kind === null) return;
    this.candidates.set(runtimeId, {
      runtimeId,
      kind,
      topic: topicOf(pane, kind),
      heardAt: this.deps.now(),
      reviewedAt: this.deps.now(),
      wokeAt: null,
      since: pane.since === null ? null : Date.parse(pane.since),
      pane,
      isMuted: pane.muted !== null,
    });
    this.cancelLook ??= this.deps.setTimer(SETTLE_MS, () => {
      this.cancelLook = null;
      void this.look();
    });
  }

  /** What was heard before the machine slept is heard again, and nobody is told of it before it was seen again. */
  private noteTime(): void {
    const now = this.deps.now();
    for (const one of this.candidates.values()) {
      if (now - one.reviewedAt > LEAP_MS) {
        one.heardAt = now;
        one.wokeAt = now;
      }
      one.reviewedAt = now;
    }
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
    this.noteTime();
    const policy = this.deps.policy();
    const now = this.deps.now();
    return [...this.candidates.values()].filter((one) => {
      const verdict = judgeNotification(
        {
          ...one,
          target: one.pane.identity.target,
          agent: one.pane.agent,
          now,
          // Asking for the local time loads the time zones, half a megabyte, which is wasted without quiet hours.
          minuteOfDay: policy.quiet_hours === null ? 0 : this.deps.minuteOfDay(),
          isConfirmed: this.deps.isConfirmed(one.runtimeId, one.wokeAt),
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

  /** The wait of this agent, and its notification, are over. A grouped notification is withdrawn with the last of its agents. */
  private settle(runtimeId: string): void {
    this.candidates.delete(runtimeId);
    this.lapsed.delete(runtimeId);
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
