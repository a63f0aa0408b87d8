// Answers over one ntfy channel: gives its messages buttons, hears what they publish to a topic that only those messages name, and
// passes it on. A button answers through the gate, by the fingerprint of what was shown, as any surface does; a text goes through
// the guards of the queue, to an agent at rest alone. What came of it replaces the message. Everything is in memory: a restart of
// the daemon begins with another topic and other tokens.
import { randomBytes } from "node:crypto";
import { actionGuardsSchema, type ActionResult, type AnswerChoice } from "../../../core/model/action.ts";
import { AgtmuxError } from "../../../core/model/errors.ts";
import { endsWithin } from "../../../core/model/endsWithin.ts";
import { isWaiting } from "../../../core/model/needs.ts";
import {
  topicOf,
  type AgentNotification,
  type Channel,
  type ChannelAnswers,
} from "../../../core/model/notifications.ts";
import type { FeedChange, PaneView } from "../../../core/model/view.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import { RESTED_MS, restOf } from "../queue/decideSends.ts";
import { isHeard } from "../queue/lookTimer.ts";
import { offersOf } from "./answerOffers.ts";
import { AnswerTokens, type TakenToken, type TokenSubject } from "./answerTokens.ts";
import { plainMessage, redactSent, type ChannelMessage, type MessageContext } from "./channelMessage.ts";
import { readSecret } from "./delivery.ts";
import { pauseFor } from "./pauseFor.ts";
import { ReplyStream, type StreamState } from "./replyStream.ts";

type NtfyChannel = Extract<Channel, { kind: "ntfy" }>;

const TOPIC_BYTES = 16;
/** A server's rules for who may write can name these topics by how they begin. */
const TOPIC_START = "agtmux-";
/** So long after a connection was lost messages still carry buttons: what is published meanwhile comes with the next one. */
const LOST_MS = 30_000;
/** The first messages of a daemon wait so long for the first connection. */
const FIRST_MS = 3_000;
const EVENTS_LIMIT_MS = 2_000;

const NO_ANSWERS = "Answers can't come back now: open it at your desk.";

/** How an answer reads that has arrived. */
const DONE_WORDS: Record<AnswerChoice["kind"], string> = {
  approve: "Approved",
  deny: "Denied",
  option: "Answered",
  options: "Answered",
  text: "Answered",
};

const addressOf = ({ url }: NtfyChannel): string => url.slice(0, -topicOf(url).length);

const isAtRest = (row: PaneView): boolean => restOf(row) === "ready";

export class PhoneAnswers {
  private readonly channel: NtfyChannel;
  private readonly context: FeatureContext;
  private readonly push: (message: ChannelMessage) => void;
  private readonly working = new Set<Promise<void>>();
  private readonly aborter = new AbortController();
  private tokens: AnswerTokens;
  private topic: string;
  /** Null while nothing is heard: paused, or closed. */
  private stream: ReplyStream | null;
  private closing: Promise<unknown> = Promise.resolve();
  private firstTry = Promise.withResolvers<void>();
  private openUntil = 0;
  private isWritable = false;
  private isPaused = false;
  private taken = 0;
  private ignoredBefore = 0;

  constructor(deps: {
    readonly channel: NtfyChannel;
    readonly context: FeatureContext;
    /** Sends a message of our own over the channel. */
    readonly push: (message: ChannelMessage) => void;
  }) {
    this.channel = deps.channel;
    this.context = deps.context;
    this.push = deps.push;
    [this.tokens, this.topic] = this.newTokens();
    this.stream = this.listen();
  }

  /** Resolves once it is known whether answers can come back, or after a moment. */
  async untilTried(): Promise<void> {
    await endsWithin(this.firstTry.promise, FIRST_MS, this.context.clock);
  }

  /** The message with what it may be answered with. */
  dress(notification: AgentNotification, message: ChannelMessage): ChannelMessage {
    const offered = offersOf(notification, this.messageContext());
    if (offered === null)
      return notification.count === 1 && isAtRest(notification.pane)
        ? this.dressForText(notification.pane, message)
        : message;
    const { title, text, offers } = offered;
    const { identity, prompt_fingerprint: fingerprint } = notification.pane;
    if (offers.length === 0 || fingerprint === null || identity.runtime_id === null)
      return { ...message, title, text };
    const runtimeId = identity.runtime_id;
    const subject = { messageId: message.id, runtimeId, fingerprint, shown: text };
    const row = this.find(runtimeId);
    // It may be over by now.
    if (!this.canBeAnswered || row === null || !this.isStill(subject, row))
      return { ...message, title, text: `${text}\n${NO_ANSWERS}` };
    const tokens = this.tokens.offer(
      subject,
      offers.map(({ choice }) => choice),
    );
    if (tokens.length < offers.length) return { ...message, title, text: `${text}\n${NO_ANSWERS}` };
    const url = `${addressOf(this.channel)}${this.topic}`;
    const buttons = offers.map(({ label }, index) => ({ label, url, body: tokens[index] ?? "" }));
    return { ...message, title, text, buttons };
  }

  /** The message with a code for a text to an agent that rests; without where it does not. */
  dressForText(row: PaneView, message: ChannelMessage): ChannelMessage {
    const { runtime_id: runtimeId } = row.identity;
    if (runtimeId === null || !isAtRest(row) || !this.canBeAnswered) return message;
    const subject = { messageId: message.id, runtimeId, fingerprint: null, shown: message.text };
    const code = this.tokens.offerText(subject);
    const hint = `To write to it: send “${code} your text” to ${this.topic}`;
    const url = `${addressOf(this.channel)}${this.topic}`;
    return {
      ...message,
      text: [message.text, hint].filter(Boolean).join("\n"),
      buttons: [{ label: "Write", url, body: null }],
    };
  }

  /** Whether what came of an answer stands in place of this message, which is then not withdrawn. */
  hasReplaced(messageId: string): boolean {
    return this.tokens.isUsed(messageId);
  }

  /** A wait that is over, or that is now for something else, can't be answered any more. */
  handleChanges(changes: readonly FeedChange[]): void {
    for (const change of changes) {
      if (change.kind === "reset") this.tokens.endWhere(() => true);
      if (change.kind === "removed") {
        const gone = change.identity.runtime_id;
        this.tokens.endWhere(({ runtimeId }) => runtimeId === gone);
      }
      if (change.kind === "pane") {
        const { pane } = change;
        const now = pane.identity.runtime_id;
        this.tokens.endWhere((subject) => subject.runtimeId === now && !this.isStill(subject, pane));
      }
    }
  }

  /** The message was withdrawn. */
  end(messageId: string): void {
    this.tokens.endWhere((subject) => subject.messageId === messageId);
  }

  get view(): ChannelAnswers {
    const ignored = this.ignoredBefore + this.tokens.ignored;
    const counts = { taken: this.taken, ignored };
    if (this.isPaused)
      return {
        state: "paused",
        detail: "too much came that was no answer; somebody else may know the topic",
        ...counts,
      };
    if (this.isUsable) return { state: "on", detail: "", ...counts };
    const detail = this.stream?.state.detail ?? "";
    return { state: "unreachable", detail: detail === "" ? "not connected yet" : detail, ...counts };
  }

  /** Takes answers again, to another topic. False where it was not paused. */
  resume(): boolean {
    if (!this.isPaused || this.aborter.signal.aborted) return false;
    this.ignoredBefore += this.tokens.ignored;
    [this.tokens, this.topic] = this.newTokens();
    this.isWritable = false;
    this.isPaused = false;
    this.stream = this.listen();
    return true;
  }

  /** Ends the connection, and waits for answers that are under way. */
  async close(): Promise<void> {
    this.aborter.abort();
    this.firstTry.resolve();
    this.tokens.endWhere(() => true);
    const { stream } = this;
    this.stream = null;
    await Promise.all([stream?.close(), this.closing, ...this.working]);
  }

  private newTokens(): [AnswerTokens, string] {
    return [
      new AnswerTokens({ now: () => this.context.clock.now(), randomBytes }),
      `${TOPIC_START}${randomBytes(TOPIC_BYTES).toString("base64url")}`,
    ];
  }

  private listen(): ReplyStream {
    const { channel, context, topic, tokens } = this;
    const { clock, env, uid } = context;
    const stream: ReplyStream = new ReplyStream({
      base: addressOf(channel),
      topic,
      clock,
      secret: () =>
        channel.secret_file === null
          ? Promise.resolve(null)
          : readSecret(channel.secret_file, env["HOME"] ?? "/", uid),
      onOpen: (signal) => this.requireWritable(signal),
      // What was under way when it was paused, or came to an earlier topic, counts no more.
      onMessage: (body) => {
        if (this.tokens === tokens && this.stream !== null) this.hear(body);
      },
      onForeign: () => {
        if (this.tokens !== tokens || this.stream === null) return;
        tokens.noteForeign();
        this.pauseIfFlooded();
      },
      onState: () => this.noteState(stream.state),
      random: () => randomBytes(1).readUInt8() / 256,
    });
    return stream;
  }

  private noteState({ isOpen }: StreamState): void {
    const now = this.context.clock.now();
    if (isOpen) this.openUntil = Infinity;
    else if (this.openUntil === Infinity) this.openUntil = now + LOST_MS;
    this.firstTry.resolve();
  }

  /** Whether an answer would be heard. */
  private get isUsable(): boolean {
    return this.stream !== null && this.isWritable && this.context.clock.now() < this.openUntil;
  }

  private get canBeAnswered(): boolean {
    return this.isUsable && this.context.jobs.pausedAt() === null;
  }

  /**
   * A phone publishes without an account, because no secret may stand in a message; so a server that lets nobody do that to this
   * topic can't be answered over. @throws Error that says so.
   */
  private async requireWritable(signal: AbortSignal): Promise<void> {
    if (this.isWritable) return;
    const response = await fetch(`${addressOf(this.channel)}${this.topic}`, {
      method: "POST",
      headers: { "user-agent": "agtmux", firebase: "no" },
      body: this.tokens.probe,
      redirect: "manual",
      signal,
    });
    // Nobody reads what it says; the status is the answer.
    response.body?.cancel().catch(() => {});
    if (response.status < 200 || response.status >= 300)
      throw new Error(
        `a button could not publish (${response.status}): the server must let everybody write to topics that begin with ${TOPIC_START}`,
      );
    this.isWritable = true;
  }

  /** What was published to the topic. */
  hear(body: string): void {
    if (this.tokens.isProbe(body)) return;
    const taken = this.tokens.take(body);
    switch (taken.kind) {
      case "answer":
        return this.begin(this.answer(taken), taken.subject);
      case "text":
        return this.begin(this.write(taken), taken.subject);
      case "ignored":
        if (taken.subject !== null) this.tellLate(taken.subject);
        this.pauseIfFlooded();
    }
  }

  private begin(work: Promise<void>, subject: TokenSubject): void {
    const ended = work
      .catch((error: unknown) => {
        this.context.logger.error({ error, channel: this.channel.name }, "an answer of a channel failed");
        this.tell(subject, "Can't tell whether it arrived", "Look at it at your desk.");
      })
      .finally(() => this.working.delete(ended));
    this.working.add(ended);
  }

  private async answer({ subject, choice, key }: Extract<TakenToken, { kind: "answer" }>): Promise<void> {
    const { runtimeId, fingerprint } = subject;
    if (this.tellPaused(subject)) return;
    const row = this.find(runtimeId);
    if (row === null || !this.isStill(subject, row)) return this.tellLate(subject);
    try {
      const result = await this.context.answer({
        ref: `runtime:${runtimeId}`,
        guards: actionGuardsSchema.parse({ ifRuntime: runtimeId, ifPrompt: fingerprint }),
        choice,
        surface: `channel:${this.channel.name}`,
        idempotencyKey: `channel:${key}`,
      });
      this.tellResult(subject, DONE_WORDS[choice.kind], result);
    } catch (error) {
      this.tellRefused(subject, error);
    }
  }

  private async write({ subject, text, key }: Extract<TakenToken, { kind: "text" }>): Promise<void> {
    const { context } = this;
    const { runtimeId } = subject;
    if (this.tellPaused(subject)) return;
    // What follows the end of a turn may be drawn late.
    await pauseFor(RESTED_MS, context.clock, this.aborter.signal);
    if (this.tellPaused(subject)) return;
    const row = this.find(runtimeId);
    if (row === null || !isAtRest(row)) return this.tell(subject, "Not sent", "Its agent isn't idle.");
    try {
      const options = { afterLimit: false, isFirst: false };
      const [hasHeard, obstacle] = await Promise.all([
        isHeard(context, runtimeId, EVENTS_LIMIT_MS),
        context.sends.findObstacle(runtimeId, options),
      ]);
      const why = obstacle ?? (hasHeard ? null : "what its agent told is still being read");
      if (why !== null) return this.tell(subject, "Not sent", `Because ${why}.`);
      const now = this.find(runtimeId);
      if (now === null || now.state_version !== row.state_version || !isAtRest(now))
        return this.tell(subject, "Not sent", "Its agent isn't idle any more.");
      if (this.tellPaused(subject)) return;
      const result = await context.sends.send({
        ...options,
        runtimeId,
        stateVersion: row.state_version,
        text,
        surface: `channel:${this.channel.name}`,
        idempotencyKey: `channel:${key}`,
      });
      this.tellResult(subject, "Sent", result);
    } catch (error) {
      this.tellRefused(subject, error);
    }
  }

  private find(runtimeId: string): PaneView | null {
    return this.context.rows.all().find(({ identity }) => identity.runtime_id === runtimeId) ?? null;
  }

  /** Whether this row still is what the message was about. A dialog that is not read at this moment may still stand there. */
  private isStill({ fingerprint }: TokenSubject, row: PaneView): boolean {
    if (fingerprint === null) return isAtRest(row);
    const { state, prompt_fingerprint: now } = row;
    return state !== null && isWaiting(state) && (now === null || now === fingerprint);
  }

  private tellPaused(subject: TokenSubject): boolean {
    if (this.aborter.signal.aborted) return true;
    if (this.context.jobs.pausedAt() === null) return false;
    this.tell(subject, "Not done: automation is paused", "Nothing was pressed or typed.");
    return true;
  }

  private tellLate(subject: TokenSubject): void {
    this.tell(subject, "Too late", "It was answered or asks for something else; nothing was pressed.");
  }

  private tellResult(
    subject: TokenSubject,
    done: string,
    { outcome, detail, is_repeat }: ActionResult,
  ): void {
    if (!is_repeat) this.taken += 1;
    switch (outcome) {
      case "delivered":
        return this.tell(subject, done, "");
      case "not_delivered":
        return this.tell(subject, "Not answered", detail);
      case "unverified":
        return this.tell(subject, "Can't tell whether it arrived", detail);
    }
  }

  /** No key was pressed, unless tmux did not answer. */
  private tellRefused(subject: TokenSubject, error: unknown): void {
    if (!(error instanceof AgtmuxError)) throw error;
    if (error.code === "E_TARGET_UNREACHABLE")
      return this.tell(subject, "Can't tell whether it arrived", error.message);
    const title = error.code === "E_STALE_SNAPSHOT" ? "Too late" : "Refused";
    this.tell(subject, title, error.message);
  }

  private tell({ messageId, shown }: TokenSubject, title: string, detail: string): void {
    if (this.aborter.signal.aborted) return;
    const text = [detail, shown].filter(Boolean).join("\n");
    this.push(plainMessage({ id: messageId, title, text }, this.messageContext()));
  }

  private messageContext(): MessageContext {
    const { clock, redact } = this.context;
    return { channel: this.channel, at: clock.now(), redact: redactSent(redact) };
  }

  private pauseIfFlooded(): void {
    if (!this.tokens.isFlooded || this.isPaused) return;
    const { channel, context, stream } = this;
    this.isPaused = true;
    this.tokens.endWhere(() => true);
    this.stream = null;
    this.openUntil = 0;
    // It may be the one that calls.
    this.closing = Promise.all([this.closing, stream?.close()]);
    context.logger.warn(
      { channel: channel.name },
      "a channel takes no answers any more: too much came that was none",
    );
    const id = `answers:${channel.name}:${context.clock.now()}`;
    const text = `Run “agtmux channel resume ${channel.name}” at your desk once you know why. Messages still come, without buttons.`;
    this.push(
      plainMessage(
        { id, title: "Answers over this channel are paused: too much came that was none", text },
        this.messageContext(),
      ),
    );
  }
}
