// The daemon's notifications in the app: their form for the system, when each is shown, what a person chose in one, and showing and
// withdrawing them. Buttons and replies are for systems that have them; elsewhere a click leads to the pane. The daemon decides
// which waits get one.
import type {
  AgentNotification,
  NotificationAction,
  NotificationEvent,
} from "../core/model/notifications.ts";
import type { ReachableService } from "../core/api/calls.ts";
import { type ActionResult, actionGuardsSchema, type ActionGuards } from "../core/model/action.ts";
import { AgtmuxError } from "../core/model/errors.ts";

/** The part of Electron's NotificationConstructorOptions that is used here. */
interface NativeOptions {
  id: string;
  title: string;
  body: string;
  silent: boolean;
  sound?: string;
  actions?: { type: "button"; text: string }[];
  hasReply?: boolean;
  replyPlaceholder?: string;
}

/** Linux desktops may read the body as markup, so a `<` that could begin a tag is separated from what follows. */
const withoutMarkup = (text: string): string => text.replaceAll(/<(?=[A-Za-z/!?])/g, "<\u200b");

/**
 * The button's text. macOS registers sets of buttons by these texts, so they are the same for every notification; the options'
 * own texts are in the body.
 */
const labelOf = (action: NotificationAction): string => {
  switch (action.kind) {
    case "approve":
      return "Approve";
    case "deny":
      return "Deny";
    case "attach":
      return "Open";
    case "option":
      return `Option ${action.number}`;
  }
};

/** The options come after the request and before the line that says where. */
const withOptions = ({ body, actions }: AgentNotification): string => {
  const options = actions.flatMap((action) =>
    action.kind === "option" ? [`${labelOf(action)}: ${action.label}`] : [],
  );
  const [asked = "", ...place] = body.split("\n");
  return [asked, ...options, ...place].join("\n");
};

export const toNativeOptions = (notice: AgentNotification, platform: NodeJS.Platform): NativeOptions => {
  const { id, title, body, sound } = notice;
  const silent = sound === "none";
  if (platform !== "darwin") return { id, title: withoutMarkup(title), body: withoutMarkup(body), silent };
  return {
    id,
    title,
    body: withOptions(notice),
    silent,
    ...(silent || sound === "default" ? {} : { sound }),
    ...(notice.actions.length === 0
      ? {}
      : { actions: notice.actions.map((action) => ({ type: "button", text: labelOf(action) })) }),
    ...(notice.reply === null
      ? {}
      : { hasReply: true, replyPlaceholder: notice.reply === "answer" ? "Answer" : "Tell the agent" }),
  };
};

/** If the system reports nothing about a notification for this long, it never will. */
const SHOW_LIMIT_MS = 3_000;

interface Waiting {
  readonly buttons: string;
  readonly show: () => void;
}

/**
 * When a notification is handed to the system. macOS registers a set of buttons by name, separately from the notification, so two
 * new sets at the same moment may get lost; they come one after the other. The first notification makes macOS ask the person for
 * permission, so agtmux first explains what it is for.
 */
export class NotificationTurns {
  private readonly setTimer: (delayMs: number, callback: () => void) => () => void;
  private readonly onExplained: () => void;
  private explain: (() => Promise<void>) | null;
  private isHeld = false;
  private readonly registered = new Set<string>();
  private inFlight: string | null = null;
  private cancelTimer: () => void = () => {};
  private waiting: Waiting[] = [];

  constructor({
    explain,
    onExplained,
    setTimer,
  }: {
    /**
     * Explains once what notifications are for; resolves when the person has read it. Null: it was explained before, or the
     * system does not ask.
     */
    readonly explain: (() => Promise<void>) | null;
    /** It was explained, here or on a page. */
    readonly onExplained: () => void;
    readonly setTimer: (delayMs: number, callback: () => void) => () => void;
  }) {
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

// Choices: they go through the gate as every action, guarded by what the notification showed: the agent, its state, its prompt. A
// failure is shown in a notification, because the person is not looking at a window.

/** `open`: the notification itself was clicked. */
export type NotificationChoice =
  | { readonly kind: "open" }
  | { readonly kind: "action"; readonly action: NotificationAction }
  | { readonly kind: "reply"; readonly text: string };

const SURFACE = "notification";

/** Only for this agent, never for another that took the pane over since. */
const targetOf = ({ pane }: AgentNotification, guards: Partial<ActionGuards>) => {
  const { runtime_id: runtimeId, pane_ref: paneRef } = pane.identity;
  return {
    ref: runtimeId === null ? paneRef : `runtime:${runtimeId}`,
    guards: actionGuardsSchema.parse({ ifRuntime: runtimeId, ...guards }),
    surface: SURFACE,
  };
};

const nameOf = ({ pane }: AgentNotification): string => pane.agent_name ?? "the agent";

export class NotificationActions {
  private readonly deps: ConstructorParameters<typeof NotificationActions>[0];

  constructor(deps: {
    service(): Promise<ReachableService>;
    /** Shows the result in a notification; a click on it leads where the first one led. */
    say(notice: AgentNotification, title: string, body: string): void;
    openPopover(): void;
    onError(error: unknown): void;
  }) {
    this.deps = deps;
  }

  /** Never rejects: failures are shown to the person. */
  async perform(notice: AgentNotification, choice: NotificationChoice): Promise<void> {
    try {
      const result = await this.act(notice, choice);
      if (result === null || result.outcome === "delivered") return;
      const what = result.outcome === "not_delivered" ? "Not delivered to" : "Not confirmed by";
      this.deps.say(notice, `${what} ${nameOf(notice)}`, result.detail);
    } catch (error) {
      this.deps.onError(error);
      const isAttach =
        choice.kind === "open" || (choice.kind === "action" && choice.action.kind === "attach");
      // The list shows what the person wanted to see as well.
      if (isAttach) this.deps.openPopover();
      const { message, remedy } =
        error instanceof AgtmuxError ? error : new AgtmuxError("E_INTERNAL", "The action failed");
      this.deps.say(
        notice,
        isAttach ? `Not opened: ${nameOf(notice)}` : `Not sent to ${nameOf(notice)}`,
        `${message.replace(/[.\s]+$/, "")}. ${isAttach ? remedy : ""}`.trim(),
      );
    }
  }

  /** Null: there is no result to show. */
  private async act(notice: AgentNotification, choice: NotificationChoice): Promise<ActionResult | null> {
    if (choice.kind === "open" || (choice.kind === "action" && choice.action.kind === "attach"))
      return this.attach(notice);
    if (choice.kind === "reply") return this.reply(notice, choice.text);
    const { action } = choice;
    const answer =
      action.kind === "option"
        ? ({ kind: "option", number: action.number } as const)
        : ({ kind: action.kind === "deny" ? "deny" : "approve" } as const);
    return this.answer(notice, action.kind, answer);
  }

  private async attach(notice: AgentNotification): Promise<null> {
    if (notice.count > 1) this.deps.openPopover();
    else await (await this.deps.service()).openAttach(targetOf(notice, {}));
    return null;
  }

  private async answer(
    notice: AgentNotification,
    what: string,
    choice: Parameters<ReachableService["answer"]>[0]["choice"],
  ): Promise<ActionResult> {
    const service = await this.deps.service();
    return service.answer({
      ...targetOf(notice, { ifPrompt: notice.pane.prompt_fingerprint }),
      choice,
      idempotencyKey: `${notice.id}:${what}`,
    });
  }

  private async reply(notice: AgentNotification, text: string): Promise<ActionResult | null> {
    if (text.trim() === "") return null;
    switch (notice.reply) {
      case "answer":
        return this.answer(notice, "reply", { kind: "text", text });
      case "send":
        return (await this.deps.service()).send({
          ...targetOf(notice, { ifVersion: notice.pane.state_version }),
          text,
          pressEnter: true,
          toShell: false,
          idempotencyKey: `${notice.id}:reply`,
        });
      case null:
        return null;
    }
  }
}

/** One notification of the system; Electron's `Notification` has this form. */
interface NativeNotification {
  show(): void;
  close(): void;
  on(event: "click" | "show", listener: () => void): unknown;
  on(event: "action", listener: (details: { actionIndex: number }) => void): unknown;
  on(event: "reply", listener: (details: { reply: string }) => void): unknown;
  on(event: "failed", listener: (event: unknown, error: string) => void): unknown;
}

/** How many ids of past notices are remembered, so that a repeated one stays silent. */
const REMEMBERED = 1_000;
const MAX_PROBLEM = 200;

/** Names the set of buttons; "" where there are none. */
const buttonsOf = ({ actions, hasReply }: NativeOptions): string =>
  actions === undefined && hasReply === undefined
    ? ""
    : JSON.stringify([actions?.map(({ text }) => text), hasReply]);

/** Whether the popover shows it as well: what a watch reports is shown nowhere else. */
const isListed = ({ kind }: AgentNotification): boolean => kind !== "watch";

const toProblem = (error: string): string =>
  `The system did not show a notification (${error.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ").slice(0, MAX_PROBLEM)}). ` +
  "Allow agtmux in the system's notification settings; on macOS a build without a signature may not show any.";

/** Shows each notification once, withdraws it when it is settled elsewhere, and passes on what the person chose in it. */
export class NotificationPresenter {
  private readonly deps: ConstructorParameters<typeof NotificationPresenter>[0];
  /** It also keeps the notifications in memory: one that was garbage-collected would not get its click. */
  private readonly shown = new Map<string, NativeNotification>();
  private readonly seen = new Set<string>();
  private lastProblem: string | null = null;

  constructor(deps: {
    create(options: NativeOptions): NativeNotification;
    toOptions(notice: AgentNotification): NativeOptions;
    onChoice(notice: AgentNotification, choice: NotificationChoice): void;
    onFailed(error: string): void;
    /** True while the popover is open: what it lists needs no notification. */
    isPopoverOpen(): boolean;
    setTimer(delayMs: number, callback: () => void): () => void;
    /** Decides when each may be shown. */
    readonly turns: NotificationTurns;
  }) {
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
