// A built-in adapter's screen as data: rules in the format of adapter files, which the kit proposes from recordings and detection
// packs carry. They are checked when the adapter is made, so a mistake in them is a mistake of a build.
import * as z from "zod";
import { createDeadline } from "../../core/pattern/pattern.ts";
import type { AgentAdapter } from "../../core/ports/agentAdapter.ts";
import { rulesSchema } from "./schema.ts";
import { createScreenRules } from "./screenRules.ts";

export type RuleData = z.input<typeof rulesSchema>;

/**
 * Reads by the first rule that matches, screens before titles; null where none does.
 * @throws z.ZodError where the data is no set of rules
 */
export const createRuleReader = (data: RuleData): AgentAdapter["readScreen"] => {
  const rules = createScreenRules(rulesSchema.parse(data), createDeadline(), () => {});
  return (screen) => rules.read(screen);
};
