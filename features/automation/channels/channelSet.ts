// The channels in force: each decides by itself what is told, as the app's notifications do, and hands it to its queue. When
// config.json changes, a channel that stayed as it is keeps what it knows. Without a channel nothing runs and nothing is sent.
import { NotificationScheduler } from "../../../core/api/notifications/notificationScheduler.ts";
import { isQuiet, minuteOfDay } from "../../../core/api/notifications/quietHours.ts";
import { checkChannels, type Channel, type ChannelView } from "../../../core/model/channel.ts";
import type { FeedChange } from "../../../core/model/feedChange.ts";
import { NOTIFICATION_KINDS, type NotificationPolicy } from "../../../core/model/notificationPolicy.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import { messageOf, redactSent, testMessage, watchMessage, type MessageContext } from "./channelMessage.ts";
import { ChannelQueue } from "./channelQueue.ts";
import type { WatchMessage } from "../watches/watchRunner.ts";
import type { Deliver, Delivery } from "./delivery.ts";
import { postMessage } from "./postMessage.ts";
import { runCommand } from "./runCommand.ts";

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

/** The policy of the app with the channel's own choice of events and quiet hours. */
const policyOf = (channel: Channel, policy: NotificationPolicy): NotificationPolicy => {
  const told: Partial<NotificationPolicy> = {};
  for (const kind of NOTIFICATION_KINDS) told[kind] = channel.events.includes(kind);
  return {
    ...policy,
    ...told,
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
    isConfirmed: (runtimeId) => context.rows.isConfirmed(runtimeId),
    isInFront: (pane) => context.rows.isInFront(pane),
  });
  const queue = new ChannelQueue({
    clock,
    deliver: (message, signal) =>
      handOver(channel, message, { env, home, uid, signal, timeoutMs: DELIVERY_LIMIT_MS }),
    onNotDelivered: (detail) =>
      logger.warn({ channel: channel.name, detail }, "a message was not delivered over a channel"),
  });
  const aborter = new AbortController();
  const follow = async (): Promise<void> => {
    for await (const event of scheduler.subscribe(aborter.signal))
      queue.push(messageOf(event, messageContext(channel, context)));
  };
  const following = follow().catch((error: unknown) => logger.error({ error }, "a channel stopped"));
  return {
    channel,
    text: JSON.stringify(channel),
    queue,
    handleChanges: (changes) => scheduler.handleChanges(changes),
    review: () => scheduler.review(),
    close: async () => {
      scheduler.close();
      aborter.abort();
      await Promise.all([queue.close(), following]);
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
    for (const { channel, queue } of this.speaking(message.channel)) {
      const sent = watchMessage(message, messageContext(channel, this.context));
      queue.pushFew(sent, `${message.jobId}:`, MAX_OF_WATCH);
    }
  }

  get count(): number {
    return this.open.length;
  }

  views(): ChannelView[] {
    const { quiet_hours } = this.context.config().notifications;
    return this.configured.map((channel) => {
      const { name, kind, enabled, events, include, quiet = quiet_hours } = channel;
      const state = this.openOf(name)?.queue.state ?? { waiting: 0, dropped: 0, last: null };
      return { name, kind, enabled, to: destinationOf(channel), events, include, quiet, ...state };
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
