// How the result of an action is printed: one line and an exit status for each of the three outcomes.
import { OUTCOME_EXIT_CODES, type ActionOutcome, type ActionResult } from "../../core/model/action.ts";
import type { ActionDocument } from "../../core/model/documents.ts";
import { partsOfPaneRef } from "../../core/model/shortRef.ts";
import type { CliContext } from "./context.ts";
import { printDocument } from "./document.ts";
import { cleanLine } from "../render/clean.ts";

const WORDS: Readonly<Record<ActionOutcome, string>> = {
  delivered: "Delivered",
  not_delivered: "Not delivered",
  unverified: "Unverified",
};

const identityOf = ({ pane_ref, runtime_id }: ActionResult): ActionDocument["identity"] => {
  const parts = partsOfPaneRef(pane_ref);
  return parts === null ? null : { ...parts, pane_ref, runtime_id };
};

/** Prints the result and gives the exit status that belongs to it. */
export const printResult = (context: CliContext, result: ActionResult, asJson: boolean): number => {
  if (asJson) printDocument<ActionDocument>(context, { ...result, identity: identityOf(result) });
  else {
    const repeat = result.is_repeat ? " (an earlier action with this key; nothing was sent now)" : "";
    const head = `${WORDS[result.outcome]}${repeat}: ${cleanLine(result.detail)}`;
    context.print([head, ...result.notes.map((note) => `  ${cleanLine(note)}`), ""].join("\n"));
  }
  return OUTCOME_EXIT_CODES[result.outcome];
};
