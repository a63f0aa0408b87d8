// Somebody who acts in a race, through the real gate, and what is right and wrong about what reached a program.
import { AgtmuxError } from "../../core/model/errors.ts";
import { type AnswerChoice, actionGuardsSchema } from "../../core/model/action.ts";
import { TARGET } from "./model/events.ts";
import { isAnswer, type ActionName } from "./model/kinds.ts";
import type { LaggingEngine } from "./model/laggingEngine.ts";
import type { Delivery } from "./model/tmuxModel.ts";
import type { Named, RaceDaemon } from "./raceDaemon.ts";

export interface ActorPlan {
  action: ActionName;
  isByRuntime: boolean;
  guard: "none" | "runtime" | "force";
  choice: "approve" | "deny" | "option" | "text";
}

export type Outcome = "delivered" | "not_delivered" | "unverified" | "refused" | "window" | "WRONG";

export interface Actor {
  plan: ActorPlan;
  named: Named | null;
  /** The prompt that was on the daemon's list when the person decided. */
  promptId: string | null;
  result: Outcome | null;
}

export const newActor = (plan: ActorPlan, engine: LaggingEngine): Actor => ({
  plan,
  named: null,
  promptId: engine.promptOf(TARGET)?.id ?? null,
  result: null,
});

const toChoice = (choice: ActorPlan["choice"], index: number): AnswerChoice => {
  if (choice === "option") return { kind: "option", number: 2 };
  return choice === "text" ? { kind: "text", text: `text of ${index}` } : { kind: choice };
};

const begin = (
  daemon: RaceDaemon,
  engine: LaggingEngine,
  { action, isByRuntime, guard, choice }: ActorPlan,
  index: number,
) => {
  const entry = engine.entryOf(TARGET);
  const runtimeId = entry?.runtime.runtimeId ?? null;
  const request = {
    ref: isByRuntime && runtimeId !== null ? `runtime:${runtimeId}` : engine.refOf(TARGET),
    guards: actionGuardsSchema.parse({
      forceStale: guard === "force",
      ifRuntime: guard === "runtime" ? runtimeId : null,
      ifPrompt: isAnswer(action) ? (entry?.prompt?.fingerprint ?? "0000000000000000") : null,
    }),
    surface: "race",
  };
  switch (action) {
    case "ruled": {
      const told = daemon.unattended.findRequest(runtimeId ?? "none");
      return daemon.unattended.answer({
        runtimeId: runtimeId ?? "none",
        stateVersion: told?.stateVersion ?? 0,
        fingerprint: told?.fingerprint ?? "0000000000000000",
        choice: choice === "deny" ? "deny" : "approve",
        surface: "race",
        idempotencyKey: `rule:${index}`,
        lookAgain: () => Promise.resolve(),
        obstacle: () => null,
      });
    }
    case "queued":
      return daemon.unattended.send({
        runtimeId: runtimeId ?? "none",
        stateVersion: entry?.stateVersion ?? 0,
        surface: "race",
        text: `text of ${index}`,
        idempotencyKey: null,
        afterLimit: false,
        isFirst: false,
      });
    case "send":
      return daemon.actions.send({
        ...request,
        text: `text of ${index}`,
        pressEnter: true,
        toShell: true,
        idempotencyKey: null,
      });
    case "answer":
      return daemon.actions.answer({
        ...request,
        choice: toChoice(choice, index),
        idempotencyKey: null,
      });
    case "interrupt":
      return daemon.actions.interrupt(request);
    case "kill":
      return daemon.actions.kill({ ...request, signal: "TERM", isConfirmed: true });
  }
};

const OWN_TEXT = /^text of \d$/;

/** Null: it arrived where it was meant to. */
export const faultOf = (
  { plan, named, promptId }: Actor,
  { kind, what, receiver, prompt, box = "" }: Delivery,
): string | null => {
  const delivery = `${plan.action}: ${kind} ${JSON.stringify(what)}`;
  if (named === null) return `${delivery} without a gate`;
  const { runtimeId } = named.snapshot;
  if (receiver.runtimeId !== runtimeId) return `${delivery} reached ${receiver.runtimeId}, not ${runtimeId}`;
  if (runtimeId === null && receiver.pid !== named.panePid) return `${delivery} reached another shell`;
  if (isAnswer(plan.action) && prompt?.id !== promptId)
    return `${delivery} reached prompt ${prompt?.id ?? "none"}, not ${promptId}`;
  if (plan.action === "queued" && kind === "text" && box !== "")
    return `${delivery} reached the draft ${JSON.stringify(box)}`;
  if (plan.action === "queued" && what === "Enter" && !OWN_TEXT.test(box))
    return `${delivery} submitted ${JSON.stringify(box)}`;
  if ((plan.action === "send" || plan.action === "queued") && prompt !== null)
    return `${delivery} reached prompt ${prompt.id}`;
  return null;
};

/** Acts to the end, and keeps how it ended in the actor. Only what is no refusal is thrown. */
export const act = async (
  actor: Actor,
  index: number,
  { daemon, engine }: { daemon: RaceDaemon; engine: LaggingEngine },
): Promise<void> => {
  try {
    const doing = begin(daemon, engine, actor.plan, index);
    // Preparing is the part before the first wait.
    actor.named = daemon.named.at(-1) ?? null;
    actor.result = (await doing).outcome;
  } catch (error) {
    if (!(error instanceof AgtmuxError)) throw error;
    actor.result = "refused";
  }
};
