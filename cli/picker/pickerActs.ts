// What keys do to the selected pane: typing and sending a reply, letting its agent answer in a document, and running an action of
// the table that all surfaces share, or giving the reason why it is not possible.
import type { DaemonClient } from "../command/context.ts";
import type { PaneView, PaneDocument } from "../../core/model/view.ts";
import { isSettled } from "../../ui/actions/actionStatus.ts";
import {
  laterReason,
  type ActionContext,
  replyReason,
  optionReasons,
} from "../../ui/actions/disabledReasons.ts";
import {
  actionOf,
  repliesToPrompt,
  sendLater,
  sendReply,
  chooseOption,
  type PaneActionId,
} from "../../ui/actions/paneActions.ts";
import { displaySentence, displayLine } from "../../ui/text/displayText.ts";
import { characters } from "../render/table.ts";
import type { PickerSurface } from "./pickerSurface.ts";
import { cardKey, selectedPane, type PickerState, type ReplyMode } from "./pickerState.ts";
import { toFailure } from "../command/document.ts";

// Reply: the text is sent as a message, or as the answer to the question that was open when the first letter was typed. What was
// not delivered stays.

/** What a reply, and every other action, works on. */
export interface ReplyDeps {
  readonly state: () => PickerState;
  readonly change: (change: Partial<PickerState>) => void;
  readonly surface: PickerSurface;
  readonly contextOf: (pane: PaneView) => ActionContext;
}

/** Longest draft, in characters. */
const MAX_DRAFT = 20_000;

type Edit = { insert: string } | { erase: "character" | "word" | "all" };

/** Without the last character as a person sees it. */
export const withoutLast = (text: string): string => [...characters(text)].slice(0, -1).join("");

const edited = (text: string, edit: Edit): string => {
  if ("insert" in edit) return (text + edit.insert.replaceAll(/\r\n?/g, "\n")).slice(0, MAX_DRAFT);
  switch (edit.erase) {
    case "character":
      return withoutLast(text);
    case "word":
      return text.replace(/\S*\s*$/, "");
    case "all":
      return "";
  }
};

export const editReply = ({ state, change }: ReplyDeps, mode: ReplyMode, edit: Edit): void => {
  const { drafts } = state();
  const before = drafts.get(mode.key) ?? "";
  const text = edited(before, edit);
  const pane = selectedPane(state());
  // Before the first letter nothing is meant for an earlier question.
  const begun = before === "" && pane !== null ? pane : mode.begun;
  change({ drafts: new Map(drafts).set(mode.key, text), mode: { ...mode, begun } });
};

/** Between sending at once and sending once the agent rests, where it could wait for that. */
export const chooseLater = ({ state, change, surface, contextOf }: ReplyDeps, mode: ReplyMode): void => {
  const pane = selectedPane(state());
  if (pane === null || repliesToPrompt(pane)) return;
  const why = laterReason(pane, contextOf(pane));
  if (why !== null && !mode.isLater) return surface.refuse(pane, "later", displaySentence(why));
  change({ mode: { ...mode, isLater: !mode.isLater } });
};

/** Why the text may not go where it was meant for; null when it may. */
const movedReason = (begun: PaneView, now: PaneView): string | null => {
  const [was, is] = [repliesToPrompt(begun), repliesToPrompt(now)];
  if (was === is && (!was || cardKey(begun) === cardKey(now))) return null;
  return is
    ? "the agent is now asking something else; your text was kept, not sent."
    : "the agent is no longer asking this; your text was kept, not sent.";
};

export const submitReply = async (deps: ReplyDeps & { onEnd(): void }, mode: ReplyMode): Promise<void> => {
  const { state, change, surface, contextOf } = deps;
  const text = state().drafts.get(mode.key) ?? "";
  const pane = selectedPane(state());
  if (text.trim() === "" || pane === null || pane.identity.pane_ref !== mode.key) return;
  const isAnswer = repliesToPrompt(pane);
  const why =
    movedReason(mode.begun, pane) ??
    (mode.isLater ? laterReason : actionOf("reply").disabledReason)(pane, contextOf(pane)) ??
    (mode.isLater && isAnswer ? "it is asking something now; your text was kept, not scheduled." : null) ??
    (isAnswer && !surface.wasRead(pane) ? "the question changed just now." : null);
  if (why !== null) {
    // What it asks now is shown: the next Enter means that.
    change({ mode: { ...mode, begun: pane } });
    return surface.refuse(pane, "send", why);
  }
  change({ mode: { ...mode, isSending: true } });
  const status = await (mode.isLater
    ? sendLater(pane, text, surface)
    : sendReply(pane, { text, key: crypto.randomUUID(), isAnswer }, surface));
  const { mode: now, drafts } = state();
  const isStill = now.kind === "reply" && now.key === mode.key;
  if (status === null || !isSettled(status)) {
    if (isStill) change({ mode: { ...now, isSending: false } });
    return;
  }
  const kept = new Map(drafts);
  if (kept.get(mode.key) === text) kept.delete(mode.key);
  deps.onEnd();
  change({ drafts: kept, ...(isStill ? { mode: { kind: "list" } } : {}) });
};

// Documents: the picker asks whether the agent is to answer in one of them, and tells it after a yes. Going to a document's pane is
// what Enter does on its row.

const aboutDocument = ({ has_unsent: isNew, tail }: PaneDocument, at: number, count: number): string =>
  [
    isNew ? "It contains something the agent hasn't seen." : "It contains nothing new.",
    ...(tail === null ? [] : [`It ends with: ${tail}`]),
    ...(count > 1 ? [`This is document ${at + 1} of ${count}; D again asks about the next one.`] : []),
  ].join(" ");

export class PickerDocuments {
  private readonly deps: ConstructorParameters<typeof PickerDocuments>[0];
  /** The one that was asked about last, and the pane that it belongs to. */
  private last = { ref: "", at: -1 };

  constructor(
    deps: ReplyDeps & {
      /** The daemon of now; null while there is none. */
      readonly client: () => DaemonClient | null;
    },
  ) {
    this.deps = deps;
  }

  async ask(pane: PaneView): Promise<void> {
    const { surface, contextOf, client, state } = this.deps;
    const refuse = (why: string): void => surface.refuse(pane, "send", displaySentence(why));
    const why =
      replyReason(pane, contextOf(pane)) ?? (pane.request === null ? null : "it is asking something.");
    if (why !== null) return refuse(why);
    const connected = client();
    if (connected === null) return refuse("the daemon is gone.");
    const ref = pane.identity.pane_ref;
    let found: readonly PaneDocument[];
    try {
      found = await connected.call((api) => api.documents.ofPane.mutate({ ref }));
    } catch (error) {
      return refuse(toFailure(error).message);
    }
    const now = state();
    if (now.mode.kind !== "list" || selectedPane(now)?.identity.pane_ref !== ref) return;
    const at = (this.last.ref === ref ? this.last.at + 1 : 0) % Math.max(1, found.length);
    const document = found[at];
    if (document === undefined) return refuse("no document was claimed for its pane.");
    this.last = { ref, at };
    surface.ask({
      title: `Let the agent answer in ${displayLine(document.file)}?`,
      text: aboutDocument(document, at, found.length),
      confirmLabel: "tells it",
      onConfirm: () =>
        void sendReply(pane, { text: document.trigger, key: crypto.randomUUID(), isAnswer: false }, surface),
    });
  }
}

export class PickerActs {
  private readonly deps: ReplyDeps;

  constructor(deps: ReplyDeps) {
    this.deps = deps;
  }

  /** A key that answers came together with others. */
  refuseKey(): void {
    const pane = selectedPane(this.deps.state());
    if (pane !== null)
      this.deps.surface.refuse(pane, "answer", "it came together with other keys, so nothing was pressed.");
  }

  /** Runs an action on a pane; if it is not possible, the foot of the screen says why. */
  act(pane: PaneView, command: PaneActionId | { option: number }): void {
    const { surface, contextOf } = this.deps;
    const context = contextOf(pane);
    const isFolded = pane.request?.is_whole === true && !context.isShownWhole(pane);
    const refuse = (kind: Parameters<typeof surface.refuse>[1], why: string): void =>
      isFolded && kind === "answer" ? this.showWhole(pane) : surface.refuse(pane, kind, displaySentence(why));
    if (typeof command === "object") {
      const reasons = optionReasons(pane, context);
      const why = reasons.length < command.option ? "there is no such option" : reasons[command.option - 1];
      if (typeof why === "string") return refuse("answer", why);
      chooseOption(pane, command.option, surface);
      // A tick is no answer yet: a card that is read as a whole stays open.
      if (pane.request?.options[command.option - 1]?.toggle !== undefined) return;
    } else {
      const action = actionOf(command);
      const why = action.disabledReason(pane, context);
      if (why !== null) return refuse(action.kind, why);
      action.run(pane, surface);
    }
    if (typeof command === "object" || actionOf(command).isAnswer === true)
      this.deps.change({ mode: { kind: "list" } });
  }

  /** A request that is folded, or that was not read to its end, is opened instead of answered. */
  private showWhole(pane: PaneView): void {
    const { mode } = this.deps.state();
    if (mode.kind !== "whole") return this.deps.surface.showWhole(pane);
    this.deps.surface.refuse(pane, "answer", "read it to the end first: press Space.");
  }
}
