// Asks a tmux server who is attached to it, by the tmux program.
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import { CLIENT_FORMAT, parseClients, type TmuxClient } from "../tmux/clients.ts";

const TIMEOUT_MS = 2_000;

/** Clients with a terminal, the one that was used last first; none where tmux does not answer. */
export const listTmuxClients = async (
  executor: Pick<TargetExecutor, "run">,
  tmux: readonly string[],
): Promise<TmuxClient[]> => {
  const { stdout } = await executor.run([...tmux, "list-clients", "-F", CLIENT_FORMAT], {
    timeoutMs: TIMEOUT_MS,
  });
  return parseClients(stdout.split("\n"));
};
