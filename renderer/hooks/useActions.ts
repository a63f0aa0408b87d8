// The actions on rows: each through the router, bound to what the row showed, and its outcome in the desk.
import { useMemo, useState } from "react";
import type { AnswerChoice, KillSignal } from "../../core/model/actionView.ts";
import type { PaneView } from "../../core/model/view.ts";
import { toFailure, type Host } from "../connection/connectHost.ts";
import type { ActionDesk } from "../state/actionDesk.ts";
import type { ActionStatus } from "../../ui/actions/actionStatus.ts";
import type { Draft } from "../state/draftStore.ts";
import { agentInput, dismissInput, interruptInput, killInput, promptInput } from "../../ui/actions/guards.ts";
import { shellCommand } from "../../ui/text/displayText.ts";

export interface AttachCommand {
  pane: PaneView;
  command: string;
}

export interface Actions {
  /** The host has no terminal to open: the person runs the command. */
  command: AttachCommand | null;
  closeCommand: () => void;
  attach: (pane: PaneView) => void;
  dismiss: (pane: PaneView) => void;
  interrupt: (pane: PaneView) => void;
  answer: (pane: PaneView, choice: Exclude<AnswerChoice, { kind: "text" }>) => void;
  kill: (pane: PaneView, signal: KillSignal) => void;
  /** Types the draft at the agent's own prompt, or answers the prompt that `pane` shows with it. */
  reply: (pane: PaneView, draft: Draft, isAnswer: boolean) => Promise<ActionStatus | null>;
}

/** Resolves with the command to run where the host cannot open a terminal. */
const attachPane = async ({ api }: Host, pane: PaneView): Promise<AttachCommand | null> => {
  try {
    await api.openAttach.mutate(agentInput(pane));
    return null;
  } catch (error) {
    if (toFailure(error).code !== "E_UNSUPPORTED") throw error;
    const plan = await api.prepareAttach.mutate(agentInput(pane));
    return { pane, command: shellCommand(plan.argv) };
  }
};

const CHANGED = "The prompt changed at this very moment, so nothing was pressed. Read it and answer again.";

export const useActions = (host: Host, desk: ActionDesk): Actions => {
  const [command, setCommand] = useState<AttachCommand | null>(null);
  return useMemo(() => {
    const { api } = host;
    const refOf = (pane: PaneView) => pane.identity.pane_ref;
    const start = (...run: Parameters<ActionDesk["run"]>) => void desk.run(...run);
    return {
      command,
      closeCommand: () => setCommand(null),
      attach: (pane) =>
        start(refOf(pane), "attach", async () => {
          setCommand(await attachPane(host, pane));
          return null;
        }),
      dismiss: (pane) =>
        start(refOf(pane), "dismiss", async () => {
          await api.dismiss.mutate(dismissInput(pane));
          return null;
        }),
      interrupt: (pane) => start(refOf(pane), "interrupt", () => api.interrupt.mutate(interruptInput(pane))),
      answer: (pane, choice) => {
        if (!desk.wasRead(refOf(pane))) desk.refuse(refOf(pane), "answer", CHANGED);
        else start(refOf(pane), "answer", () => api.answer.mutate({ ...promptInput(pane), choice }));
      },
      kill: (pane, signal) =>
        start(refOf(pane), "kill", () => api.kill.mutate({ ...killInput(pane), signal, isConfirmed: true })),
      reply: (pane, { text, key }, isAnswer) =>
        desk.run(refOf(pane), isAnswer ? "answer" : "send", () =>
          isAnswer
            ? api.answer.mutate({
                ...promptInput(pane),
                choice: { kind: "text", text },
                idempotencyKey: key,
              })
            : api.send.mutate({ ...agentInput(pane), text, idempotencyKey: key }),
        ),
    };
  }, [host, desk, command]);
};
