// The one-shot tokens of one channel and run: what each stands for, and what becomes of one that comes back (`AnswerTokens`). It
// knows neither network nor agents. A token works once, for ten minutes at most, and never after its wait has ended; of one message
// only the first counts. What is no such token does nothing and is counted.
import { createHash, timingSafeEqual } from "node:crypto";
import type { AnswerChoice } from "../../../core/model/action.ts";

/** A token works no longer than this. */
export const TOKEN_MS = 600_000;
/** So long is known afterwards what a token was: a late one is told of. */
const KEPT_MS = 600_000;
/** Messages whose tokens are known; the oldest is forgotten first. */
const MAX_GROUPS = 100;
/** More than this many in FLOOD_MS that are no answers, and the channel takes none. */
const MAX_IGNORED = 10;
const FLOOD_MS = 60_000;
const TOKEN_BYTES = 16;
const TAG_BYTES = 6;
/** No letter or digit that is taken for another one. */
const CODE_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789";
const CODE_LENGTH = 10;

/** What the tokens of one message are for. */
export interface TokenSubject {
  readonly messageId: string;
  readonly runtimeId: string;
  /** Of the request that was shown; null: a text for an agent at rest. */
  readonly fingerprint: string | null;
  /** Text of the message, for the one that replaces it. */
  readonly shown: string;
}

export type Ignored = "wrong" | "repeated" | "late" | "foreign";

export type TakenToken =
  | {
      readonly kind: "answer";
      readonly subject: TokenSubject;
      readonly choice: AnswerChoice;
      readonly key: string;
    }
  | { readonly kind: "text"; readonly subject: TokenSubject; readonly text: string; readonly key: string }
  /** `subject`: where the person is to be told, which is once for each message. */
  | { readonly kind: "ignored"; readonly why: Ignored; readonly subject: TokenSubject | null };

interface Group {
  readonly subject: TokenSubject;
  readonly tokens: readonly { digest: Buffer; choice: AnswerChoice | null }[];
  readonly endsAt: number;
  state: "live" | "used" | "ended";
  isTold: boolean;
}

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest();

/** As it is typed on a phone, which changes case and puts signs and blanks where nobody asked for them. */
const plainCode = (word: string): string => word.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

const isSameRequest = (one: TokenSubject, other: TokenSubject): boolean =>
  one.fingerprint !== null && one.fingerprint === other.fingerprint && one.runtimeId === other.runtimeId;

export class AnswerTokens {
  private readonly deps: ConstructorParameters<typeof AnswerTokens>[0];
  /** Tells tokens of this run and channel from those of others. */
  private readonly tag: string;
  /** What the daemon itself publishes to find out whether a phone could. */
  readonly probe: string;
  private readonly groups = new Map<string, Group>();
  private ignoredAt: number[] = [];
  private ignoredEver = 0;

  constructor(deps: {
    /** Epoch ms. */
    readonly now: () => number;
    /** Of a source that nobody can guess. */
    readonly randomBytes: (count: number) => Buffer;
  }) {
    this.deps = deps;
    this.tag = deps.randomBytes(TAG_BYTES).toString("base64url");
    this.probe = `${this.tag}-${deps.randomBytes(TOKEN_BYTES).toString("base64url")}`;
  }

  get ignored(): number {
    return this.ignoredEver;
  }

  /** Too much came of late that was no answer. */
  get isFlooded(): boolean {
    return this.ignoredAt.length > MAX_IGNORED;
  }

  /**
   * A token for each choice, in order; none for a request that was answered from here before. Those that an earlier message of this
   * id had are gone.
   */
  offer(subject: TokenSubject & { fingerprint: string }, choices: readonly AnswerChoice[]): string[] {
    if ([...this.groups.values()].some((one) => one.state === "used" && isSameRequest(one.subject, subject)))
      return [];
    const made = choices.map((choice) => {
      const token = `${this.tag}.${this.deps.randomBytes(TOKEN_BYTES).toString("base64url")}`;
      return { token, choice };
    });
    this.keep(
      subject,
      made.map(({ token, choice }) => ({ digest: digestOf(token), choice })),
    );
    return made.map(({ token }) => token);
  }

  /** The code with which a text begins that is typed to this agent. */
  offerText(subject: TokenSubject & { fingerprint: null }): string {
    let code = "";
    while (code.length < CODE_LENGTH) {
      const [byte = 0] = this.deps.randomBytes(1);
      // Each letter is as likely as any other.
      if (byte < 256 - (256 % CODE_LETTERS.length)) code += CODE_LETTERS[byte % CODE_LETTERS.length];
    }
    this.keep(subject, [{ digest: digestOf(code), choice: null }]);
    return `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}`;
  }

  isProbe(body: string): boolean {
    return body === this.probe;
  }

  /** What came back. A token that is taken is gone, with all others of its message. */
  take(body: string): TakenToken {
    this.forgetOld();
    const words = body.trim();
    const end = words.search(/\s/);
    const found = this.find(end === -1 ? words : plainCode(words.slice(0, end)), end !== -1);
    if (found === null) return this.ignore(this.isForeign(words) ? "foreign" : "wrong", null);
    const { group, choice, key } = found;
    if (group.state === "used") return this.ignore("repeated", null);
    if (group.state === "ended" || this.deps.now() >= group.endsAt) {
      group.state = "ended";
      return this.ignore("late", this.toldOnce(group));
    }
    const { subject } = group;
    // Another message may be about the same request.
    this.endWhere((one) => isSameRequest(one, subject));
    group.state = "used";
    return choice === null
      ? { kind: "text", subject, text: words.slice(end).trim(), key }
      : { kind: "answer", subject, choice, key };
  }

  /** What was sent to another topic, or is no message of the form that was agreed on. */
  noteForeign(): void {
    this.ignore("foreign", null);
  }

  /** The waits of these messages have ended. */
  endWhere(isOver: (subject: TokenSubject) => boolean): void {
    for (const group of this.groups.values())
      if (group.state === "live" && isOver(group.subject)) group.state = "ended";
  }

  /** Whether one of its tokens was taken, so that the message has been replaced or will be. */
  isUsed(messageId: string): boolean {
    return this.groups.get(messageId)?.state === "used";
  }

  /** Messages that can still be answered. */
  get live(): TokenSubject[] {
    const now = this.deps.now();
    return [...this.groups.values()]
      .filter(({ state, endsAt }) => state === "live" && now < endsAt)
      .map(({ subject }) => subject);
  }

  private keep(subject: TokenSubject, tokens: Group["tokens"]): void {
    this.forgetOld();
    this.groups.delete(subject.messageId);
    const endsAt = this.deps.now() + TOKEN_MS;
    this.groups.set(subject.messageId, { subject, tokens, endsAt, state: "live", isTold: false });
    const [oldest] = this.groups.keys();
    if (this.groups.size > MAX_GROUPS && oldest !== undefined) this.groups.delete(oldest);
  }

  /** Compares with every token, whatever was found, in the same time. */
  private find(word: string, hasText: boolean) {
    const digest = digestOf(word);
    let found: { group: Group; choice: AnswerChoice | null; key: string } | null = null;
    for (const group of this.groups.values())
      for (const token of group.tokens) {
        const isSame = timingSafeEqual(token.digest, digest);
        // A code alone says nothing, and a token has nothing behind it.
        if (isSame && (token.choice === null) === hasText)
          found = { group, choice: token.choice, key: digest.toString("hex").slice(0, 32) };
      }
    return found;
  }

  /** Of the form of a token, and of another channel or run. */
  private isForeign(words: string): boolean {
    return /^[\w-]{8}\.[\w-]{22}$/.test(words) && !words.startsWith(`${this.tag}.`);
  }

  private toldOnce(group: Group): TokenSubject | null {
    if (group.isTold) return null;
    group.isTold = true;
    return group.subject;
  }

  private ignore(why: Ignored, subject: TokenSubject | null): TakenToken {
    const now = this.deps.now();
    this.ignoredEver += 1;
    this.ignoredAt = [...this.ignoredAt.filter((at) => now - at < FLOOD_MS), now];
    return { kind: "ignored", why, subject };
  }

  private forgetOld(): void {
    const now = this.deps.now();
    for (const [id, { endsAt }] of this.groups) if (now >= endsAt + KEPT_MS) this.groups.delete(id);
  }
}
