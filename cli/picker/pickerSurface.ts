// The picker as the surface on which actions are chosen: its calls to the daemon, one action per pane at a time, and where results,
// questions and panels go. `ModeQuestions` asks the daemon for single modes. What may be done, and how, is in the table of actions
// that the popover has too.
import type { CliContext, DaemonClient } from "../command/context.ts";
import { openPage } from "../command/openPage.ts";
import { displaySentence } from "../../ui/text/displayText.ts";
import { toFailure } from "../command/document.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { KillSignal, AttachPlan } from "../../core/model/action.ts";
import type { JobView } from "../../core/model/job.ts";
import type { PaneView } from "../../core/model/view.ts";
import {
  withFurther,
  type ActionKind,
  type ActionStatus,
  type Failure,
  settleAction,
} from "../../ui/actions/actionStatus.ts";
import { agentInput, killInput } from "../../ui/actions/guards.ts";
import { type ActionSurface, type PaneCalls, type Panel } from "../../ui/actions/paneActions.ts";
import { rowTitle } from "../../ui/text/rowText.ts";
import { cardKey, type Mode, type ShownStatus } from "./pickerState.ts";

interface ModeQuestionsDeps<Shown> {
  /** The daemon of now; null while there is none. */
  readonly client: () => DaemonClient | null;
  /** The mode as it is now; null once the person left it. */
  readonly current: () => Shown | null;
  readonly put: (mode: Shown) => void;
}

/** For a mode that shows what no feed brings: an answer is shown only if the mode is still open and asked nothing else since. */
export class ModeQuestions<Shown extends { readonly problem: string | null }> {
  private readonly deps: ModeQuestionsDeps<Shown>;
  private asked = 0;

  constructor(deps: ModeQuestionsDeps<Shown>) {
    this.deps = deps;
  }

  async ask<T>(
    question: (client: DaemonClient) => Promise<T>,
    take: (answer: T, mode: Shown) => Shown,
  ): Promise<void> {
    this.asked += 1;
    const mine = this.asked;
    const current = (): Shown | null => (mine === this.asked ? this.deps.current() : null);
    try {
      const client = this.deps.client();
      if (client === null) throw new Error("the daemon is gone");
      const answer = await question(client);
      const mode = current();
      if (mode !== null) this.deps.put({ ...take(answer, mode), problem: null });
    } catch (error) {
      const mode = current();
      if (mode !== null) this.deps.put({ ...mode, problem: displaySentence(toFailure(error).message) });
    }
  }
}

/** How long a text waits for its agent, as with `agtmux send --when-ready`. */
const DAY_MS = 86_400_000;

/** Who asks, for the audit. */
const SURFACE = "picker";

const toShownFailure = (error: unknown): Failure => {
  const { message, remedy, code } = toFailure(error);
  return { message, remedy, code };
};

const connected = async (client: DaemonClient | null): Promise<DaemonClient> => {
  if (client === null) throw new AgtmuxError("E_DAEMON_UNAVAILABLE", "the daemon is gone");
  return client;
};

const createCalls = (client: () => DaemonClient | null): PaneCalls => {
  const own = { surface: SURFACE };
  return {
    answer: {
      mutate: async (input) =>
        (await connected(client())).call((api) => api.answer.mutate({ ...input, ...own })),
    },
    send: {
      mutate: async (input) =>
        (await connected(client())).call((api) => api.send.mutate({ ...input, ...own })),
    },
    interrupt: {
      mutate: async (input) =>
        (await connected(client())).call((api) => api.interrupt.mutate({ ...input, ...own })),
    },
    kill: {
      mutate: async (input) =>
        (await connected(client())).call((api) => api.kill.mutate({ ...input, ...own })),
    },
    dismiss: {
      mutate: async (input) =>
        (await connected(client())).call((api) => api.dismiss.mutate({ ...input, ...own })),
    },
    mute: {
      mutate: async (input) =>
        (await connected(client())).call((api) => api.mute.mutate({ ...input, ...own })),
    },
    rename: {
      mutate: async (input) =>
        (await connected(client())).call((api) => api.rename.mutate({ ...input, ...own })),
    },
    automation: {
      jobs: { query: async () => (await connected(client())).call((api) => api.automation.jobs.query({})) },
      watch: {
        mutate: async (input) =>
          (await connected(client())).call((api) => api.automation.watch.mutate({ ...input, ...own })),
      },
      send: {
        mutate: async (input) =>
          (await connected(client())).call((api) => api.automation.send.mutate({ ...input, ...own })),
      },
      jobCancel: {
        mutate: async (input) =>
          (await connected(client())).call((api) => api.automation.jobCancel.mutate(input)),
      },
    },
  };
};

export interface PickerSurface extends ActionSurface {
  /** Asks the daemon what a signal would do, for the question before it is sent. */
  readonly askToKillBy: (pane: PaneView, signal: KillSignal) => void;
}

export const createSurface = (deps: {
  /** The daemon of now; null while there is none. */
  readonly client: () => DaemonClient | null;
  /** `$TMUX` of the picker's own terminal; null outside of tmux. */
  readonly insideTmux: string | null;
  readonly wasRead: (cardKey: string) => boolean;
  readonly setMode: (mode: Mode) => void;
  readonly showStatus: (status: ShownStatus | null) => void;
  /** Gives the terminal to the pane. */
  readonly leaveTo: (plan: AttachPlan) => void;
  readonly openPanel: (pane: PaneView, panel: Panel) => void;
  readonly showChanges: (pane: PaneView) => void;
  readonly makeRule: (pane: PaneView) => void;
  readonly ticked: ActionSurface["ticked"];
  readonly tick: ActionSurface["tick"];
  readonly canNameSession: ActionSurface["canNameSession"];
  readonly handOver: (pane: PaneView) => void;
  readonly keepDraft: (pane: PaneView, text: string) => void;
  readonly env: CliContext["env"];
}): PickerSurface => {
  const api = createCalls(deps.client);
  /** What is under way, by pane reference. */
  const sending = new Map<string, ActionStatus>();
  const show = (pane: PaneView, status: ActionStatus): void =>
    deps.showStatus({ name: rowTitle(pane).text, status });
  const refuse = (pane: PaneView, action: ActionKind, why: string): void =>
    show(pane, {
      kind: "refused",
      action,
      failure: { message: displaySentence(why), remedy: null, code: null },
    });

  const sendLater = async (runtimeId: string, text: string, kind: "ready" | "reset"): Promise<JobView> =>
    (await connected(deps.client())).call((api) =>
      api.automation.send.mutate({
        runtimeId,
        trigger: { kind },
        text,
        expiresMs: DAY_MS,
        surface: SURFACE,
      }),
    );

  const askToKillBy = (pane: PaneView, signal: KillSignal): void => {
    deps.setMode({ kind: "kill", pane, signal, sentence: null });
    // Unconfirmed, it does nothing: the daemon refuses it with a sentence that says what it would do.
    api.kill.mutate({ ...killInput(pane), signal, isConfirmed: false }).then(
      () => refuse(pane, "kill", "the daemon does not say what this would do"),
      (error: unknown) => {
        const failure = toShownFailure(error);
        if (failure.code === "E_CONFIRMATION_REQUIRED")
          deps.setMode({ kind: "kill", pane, signal, sentence: displaySentence(failure.message) });
        else {
          deps.setMode({ kind: "list" });
          show(pane, { kind: "refused", action: "kill", failure });
        }
      },
    );
  };

  return {
    api,
    start: async (pane, action, call) => {
      const ref = pane.identity.pane_ref;
      const before = sending.get(ref);
      const begun = before === undefined ? { kind: "sending" as const, action } : withFurther(before, action);
      sending.set(ref, begun);
      show(pane, begun);
      if (before !== undefined) return null;
      const status = await settleAction(action, call, toShownFailure);
      const further = sending.get(ref)?.further;
      sending.delete(ref);
      if (status === null) deps.showStatus(null);
      else show(pane, withFurther(status, further));
      return status;
    },
    refuse,
    wasRead: (pane) => deps.wasRead(cardKey(pane)),
    openTerminal: async (pane) => {
      const plan = await (
        await connected(deps.client())
      ).call((calls) =>
        calls.prepareAttach.mutate({ ...agentInput(pane), surface: SURFACE, insideTmux: deps.insideTmux }),
      );
      deps.leaveTo(plan);
      return null;
    },
    sendWhenReady: (runtimeId, text) => sendLater(runtimeId, text, "ready"),
    sendAtReset: (runtimeId, text) => sendLater(runtimeId, text, "reset"),
    showPanel: deps.openPanel,
    showWhole: (pane) => deps.setMode({ kind: "whole", key: pane.identity.pane_ref, top: 0, readTo: 0 }),
    showChanges: deps.showChanges,
    makeRule: deps.makeRule,
    ticked: deps.ticked,
    tick: deps.tick,
    openPage: async (page) => ({
      outcome: "delivered",
      detail: (await openPage(page, deps.env)) ? `opened ${page}` : `no browser can be opened here: ${page}`,
      notes: [],
    }),
    handOver: deps.handOver,
    ask: (question) => deps.setMode({ kind: "question", question, back: { kind: "list" } }),
    askForText: (question) =>
      deps.setMode({ kind: "text", question, text: question.initial, isExtraOn: false }),
    canNameSession: deps.canNameSession,
    keepDraft: deps.keepDraft,
    askToKill: (pane) => askToKillBy(pane, "INT"),
    askToKillBy,
  };
};
