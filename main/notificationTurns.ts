// When a notification is handed to the system. macOS registers a set of buttons by name, separately from the notification, so
// two new sets at the same moment may get lost. New sets therefore come one after the other. The first notification makes macOS
// ask the person for permission, so agtmux first explains what it is for.

export interface NotificationTurnsDeps {
  /**
   * Explains once what notifications are for; resolves when the person has read it. Null: it was explained before, or the
   * system does not ask.
   */
  readonly explain: (() => Promise<void>) | null;
  /** It was explained, here or on a page. */
  readonly onExplained: () => void;
  readonly setTimer: (delayMs: number, callback: () => void) => () => void;
}

/** If the system reports nothing about a notification for this long, it never will. */
export const SHOW_LIMIT_MS = 3_000;

interface Waiting {
  readonly buttons: string;
  readonly show: () => void;
}

export class NotificationTurns {
  private readonly setTimer: NotificationTurnsDeps["setTimer"];
  private readonly onExplained: () => void;
  private explain: NotificationTurnsDeps["explain"];
  private isHeld = false;
  private readonly registered = new Set<string>();
  private inFlight: string | null = null;
  private cancelTimer: () => void = () => {};
  private waiting: Waiting[] = [];

  constructor({ explain, onExplained, setTimer }: NotificationTurnsDeps) {
    this.explain = explain;
    this.onExplained = onExplained;
    this.setTimer = setTimer;
  }

  /** Calls `show` when its turn comes; `buttons` names the set of buttons, "" for none. */
  take(buttons: string, show: () => void): void {
    this.waiting.push({ buttons, show });
    if (this.explain !== null && !this.isHeld) {
      this.isHeld = true;
      void this.explain().finally(() => this.explained());
    }
    this.go();
  }

  /** The person has read what notifications are for. */
  explained(): void {
    if (this.explain === null) return;
    this.explain = null;
    this.onExplained();
    this.isHeld = false;
    this.go();
  }

  /** The system showed or refused one with this set. */
  settle(buttons: string): void {
    if (this.inFlight !== buttons) return;
    this.cancelTimer();
    this.registered.add(buttons);
    this.inFlight = null;
    this.go();
  }

  private isFree(buttons: string): boolean {
    return (
      buttons === "" || this.registered.has(buttons) || this.inFlight === null || this.inFlight === buttons
    );
  }

  private go(): void {
    if (this.isHeld) return;
    for (const one of this.waiting.splice(0)) {
      if (!this.isFree(one.buttons)) {
        this.waiting.push(one);
        continue;
      }
      if (one.buttons !== "" && !this.registered.has(one.buttons) && this.inFlight === null) {
        this.inFlight = one.buttons;
        this.cancelTimer = this.setTimer(SHOW_LIMIT_MS, () => this.settle(one.buttons));
      }
      one.show();
    }
  }
}
