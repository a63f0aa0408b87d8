// The text that is typed to an agent: its edits, and sending it as a message or as the answer to the question that was open when the
// first letter was typed. What was not delivered stays.
import type { PaneView } from "../../core/model/view.ts";
import { isSettled } from "../../ui/actions/actionStatus.ts";
import { laterReason, type ActionContext } from "../../ui/actions/disabledReasons.ts";
import { actionOf, repliesToPrompt, sendLater, sendReply } from "../../ui/actions/paneActions.ts";
import { displaySentence } from "../../ui/text/displayText.ts";
import { characters } from "../render/measure.ts";
import type { PickerSurface } from "./pickerSurface.ts";
import { cardKey, selectedPane, type PickerState, type ReplyMode } from "./pickerState.ts";

/** What a reply, and every other action, works on. */
export interface ReplyDeps {
  readonly state: () => PickerState;
  readonly change: (change: Partial<PickerState>) => void;
  readonly surface: PickerSurface;
  readonly contextOf: (pane: PaneView) => ActionContext;
}

/** Longest draft, in characters. */
const MAX_DRAFT = 20_000;

export type Edit = { insert: string } | { erase: "character" | "word" | "all" };

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
    ? "the agent asks something else now; your text was kept and not sent."
    : "the agent does not ask this any more; your text was kept and not sent.";
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
    (mode.isLater && isAnswer ? "it asks something now; your text was kept and not armed." : null) ??
    (isAnswer && !surface.wasRead(pane) ? "the question changed at this very moment." : null);
  if (why !== null) {
    // What it asks now is in sight: the next Enter means that.
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
