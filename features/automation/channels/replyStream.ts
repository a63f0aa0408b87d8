// The connection over which answers come back: an outgoing one that reads a topic of an ntfy server as a stream of JSON lines
// (https://docs.ntfy.sh/subscribe/api). It bounds what a server may send, reconnects, and goes on where it was; what the messages
// mean is up to phoneAnswers.ts. Nothing that a server says reaches a log or a person but a status.
import * as z from "zod";
import { errorCodeOf } from "../../../core/model/errors.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import { pauseFor } from "./pauseFor.ts";

/** Of one line, in characters: a message has at most 4,096 bytes, each of which JSON may write with six. */
const MAX_LINE = 32_768;
/** Lines and characters of one minute; keep-alive comes each 45 seconds. */
const MAX_LINES = 300;
const MAX_CHARACTERS = 2_000_000;
const MINUTE_MS = 60_000;
/** Without any line for so long the connection is taken for dead, as after sleep. */
const SILENCE_MS = 150_000;
const ANSWER_MS = 15_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 300_000;
/** After a status that a pause of seconds does not cure. */
const LIMITED_PAUSE_MS = 60_000;
/** A connection that held for so long was a good one. */
const HELD_MS = 60_000;
/** Ids of messages that came already: a server may send them again. */
const MAX_SEEN = 500;

const lineSchema = z.object({
  id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  event: z.string().max(40),
  topic: z.string().max(2_000).optional(),
  message: z.string().max(16_384).optional(),
});

/** Why there is no connection, in words for a person. */
class StreamProblem extends Error {
  readonly pauseMs: number;

  constructor(message: string, pauseMs = 0) {
    super(message);
    this.pauseMs = pauseMs;
  }
}

const statusProblem = (status: number): StreamProblem => {
  if (status >= 300 && status < 400)
    return new StreamProblem(`the address redirects (${status}), which is not followed`, LONGEST_PAUSE_MS);
  if (status === 401 || status === 403)
    return new StreamProblem(
      `the address answered ${status}: the secret must allow to read topics that begin with agtmux-`,
      LONGEST_PAUSE_MS,
    );
  return new StreamProblem(`the address answered ${status}`, status === 429 ? LIMITED_PAUSE_MS : 0);
};

const wordsOf = (error: unknown): string => {
  if (error instanceof StreamProblem) return error.message;
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return `the address cannot be reached (${errorCodeOf(cause) || "no connection"})`;
};

/** Counts what came within a minute. @throws StreamProblem for more than anybody needs. */
class Meter {
  private readonly now: () => number;
  private since: number;
  private lines = 0;
  private characters = 0;

  constructor(now: () => number) {
    this.now = now;
    this.since = now();
  }

  add(lines: number, characters: number): void {
    if (this.now() - this.since >= MINUTE_MS) [this.since, this.lines, this.characters] = [this.now(), 0, 0];
    this.lines += lines;
    this.characters += characters;
    if (this.lines > MAX_LINES || this.characters > MAX_CHARACTERS)
      throw new StreamProblem("the address sends too much", LIMITED_PAUSE_MS);
  }
}

export interface StreamState {
  readonly isOpen: boolean;
  /** Why not; empty while it was not tried. */
  readonly detail: string;
}

export class ReplyStream {
  private readonly deps: ConstructorParameters<typeof ReplyStream>[0];
  private readonly aborter = new AbortController();
  private readonly running: Promise<void>;
  private readonly seen = new Set<string>();
  private last: string | null = null;
  private now: StreamState = { isOpen: false, detail: "" };
  private failures = 0;

  constructor(deps: {
    /** Ends with a slash. */
    readonly base: string;
    readonly topic: string;
    readonly clock: Clock;
    /** For the header; null: none. @throws Error whose message a person may read. */
    readonly secret: () => Promise<string | null>;
    /** Awaited before the connection counts as open. @throws Error whose message a person may read. */
    readonly onOpen: (signal: AbortSignal) => Promise<void>;
    readonly onMessage: (body: string) => void;
    /** What is no message of this topic. */
    readonly onForeign: () => void;
    readonly onState: () => void;
    /** 0 to 1. */
    readonly random: () => number;
  }) {
    this.deps = deps;
    this.running = this.run();
  }

  get state(): StreamState {
    return this.now;
  }

  async close(): Promise<void> {
    this.aborter.abort();
    await this.running;
  }

  private set(state: StreamState): void {
    this.now = state;
    this.deps.onState();
  }

  private async run(): Promise<void> {
    const { clock } = this.deps;
    // Nothing happens within the turn of whoever made it.
    await Promise.resolve();
    while (!this.aborter.signal.aborted) {
      const began = clock.now();
      let pauseMs = 0;
      try {
        await this.connect();
        this.set({ isOpen: false, detail: "the address ended the connection" });
      } catch (error) {
        if (this.aborter.signal.aborted) return;
        if (error instanceof StreamProblem) ({ pauseMs } = error);
        this.set({ isOpen: false, detail: wordsOf(error) });
      }
      this.failures = clock.now() - began >= HELD_MS ? 0 : this.failures + 1;
      const backoff = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, this.failures - 1));
      const delayMs = Math.max(pauseMs, backoff) * (0.8 + 0.4 * this.deps.random());
      await pauseFor(delayMs, clock, this.aborter.signal);
    }
  }

  /** One connection, until it ends. @throws where it fails. */
  private async connect(): Promise<void> {
    const { base, topic, clock, onOpen } = this.deps;
    const ended = new AbortController();
    const signal = AbortSignal.any([this.aborter.signal, ended.signal]);
    let cancel = (): void => {};
    let why: StreamProblem | null = null;
    const within = (limitMs: number, words: string): void => {
      cancel();
      cancel = clock.setTimer(limitMs, () => {
        why = new StreamProblem(words);
        ended.abort();
      });
    };
    try {
      within(ANSWER_MS, "the address does not answer");
      const secret = await this.readSecret();
      const response = await fetch(`${base}${topic}/json?since=${this.last ?? "all"}`, {
        headers: {
          "user-agent": "agtmux",
          "accept-encoding": "identity",
          ...(secret === null ? {} : { authorization: `Bearer ${secret}` }),
        },
        redirect: "manual",
        signal,
      });
      if (response.status !== 200) {
        // Nobody reads what it says; a connection that breaks at that is over in any case.
        response.body?.cancel().catch(() => {});
        throw statusProblem(response.status);
      }
      // A page of a proxy would count as a flood of nonsense.
      if (response.body === null || !(response.headers.get("content-type") ?? "").includes("json")) {
        response.body?.cancel().catch(() => {});
        throw new StreamProblem("the address answers with something else than a topic", LIMITED_PAUSE_MS);
      }
      await this.prove(() => onOpen(signal));
      this.set({ isOpen: true, detail: "" });
      within(SILENCE_MS, "the address was silent");
      await this.read(response.body, () => within(SILENCE_MS, "the address was silent"));
    } catch (error) {
      throw why ?? error;
    } finally {
      cancel();
      ended.abort();
    }
  }

  private async readSecret(): Promise<string | null> {
    return this.prove(() => this.deps.secret());
  }

  private async prove<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Error && error.name === "AbortError") throw error;
      throw new StreamProblem(error instanceof Error ? error.message : "it failed", LIMITED_PAUSE_MS);
    }
  }

  private async read(body: ReadableStream<Uint8Array>, onLine: () => void): Promise<void> {
    const meter = new Meter(() => this.deps.clock.now());
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of body) {
      const text = rest + decoder.decode(chunk, { stream: true });
      const lines = text.split("\n");
      rest = lines.pop() ?? "";
      meter.add(lines.length, chunk.byteLength);
      if (rest.length > MAX_LINE)
        throw new StreamProblem("the address sends too long a line", LIMITED_PAUSE_MS);
      for (const line of lines) {
        if (this.aborter.signal.aborted) return;
        onLine();
        this.take(line);
      }
    }
  }

  private take(line: string): void {
    if (line.trim() === "") return;
    const parsed = line.length > MAX_LINE ? null : parseLine(line);
    if (parsed === null) return this.deps.onForeign();
    const { id, event, topic, message } = parsed;
    if (event !== "message") return;
    if (topic !== this.deps.topic || message === undefined) return this.deps.onForeign();
    // After a reconnect a server may begin further back than it was asked to.
    if (this.seen.has(id)) return;
    this.seen.add(id);
    const [oldest] = this.seen;
    if (this.seen.size > MAX_SEEN && oldest !== undefined) this.seen.delete(oldest);
    this.last = id;
    this.deps.onMessage(message);
  }
}

const parseLine = (line: string): z.infer<typeof lineSchema> | null => {
  try {
    return lineSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    // Not JSON: what it is does not matter.
    return null;
  }
};
