// How a target is, in words.
import type { TargetView } from "../../core/model/view.ts";

/** Empty for one that is well. */
export const HEALTH_WORDS: Readonly<Record<TargetView["health"], string>> = {
  ok: "",
  degraded: "slow or failing",
  down: "unreachable",
};
