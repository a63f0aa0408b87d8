// Whether a key may answer a card. `ShownCards`: the person can have read the card, because it stood on the screen, complete and in
// one place, for long enough. `AnswerPress`: the key was pressed on purpose.

/** A card as a frame shows it. */
export interface DrawnCard {
  /** The pane and its prompt. */
  readonly key: string;
  /** Where it stands and what it shows, to the letter; another one means that it has to be read again. */
  readonly look: string;
  /** All of its text can be seen, or was seen page by page. */
  readonly isWhole: boolean;
}

/** In milliseconds. */
const READING_MS = 300;

interface Standing extends DrawnCard {
  readonly at: number;
  isRead: boolean;
}

export class ShownCards {
  private readonly deps: ConstructorParameters<typeof ShownCards>[0];
  private standing: ReadonlyMap<string, Standing> = new Map();
  private cancel: (() => void) | null = null;

  constructor(deps: {
    /** Monotonic milliseconds. */
    now(): number;
    setTimer(delayMs: number, callback: () => void): () => void;
    /** Calls back after everything that was typed until now has been read. */
    afterInput(callback: () => void): void;
  }) {
    this.deps = deps;
  }

  /** Call it once a frame is on the screen, with all of its cards. */
  note(cards: readonly DrawnCard[]): void {
    const at = this.deps.now();
    const before = this.standing;
    this.standing = new Map(
      cards.map((card) => {
        const known = before.get(card.key);
        const isSame = known !== undefined && known.look === card.look;
        return [card.key, isSame ? known : { ...card, at, isRead: false }];
      }),
    );
    this.plan();
  }

  /** Nothing counts as read any more: the screen was covered or closed. */
  forget(): void {
    this.standing = new Map();
    this.plan();
  }

  isWhole(key: string): boolean {
    return this.standing.get(key)?.isWhole === true;
  }

  /**
   * Whether it stood there long enough when the present key was typed. Keys that were typed before that moment and are only
   * read now come first, because the moment passes after the input was read.
   */
  wasRead(key: string): boolean {
    return this.standing.get(key)?.isRead === true;
  }

  private plan(): void {
    this.cancel?.();
    this.cancel = null;
    const waiting = [...this.standing.values()].filter(({ isRead }) => !isRead);
    const first = Math.min(...waiting.map(({ at }) => at));
    if (waiting.length === 0) return;
    const delayMs = Math.max(0, first + READING_MS - this.deps.now());
    this.cancel = this.deps.setTimer(delayMs, () => {
      const at = this.deps.now();
      this.deps.afterInput(() => this.settle(at));
    });
  }

  private settle(at: number): void {
    for (const card of this.standing.values()) if (at - card.at >= READING_MS) card.isRead = true;
    this.plan();
  }

  close(): void {
    this.cancel?.();
  }
}

// On purpose: a terminal does not say whether a key is held down or pressed again, nor whether it was typed before the screen
// showed anything. So what comes too fast to be an answer is not taken for one.

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
