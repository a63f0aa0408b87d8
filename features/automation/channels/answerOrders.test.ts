// Ten thousand orders of what happens around an answer: requests that come, change, flicker and go before or after the channel
// hears of it; buttons pressed by anybody, twice, late, from another channel or an earlier run; pauses; a gate that takes its time.
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { toNotification } from "../../../core/api/notifications/notificationScheduler.ts";
import type { AnswerChoice } from "../../../core/model/action.ts";
import { AgtmuxError } from "../../../core/model/errors.ts";
import { channelSchema, type Channel } from "../../../core/model/notifications.ts";
import type { FeedChange, PaneView } from "../../../core/model/view.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import { SILENT_LOGGER } from "../../../core/ports/logger.ts";
import { partOf } from "../../../test/fakes/partOf.ts";
import { someRequestView } from "../../../test/factories/evidence.ts";
import { makePane } from "../../../test/factories/view.ts";
import { TOKEN_MS } from "./answerTokens.ts";
import { plainMessage } from "./channelMessage.ts";
import { PhoneAnswers } from "./phoneAnswers.ts";

const RUNS = 10_000;
const SHORT = "git push";
const LONG = `git push; ${"x".repeat(300)}`;

/** A server that accepts everything and never says anything: what is heard is handed over by the test. */
beforeEach(() => {
  vi.stubGlobal("fetch", (_url: string, init: RequestInit) => {
    if (init.method === "POST") return Promise.resolve(new Response("{}"));
    if (init.signal?.aborted === true) return Promise.reject(new Error("cut"));
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => init.signal?.addEventListener("abort", () => controller.error(new Error("cut"))),
    });
    return Promise.resolve(new Response(body, { headers: { "content-type": "application/x-ndjson" } }));
  });
});
afterEach(() => void vi.unstubAllGlobals());

/** A wait as it truly is: what is asked, whether it has ended, and what was pressed for it. */
interface Wait {
  readonly fingerprint: string;
  readonly body: string;
  hasEnded: boolean;
  pressed: AnswerChoice[];
}

interface Button {
  readonly token: string;
  readonly label: string;
  /** Null: of another channel. */
  readonly wait: Wait | null;
  readonly text: string;
  readonly shownAt: number;
}

const PHONE = ((): Extract<Channel, { kind: "ntfy" }> => {
  const channel = channelSchema.parse({
    name: "phone",
    kind: "ntfy",
    url: "https://example.org/topic",
    include: "request",
    answers: true,
  });
  if (channel.kind !== "ntfy") throw new Error("unreachable");
  return channel;
})();

class Course {
  problems: string[] = [];
  readonly reached = new Set<string>();
  private now = 1_000_000;
  private version = 1;
  private isPaused = false;
  private row: PaneView = makePane({ state: "running" });
  private wait: Wait | null = null;
  private readonly unheard: FeedChange[] = [];
  private readonly buttons: Button[] = [];
  private readonly calledFor = new Set<string>();
  private pressing: Button | null = null;
  private readonly atGate: (() => void)[] = [];
  private readonly context: FeatureContext;
  readonly answers: PhoneAnswers;

  /** Another channel. */
  private readonly other: PhoneAnswers;

  constructor(other: PhoneAnswers | null) {
    this.context = partOf<FeatureContext>({
      rows: partOf<FeatureContext["rows"]>({ all: () => [this.row] }),
      redact: (text) => text,
      env: {},
      uid: 0,
      jobs: partOf<FeatureContext["jobs"]>({ pausedAt: () => (this.isPaused ? 1 : null) }),
      clock: { now: () => this.now, setTimer: () => () => {} },
      logger: SILENT_LOGGER,
      answer: (input) => this.answer(input),
    });
    const { context } = this;
    this.answers = new PhoneAnswers({ channel: PHONE, context, push: () => {} });
    this.other = other ?? this.answers;
  }

  /** Until the connections count as open. */
  async begin(): Promise<void> {
    for (let turn = 0; turn < 100 && this.answers.view.state !== "on"; turn += 1) await Promise.resolve();
  }

  /** For another order: nothing is asked, nobody remembers. A connection is not opened again each time. */
  async again(): Promise<void> {
    for (const go of this.atGate.splice(0)) go();
    this.finish();
    this.hear();
    this.buttons.length = 0;
    this.problems = [];
    this.isPaused = false;
    this.pass(3 * TOKEN_MS);
    if (this.answers.resume()) await this.begin();
  }

  async end(): Promise<void> {
    for (const go of this.atGate.splice(0)) go();
    await this.answers.close();
  }

  private put(row: PaneView): void {
    this.row = row;
    this.unheard.push({
      kind: "pane",
      version: row.state_version,
      at: this.now,
      pane: row,
      previousState: null,
      isTransition: true,
    });
  }

  private waiting(wait: Wait, fingerprint: string | null = wait.fingerprint): PaneView {
    this.version += 1;
    return makePane({
      state: "waiting_approval",
      version: this.version,
      ...(fingerprint === null ? {} : { fingerprint }),
      request: {
        ...someRequestView(wait.body),
        kind: "command",
        title: "Bash",
        tool_name: "Bash",
        is_whole: true,
        options: [
          { label: "Yes", keys: ["1"], role: "approve" },
          { label: "No", keys: ["2"], role: "deny" },
        ],
      },
    });
  }

  /** `isSame`: the one before is asked for again, to the letter and under its name. */
  ask(body: string, isSame: boolean): void {
    const before = this.wait;
    if (before !== null) before.hasEnded = true;
    const fingerprint = isSame && before !== null ? before.fingerprint : `f${this.version}`;
    this.wait = {
      fingerprint,
      body: isSame && before !== null ? before.body : body,
      hasEnded: false,
      pressed: [],
    };
    // Between two waits there is always something else, even where nobody looks.
    this.put(makePane({ state: "running", version: (this.version += 1) }));
    this.put(this.waiting(this.wait));
  }

  finish(): void {
    if (this.wait !== null) this.wait.hasEnded = true;
    this.wait = null;
    this.put(makePane({ state: "running", version: (this.version += 1) }));
  }

  flicker(): void {
    if (this.wait === null) return;
    this.put(this.waiting(this.wait, null));
  }

  steady(): void {
    if (this.wait !== null) this.put(this.waiting(this.wait));
  }

  gone(): void {
    if (this.wait !== null) this.wait.hasEnded = true;
    this.wait = null;
    const { identity } = this.row;
    this.row = makePane({ agent: null });
    this.unheard.push({ kind: "removed", version: (this.version += 1), at: this.now, identity });
  }

  hear(): void {
    const changes = this.unheard.splice(0);
    this.answers.handleChanges(changes);
  }

  show(isOther: boolean): void {
    const { row, wait } = this;
    // The scheduler tells of rows that the channel has heard of.
    if (row.state !== "waiting_approval" || wait === null || this.unheard.length > 0) return;
    const id = `rt1:${row.state_version}`;
    const blank = plainMessage(
      { id, title: "", text: "" },
      { channel: PHONE, at: 0, redact: (text) => text },
    );
    const told = toNotification(id, row, { kind: "waiting_approval", sound: "none", redact: (text) => text });
    const message = (isOther ? this.other : this.answers).dress(told, blank);
    for (const { label, body } of message.buttons ?? [])
      this.buttons.push({
        token: body ?? "",
        label,
        wait: isOther ? null : wait,
        text: message.text,
        shownAt: this.now,
      });
  }

  press(which: number): void {
    // The newest are pressed most often.
    const button = this.buttons.at(-1 - (which % Math.max(1, this.buttons.length)));
    if (button === undefined) return;
    this.pressing = button;
    this.answers.hear(button.token);
    this.pressing = null;
  }

  guess(count: number): void {
    for (let one = 0; one < count; one += 1) this.answers.hear(`guess ${one}`);
    if (this.answers.view.state === "paused") this.reached.add("paused by a flood");
  }

  resume(): void {
    this.answers.resume();
  }

  pass(ms: number): void {
    this.now += ms;
  }

  pause(isPaused: boolean): void {
    this.isPaused = isPaused;
  }

  /** The gate comes to its key. */
  turn(): void {
    this.atGate.shift()?.();
  }

  private require(holds: boolean, what: string): void {
    if (!holds) this.problems.push(what);
  }

  /** As the gate does it: the key is pressed at a later moment, for the request that is named, if that still stands. */
  private answer({
    guards,
    choice,
  }: Parameters<FeatureContext["answer"]>[0]): ReturnType<FeatureContext["answer"]> {
    const button = this.pressing;
    this.require(button !== null && button.wait !== null, "an answer that no button of this channel gave");
    if (button === null || button.wait === null) return Promise.reject(new Error("none"));
    const { wait } = button;
    const isLabel = choice.kind === (button.label === "Approve" ? "approve" : "deny");
    this.require(isLabel, "an answer that is another than the button's");
    this.require(
      guards.ifPrompt === wait.fingerprint,
      "an answer to another request than the one that was shown",
    );
    this.require(guards.ifRuntime === "rt1" && !guards.forceStale, "an answer that is not bound");
    this.require(this.now - button.shownAt < TOKEN_MS, "an answer after ten minutes");
    this.require(!this.isPaused, "an answer while automation was paused");
    this.require(this.answers.view.state !== "paused", "an answer over a channel that is paused");
    const heardOfEnd = wait.hasEnded && this.unheard.length === 0;
    this.require(!heardOfEnd, "an answer after the channel had heard that its wait was over");
    this.require(
      this.row.prompt_fingerprint === null || this.row.prompt_fingerprint === wait.fingerprint,
      "an answer to what the row does not ask",
    );
    this.require(
      choice.kind !== "approve" ||
        (wait.body === SHORT && button.text.split("\n")[0] === `Command: ${SHORT}`),
      "an approval of what was not shown whole",
    );
    this.require(!this.calledFor.has(wait.fingerprint), "two answers to one request");
    this.calledFor.add(wait.fingerprint);
    this.reached.add(`called: ${choice.kind}`);
    return new Promise((resolve, reject) => {
      this.atGate.push(() => {
        if (this.row.prompt_fingerprint !== guards.ifPrompt || this.wait === null) {
          this.reached.add("refused by the gate");
          reject(new AgtmuxError("E_STALE_SNAPSHOT", "Nothing was sent: something else is asked."));
          return;
        }
        this.reached.add("pressed");
        this.wait.pressed.push(choice);
        const isShown = this.wait.fingerprint === wait.fingerprint && this.wait.body === wait.body;
        this.require(isShown, "a key for another request than the one that was shown");
        this.require(this.wait.pressed.length === 1, "two keys for one asking");
        this.finish();
        resolve(partOf({ outcome: "delivered", detail: "", is_repeat: false }));
      });
    });
  }
}

type Step = (course: Course) => void;
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(fc.boolean(), fc.nat(1)).map(
      ([isLong, same]): Step =>
        (course) =>
          course.ask(isLong ? LONG : SHORT, same === 0),
    ),
  },
  { weight: 10, arbitrary: fc.constant<Step>((course) => course.hear()) },
  {
    weight: 6,
    arbitrary: fc.nat(6).map(
      (other): Step =>
        (course) =>
          course.show(other === 0),
    ),
  },
  {
    weight: 10,
    arbitrary: fc.nat(20).map(
      (which): Step =>
        (course) =>
          course.press(which),
    ),
  },
  { weight: 4, arbitrary: fc.constant<Step>((course) => course.turn()) },
  { weight: 2, arbitrary: fc.constant<Step>((course) => course.finish()) },
  { weight: 1, arbitrary: fc.constant<Step>((course) => course.flicker()) },
  { weight: 4, arbitrary: fc.constant<Step>((course) => course.steady()) },
  { weight: 1, arbitrary: fc.constant<Step>((course) => course.gone()) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(1_000, 60_000, TOKEN_MS - 1, TOKEN_MS).map(
      (ms): Step =>
        (course) =>
          course.pass(ms),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.boolean().map(
      (isPaused): Step =>
        (course) =>
          course.pause(isPaused),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(1, 11).map(
      (count): Step =>
        (course) =>
          course.guess(count),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Step>((course) => course.resume()) },
);

it(`in ${RUNS} orders nothing is answered but what was shown, never twice, and never after its wait`, async () => {
  const other = new Course(null);
  const course = new Course(other.answers);
  await other.begin();
  await course.begin();
  const order = fc.array(steps, { minLength: 4, maxLength: 24 });
  const seed = Date.now() % 1_000_000;
  for (const [index, one] of fc.sample(order, { numRuns: RUNS, seed }).entries()) {
    await course.again();
    for (const step of one) step(course);
    if (course.problems.length > 0)
      throw new Error(`seed ${seed}, order ${index}: ${course.problems.join("; ")}`);
  }
  await Promise.all([course.end(), other.end()]);
  expect([...course.reached].toSorted()).toEqual([
    "called: approve",
    "called: deny",
    "paused by a flood",
    "pressed",
    "refused by the gate",
  ]);
});
