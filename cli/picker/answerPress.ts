// Decides whether a key that answers was pressed on purpose. A terminal does not say whether a key is held down or pressed again,
// nor whether it was typed before the screen showed anything. So what comes too fast to be an answer is not taken for one.

/** The same key again within this time is the keyboard's repeat, or impatience. In milliseconds, as all of these. */
const REPEAT_MS = 300;
/** How long a keyboard may wait before it begins to repeat a key that is held. */
const FIRST_REPEAT_MS = 1_200;
/** Nobody answers that soon after another letter: it is a text that is typed into the wrong place. */
const TYPING_MS = 120;
/** A held key comes again within this time. */
const HOLD_MS = 90;

type Verdict =
  | "press"
  /** Only if no other key follows within `HOLD_MS`. */
  | "perhaps"
  /** It is a repeat, or a part of a text. */
  | "drop";

export interface AnswerPressDeps {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly setTimer: (delayMs: number, callback: () => void) => () => void;
}

export class AnswerPress {
  private readonly deps: AnswerPressDeps;
  private readonly lastAt = new Map<string, number>();
  private lastTextAt = -Infinity;
  private lastText = "";
  private cancelPerhaps: (() => void) | null = null;

  constructor(deps: AnswerPressDeps) {
    this.deps = deps;
  }

  /** Something was read from the keyboard: what was held back was no answer. */
  interrupt(): void {
    this.cancelPerhaps?.();
    this.cancelPerhaps = null;
  }

  /** Notes a key of text that answers nothing. */
  note(name: string): void {
    this.judge(name);
  }

  /** Acts on a key that answers, at once or once it is clear that it is not held, or never. */
  press(name: string, act: () => void): void {
    const verdict = this.judge(name);
    if (verdict === "press") act();
    if (verdict === "perhaps")
      this.cancelPerhaps = this.deps.setTimer(HOLD_MS, () => {
        this.cancelPerhaps = null;
        act();
      });
  }

  private judge(name: string): Verdict {
    const at = this.deps.now();
    const sameAt = this.lastAt.get(name) ?? -Infinity;
    const isTyping = this.lastText !== name && at - this.lastTextAt < TYPING_MS;
    this.lastAt.set(name, at);
    this.lastTextAt = at;
    this.lastText = name;
    if (isTyping || at - sameAt < REPEAT_MS) return "drop";
    return at - sameAt < FIRST_REPEAT_MS ? "perhaps" : "press";
  }
}
