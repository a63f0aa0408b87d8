// What keeps keys and clicks from acting where they were not meant to. `KeyHold` ignores keys after an input was refused.
// `ReadGate` lets an answer through only for a card that was read: its head and all of its request have been in view for half a
// second, and nothing of it moved just now. A key or a click that came earlier was meant for something else, and is dropped.
import { Store } from "./store.ts";
import type { PaneView } from "../../core/model/view.ts";
import type { PaneAction } from "../../ui/actions/paneActions.ts";

/** Keys that move, and write nothing. */
const MOVES: ReadonlySet<string> = new Set([
  "ArrowUp",
  "ArrowDown",
  "ArrowLeft",
  "ArrowRight",
  "Home",
  "End",
  "PageUp",
  "PageDown",
  "Tab",
  "Escape",
]);

/** A text is over so long after its last key. */
const TEXT_PAUSE_MS = 1_000;

/** The person may still be typing what was refused, and each letter is also an action's key; a key that moves ends the hold. */
export class KeyHold extends Store<boolean> {
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor() {
    super(false);
  }

  readonly isHeld = this.getState;
  readonly hold = (): void => {
    this.stopTimer();
    this.set(true);
  };
  readonly release = (): void => {
    this.stopTimer();
    this.set(false);
  };

  /** Nothing is selected, so nothing was refused but the text itself: the hold ends with it. */
  holdText(): void {
    if (this.isHeld() && this.timer === null) return;
    this.stopTimer();
    this.timer = setTimeout(this.release, TEXT_PAUSE_MS);
    this.set(true);
  }

  private stopTimer(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  /** Whether the key may act; a key that moves ends the hold. */
  lets(key: string): boolean {
    if (MOVES.has(key)) this.release();
    else if (this.timer !== null) this.holdText();
    return !this.isHeld();
  }
}

/** What was seen of a card in the document, in CSS pixels of the window. */
export interface SeenCard {
  key: string;
  fingerprint: string | null;
  /** Who asks, in words: badge, task, agent and place. */
  head: string;
  /** Of the head and the request together. */
  top: number;
  left: number;
  height: number;
  /** All of its text is in the document, and none of it is cut. */
  isWhole: boolean;
  /** The part of its height that is in view, from its top; empty where `to` is not above `from`. */
  view: { from: number; to: number };
}

/** A part of a card that is in view. */
interface Span {
  from: number;
  to: number;
  /** Infinite until a frame was drawn. */
  since: number;
}

type Part = Omit<Span, "since">;

interface KnownCard {
  seen: SeenCard;
  /** Since when it has been drawn in this place; infinite until a frame was drawn. */
  since: number;
  /** Since when it has asked this. */
  askedSince: number;
  inView: readonly Span[];
  /** Parts that were in view long enough and are not any more: a card that is higher than the window is read by scrolling. */
  read: readonly Part[];
  /** What was read of it before its head said something else for a while: that an action is under way. */
  former: { seen: SeenCard; read: readonly Part[] } | null;
}

/** Nobody can read a card in less time. */
export const READING_MS = 500;
/** The card to which a key goes is known by its mark and not by its place, so that it may have moved a little before. */
export const STILL_MS = 300;
/** Keys that follow each other faster than this are one press. */
export const BURST_MS = 200;

const isSameText = (left: SeenCard, right: SeenCard): boolean =>
  left.fingerprint === right.fingerprint &&
  left.head === right.head &&
  left.height === right.height &&
  left.isWhole === right.isWhole;

const isUnmoved = (left: SeenCard, right: SeenCard): boolean =>
  isSameText(left, right) && left.top === right.top && left.left === right.left;

/** The parts that stay in view keep their time; those that come into view begin. */
const follow = (before: readonly Span[], { from, to }: SeenCard["view"]): Span[] => {
  if (to <= from) return [];
  const kept = before
    .map((span) => ({ ...span, from: Math.max(span.from, from), to: Math.min(span.to, to) }))
    .filter((span) => span.from < span.to)
    .toSorted((left, right) => left.from - right.from);
  const spans: Span[] = [];
  let end = from;
  for (const span of kept) {
    if (span.from > end) spans.push({ from: end, to: span.from, since: Infinity });
    spans.push(span);
    end = span.to;
  }
  return end < to ? [...spans, { from: end, to, since: Infinity }] : spans;
};

/** The parts, with those that touch merged into one. */
const union = (parts: readonly Part[]): Part[] => {
  const merged: Part[] = [];
  for (const { from, to } of parts.toSorted((left, right) => left.from - right.from)) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
};

const isCovered = (height: number, parts: readonly Part[]): boolean =>
  union(parts).some(({ from, to }) => from <= 0 && to >= height);

const begin = (seen: SeenCard): KnownCard => ({
  seen,
  since: Infinity,
  askedSince: Infinity,
  inView: follow([], seen.view),
  read: [],
  former: null,
});

const continued = (known: KnownCard, seen: SeenCard, now: number): KnownCard => {
  const long = known.inView.filter(({ since }) => now - since >= READING_MS);
  if (!isSameText(known.seen, seen)) {
    if (known.seen.fingerprint !== seen.fingerprint) return begin(seen);
    const { former } = known;
    const isBack = former !== null && isSameText(former.seen, seen);
    return {
      ...begin(seen),
      read: isBack ? former.read : [],
      former: isBack ? null : { seen: known.seen, read: union([...known.read, ...long]) },
    };
  }
  const isMoved = !isUnmoved(known.seen, seen);
  const left = isMoved ? long : [];
  return {
    ...known,
    seen,
    since: isMoved ? Infinity : known.since,
    inView: follow(known.inView, seen.view),
    read: left.length === 0 ? known.read : union([...known.read, ...left]),
  };
};

/** A frame was drawn: what waited for it begins now. */
const drawn = (card: KnownCard, now: number): KnownCard => {
  const at = (since: number): number => (since === Infinity ? now : since);
  return {
    ...card,
    since: at(card.since),
    askedSince: at(card.askedSince),
    inView: card.inView.map((span) => ({ ...span, since: at(span.since) })),
  };
};

const isWaiting = ({ since, inView }: KnownCard): boolean =>
  since === Infinity || inView.some((span) => span.since === Infinity);

/** It answers nothing but puts the card away, which a person decides by what the card says, too. */
export const isOfCard = ({ kind, isAnswer }: PaneAction): boolean =>
  isAnswer !== true && (kind === "dismiss" || kind === "later");

/** What the card of a pane asks, as it is in the document; null where it isn't asking anything. */
export const askedOf = ({ request, prompt_fingerprint: fingerprint }: PaneView): string | null =>
  request === null ? null : (fingerprint ?? "");

/** The state says whether the last answer came too early. */
export class ReadGate extends Store<boolean> {
  private readonly deps: ConstructorParameters<typeof ReadGate>[0];
  private cards: ReadonlyMap<string, KnownCard> = new Map();
  private selected: { key: string | null; at: number } = { key: null, at: -Infinity };
  private droppedAt = -Infinity;
  /** When the pointer last moved. */
  private pointedAt = -Infinity;
  private isByPointer = false;
  /** When the pointer was released or the key was pressed; null until then. */
  private actedAt: number | null = null;
  /** When a key last acted: it may have brought another card below a pointer that rests. */
  private keyedAt = -Infinity;
  /** When the wheel last brought something below the pointer. */
  private wheeledAt = -Infinity;
  /** What is drawn above the cards. */
  private covers = 0;
  private isWaiting = false;
  private viewHeight = Infinity;
  private look: () => void = () => {};

  constructor(deps: {
    /** On the clock of `event.timeStamp`. */
    now(): number;
    /** Runs the callback with the next frame that is drawn. Never while the page is hidden. */
    onFrame(callback: () => void): void;
  }) {
    super(false);
    this.deps = deps;
  }

  /** `look` notes the cards before each decision, so that a movement that was not reported counts too. */
  watch(look: () => void): () => void {
    this.look = look;
    return () => {
      if (this.look === look) this.look = () => {};
      this.cards = new Map();
    };
  }

  /**
   * Call it with the cards in the document after each change of the list, and when it was scrolled. `viewHeight`: of the part in
   * which cards can be seen.
   */
  note(cards: readonly SeenCard[], selectedKey: string | null, viewHeight: number): void {
    const before = this.cards;
    const now = this.deps.now();
    this.viewHeight = viewHeight;
    this.cards = new Map(
      cards.map((seen) => {
        const known = before.get(seen.key);
        return [seen.key, known === undefined ? begin(seen) : continued(known, seen, now)];
      }),
    );
    if (selectedKey !== this.selected.key) {
      this.selected = { key: selectedKey, at: now };
      this.set(false);
    }
    this.awaitFrame();
  }

  /** Something lies above the cards until the returned function is called: nothing of them is in view. */
  cover(): () => void {
    this.covers += 1;
    this.restart();
    return () => {
      this.covers -= 1;
      this.restart();
    };
  }

  /** Everything counts as drawn again: the window was shown, or got the keyboard. */
  restart(): void {
    this.cards = new Map(
      [...this.cards].map(([key, card]) => [
        key,
        { ...card, since: Infinity, inView: card.inView.map((span) => ({ ...span, since: Infinity })) },
      ]),
    );
    this.awaitFrame();
  }

  notePointer(at: number): void {
    this.pointedAt = at;
  }
  noteWheel(at: number): void {
    this.wheeledAt = at;
  }
  /** What acts from now on, and when it did: a pointer that was pressed, or a key. It may arrive much later. */
  noteMeans(isPointer: boolean, at: number | null = null): void {
    this.isByPointer = isPointer;
    this.actedAt = at;
  }
  noteKey(at: number): void {
    this.noteMeans(false, at);
    this.keyedAt = at;
  }

  private get meantAt(): number {
    return this.actedAt ?? this.deps.now();
  }

  private awaitFrame(): void {
    if (this.isWaiting || this.covers > 0 || ![...this.cards.values()].some(isWaiting)) return;
    this.isWaiting = true;
    this.deps.onFrame(() => {
      this.isWaiting = false;
      if (this.covers > 0) return;
      const now = this.deps.now();
      this.cards = new Map([...this.cards].map(([key, card]) => [key, drawn(card, now)]));
    });
  }

  /** The card, if its head and all of its request have been in view for long enough, and still are, as far as they fit. */
  private findRead(
    key: string,
    fingerprint: string | null,
    at: number,
    { mayHaveLeft = false } = {},
  ): KnownCard | null {
    this.look();
    const card = this.cards.get(key);
    if (card === undefined || card.seen.fingerprint !== fingerprint || !card.seen.isWhole) return null;
    const now = card.inView.filter(({ since }) => at - since >= READING_MS);
    const isHigher = mayHaveLeft || card.seen.height > this.viewHeight;
    return isCovered(card.seen.height, isHigher ? [...card.read, ...now] : now) ? card : null;
  }

  private drop(): false {
    this.droppedAt = this.deps.now();
    this.set(true);
    return false;
  }

  /** For a click, or a key on a button, at this moment. The pointer has to have moved since the card asks this. */
  letsClick(key: string, fingerprint: string | null): boolean {
    const at = this.meantAt;
    const card = this.findRead(key, fingerprint, at);
    const isMeant =
      card !== null &&
      (this.isByPointer
        ? at - card.since >= READING_MS &&
          this.pointedAt > card.askedSince &&
          Math.max(this.pointedAt, this.wheeledAt) > this.keyedAt
        : at - card.since >= STILL_MS);
    this.set(!isMeant);
    return isMeant;
  }

  /** A key on a button that came too early: nothing happens, and nothing is held. */
  dropsKey(key: string, fingerprint: string | null): boolean {
    // A click that comes neither from a pointer nor from a key, such as a screen reader's, gets the reason.
    if (this.isByPointer || this.meantAt - this.keyedAt > 1_000) return false;
    const isBurst = this.meantAt - this.droppedAt < BURST_MS;
    if (this.letsClick(key, fingerprint) && !isBurst) return false;
    this.drop();
    return true;
  }

  /** For the key of an answer. One that comes too early changes nothing; of a burst not even the last counts. */
  letsKey(key: string, fingerprint: string | null, at: number): boolean {
    const card = this.findRead(key, fingerprint, at);
    if (card === null || at - card.since < STILL_MS) return this.drop();
    if (at - this.selected.at < READING_MS || at - this.droppedAt < BURST_MS) return this.drop();
    this.set(false);
    return true;
  }

  /** For a text that answers: the card may have left the view while the text was written. */
  letsText(key: string, fingerprint: string | null): boolean {
    return this.findRead(key, fingerprint, this.meantAt, { mayHaveLeft: true }) !== null || this.drop();
  }

  /** Forgets that an answer came too early. */
  readonly clear = (): void => this.set(false);
}

/** On the clock and the frames of this page. */
export const openReadGate = (): ReadGate =>
  new ReadGate({
    now: () => performance.now(),
    onFrame: (callback) => void requestAnimationFrame(callback),
  });
