// The conditions that `agtmux wait --until` knows, and whether a row satisfies one of them.
import { AgtmuxError } from "../../core/model/errors.ts";
import type { CanonicalState } from "../../core/model/state.ts";
import type { PaneView } from "../../core/model/view.ts";
import { parseNames } from "../parse/filters.ts";
import { isStateName, STATE_NAMES } from "../render/mark.ts";

export type Condition = "needs-action" | "gone" | CanonicalState;

/** Every word that `--until` knows. */
export const CONDITION_NAMES: readonly string[] = ["needs-action", "gone", ...STATE_NAMES];

const parseCondition = (text: string): Condition => {
  const word = text.replace(/^state=/, "");
  if (isStateName(word)) return word;
  if (text === "needs-action" || text === "gone") return text;
  throw new AgtmuxError("E_USAGE", `--until does not know '${text}'`, {
    remedy: `Conditions are ${CONDITION_NAMES.join(", ")}; several with commas.`,
  });
};

/** Fails with E_USAGE, which names the possible conditions. */
export const parseConditions = (texts: readonly string[]): Condition[] => [
  ...new Set(parseNames(texts, "--until").map(parseCondition)),
];

/** The runtime of this row has ended, and the row stays because it crashed. */
export const isEnded = (row: PaneView): boolean => row.state === "error" && row.reason_code === "crashed";

/** The first condition that holds for a row; null when none does, or when its state is not newer than `after`. */
export const holds = (
  row: PaneView,
  conditions: readonly Condition[],
  after: number | null,
): Condition | null => {
  if (after !== null && row.state_version <= after) return null;
  const found = conditions.find((condition) => {
    if (condition === "needs-action") return row.needs_action;
    return condition === "gone" ? isEnded(row) : row.state === condition;
  });
  return found ?? null;
};
