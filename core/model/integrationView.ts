// Hooks in the settings of agents as surfaces see them: what is there, what a change would do, and what set-up finds.
import * as z from "zod";

/**
 * What only a person can do before hooks that are installed run: agents ask for trust, or load something at their next start.
 * `what` goes on after "One step left: "; `how` is a sentence.
 */
export const personStepSchema = z.object({ what: z.string(), how: z.string() });
export type PersonStep = z.infer<typeof personStepSchema>;

export interface IntegrationReport {
  agent: string;
  changes: { path: string; diff: string }[];
  applied: boolean;
  backups: string[];
}

/**
 * An agent's integration on a target as its settings say, without a test event. `partial`: some of our entries are there,
 * or they are not as they should be, and writing them again would change that. `unclear`: its settings cannot be read, and
 * `problems` says why.
 */
export interface IntegrationSummary {
  agent: string;
  name: string;
  state: "installed" | "partial" | "absent" | "unclear";
  missing: string[];
  /** What is wrong and cannot be corrected by writing the entries again. */
  problems: string[];
  steps: PersonStep[];
  /** Last event of a real agent; null: none yet. */
  lastRealEventAt: string | null;
}

/** One agent that was found on a target, and what installing its hooks would change there. */
export interface SetupAgent extends IntegrationSummary {
  /** Of the running agent, else of the program that a shell would find; null where neither tells. */
  version: string | null;
  /** Panes in which it runs now, and how many of them have not told an event yet. */
  running: number;
  silent: number;
  /** Empty where everything is in place. */
  changes: IntegrationReport["changes"];
}

/** What set-up starts from: what is there, and what is missing. Looks only. */
export interface SetupLook {
  target: string;
  /** `problem`: why it cannot be used, with what to do; null where it can. */
  tmux: { path: string | null; version: string | null; problem: string | null };
  /** Those that were found, in the order of lists. */
  agents: SetupAgent[];
}

/** Everything of agtmux that lies in the settings of a target's agents, and what hooks there need beside their entries. */
export interface RemovalReport {
  target: string;
  changes: IntegrationReport["changes"];
  applied: boolean;
  /** Agents whose settings are left alone, with the reason. */
  refused: { agent: string; problem: string }[];
  /** Backups that are not what the settings are again. */
  keptBackups: string[];
}
