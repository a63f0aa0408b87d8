// The actions on a pane, one row per action: its key, its words, when it is not possible and why, and its effect; and what they
// need of the surface on which they are chosen. The buttons of a row, the keyboard, the list of shortcuts and the line of
// impossible actions are all made from this table.
import type { PaneView } from "../../core/model/view.ts";
import type { ActionResult, AnswerChoice, KillSignal, RenameResult } from "../../core/model/action.ts";
import { isWaiting } from "../../core/model/needs.ts";
import type { JobsView, JobView, WatchCondition } from "../../core/model/job.ts";
import { pageOfPane } from "../../core/model/requestPage.ts";
import { TELLS_DONE } from "../../core/model/words.ts";
import { goOnText, isArmed } from "../text/jobText.ts";
import { agentName, panePlaceAndState, requestLine, rowTitle } from "../text/rowText.ts";
import {
  agentInput,
  dismissInput,
  interruptInput,
  killInput,
  promptInput,
  type PaneInput,
} from "./guards.ts";
import type { Question, TextQuestion } from "./questions.ts";
import {
  sessionNameText,
  type ActionKind,
  type ActionStatus,
  type ActionCall,
  type ShownResult,
} from "./actionStatus.ts";
import { denyWithReason, REASON_EXPIRES_MS, takesReason } from "./denial.ts";
import {
  changesReason,
  denyBecauseReason,
  goOnReason,
  handOverReason,
  interruptReason,
  killReason,
  notLiveReason,
  pageReason,
  replyReason,
  roleReason,
  ruleReason,
  severalReason,
  tellReason,
  unreachableReason,
  type ActionContext,
  type DisabledReason,
} from "./disabledReasons.ts";

/** The daemon holds it, too; its schemas are not loaded here. */
const MAX_NAME = 80;

/** A call as the daemon's client has it. */
type Call<More, Result> = { mutate: (input: PaneInput & More) => Promise<Result> };

export interface PaneCalls {
  readonly answer: Call<{ choice: AnswerChoice; idempotencyKey?: string }, ActionResult>;
  readonly send: Call<{ text: string; idempotencyKey: string }, ActionResult>;
  readonly interrupt: Call<object, ActionResult>;
  readonly kill: Call<{ signal: KillSignal; isConfirmed: boolean }, ActionResult>;
  readonly dismiss: Call<object, unknown>;
  readonly mute: Call<{ forMs: number | "end" | null }, Pick<PaneView, "muted">>;
  readonly rename: Call<{ name: string; session: boolean }, Pick<RenameResult, "session">>;
  readonly automation: {
    readonly jobs: { query: (input: object) => Promise<JobsView> };
    readonly watch: {
      mutate: (input: {
        subject: { runtimeId: string };
        condition: WatchCondition;
        forMs: number;
        surface: string;
      }) => Promise<unknown>;
    };
    readonly send: {
      mutate: (input: {
        runtimeId: string;
        trigger: { kind: "ready" };
        text: string;
        expiresMs: number;
        surface: string;
      }) => Promise<unknown>;
    };
    readonly jobCancel: { mutate: (input: { id: string }) => Promise<unknown> };
  };
}

/** What an action can use of the surface on which it is chosen. */
export interface ActionSurface {
  readonly api: PaneCalls;
  /** Makes a call and shows its result on the pane; one at a time. Null when there is nothing to show. */
  start: (pane: PaneView, kind: ActionKind, call: ActionCall) => Promise<ActionStatus | null>;
  /** Shows that nothing was done, and why. */
  refuse: (pane: PaneView, kind: ActionKind, why: string) => void;
  /** False while the pane's prompt has only just taken the place of another. */
  wasRead: (pane: PaneView) => boolean;
  /** Opens the pane in a terminal, or shows the command that does. The result says where the pane is seen now. */
  openTerminal: (pane: PaneView) => Promise<ShownResult | null>;
  /** Arms a text for the next time at which this agent rests. */
  sendWhenReady: (runtimeId: string, text: string) => Promise<unknown>;
  /** Arms a text for a moment after the end of the limit at which this agent stopped. */
  sendAtReset: (runtimeId: string, text: string) => Promise<JobView>;
  /** Opens or closes a panel of the row. */
  showPanel: (pane: PaneView, panel: Panel) => void;
  showWhole: (pane: PaneView) => void;
  /** Ticks an option of a question that takes several, or unticks it; nothing is sent. */
  tick: (pane: PaneView, number: number) => void;
  ticked: (pane: PaneView) => ReadonlySet<number>;
  /** Shows what has changed in the worktree of its agent. */
  showChanges: (pane: PaneView) => void;
  /** Shows a rule about what the pane asks. */
  makeRule: (pane: PaneView) => void;
  /** Opens a page that `pageOfPane` gave in the person's browser, or says what it is. */
  openPage: (page: string) => Promise<ShownResult | null>;
  /** Shows what another agent would be told of this one's session, and starts that agent when the person says so. */
  handOver: (pane: PaneView) => void;
  ask: (question: Question) => void;
  askForText: (question: TextQuestion) => void;
  /** Whether the agent's own session can be given a name. */
  canNameSession: (pane: PaneView) => boolean;
  /** Keeps a text that was not sent, as the draft of a reply to this pane. */
  keepDraft: (pane: PaneView, text: string) => void;
  /** Asks which signal to send; the answer comes through `kill`. */
  askToKill: (pane: PaneView) => void;
}

export type Panel = "reply" | "output";

export interface PaneAction {
  readonly id: string;
  /** An `event.key` value. */
  readonly key: string;
  readonly name: string;
  /** The text on its button, where that is not the name; null where it has no button. */
  readonly label?: ((pane: PaneView) => string) | null;
  /** In the list of shortcuts. Actions with the same words share a line. */
  readonly help: string;
  readonly tone?: "primary";
  /** The kind under which its status is stored. */
  readonly kind: ActionKind;
  /** It answers the prompt. Its key does so only while the whole request can be seen; otherwise it expands the row. */
  readonly isAnswer?: true;
  /** It is disabled while another action on the pane runs. */
  readonly isExclusive?: true;
  /** Its button stays pressed while this is shown. */
  readonly panel?: Panel;
  /** Whether people look for it in this row: if it is not possible, the row says why. Left out: always. */
  readonly isExpected?: (pane: PaneView) => boolean;
  readonly disabledReason: (pane: PaneView, context: ActionContext) => DisabledReason;
  readonly run: (pane: PaneView, surface: ActionSurface) => void;
}

/** True when a reply is the answer to the open prompt, false when it goes to the agent's own prompt. */
export const repliesToPrompt = (pane: PaneView): boolean =>
  pane.state !== null && isWaiting(pane.state) && pane.request !== null;

/** What is typed once a limit has ended. */
const GO_ON = "go on";

const asksApproval = ({ state }: PaneView): boolean => state === "waiting_approval";
const never = (): boolean => false;

const CHANGED =
  "It appeared or moved just now, or wasn't fully in view, so nothing was pressed. Read it, then answer again.";

export const answerPrompt = (
  pane: PaneView,
  choice: Exclude<AnswerChoice, { kind: "text" }>,
  { wasRead, refuse, start, api }: ActionSurface,
): void => {
  if (wasRead(pane)) void start(pane, "answer", () => api.answer.mutate({ ...promptInput(pane), choice }));
  else refuse(pane, "answer", CHANGED);
};

/** What a digit or a click on an option does. */
export const chooseOption = (pane: PaneView, number: number, surface: ActionSurface): void => {
  if (pane.request?.options[number - 1]?.toggle !== undefined) surface.tick(pane, number);
  else answerPrompt(pane, { kind: "option", number }, surface);
};

const MAX_REASON = 4_000;

const denyBecause = (
  pane: PaneView,
  reason: string,
  { start, keepDraft, api }: ActionSurface,
): Promise<ActionStatus | null> => {
  let isGiven = false;
  const denied = start(pane, "answer", async () => {
    const done = await denyWithReason({
      request: pane.request,
      reason,
      answer: (choice) => api.answer.mutate({ ...promptInput(pane), choice }),
      sendLater: (text) =>
        api.automation.send.mutate({
          runtimeId: pane.identity.runtime_id ?? "",
          trigger: { kind: "ready" },
          text,
          expiresMs: REASON_EXPIRES_MS,
          surface: agentInput(pane).surface,
        }),
    });
    isGiven = done.isGiven;
    return done.result;
  });
  return denied.finally(() => {
    if (!isGiven) keepDraft(pane, reason);
  });
};

/** A turn that takes longer is looked at before. */
const TELL_FOR_MS = 86_400_000;

const isToldWhenDone = ({ armed }: PaneView): boolean => armed?.includes(TELLS_DONE) === true;

const did = (detail: string): ShownResult => ({ outcome: "delivered", detail, notes: [] });

/** Arms a watch for the end of the turn, or ends it, as the row says that it is. */
const tellWhenDone = async (pane: PaneView, { automation }: PaneCalls): Promise<ShownResult> => {
  const { runtime_id: runtimeId } = pane.identity;
  const { items } = await automation.jobs.query({});
  const armed = items.filter(
    (job) => job.runtime_id === runtimeId && job.when === "done" && isArmed(job) && !job.repeated,
  );
  if (isToldWhenDone(pane)) {
    for (const { job_id: id } of armed) await automation.jobCancel.mutate({ id });
    return did("You won't be told when this turn is over.");
  }
  if (armed.length === 0)
    await automation.watch.mutate({
      subject: { runtimeId: runtimeId ?? "" },
      condition: { kind: "done" },
      forMs: TELL_FOR_MS,
      surface: agentInput(pane).surface,
    });
  return did("You'll be told when this turn is over.");
};

const HOUR_MS = 3_600_000;

/** Each press is one further: for an hour, until it ends, not at all. */
const nextMute = ({ muted }: PaneView): number | "end" | null => {
  if (muted === null) return HOUR_MS;
  return muted.until === null ? null : "end";
};

const muteLabel = (pane: PaneView): string => {
  const next = nextMute(pane);
  if (next === null) return "Unmute";
  return next === "end" ? "Mute until it ends" : "Mute for an hour";
};

const mutedText = ({ muted }: Pick<PaneView, "muted">): string => {
  if (muted === null) return "No longer muted.";
  if (muted.until === null) return "Muted until it ends; z again unmutes it.";
  const time = new Date(muted.until).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
  return `Muted until ${time}; z again mutes it until it ends.`;
};

/** The order is that of the buttons, of the sentences about impossible actions and of the list of shortcuts. */
export const PANE_ACTIONS = [
  {
    id: "approve",
    key: "a",
    name: "Approve",
    help: "Approve this once, deny",
    tone: "primary",
    kind: "answer",
    isAnswer: true,
    isExclusive: true,
    isExpected: asksApproval,
    disabledReason: (pane, context) => roleReason(pane, "approve", context),
    run: (pane, surface) => answerPrompt(pane, { kind: "approve" }, surface),
  },
  {
    id: "deny",
    key: "d",
    name: "Deny",
    help: "Approve this once, deny",
    kind: "answer",
    isAnswer: true,
    isExclusive: true,
    isExpected: asksApproval,
    disabledReason: (pane, context) => roleReason(pane, "deny", context),
    run: (pane, surface) => answerPrompt(pane, { kind: "deny" }, surface),
  },
  {
    id: "denyBecause",
    key: "b",
    name: "Deny with a reason…",
    help: "Deny with a reason",
    kind: "answer",
    isExclusive: true,
    isExpected: never,
    disabledReason: denyBecauseReason,
    run: (pane, surface) => {
      if (!surface.wasRead(pane)) return surface.refuse(pane, "answer", CHANGED);
      const isField = pane.request !== null && takesReason(pane.request);
      surface.askForText({
        title: `Deny “${requestLine(pane)}”`,
        label: "Reason",
        hint: isField
          ? "Goes into the dialog, which denies it with that."
          : "Denies it, then sends this as the next message once the agent is idle.",
        initial: "",
        maxLength: MAX_REASON,
        confirmLabel: "Deny",
        mayBeEmpty: false,
        onSubmit: (reason) => void denyBecause(pane, reason, surface),
      });
    },
  },
  {
    id: "showWhole",
    key: "w",
    name: "Show whole",
    label: null,
    help: "Show all of a long request",
    kind: "send",
    isExpected: never,
    disabledReason: () => null,
    run: (pane, surface) => surface.showWhole(pane),
  },
  {
    id: "several",
    key: "0",
    name: "Send choices",
    help: "Send the options that are ticked",
    tone: "primary",
    kind: "answer",
    isAnswer: true,
    isExclusive: true,
    isExpected: never,
    disabledReason: severalReason,
    run: (pane, surface) =>
      answerPrompt(
        pane,
        { kind: "options", numbers: [...surface.ticked(pane)].toSorted((a, b) => a - b) },
        surface,
      ),
  },
  {
    id: "rule",
    key: "u",
    name: "Make a rule…",
    label: null,
    help: "Create a rule for this request",
    kind: "send",
    isExpected: never,
    disabledReason: ruleReason,
    run: (pane, surface) => surface.makeRule(pane),
  },
  {
    id: "reply",
    key: "r",
    name: "Reply",
    label: (pane) => (repliesToPrompt(pane) ? "Answer" : "Reply"),
    help: "Reply",
    kind: "send",
    panel: "reply",
    disabledReason: replyReason,
    run: (pane, surface) => surface.showPanel(pane, "reply"),
  },
  {
    id: "attach",
    key: "Enter",
    name: "Attach",
    help: "Attach in a terminal",
    kind: "attach",
    disabledReason: unreachableReason,
    run: (pane, surface) => void surface.start(pane, "attach", () => surface.openTerminal(pane)),
  },
  {
    id: "output",
    key: "o",
    name: "View output",
    label: () => "Output",
    help: "Show live output",
    kind: "send",
    panel: "output",
    disabledReason: unreachableReason,
    run: (pane, surface) => surface.showPanel(pane, "output"),
  },
  {
    id: "changes",
    key: "v",
    name: "View changes",
    label: () => "Changes",
    help: "Show what it changed",
    kind: "send",
    isExpected: never,
    disabledReason: changesReason,
    run: (pane, surface) => surface.showChanges(pane),
  },
  {
    id: "page",
    key: "O",
    name: "Open pull request",
    label: () => "Pull request",
    help: "Open its pull request in the browser",
    kind: "page",
    isExpected: never,
    disabledReason: pageReason,
    run: (pane, { start, openPage }) =>
      void start(pane, "page", async () => {
        const page = pageOfPane(pane);
        return page === null ? null : openPage(page);
      }),
  },
  {
    id: "interrupt",
    key: "i",
    name: "Interrupt",
    label: () => "Interrupt…",
    help: "Interrupt the turn (asks first)",
    kind: "interrupt",
    isExclusive: true,
    disabledReason: interruptReason,
    run: (pane, surface) =>
      surface.ask({
        title: `Interrupt “${rowTitle(pane).text}”?`,
        text: `${agentName(pane)}, ${panePlaceAndState(pane)}`,
        confirmLabel: "Interrupt",
        onConfirm: () =>
          void surface.start(pane, "interrupt", () => surface.api.interrupt.mutate(interruptInput(pane))),
      }),
  },
  {
    id: "tell",
    key: "t",
    name: "Tell me when done",
    label: (pane) => (isToldWhenDone(pane) ? "Don't tell me" : "Tell me when done"),
    help: "Tell me when it's done; again: don't",
    kind: "setting",
    isExclusive: true,
    isExpected: never,
    disabledReason: tellReason,
    run: (pane, { start, api }) => void start(pane, "setting", () => tellWhenDone(pane, api)),
  },
  {
    id: "mute",
    key: "z",
    name: "Mute",
    label: muteLabel,
    help: "Mute for an hour; again: until it ends; again: unmute",
    kind: "setting",
    isExclusive: true,
    isExpected: never,
    disabledReason: notLiveReason,
    run: (pane, { start, api }) =>
      void start(pane, "setting", async () =>
        did(mutedText(await api.mute.mutate({ ...agentInput(pane), forMs: nextMute(pane) }))),
      ),
  },
  {
    id: "rename",
    key: "F2",
    name: "Rename",
    label: () => "Rename…",
    help: "Rename",
    kind: "setting",
    isExclusive: true,
    isExpected: never,
    disabledReason: notLiveReason,
    run: (pane, { askForText, canNameSession, start, api }) =>
      askForText({
        title: `Rename “${rowTitle(pane).text}”`,
        label: "Name",
        hint: "Shown in place of the title. Empty: the title again.",
        initial: pane.name ?? "",
        maxLength: MAX_NAME,
        confirmLabel: "Rename",
        mayBeEmpty: true,
        ...(canNameSession(pane) ? { extra: `Also name the session in ${agentName(pane)}` } : {}),
        onSubmit: (name, session) =>
          void start(pane, "setting", async () => {
            const named = (await api.rename.mutate({ ...agentInput(pane), name, session })).session;
            return named === null ? null : { ...named, detail: sessionNameText(named), notes: [] };
          }),
      }),
  },
  {
    id: "handOver",
    key: "p",
    name: "Hand over to…",
    help: "Hand its session over to another agent (shows what starts)",
    kind: "send",
    isExpected: never,
    disabledReason: handOverReason,
    run: (pane, surface) => surface.handOver(pane),
  },
  {
    id: "dismiss",
    key: "e",
    name: "Dismiss",
    help: "Dismiss an error",
    kind: "dismiss",
    isExclusive: true,
    isExpected: never,
    // The daemon alone keeps errors: on a target that is down they can be dismissed too.
    disabledReason: (pane, context) =>
      pane.state === "error"
        ? unreachableReason(pane, { ...context, isUnreachable: false })
        : "there is no error.",
    run: (pane, surface) =>
      void surface.start(pane, "dismiss", async () => {
        await surface.api.dismiss.mutate(dismissInput(pane));
        return null;
      }),
  },
  {
    id: "goOn",
    key: "c",
    name: "Continue after the limit",
    label: null,
    help: "Continue once a limit has ended",
    kind: "later",
    isExclusive: true,
    isExpected: never,
    disabledReason: goOnReason,
    run: (pane, { start, sendAtReset }) =>
      void start(pane, "later", async () => {
        const job = await sendAtReset(pane.identity.runtime_id ?? "", GO_ON);
        return { outcome: "delivered", detail: goOnText(GO_ON, job), notes: [] };
      }),
  },
  {
    id: "kill",
    key: "x",
    name: "Kill",
    label: () => "Kill…",
    help: "Kill the agent (asks first)",
    kind: "kill",
    isExclusive: true,
    disabledReason: killReason,
    run: (pane, surface) => surface.askToKill(pane),
  },
] as const satisfies readonly PaneAction[];

export type PaneActionId = (typeof PANE_ACTIONS)[number]["id"];

const ROWS: readonly (PaneAction & { readonly id: PaneActionId })[] = PANE_ACTIONS;

export const actionOf = (id: PaneActionId): PaneAction => {
  const action = ROWS.find((row) => row.id === id);
  if (action === undefined) throw new Error(`there is no action '${id}'`);
  return action;
};

/** The buttons of an expanded row: only what can be done. */
export const buttonsOf = (pane: PaneView, context: ActionContext): readonly PaneAction[] =>
  ROWS.filter((action) => action.label !== null && action.disabledReason(pane, context) === null);

/** What people look for in this row and do not find, as sentences. One reason that holds for several is said once. */
export const notPossible = (
  pane: PaneView,
  context: ActionContext,
  isAsked: (action: PaneAction) => boolean = () => true,
): string[] => {
  const disabled = ROWS.filter(isAsked).flatMap(({ name, isExpected, disabledReason }) => {
    const why = isExpected?.(pane) === false ? null : disabledReason(pane, context);
    return why === null ? [] : [{ name, why }];
  });
  const byReason = Map.groupBy(disabled, ({ why }) => why);
  return [...byReason].map(([why, rows]) => `${rows.map(({ name }) => name).join(", ")}: ${why}`);
};

/** Types a text at the agent's own prompt, or answers with it the prompt that `pane` shows. */
export const sendReply = (
  pane: PaneView,
  { text, key, isAnswer }: { text: string; key: string; isAnswer: boolean },
  { start, api }: ActionSurface,
): Promise<ActionStatus | null> =>
  isAnswer
    ? start(pane, "answer", () =>
        api.answer.mutate({ ...promptInput(pane), choice: { kind: "text", text }, idempotencyKey: key }),
      )
    : start(pane, "send", () => api.send.mutate({ ...agentInput(pane), text, idempotencyKey: key }));

/** What happens to a text that is armed, for whoever arms it. */
export const LATER_WORDS =
  "Sends when the agent is idle and its input box is empty. Until then, see Automation.";

export const sendLater = (
  pane: PaneView,
  text: string,
  { start, sendWhenReady }: ActionSurface,
): Promise<ActionStatus | null> =>
  start(pane, "later", async () => {
    await sendWhenReady(pane.identity.runtime_id ?? "", text);
    return { outcome: "delivered", detail: LATER_WORDS, notes: [] };
  });

export const kill = (pane: PaneView, signal: KillSignal, { start, api }: ActionSurface): void =>
  void start(pane, "kill", () => api.kill.mutate({ ...killInput(pane), signal, isConfirmed: true }));
