// Options that several verbs share, so that the same flag means and says the same everywhere. The word in angle brackets
// names what a value is (<ref>, <target>, <duration>): the completions go by it.
import { Option } from "commander";
import { STATE_NAMES } from "../render/mark.ts";
import type { Verb } from "./verb.ts";

/** The exit status that a verb ends with; nothing means 0. */
export interface Outcome {
  exitCode: number;
}

/** An option with a closed list of values. The list is for help and completions; the verb itself refuses others, with a remedy. */
export const choice = (flags: string, description: string, values: readonly string[]): Option => {
  const option = new Option(flags, description);
  option.argChoices = [...values];
  return option;
};

export const addTargetFilters = (command: Verb): Verb =>
  command
    .option("--target <target>", "only this target")
    .option("--all-targets", "every target (the default)")
    .option("--target-session <target/session>", "only this session of this target")
    .option("--session <session>", "only sessions of this name");

export const addPaneFilters = (command: Verb): Verb =>
  addTargetFilters(command)
    .addOption(choice("--state <state>", "only this state", STATE_NAMES))
    .option("--agent <agent>", "only this agent")
    .option("--needs-action", "only what waits for you")
    .option("--all", "panes without an agent too");

export const addGuards = (command: Verb): Verb =>
  command
    .option("--if-runtime <runtime>", "only if this runtime is still there")
    .addOption(choice("--if-state <state>", "only while it is in this state", STATE_NAMES))
    .option("--if-version <number>", "only while its state has this version")
    .option("--if-updated-within <duration>", "only if its state was confirmed that recently")
    .option("--force-stale", "even if it changed since it was looked at");

export const json = () => new Option("--json", "as one JSON document");

/** Below the help of every verb that acts on a pane. */
export const OUTCOMES = `
Exit status: 0 delivered (the effect was seen), 20 not delivered, 21 unverified (sent, but the effect was not seen);
other numbers: refused, nothing was sent. 'agtmux help exit-codes' names them.
`;
