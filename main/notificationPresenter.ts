// Turns the daemon's notifications into native ones: each is shown once, is withdrawn when it is settled elsewhere, and passes
// on what the person chose in it. The daemon decides which waits get one.
import type { AgentNotification, NotificationEvent } from "../core/api/service.ts";
import type { NativeOptions } from "./nativeNotification.ts";
import type { NotificationChoice } from "./notificationActions.ts";
import { SHOW_LIMIT_MS, type NotificationTurns } from "./notificationTurns.ts";

/** One notification of the system; Electron's `Notification` has this form. */
export interface NativeNotification {
  show(): void;
  close(): void;
  on(event: "click" | "show", listener: () => void): unknown;
  on(event: "action", listener: (details: { actionIndex: number }) => void): unknown;
  on(event: "reply", listener: (details: { reply: string }) => void): unknown;
  on(event: "failed", listener: (event: unknown, error: string) => void): unknown;
}

export interface NotificationPresenterDeps {
  create(options: NativeOptions): NativeNotification;
  toOptions(notice: AgentNotification): NativeOptions;
  onChoice(notice: AgentNotification, choice: NotificationChoice): void;
  onFailed(error: string): void;
  /** True while the popover is open: what it lists needs no notification. */
  isPopoverOpen(): boolean;
  setTimer(delayMs: number, callback: () => void): () => void;
  /** Decides when each may be shown. */
  readonly turns: NotificationTurns;
}

/** How many ids of past notices are remembered, so that a repeated one stays silent. */
const REMEMBERED = 1_000;
const MAX_PROBLEM = 200;

/** Names the set of buttons; "" where there are none. */
const buttonsOf = ({ actions, hasReply }: NativeOptions): string =>
  actions === undefined && hasReply === undefined
    ? ""
    : JSON.stringify([actions?.map(({ text }) => text), hasReply]);

/** What the popover says as well; what a watch tells stands nowhere else. */
const isListed = ({ kind }: AgentNotification): boolean => kind !== "watch";

const toProblem = (error: string): string =>
  `The system did not show a notification (${error.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ").slice(0, MAX_PROBLEM)}). ` +
  "Allow agtmux in the system's notification settings; on macOS a build without a signature may not show any.";

export class NotificationPresenter {
  private readonly deps: NotificationPresenterDeps;
  /** It also keeps the notifications in memory: one that was garbage-collected would not get its click. */
  private readonly shown = new Map<string, NativeNotification>();
  private readonly seen = new Set<string>();
  private lastProblem: string | null = null;

  constructor(deps: NotificationPresenterDeps) {
    this.deps = deps;
  }

  /** Why the last notification was not shown; null once one was. */
  get problem(): string | null {
    return this.lastProblem;
  }

  handle(event: NotificationEvent): void {
    switch (event.kind) {
      case "show":
        if (this.remember(event.notice.id) && !(isListed(event.notice) && this.deps.isPopoverOpen()))
          this.show(event.notice, this.deps.toOptions(event.notice));
        return;
      case "withdraw":
        this.withdraw(event.id);
        return;
    }
  }

  /** Shows the result of a choice, in place of the notification in which it was made. */
  say(notice: AgentNotification, title: string, body: string): void {
    const plain: AgentNotification = { ...notice, title, body, sound: "none", actions: [], reply: null };
    this.withdraw(notice.id);
    this.show(notice, { ...this.deps.toOptions(plain), id: `${notice.id}:result` });
  }

  /** Something about the app itself; a click calls `onClick`. */
  announce(id: string, words: { title: string; body: string }, onClick: () => void): void {
    const native = this.deps.create({ id, ...words, silent: true });
    this.withdraw(id);
    this.keep(id, native);
    native.on("click", onClick);
    this.hand(id, native, "");
  }

  /** Shows one now. Resolves with the reason why it was not shown, or null if it was. */
  test(words: { title: string; body: string }): Promise<string | null> {
    // The person asked for this one and knows what notifications are for.
    this.deps.turns.explained();
    const { promise, resolve } = Promise.withResolvers<string | null>();
    const native = this.deps.create({ id: "test", ...words, silent: false });
    const cancel = this.deps.setTimer(SHOW_LIMIT_MS, () =>
      resolve("The system did not say whether it showed the notification."),
    );
    this.withdraw("test");
    this.keep("test", native);
    native.on("show", () => resolve(null));
    native.on("failed", () => resolve(this.lastProblem));
    this.hand("test", native, "");
    return promise.finally(cancel);
  }

  /** Withdraws every notification: the daemon that would do it is gone. */
  clear(): void {
    for (const id of this.shown.keys()) this.withdraw(id);
  }

  private show(notice: AgentNotification, options: NativeOptions): void {
    const native = this.deps.create(options);
    this.keep(options.id, native);
    const choose = (choice: NotificationChoice): void => {
      this.shown.delete(options.id);
      this.deps.onChoice(notice, choice);
    };
    native.on("click", () => choose({ kind: "open" }));
    native.on("action", ({ actionIndex }) => {
      const action = notice.actions[actionIndex];
      if (action !== undefined) choose({ kind: "action", action });
    });
    native.on("reply", ({ reply }) => choose({ kind: "reply", text: reply }));
    const buttons = buttonsOf(options);
    native.on("show", () => this.deps.turns.settle(buttons));
    native.on("failed", () => this.deps.turns.settle(buttons));
    this.hand(options.id, native, buttons);
  }

  /** Shows it when its turn comes, unless it was withdrawn by then. */
  private hand(id: string, native: NativeNotification, buttons: string): void {
    this.deps.turns.take(buttons, () => {
      if (this.shown.get(id) === native) native.show();
    });
  }

  private keep(id: string, native: NativeNotification): void {
    this.shown.set(id, native);
    native.on("show", () => (this.lastProblem = null));
    native.on("failed", (_event, error) => {
      this.shown.delete(id);
      this.lastProblem = toProblem(error);
      this.deps.onFailed(error);
    });
  }

  private withdraw(id: string): void {
    this.shown.get(id)?.close();
    this.shown.delete(id);
  }

  /** False for one that was already seen. */
  private remember(id: string): boolean {
    if (this.seen.has(id)) return false;
    this.seen.add(id);
    const [oldest] = this.seen;
    if (this.seen.size > REMEMBERED && oldest !== undefined) this.seen.delete(oldest);
    return true;
  }
}
