// A habitat is a way in which people run an agent: behind which program, in which terminal and pane, with which settings. What the agent
// then does is driven as everywhere else, and agtmux has to say the same of it.
import type { AgentId } from "../agents/agentIds.ts";
import type { LiveAgent, Markers, Place, StartDialog } from "../agents/liveAgent.ts";
import type { Stage } from "../drive/stage.ts";

export interface Habitat {
  readonly name: string;
  /** Those that have it; absent: all. */
  readonly agents?: readonly AgentId[];
  /** A program that it needs beside the agent, as a shell finds it. */
  readonly needs?: string;
  /** Adds to the settings that the agent has already. */
  configure?(place: Place): Promise<void>;
  readonly environment?: Readonly<Record<string, string>>;
  /** Lines of tmux's configuration. */
  readonly tmux?: string;
  /** Options of the agent. */
  readonly args?: string;
  /** What is typed in the shell, instead of the agent's own command with its options. */
  command?(agent: LiveAgent, typed: string): string;
  /** Words of the agent's screen that are other ones here. */
  readonly markers?: Partial<Markers>;
  /** Dialogs of the start that are other ones here. */
  readonly startDialogs?: readonly StartDialog[];
  /** Keys before each prompt that is typed, where the box has modes. */
  readonly keysBeforePrompt?: readonly string[];
  /** Done to the pane once the agent is at its prompt. */
  prepare?(stage: Stage): Promise<void>;
  /** Undoes what would outlive the pane. */
  finish?(stage: Stage): Promise<void>;
  /** What its row says it is inside of; null: its process is seen all the same. Absent: that is not what is driven. */
  readonly inside?: string | null;
}

/** The agent's own executable in the shell: behind what npm put beside it. */
export const executableOf = (agent: LiveAgent): string =>
  agent.id === "codex"
    ? '"$(ls "$(dirname "$(readlink -f "$(command -v codex)")")"/../../codex-linux-x64/vendor/*/bin/codex)"'
    : `"$(readlink -f "$(command -v ${agent.command})")"`;

/** A command line as one word of another one. */
export const quoted = (line: string): string => `'${line.replaceAll("'", `'\\''`)}'`;
