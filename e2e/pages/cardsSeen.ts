// What somebody at the window could have read of the cards: for each card of which rows of pixels of its head and its request lay
// within the visible part, and since when. It looks at each frame by itself, and shares nothing with the product's own gate.
import type { Page } from "playwright";

/** What was there at the moment of a key or a click. */
export interface Press {
  kind: "key" | "click";
  key: string;
  /** Of the card that is selected, or that was clicked; null: none. */
  ref: string | null;
  fingerprint: string | null;
  /** Each row of head and request has been in view for half a second, or was before in this card. */
  wasRead: boolean;
  /** For words. */
  boxes: string;
}

/** Where the selected card is. */
export interface Standing {
  ref: string;
  isWhole: boolean;
  isTaller: boolean;
  isHeadInView: boolean;
  /** As `Press.wasRead`. */
  isRead: boolean;
  /** How long it has stood where it is, in ms. */
  stillMs: number;
  boxes: string;
}

const install = (): void => {
  const READ_MS = 500;
  // Two callbacks of one frame, and the clock of events.
  const SLACK_MS = 40;
  const EARLY_MS = 60;
  const STEP = 4;
  interface Known {
    fingerprint: string | null;
    size: string;
    inViewSince: Map<string, number>;
    read: Set<string>;
  }
  const known = new Map<string, Known>();
  const presses: unknown[] = [];
  let pointedAt = -Infinity;
  const changedAt = new Map<string, number>();

  const visiblePart = (element: Element): { top: number; bottom: number } => {
    let [top, bottom] = [0, innerHeight];
    for (let one = element.parentElement; one !== null; one = one.parentElement) {
      if (getComputedStyle(one).overflowY === "visible") continue;
      const box = one.getBoundingClientRect();
      [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
    }
    return { top, bottom };
  };
  const partsOf = (card: Element): [string, DOMRect][] =>
    [card.querySelector("[data-ref]"), card.querySelector("[data-asked]")].flatMap((part, index) =>
      part === null ? [] : [[index === 0 ? "head" : "asked", part.getBoundingClientRect()]],
    );
  const refOf = (card: Element): string =>
    card.querySelector<HTMLElement>("[data-ref]")?.dataset["ref"] ?? "";
  const rowsOf = (card: Element): { name: string; y: number }[] =>
    partsOf(card).flatMap(([name, box]) =>
      Array.from({ length: Math.max(1, Math.ceil(box.height / STEP)) }, (_, index) => ({
        name: `${name} ${index}`,
        y: Math.min(box.top + index * STEP + 0.5, box.bottom - 0.5),
      })),
    );
  const look = (now: number): void => {
    for (const card of document.querySelectorAll("[data-card=true]")) {
      const ref = refOf(card);
      const fingerprint = card.querySelector<HTMLElement>("[data-asked]")?.dataset["asked"] ?? null;
      const size = partsOf(card)
        .map(([, { width, height }]) => `${Math.round(width)}x${Math.round(height)}`)
        .join(" ");
      let one = known.get(ref);
      if (one === undefined || one.fingerprint !== fingerprint || one.size !== size) {
        if (one?.fingerprint !== fingerprint) changedAt.set(ref, now);
        one = { fingerprint, size, inViewSince: new Map(), read: new Set() };
        known.set(ref, one);
      }
      const { top, bottom } = visiblePart(card);
      for (const { name, y } of rowsOf(card)) {
        const since = one.inViewSince.get(name);
        if (y < top - 1 || y > bottom + 1) one.inViewSince.delete(name);
        else if (since === undefined) one.inViewSince.set(name, now);
        else if (now - since >= READ_MS - SLACK_MS) one.read.add(name);
      }
    }
  };
  const boxesOf = (card: Element): string => {
    const { top, bottom } = visiblePart(card);
    const parts = partsOf(card).map(
      ([name, box]) => `${name} ${box.top.toFixed(1)}..${box.bottom.toFixed(1)}`,
    );
    return `${parts.join(", ")} in ${top.toFixed(1)}..${bottom.toFixed(1)}`;
  };
  const isWithin = (card: Element): boolean => {
    const { top, bottom } = visiblePart(card);
    return partsOf(card).every(([, box]) => box.top >= top - 1 && box.bottom <= bottom + 1);
  };
  const heightOf = (card: Element): number => {
    const boxes = partsOf(card).map(([, box]) => box);
    return Math.max(...boxes.map((box) => box.bottom)) - Math.min(...boxes.map((box) => box.top));
  };
  const isTaller = (card: Element): boolean => {
    const { top, bottom } = visiblePart(card);
    return heightOf(card) > bottom - top;
  };
  // What fits has to be there at the very moment.
  const isRead = (card: Element): boolean => {
    const one = known.get(refOf(card));
    const isSeen = one !== undefined && rowsOf(card).every(({ name }) => one.read.has(name));
    return isSeen && (isTaller(card) || isWithin(card));
  };
  const note = (kind: string, key: string, card: Element | null, isPointerKnown: boolean): void => {
    look(performance.now());
    const one = card === null ? undefined : known.get(refOf(card));
    presses.push({
      kind,
      key,
      ref: card === null ? null : refOf(card),
      fingerprint: one?.fingerprint ?? null,
      wasRead: card !== null && isRead(card) && isPointerKnown,
      boxes: card === null ? "" : boxesOf(card),
    });
  };
  const selectedCard = (): Element | null => document.querySelector("[data-card=true][data-selected=true]");
  let pressing: { key: string; after: string } | null = null;
  let stands = { at: "", since: 0 };
  const noteStand = (now: number): void => {
    const card = selectedCard();
    const at = card === null ? "" : `${refOf(card)} ${boxesOf(card)}`;
    if (at === stands.at) return;
    stands = { at, since: now };
    if (pressing === null || card === null || refOf(card) === pressing.after) return;
    const event = new KeyboardEvent("keydown", { key: pressing.key, bubbles: true, cancelable: true });
    pressing = null;
    setTimeout(() => (document.activeElement ?? document.body).dispatchEvent(event), EARLY_MS);
  };
  const frame = (): void => {
    const now = performance.now();
    look(now);
    noteStand(now);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  let place = "";
  window.addEventListener(
    "pointermove",
    ({ clientX, clientY, timeStamp }) => {
      if (place !== `${clientX} ${clientY}`) pointedAt = timeStamp;
      place = `${clientX} ${clientY}`;
    },
    true,
  );
  window.addEventListener("keydown", ({ key }) => note("key", key, selectedCard(), true), true);
  window.addEventListener(
    "click",
    ({ target }) => {
      const card = target instanceof Element ? target.closest("[data-card=true]") : null;
      note("click", "", card, card !== null && pointedAt >= (changedAt.get(refOf(card)) ?? 0) - SLACK_MS);
    },
    true,
  );
  Object.assign(window, {
    seenPresses: () => presses.splice(0),
    seenPressAtNext: (key: string) => {
      const card = selectedCard();
      pressing = { key, after: card === null ? "" : refOf(card) };
    },
    seenStanding: () => {
      const card = selectedCard();
      if (card === null) return null;
      const { top } = visiblePart(card);
      const head = card.querySelector("[data-ref]")?.getBoundingClientRect();
      return {
        ref: refOf(card),
        isWhole: isWithin(card),
        isTaller: isTaller(card),
        isRead: isRead(card),
        stillMs: performance.now() - stands.since,
        isHeadInView:
          head !== undefined && head.top >= top - 1 && head.bottom <= visiblePart(card).bottom + 1,
        boxes: boxesOf(card),
      };
    },
  });
};

const call = <T>(page: Page, name: string, word?: string): Promise<T> =>
  page.evaluate(
    ([named, given]) => {
      const found: unknown = Reflect.get(window, named ?? "");
      return typeof found === "function" ? found(given) : null;
    },
    [name, word],
  );

export interface SeenCards {
  /** The presses since the last call. */
  presses(): Promise<Press[]>;
  /** Null: no card is selected. */
  standing(): Promise<Standing | null>;
  /** Presses the key right after another card was selected, from within the page: none from outside comes so early for sure. */
  pressAtNext(key: string): Promise<void>;
}

/** From now on, until the page is loaded again. */
export const watchCards = async (page: Page): Promise<SeenCards> => {
  await page.evaluate(install);
  return {
    presses: () => call<Press[]>(page, "seenPresses"),
    standing: () => call<Standing | null>(page, "seenStanding"),
    pressAtNext: (key) => call<void>(page, "seenPressAtNext", key),
  };
};
