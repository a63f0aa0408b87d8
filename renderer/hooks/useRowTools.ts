// What is under way on rows beside their state: the reply that is being written, the output that is shown, the interrupt or the
// kill that is being confirmed; and what the keys do to the selected row. Keys answer only what the person can see in full.
import { useState } from "react";
import type { PaneView } from "../../core/model/view.ts";
import type { Abilities } from "../../ui/actions/abilities.ts";
import type { ActionDesk } from "../state/actionDesk.ts";
import type { ActionKind } from "../../ui/actions/actionStatus.ts";
import type { KeyCommand } from "../../ui/actions/keys.ts";
import { displaySentence } from "../../ui/text/displayText.ts";
import { isOneLine } from "../../ui/text/requestText.ts";
import type { Actions } from "./useActions.ts";
import type { Rows } from "./useRows.ts";

interface RowToolsOptions {
  rows: Rows;
  actions: Actions;
  desk: ActionDesk;
  abilitiesFor: (pane: PaneView) => Abilities;
  unfold: (pane: PaneView) => void;
}

export type RowCommand = Extract<
  KeyCommand,
  "reply" | "approve" | "deny" | "whole" | "output" | "interrupt" | "kill" | "dismiss" | { option: number }
>;

/** The collapsed row shows the whole request: one line, and nothing of it cut off. */
const isShownInFull = (pane: PaneView): boolean => {
  const row = document.querySelector(`[data-ref="${CSS.escape(pane.identity.pane_ref)}"] [data-asked]`);
  const isUncut = row !== null && row.scrollWidth <= row.clientWidth;
  return isUncut && pane.request !== null && isOneLine(pane.request);
};

export const useRowTools = ({ rows, actions, desk, abilitiesFor, unfold }: RowToolsOptions) => {
  const [replyKey, setReplyKey] = useState<string | null>(null);
  const [outputKey, setOutputKey] = useState<string | null>(null);
  const [killing, setKilling] = useState<PaneView | null>(null);
  const [interrupting, setInterrupting] = useState<PaneView | null>(null);

  const refuse = (pane: PaneView, action: ActionKind, why: string) => {
    rows.open(pane.identity.pane_ref);
    desk.refuse(pane.identity.pane_ref, action, displaySentence(why));
  };
  const startReply = (pane: PaneView) => {
    rows.open(pane.identity.pane_ref);
    setReplyKey(pane.identity.pane_ref);
  };
  const toggleOutput = (pane: PaneView) => {
    const key = pane.identity.pane_ref;
    setOutputKey(rows.openKey === key && outputKey === key ? null : key);
    rows.open(key);
  };
  const answerByKey = (pane: PaneView, command: "approve" | "deny" | { option: number }) => {
    const isOpen = rows.openKey === pane.identity.pane_ref;
    const abilities = abilitiesFor(pane);
    const isOption = typeof command === "object";
    const hindrance = isOption
      ? abilities.options.length < command.option
        ? "there is no such option"
        : (abilities.options[command.option - 1] ?? null)
      : abilities[command];
    if (hindrance !== null) refuse(pane, "answer", hindrance);
    // The options are in the expanded row only.
    else if (!isOpen && (isOption || !isShownInFull(pane))) rows.open(pane.identity.pane_ref);
    else actions.answer(pane, isOption ? { kind: "option", number: command.option } : { kind: command });
  };

  /** What a key does to a pane; what cannot be done is said on the row. */
  const run = (pane: PaneView, command: RowCommand): void => {
    if (typeof command === "object" || command === "approve" || command === "deny")
      return answerByKey(pane, command);
    if (command === "whole") {
      rows.open(pane.identity.pane_ref);
      return unfold(pane);
    }
    const hindrance = abilitiesFor(pane)[command];
    if (hindrance !== null) {
      const action = command === "reply" || command === "output" ? "send" : command;
      return refuse(pane, action, hindrance);
    }
    switch (command) {
      case "reply":
        return startReply(pane);
      case "output":
        return toggleOutput(pane);
      case "interrupt":
        return setInterrupting(pane);
      case "kill":
        return setKilling(pane);
      case "dismiss":
        return actions.dismiss(pane);
    }
  };
  return {
    killing,
    closeKill: () => setKilling(null),
    interrupting,
    closeInterrupt: () => setInterrupting(null),
    isReplying: (key: string) => rows.openKey === key && replyKey === key,
    isOutputShown: (key: string) => rows.openKey === key && outputKey === key,
    run,
    startReply,
    toggleOutput,
    startKill: setKilling,
    unfold,
    startInterrupt: setInterrupting,
    endReply: (key: string) => {
      setReplyKey(null);
      rows.select(key);
    },
  };
};

export type RowTools = ReturnType<typeof useRowTools>;
