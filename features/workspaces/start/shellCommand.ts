// The command that a new pane runs: the person's own shell, with the settings by which it finds their programs, starts the agent
// and stays when that ends. A shell reads it, so that nothing may be in it that a shell could take for anything but a word. Pure.
import { AgtmuxError } from "../../../core/model/errors.ts";
import type { AgentLaunch } from "../../../core/ports/agentAdapter.ts";

/** Ids as agents make them; a leading dash would be an option. */
const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const WORD = /^[A-Za-z0-9._=/-]{1,200}$/;
const SHELL = /^\/[A-Za-z0-9._/+-]{1,200}$/;
/** They take `-l -i -c`, and read a list of plain words alike. */
const KNOWN_SHELLS: ReadonlySet<string> = new Set([
  "bash",
  "zsh",
  "fish",
  "ksh",
  "mksh",
  "dash",
  "sh",
  "ash",
]);
const PLAIN_SHELL = "/bin/sh";

/** The program and its arguments. @throws AgtmuxError E_USAGE for an id that no agent makes. */
export const launchWords = (launch: AgentLaunch, sessionId: string | null): string[] => {
  if (sessionId !== null && !SESSION_ID.test(sessionId))
    throw new AgtmuxError("E_USAGE", `'${sessionId.slice(0, 60)}' is no id of a session`, {
      remedy: "Ids are letters, digits, '.', '_' and '-'.",
    });
  const words = [launch.program, ...(sessionId === null ? [] : (launch.resume?.(sessionId) ?? []))];
  for (const word of words)
    if (!WORD.test(word)) throw new Error(`start ${launch.program}: '${word}' is no plain word`);
  return words;
};

/** As an argument vector for tmux. `shell`: the person's, as tmux or the system has it; any text. */
export const shellCommand = (shell: string, words: readonly string[]): string[] => {
  const own = SHELL.test(shell) ? shell : PLAIN_SHELL;
  const isKnown = KNOWN_SHELLS.has(own.slice(own.lastIndexOf("/") + 1));
  const stay = isKnown ? `${own} -l` : own;
  return [isKnown ? own : PLAIN_SHELL, "-l", "-i", "-c", `${words.join(" ")}; exec ${stay}`];
};
