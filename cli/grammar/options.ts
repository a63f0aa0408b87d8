// Options that several verbs share, so that the same flag means and says the same everywhere.
import { type Command, Option } from "commander";

/** The exit status that a verb ends with; nothing means 0. */
export interface Outcome {
  exitCode: number;
}

export const addTargetFilters = (command: Command): Command =>
  command
    .option("--target <name>", "only this target")
    .option("--all-targets", "every target (the default)")
    .option("--target-session <target/session>", "only this session of this target")
    .option("--session <name>", "only sessions of this name");

export const addPaneFilters = (command: Command): Command =>
  addTargetFilters(command)
    .option("--state <state>", "only this state")
    .option("--agent <type>", "only this agent")
    .option("--needs-action", "only what waits for you")
    .option("--all", "panes without an agent too");

export const addGuards = (command: Command): Command =>
  command
    .option("--if-runtime <id>", "only if this runtime is still there")
    .option("--if-state <state>", "only while it is in this state")
    .option("--if-version <number>", "only while its state has this version")
    .option("--if-updated-within <duration>", "only if its state was confirmed that recently")
    .option("--force-stale", "even if it changed since it was looked at");

export const json = () => new Option("--json", "as one JSON document");

/** Below the help of every verb that acts on a pane. */
export const OUTCOMES = `
Exit status: 0 delivered (the effect was seen), 20 not delivered, 21 unverified (sent, but the effect was not seen);
other numbers: refused, nothing was sent.
`;
