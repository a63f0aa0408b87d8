// Which cards a person can have read: those that stood on the screen, complete and in one place, for long enough. Only these may
// be answered by a key.

/** A card as a frame shows it. */
export interface DrawnCard {
  /** The pane and its prompt. */
  readonly key: string;
  /** Where it stands and what it shows, to the letter; another one means that it has to be read again. */
  readonly look: string;
  /** All of its text can be seen, or was seen page by page. */
  readonly isWhole: boolean;
}

export interface ShownCardsDeps {
  /** Monotonic milliseconds. */
  now(): number;
  setTimer(delayMs: number, callback: () => void): () => void;
  /** Calls back after everything that was typed until now has been read. */
  afterInput(callback: () => void): void;
}

/** In milliseconds. */
export const READING_MS = 300;

interface Standing extends DrawnCard {
  readonly at: number;
  isRead: boolean;
}

export class ShownCards {
  private readonly deps: ShownCardsDeps;
  private standing: ReadonlyMap<string, Standing> = new Map();
  private cancel: (() => void) | null = null;

  constructor(deps: ShownCardsDeps) {
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

  /** Nothing counts as read any more: the screen was covered or left. */
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
