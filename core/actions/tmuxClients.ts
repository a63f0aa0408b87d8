// Asks a tmux server who is attached to it, for attach and for what the person looks at.
import { CLIENT_FORMAT, parseClients, type TmuxClient } from "../tmux/clients.ts";
import type { TmuxCalls } from "../tmux/tmuxCalls.ts";

const TIMEOUT_MS = 2_000;

/** Clients with a terminal, the one that was used last first; none where tmux does not answer. */
export const listTmuxClients = async (tmux: Pick<TmuxCalls, "run">): Promise<TmuxClient[]> => {
  const { stdout } = await tmux.run(["list-clients", "-F", CLIENT_FORMAT], { timeoutMs: TIMEOUT_MS });
  return parseClients(stdout.split("\n"));
};
