// Turns the daemon's notices into native notifications: each is shown once, taken back when it is settled elsewhere, and
// leads to its pane when clicked. Which waits deserve one is the daemon's decision.
import type { Notice, NoticeEvent } from "../core/api/service.ts";

/** One notification of the system; Electron's `Notification` has this form. */
export interface NativeNotification {
  show(): void;
  close(): void;
  on(event: "click", listener: () => void): unknown;
  on(event: "failed", listener: (event: unknown, error: string) => void): unknown;
}

export interface NoticePresenterDeps {
  create(notice: Pick<Notice, "id" | "title" | "body">): NativeNotification;
  onClick(notice: Notice): void;
  onFailed(error: string): void;
}

/** How many ids of past notices are remembered, so that a repeated one stays silent. */
const REMEMBERED = 1_000;

export class NoticePresenter {
  private readonly deps: NoticePresenterDeps;
  /** Also keeps the notifications reachable: a collected one loses its click. */
  private readonly shown = new Map<string, NativeNotification>();
  private readonly seen = new Set<string>();

  constructor(deps: NoticePresenterDeps) {
    this.deps = deps;
  }

  handle(event: NoticeEvent): void {
    switch (event.kind) {
      case "show":
        this.show(event.notice);
        return;
      case "withdraw":
        this.withdraw(event.id);
        return;
    }
  }

  /** Takes every notification back: the daemon that would withdraw them is gone. */
  clear(): void {
    for (const id of this.shown.keys()) this.withdraw(id);
  }

  private show(notice: Notice): void {
    if (this.seen.has(notice.id)) return;
    this.remember(notice.id);
    const native = this.deps.create({ id: notice.id, title: notice.title, body: notice.body });
    this.shown.set(notice.id, native);
    native.on("click", () => {
      this.shown.delete(notice.id);
      this.deps.onClick(notice);
    });
    native.on("failed", (_event, error) => {
      this.shown.delete(notice.id);
      this.deps.onFailed(error);
    });
    native.show();
  }

  private withdraw(id: string): void {
    this.shown.get(id)?.close();
    this.shown.delete(id);
  }

  private remember(id: string): void {
    this.seen.add(id);
    const [oldest] = this.seen;
    if (this.seen.size > REMEMBERED && oldest !== undefined) this.seen.delete(oldest);
  }
}
