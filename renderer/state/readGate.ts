// Lets an answer through only for a card that was read: its whole text has been drawn and has not moved for a while. A key or a
// click that came earlier was meant for something else, and is dropped; so is every key of a burst.
import { Store } from "./store.ts";

/** What was seen of a card in the document, in CSS pixels of the window. */
export interface SeenCard {
  key: string;
  fingerprint: string | null;
  top: number;
  left: number;
  height: number;
  /** All of its text is in the document, and none of it is cut. */
  isWhole: boolean;
  /** The beginning and the end of its text are within the list's window. */
  isStartInView: boolean;
  isEndInView: boolean;
}

interface KnownCard {
  seen: SeenCard;
  /** Since when it has been drawn like this; infinite until a frame was drawn. */
  since: number;
  /** A text that is higher than the window was scrolled through. */
  wasStartSeen: boolean;
  wasEndSeen: boolean;
}

export interface ReadGateDeps {
  /** On the clock of `event.timeStamp`. */
  now(): number;
  /** Runs the callback with the next frame that is drawn. Never while nobody looks. */
  onFrame(callback: () => void): void;
}

/** Nobody can read a card in less time. */
export const READING_MS = 300;

const isUnmoved = (left: SeenCard, right: SeenCard): boolean =>
  left.fingerprint === right.fingerprint &&
  left.top === right.top &&
  left.left === right.left &&
  left.height === right.height &&
  left.isWhole === right.isWhole;

/** The state says whether the last answer came too early. */
export class ReadGate extends Store<boolean> {
  private readonly deps: ReadGateDeps;
  private cards: ReadonlyMap<string, KnownCard> = new Map();
  private selected: { key: string | null; at: number } = { key: null, at: -Infinity };
  private droppedAt = -Infinity;
  private isWaiting = false;
  private look: () => void = () => {};

  constructor(deps: ReadGateDeps) {
    super(false);
    this.deps = deps;
  }

  /** `look` is called before each decision, so that a movement nobody reported counts too. */
  watch(look: () => void): () => void {
    this.look = look;
    return () => {
      if (this.look === look) this.look = () => {};
      this.cards = new Map();
    };
  }

  /** Call it with the cards in the document after each change of the list, and when it was scrolled. */
  note(cards: readonly SeenCard[], selectedKey: string | null): void {
    const before = this.cards;
    this.cards = new Map(
      cards.map((seen) => {
        const known = before.get(seen.key);
        const isSameText = known?.seen.fingerprint === seen.fingerprint && known.seen.height === seen.height;
        return [
          seen.key,
          {
            seen,
            since: known !== undefined && isUnmoved(known.seen, seen) ? known.since : Infinity,
            wasStartSeen: seen.isStartInView || (isSameText && known.wasStartSeen),
            wasEndSeen: seen.isEndInView || (isSameText && known.wasEndSeen),
          },
        ];
      }),
    );
    if (selectedKey !== this.selected.key) {
      this.selected = { key: selectedKey, at: this.deps.now() };
      this.set(false);
    }
    this.awaitFrame();
  }

  /** Everything counts as drawn again: the window was shown, or got the keyboard. */
  restart(): void {
    this.cards = new Map([...this.cards].map(([key, card]) => [key, { ...card, since: Infinity }]));
    this.awaitFrame();
  }

  private awaitFrame(): void {
    if (this.isWaiting || ![...this.cards.values()].some(({ since }) => since === Infinity)) return;
    this.isWaiting = true;
    this.deps.onFrame(() => {
      this.isWaiting = false;
      const now = this.deps.now();
      this.cards = new Map(
        [...this.cards].map(([key, card]) => [key, card.since === Infinity ? { ...card, since: now } : card]),
      );
    });
  }

  private wasDrawn(key: string, fingerprint: string | null, at: number): boolean {
    this.look();
    const card = this.cards.get(key);
    if (card === undefined || card.seen.fingerprint !== fingerprint || !card.seen.isWhole) return false;
    return card.wasStartSeen && card.wasEndSeen && at - card.since >= READING_MS;
  }

  private drop(): false {
    this.droppedAt = this.deps.now();
    this.set(true);
    return false;
  }

  /** For a click, or a key on a button. `at` is the event's time. */
  letsClick(key: string, fingerprint: string | null, at: number): boolean {
    return this.wasDrawn(key, fingerprint, at);
  }

  /** For the key of an answer. One that is dropped begins the time again, so that of a burst only the first counts. */
  letsKey(key: string, fingerprint: string | null, at: number): boolean {
    if (!this.wasDrawn(key, fingerprint, at)) return this.drop();
    if (at - Math.max(this.selected.at, this.droppedAt) < READING_MS) return this.drop();
    this.set(false);
    return true;
  }

  /** Forgets that an answer came too early. */
  readonly clear = (): void => this.set(false);
}
