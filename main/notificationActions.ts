// Does what a person chose in a notification, through the same gate as every action, and guarded by what the notification
// showed: the agent, its state, its prompt. A failure is shown in a notification, because the person is not looking at a
// window.
import type { ReachableService } from "../core/api/calls.ts";
import type { AgentNotification, NotificationAction } from "../core/api/service.ts";
import type { ActionResult } from "../core/model/actionView.ts";
import { AgtmuxError } from "../core/model/errors.ts";
import { actionGuardsSchema, type ActionGuards } from "../core/model/snapshot.ts";

/** `open`: the notification itself was clicked. */
export type NotificationChoice =
  | { readonly kind: "open" }
  | { readonly kind: "action"; readonly action: NotificationAction }
  | { readonly kind: "reply"; readonly text: string };

export interface NotificationActionsDeps {
  service(): Promise<Pick<ReachableService, "answer" | "send" | "openAttach">>;
  /** Tells the result in a notification; a click on it leads where the first one led. */
  say(notice: AgentNotification, title: string, body: string): void;
  openPopover(): void;
  onError(error: unknown): void;
}

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
  private readonly deps: NotificationActionsDeps;

  constructor(deps: NotificationActionsDeps) {
    this.deps = deps;
  }

  /** Never rejects: failures are told to the person. */
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

  /** Null: there is no result to tell. */
  private async act(notice: AgentNotification, choice: NotificationChoice): Promise<ActionResult | null> {
    if (choice.kind === "open" || (choice.kind === "action" && choice.action.kind === "attach"))
      return this.attach(notice);
    if (choice.kind === "reply") return this.reply(notice, choice.text);
    const { action } = choice;
    return this.answer(notice, action.kind, {
      choice:
        action.kind === "option"
          ? { kind: "option", number: action.number }
          : { kind: action.kind === "deny" ? "deny" : "approve" },
    });
  }

  private async attach(notice: AgentNotification): Promise<null> {
    if (notice.count > 1) this.deps.openPopover();
    else await (await this.deps.service()).openAttach(targetOf(notice, {}));
    return null;
  }

  private async answer(
    notice: AgentNotification,
    what: string,
    { choice }: Pick<Parameters<ReachableService["answer"]>[0], "choice">,
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
        return this.answer(notice, "reply", { choice: { kind: "text", text } });
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
