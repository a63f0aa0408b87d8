// What choosing an option of a permission dialog means, by its label. Each adapter says which labels it has seen; what is
// not among them has no role, so that `approve` never presses a key that does more than it says.
import type { OptionRole, PromptRequest } from "../../core/model/request.ts";

type Option = PromptRequest["options"][number];

/** Labels as a dialog draws them. An option that changes the agent's mode, leaves it or opens something belongs to none. */
export interface RoleLabels {
  approve: RegExp;
  always: RegExp;
  deny: RegExp;
}

const roleOf = (label: string, { approve, always, deny }: RoleLabels): OptionRole | null => {
  if (approve.test(label)) return "approve";
  if (always.test(label)) return "approve_always";
  return deny.test(label) ? "deny" : null;
};

/**
 * The options with their roles. Where two options would approve once, or two deny, the dialog is not one that is known:
 * then none has a role.
 */
export const withRoles = (options: readonly Option[], labels: RoleLabels): Option[] => {
  const roles = options.map(({ label }) => roleOf(label, labels));
  const isPlain = ["approve", "deny"].every((role) => roles.filter((one) => one === role).length <= 1);
  return options.map((option, index) => ({ ...option, role: isPlain ? (roles[index] ?? null) : null }));
};
