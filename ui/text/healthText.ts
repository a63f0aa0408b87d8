// A target's health, in words.
import type { TargetView } from "../../core/model/view.ts";

/** Empty for a healthy target. */
export const HEALTH_WORDS: Readonly<Record<TargetView["health"], string>> = {
  ok: "",
  degraded: "slow or failing",
  down: "unreachable",
};

/** The same for a target's own row, where an empty text would say nothing. */
export const targetWord = ({ enabled, health, kind }: TargetView): string => {
  if (!enabled) return "switched off";
  return HEALTH_WORDS[health] || (kind === "local" ? "watched" : "reachable");
};
