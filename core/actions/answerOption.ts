// Which option of a prompt an answer means. Pure. What the adapter does not know is refused, never guessed: another option
// may leave the agent or change its mode.
import type { AnswerChoice } from "../model/actionView.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { PromptRequest } from "../model/request.ts";
import { requireShownWhole } from "./requireShownWhole.ts";

export type OptionChoice = Exclude<AnswerChoice, { kind: "text" }>;

const listed = ({ options }: PromptRequest): string[] =>
  options.map(({ label }, index) => `${index + 1}. ${label}`);

const byRole = (
  seen: PromptRequest,
  kind: "approve" | "deny",
  { agentName, paneRef }: { agentName: string; paneRef: string },
): number => {
  const index = seen.options.findIndex(({ role }) => role === kind);
  if (index >= 0) return index;
  const what = kind === "approve" ? "approves this once and nothing else" : "denies and nothing else";
  throw new AgtmuxError(
    "E_UNSUPPORTED",
    `Nothing was sent to ${paneRef}: it is not known which option of this prompt of ${agentName} ${what}.`,
    {
      remedy:
        seen.options.length === 0
          ? "Go there with 'agtmux attach'."
          : "Choose one of the listed options with --option <number>.",
      details: listed(seen),
    },
  );
};

const byNumber = (seen: PromptRequest, { number, paneRef }: { number: number; paneRef: string }): number => {
  if (number <= seen.options.length) return number - 1;
  throw new AgtmuxError(
    "E_USAGE",
    `Nothing was sent to ${paneRef}: there is no option ${number}, there are ${seen.options.length}`,
    { remedy: "Choose one of the listed options.", details: listed(seen) },
  );
};

/**
 * Index of the option in `seen`, whose keys are known and which may be chosen: its labels are those that were shown.
 * @throws AgtmuxError E_UNSUPPORTED (not known which, or not by which keys), E_USAGE, E_NOT_SHOWN_WHOLE.
 */
export const optionOf = (
  choice: OptionChoice,
  seen: PromptRequest,
  about: { agentName: string; paneRef: string },
): number => {
  const index =
    choice.kind === "option"
      ? byNumber(seen, { number: choice.number, paneRef: about.paneRef })
      : byRole(seen, choice.kind, about);
  const keys = seen.options[index]?.keys ?? [];
  if (keys.length > 0) {
    requireShownWhole(seen, seen.options[index]?.role, about.paneRef);
    return index;
  }
  const why =
    seen.takesSeveral === true
      ? `this question of ${about.agentName} takes several answers, which can only be chosen in its pane`
      : `it is not known which keys choose option ${index + 1} of ${about.agentName}`;
  throw new AgtmuxError("E_UNSUPPORTED", `Nothing was sent to ${about.paneRef}: ${why}.`, {
    remedy: "Go there with 'agtmux attach'.",
    details: listed(seen),
  });
};
