// The channels in force (`ChannelSet`), each with its queue (`ChannelQueue`): each decides by itself what is told, as the app's
// notifications do. When config.json changes, a channel that stayed as it is keeps what it knows. How one message goes out is in
// delivery.ts.
import {
  type ChannelResult,
  checkChannels,
  type Channel,
  type ChannelView,
  NOTIFICATION_KINDS,
  type NotificationPolicy,
} from "../../../core/model/notifications.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import {
  type ChannelMessage,
  messageOf,
  redactSent,
  testMessage,
  watchMessage,
  type MessageContext,
} from "./channelMessage.ts";
import { type Delivery, type Deliver, postMessage, runCommand } from "./delivery.ts";
import { NotificationScheduler } from "../../../core/api/notifications/notificationScheduler.ts";
import { isQuiet, minuteOfDay } from "../../../core/api/notifications/judgeNotification.ts";
import type { FeedChange } from "../../../core/model/view.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import type { WatchMessage } from "../watches/watchRunner.ts";
import { pauseFor } from "./pauseFor.ts";
import { PhoneAnswers } from "./phoneAnswers.ts";

const MAX_WAITING = 20;
/** Notifications that may still be withdrawn. */
const MAX_SHOWN = 500;
/** Pauses before the second and the third try. */
const RETRY_MS = [1_000, 5_000];

interface Waiting {
  readonly message: ChannelMessage;
  /** A test is tried once, and somebody waits for its result. */
  readonly settle: ((delivery: Delivery) => void) | null;
}

const CLOSED: Delivery = { outcome: "not_delivered", detail: "the channel was closed", mayRetry: false };

/**
 * The messages of one channel on their way out: one at a time, a bounded number waiting, a few tries each. A channel that hangs
 * delays nothing but its own messages. What was withdrawn before its turn is never sent.
 */
export class ChannelQueue {
  private readonly deps: ConstructorParameters<typeof ChannelQueue>[0];
  private readonly aborter = new AbortController();
  private readonly waiting: Waiting[] = [];
  private readonly shown = new Set<string>();
  private running: Promise<void> | null = null;
  private missed = 0;
  private droppedEver = 0;
  private lastResult: ChannelResult | null = null;

  constructor(deps: {
    readonly clock: Clock;
    /** One attempt. */
    readonly deliver: (message: ChannelMessage, signal: AbortSignal) => Promise<Delivery>;
    readonly onNotDelivered: (detail: string) => void;
  }) {
    this.deps = deps;
  }

  get state(): { waiting: number; dropped: number; last: ChannelResult | null } {
    return { waiting: this.waiting.length, dropped: this.droppedEver, last: this.lastResult };
  }

  /** Returns at once, as `push` does. `most`: so many whose ids begin in the same way may wait, then the oldest is dropped. */
  pushFew(message: ChannelMessage, beginning: string, most: number): void {
    const isSame = ({ message: { id } }: Waiting): boolean => id.startsWith(beginning);
    if (this.waiting.filter(isSame).length >= most) this.dropOldest(isSame);
    this.push(message);
  }

  push(message: ChannelMessage): void {
    if (this.aborter.signal.aborted || (message.event === "withdraw" && this.isTakenBack(message.id))) return;
    if (this.waiting.length >= MAX_WAITING) this.dropOldest(({ settle }) => settle === null);
    // It may be on its way when its withdrawal comes.
    if (message.event === "show") this.remember(message.id);
    this.waiting.push({ message, settle: null });
    this.run();
  }

  /** Sends before all that waits, with one attempt; never rejects. */
  test(message: ChannelMessage): Promise<Delivery> {
    if (this.aborter.signal.aborted) return Promise.resolve(CLOSED);
    return new Promise((settle) => {
      this.waiting.unshift({ message, settle });
      this.run();
    });
  }

  /** Ends what is under way; nothing is sent afterwards. */
  async close(): Promise<void> {
    this.aborter.abort();
    for (const { settle } of this.waiting.splice(0)) settle?.(CLOSED);
    await this.running;
  }

  /** Whether there is nothing to withdraw: it never went out, or waited and now does not, or is being withdrawn. */
  private isTakenBack(id: string): boolean {
    const at = this.waiting.findIndex(({ message }) => message.id === id);
    if (at === -1) return !this.shown.has(id);
    if (this.waiting[at]?.message.event === "show") {
      this.waiting.splice(at, 1);
      this.shown.delete(id);
    }
    return true;
  }

  private remember(id: string): void {
    this.shown.delete(id);
    this.shown.add(id);
    const [oldest] = this.shown;
    if (this.shown.size > MAX_SHOWN && oldest !== undefined) this.shown.delete(oldest);
  }

  private dropOldest(mayDrop: (one: Waiting) => boolean): void {
    const at = this.waiting.findIndex(mayDrop);
    const [dropped] = at === -1 ? [] : this.waiting.splice(at, 1);
    if (dropped?.message.event !== "show") return;
    this.shown.delete(dropped.message.id);
    this.missed += 1;
    this.droppedEver += 1;
  }

  private run(): void {
    this.running ??= this.sendAll().finally(() => {
      this.running = null;
      if (this.waiting.length > 0) this.run();
    });
  }

  private async sendAll(): Promise<void> {
    // Nothing of a delivery happens within the caller's turn.
    await Promise.resolve();
    for (;;) {
      const next = this.waiting.shift();
      if (next === undefined) return;
      if (next.message.event === "withdraw" && !this.shown.delete(next.message.id)) continue;
      const { missed } = this;
      const delivery = await this.tryOften({ ...next.message, missed }, next.settle === null ? RETRY_MS : []);
      if (delivery.outcome === "delivered") this.missed -= missed;
      else if (next.message.event === "show") this.shown.delete(next.message.id);
      this.note(next.message, delivery);
      next.settle?.(delivery);
    }
  }

  private async tryOften(message: ChannelMessage, pauses: readonly number[]): Promise<Delivery> {
    const { signal } = this.aborter;
    for (const pause of [...pauses, null]) {
      if (signal.aborted) return CLOSED;
      const delivery = await this.deps.deliver(message, signal).catch((error: unknown): Delivery => ({
        outcome: "not_delivered",
        detail: error instanceof Error ? error.name : "it failed",
        mayRetry: false,
      }));
      if (delivery.outcome === "delivered" || !delivery.mayRetry || pause === null) return delivery;
      await pauseFor(pause, this.deps.clock, signal);
    }
    return CLOSED;
  }

  private note({ event }: ChannelMessage, delivery: Delivery): void {
    const detail = delivery.outcome === "delivered" ? "" : delivery.detail;
    if (delivery.outcome === "not_delivered") this.deps.onNotDelivered(detail);
    // Not every server can withdraw, and then all else still works.
    if (event === "withdraw") return;
    const at = new Date(this.deps.clock.now()).toISOString();
    this.lastResult = { at, outcome: delivery.outcome, detail };
  }
}

/** Of one attempt. */
const DELIVERY_LIMIT_MS = 10_000;
const REVIEW_MS = 1_000;
/** Messages of one watch that may wait. */
const MAX_OF_WATCH = 3;

export const deliver: Deliver = (channel, message, context) => {
  switch (channel.kind) {
    case "command":
      return runCommand(channel.argv, message, context);
    case "webhook":
    case "ntfy":
      return postMessage(channel, message, context);
  }
};

/**
 * The policy of the app with the channel's own choice of events and quiet hours. An agent that notifies by itself reaches nobody who
 * is away, so none is muted here.
 */
const policyOf = (channel: Channel, policy: NotificationPolicy): NotificationPolicy => {
  const told: Partial<NotificationPolicy> = {};
  for (const kind of NOTIFICATION_KINDS) told[kind] = channel.events.includes(kind);
  return {
    ...policy,
    ...told,
    muted_agents: [],
    quiet_hours: channel.quiet === undefined ? policy.quiet_hours : channel.quiet,
  };
};

/** Where it goes, for a list: an address may hold a secret behind its host. */
const destinationOf = (channel: Channel): string => {
  switch (channel.kind) {
    case "command":
      return channel.argv[0] ?? "";
    case "webhook":
    case "ntfy":
      return new URL(channel.url).host;
  }
};

interface OpenChannel {
  readonly channel: Channel;
  readonly text: string;
  readonly queue: ChannelQueue;
  /** Null where it takes none. */
  readonly answers: PhoneAnswers | null;
  handleChanges(changes: readonly FeedChange[]): void;
  review(): void;
  close(): Promise<void>;
}

const messageContext = (channel: Channel, { clock, redact }: FeatureContext): MessageContext => ({
  channel,
  at: clock.now(),
  redact: redactSent(redact),
});

const openChannel = (channel: Channel, context: FeatureContext, handOver: Deliver): OpenChannel => {
  const { clock, env, uid, logger } = context;
  const home = env["HOME"] ?? "/";
  const scheduler = new NotificationScheduler({
    now: () => clock.now(),
    minuteOfDay: () => minuteOfDay(clock.now()),
    setTimer: (delayMs, callback) => clock.setTimer(delayMs, callback),
    policy: () => policyOf(channel, context.config().notifications),
    redact: redactSent(context.redact),
    isConfirmed: (runtimeId, since) => context.rows.isConfirmed(runtimeId, since),
    isInFront: (pane) => context.rows.isInFront(pane),
  });
  const queue = new ChannelQueue({
    clock,
    deliver: (message, signal) =>
      handOver(channel, message, { env, home, uid, signal, timeoutMs: DELIVERY_LIMIT_MS }),
    onNotDelivered: (detail) =>
      logger.warn({ channel: channel.name, detail }, "a message was not delivered over a channel"),
  });
  const answers =
    channel.kind === "ntfy" && channel.answers
      ? new PhoneAnswers({ channel, context, push: (message) => queue.push(message) })
      : null;
  const aborter = new AbortController();
  const follow = async (): Promise<void> => {
    for await (const event of scheduler.subscribe(aborter.signal)) {
      const message = (): ChannelMessage => messageOf(event, messageContext(channel, context));
      if (answers === null) queue.push(message());
      else if (event.kind === "withdraw") {
        answers.end(event.id);
        if (!answers.hasReplaced(event.id)) queue.push(message());
      } else {
        await answers.untilTried();
        queue.push(answers.dress(event.notice, message()));
      }
    }
  };
  const following = follow().catch((error: unknown) => logger.error({ error }, "a channel stopped"));
  return {
    channel,
    text: JSON.stringify(channel),
    queue,
    answers,
    handleChanges: (changes) => {
      answers?.handleChanges(changes);
      scheduler.handleChanges(changes);
    },
    review: () => scheduler.review(),
    close: async () => {
      scheduler.close();
      aborter.abort();
      await Promise.all([queue.close(), answers?.close(), following]);
    },
  };
};

export class ChannelSet {
  private readonly context: FeatureContext;
  private readonly handOver: Deliver;
  private configured: Channel[] = [];
  private open: OpenChannel[] = [];
  private readonly closing = new Set<Promise<void>>();
  private stopReviews: (() => void) | null = null;

  constructor(context: FeatureContext, handOver: Deliver = deliver) {
    this.context = context;
    this.handOver = handOver;
    this.apply();
  }

  /** Makes the channels those of the configuration in force. */
  apply(): void {
    this.configured = checkChannels(this.context.config().channels).channels;
    const wanted = this.configured.filter(({ enabled }) => enabled);
    const before = new Map(this.open.map((one) => [one.text, one]));
    this.open = wanted.map((channel) => {
      const text = JSON.stringify(channel);
      const kept = before.get(text);
      before.delete(text);
      return kept ?? openChannel(channel, this.context, this.handOver);
    });
    for (const old of before.values()) this.closeOne(old);
    this.reviewWhileOpen();
  }

  handleChanges(changes: readonly FeedChange[]): void {
    for (const one of this.open) one.handleChanges(changes);
  }

  /** One channel at any hour, as the person asked for it; of all of them those outside of their quiet hours. */
  private speaking(name: string | null): OpenChannel[] {
    const { clock } = this.context;
    const { notifications } = this.context.config();
    return this.open.filter(({ channel }) => {
      if (name !== null) return name === channel.name;
      return !isQuiet(policyOf(channel, notifications).quiet_hours, minuteOfDay(clock.now()));
    });
  }

  /** Whether a channel would send it now; null: any. */
  speaks(name: string | null): boolean {
    return this.speaking(name).length > 0;
  }

  tell(message: WatchMessage): void {
    for (const { channel, queue, answers } of this.speaking(message.channel)) {
      const sent = watchMessage(message, messageContext(channel, this.context));
      const dressed = answers?.dressForText(message.row, sent) ?? sent;
      queue.pushFew(dressed, `${message.jobId}:`, MAX_OF_WATCH);
    }
  }

  get count(): number {
    return this.open.length;
  }

  views(): ChannelView[] {
    const { quiet_hours } = this.context.config().notifications;
    return this.configured.map((channel) => {
      const { name, kind, enabled, events, include, quiet = quiet_hours } = channel;
      const open = this.openOf(name);
      const state = open?.queue.state ?? { waiting: 0, dropped: 0, last: null };
      const answers = open?.answers?.view ?? null;
      return { name, kind, enabled, to: destinationOf(channel), events, include, quiet, ...state, answers };
    });
  }

  names(): string[] {
    return this.open.map(({ channel }) => channel.name);
  }

  /** Null for a name that no channel in force has. */
  async test(name: string): Promise<Delivery | null> {
    const found = this.openOf(name);
    if (found === undefined) return null;
    const id = this.context.ids.next("test");
    return found.queue.test(testMessage(id, messageContext(found.channel, this.context)));
  }

  /** Lets a channel take answers again. Null for a name that no channel in force has; false where nothing was paused. */
  resume(name: string): boolean | null {
    const found = this.openOf(name);
    return found === undefined ? null : (found.answers?.resume() ?? false);
  }

  async close(): Promise<void> {
    this.stopReviews?.();
    this.stopReviews = null;
    for (const one of this.open.splice(0)) this.closeOne(one);
    await Promise.all(this.closing);
  }

  private openOf(name: string): OpenChannel | undefined {
    return this.open.find(({ channel }) => channel.name === name);
  }

  private closeOne(one: OpenChannel): void {
    const closed = one.close().finally(() => this.closing.delete(closed));
    this.closing.add(closed);
  }

  /** What is held back becomes due by time alone. */
  private reviewWhileOpen(): void {
    if (this.open.length === 0) {
      this.stopReviews?.();
      this.stopReviews = null;
    } else
      this.stopReviews ??= this.context.clock.setTimer(REVIEW_MS, () => {
        this.stopReviews = null;
        for (const one of this.open) one.review();
        this.reviewWhileOpen();
      });
  }
}
