// How a browser says that somebody is waited for while the page is not looked at: the number in the title, a badge on the icon,
// and notifications. The daemon decides which waits get a notification; while nothing is asked of the browser nothing is open.
import type { AgentNotification, NotificationEvent } from "../../core/model/notifications.ts";
import type { FeedSubscription } from "./feedStore.ts";
import { Store } from "./store.ts";

/** What the browser allows: not asked yet, yes, no; or it has no notifications. */
export type Permission = NotificationPermission | "absent";

export interface WebNotification {
  close(): void;
}

const RETRY_MS = 15_000;

/** The state is the browser's permission. */
export class BrowserSigns extends Store<Permission> {
  private readonly deps: ConstructorParameters<typeof BrowserSigns>[0];
  private readonly shown = new Map<string, WebNotification>();

  constructor(deps: {
    permission(): Permission;
    ask(): Promise<NotificationPermission>;
    create(notice: AgentNotification, onClick: () => void): WebNotification;
    subscribe(handlers: { onData: (event: NotificationEvent) => void; onEnd: () => void }): FeedSubscription;
    /** Panes that need the person, asked of the daemon: the feed rests while nobody looks. */
    count(): Promise<number>;
    onCount(count: number): void;
    onClick(notice: AgentNotification): void;
    isVisible(): boolean;
    /** Calls back once. */
    setTimer(delayMs: number, callback: () => void): void;
  }) {
    super(deps.permission());
    this.deps = deps;
    if (this.getState() === "granted") this.follow();
  }

  /** To be called by a click: browsers refuse to ask otherwise. */
  async askPermission(): Promise<void> {
    const answer = await this.deps.ask();
    if (answer === "granted" && this.getState() !== "granted") this.follow();
    this.set(answer);
  }

  private follow(): void {
    this.deps.subscribe({
      onData: (event) => this.handle(event),
      onEnd: () => this.deps.setTimer(RETRY_MS, () => this.follow()),
    });
  }

  private handle(event: NotificationEvent): void {
    switch (event.kind) {
      case "show":
        this.show(event.notice);
        break;
      case "withdraw":
        this.shown.get(event.id)?.close();
        this.shown.delete(event.id);
        break;
    }
    if (!this.deps.isVisible())
      this.deps.count().then(
        (count) => this.deps.onCount(count),
        // The number is right again when the page is visible.
        () => {},
      );
  }

  /** What the person looks at needs no notification; what a watch reports is on no page. */
  private show(notice: AgentNotification): void {
    if ((this.deps.isVisible() && notice.kind !== "watch") || this.shown.has(notice.id)) return;
    const made = this.deps.create(notice, () => {
      made.close();
      this.deps.onClick(notice);
    });
    this.shown.set(notice.id, made);
  }
}

const BADGE_MOST = 99;

/** An icon with the number, as an address; the page's policy allows such images. */
const iconWith = (count: number): string => {
  const shape = `<path d="M5 9l6 5-6 5M14 21h9" fill="none" stroke="#fff" stroke-width="3"/>`;
  const text = count > BADGE_MOST ? `${BADGE_MOST}+` : `${count}`;
  const badge =
    count === 0
      ? ""
      : `<circle cx="22" cy="10" r="10" fill="#d9480f"/><text x="22" y="14.5" font-family="sans-serif" font-weight="700" font-size="${text.length > 2 ? 9 : 13}" fill="#fff" text-anchor="middle">${text}</text>`;
  return `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#24262b"/>${shape}${badge}</svg>`)}`;
};

/** Puts the number of those that need the person into the title and onto the icon of the page. */
export const showCount = (document: Document, count: number): void => {
  document.title = count === 0 ? "agtmux" : `(${count}) agtmux`;
  document.querySelector("link[rel=icon]")?.setAttribute("href", iconWith(count));
};
