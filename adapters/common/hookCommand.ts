// The command that an agent runs for each of its events: the event script with the agent's and the event's name. Where agents keep
// such commands in settings, ours are found again by their form.
import { quoteWord } from "../../core/model/shellWord.ts";

const SCRIPT_NAME = "agtmux-event";

export interface HookCommand {
  commandOf: (eventScript: string, event: string) => string;
  /** True for our command of this event, also from an installation elsewhere. */
  isOurs: (command: unknown, event: string, eventScript: string | null) => boolean;
}

interface CommandForm {
  before: (script: string) => string;
  after: string;
}

/** Prints nothing and always succeeds, even when the script is gone. */
const PLAIN: CommandForm = { before: (script) => script, after: "2>/dev/null || :" };

/** `agent`: its name among the arguments. */
export const createHookCommand = (agent: string, { before, after } = PLAIN): HookCommand => {
  const commandOf = (eventScript: string, event: string): string =>
    `${before(quoteWord(eventScript))} ${agent} ${event} ${after}`;
  return {
    commandOf,
    isOurs: (command, event, eventScript) =>
      typeof command === "string" &&
      ((eventScript !== null && command === commandOf(eventScript, event)) ||
        (command.endsWith(` ${agent} ${event} ${after}`) && command.includes(SCRIPT_NAME))),
  };
};
