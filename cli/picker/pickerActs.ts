// What a key does to the selected pane: an action of the table that all surfaces share, or the reason why it is not possible.
import type { PaneView } from "../../core/model/view.ts";
import { optionReasons } from "../../ui/actions/disabledReasons.ts";
import { actionOf, answerPrompt, type PaneActionId } from "../../ui/actions/paneActions.ts";
import { displaySentence } from "../../ui/text/displayText.ts";
import { selectedPane } from "./pickerState.ts";
import type { ReplyDeps } from "./reply.ts";

export class PickerActs {
  private readonly deps: ReplyDeps;

  constructor(deps: ReplyDeps) {
    this.deps = deps;
  }

  /** A key that answers came together with others. */
  refuseKey(): void {
    const pane = selectedPane(this.deps.state());
    if (pane !== null)
      this.deps.surface.refuse(
        pane,
        "answer",
        "it was typed together with other keys, so nothing was pressed.",
      );
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
      answerPrompt(pane, { kind: "option", number: command.option }, surface);
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
    this.deps.surface.refuse(pane, "answer", "read it to its end first: Space goes on.");
  }
}
