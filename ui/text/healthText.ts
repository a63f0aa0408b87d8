// How a target is, in words.
import type { TargetView } from "../../core/model/view.ts";

/** Empty for one that is well. */
export const HEALTH_WORDS: Readonly<Record<TargetView["health"], string>> = {
  ok: "",
  degraded: "slow or failing",
  down: "unreachable",
};

/** The same for a target of its own, where silence would say nothing. */
export const targetWord = ({ enabled, health, kind }: TargetView): string => {
  if (!enabled) return "switched off";
  return HEALTH_WORDS[health] || (kind === "local" ? "watched" : "reachable");
};
