// Acting on a session that no pane shows: the agent's own commands open it (`attach.ts` says where) and end it. Whatever needs its
// screen is refused (`requireScreen` of the gate); a pane that shows it takes keys like any other.
import type { ProcessSignaller } from "./kill.ts";
import type { ConnectedTarget } from "../connections/connectedTarget.ts";
import { inAccount, inLoginShell, quoteWord } from "../model/commandWords.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { Account } from "../model/runtime.ts";
import type { AgentAdapter, BackgroundSessions } from "../ports/agentAdapter.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";

/** A shell reads the command, so that it holds nothing but plain words. */
const WORD = /^[A-Za-z0-9._=:/-]{1,200}$/;
const STOP_LIMIT_MS = 15_000;

/** A command of an adapter for this account, as an argument vector. In `cwd`, because an agent may ask which folder is meant. */
const sessionCommand = (
  words: readonly string[],
  { account, cwd }: { account: Account | null; cwd: string | null },
): string[] => {
  for (const word of words) if (!WORD.test(word)) throw new Error(`'${word}' isn't a plain word`);
  const there = cwd?.startsWith("/") === true ? `cd -- ${quoteWord(cwd)} 2>/dev/null; ` : "";
  return inLoginShell(there + [...inAccount(account), ...words].join(" "));
};

/** How the agent opens and ends the session. @throws AgtmuxError E_UNSUPPORTED where its adapter does not say. */
const backgroundOf = (adapter: AgentAdapter | null, paneRef: string): BackgroundSessions => {
  if (adapter?.background === undefined)
    throw new AgtmuxError("E_UNSUPPORTED", `agtmux doesn't know how to open ${paneRef}`);
  return adapter.background;
};

/** The command that opens the session in a terminal. @throws AgtmuxError E_UNSUPPORTED where that is not known. */
export const openingCommand = async (deps: {
  connected: ConnectedTarget;
  adapter: AgentAdapter | null;
  account: Account | null;
  cwd: string | null;
  id: string;
  paneRef: string;
}): Promise<string[]> => {
  const { files } = deps.connected.executor;
  const configDir = deps.account?.configDir ?? null;
  const words = await backgroundOf(deps.adapter, deps.paneRef).attach({ id: deps.id, files, configDir });
  if (words === null)
    throw new AgtmuxError("E_UNSUPPORTED", `agtmux doesn't know how to open ${deps.paneRef}`, {
      remedy: "Open it where it was started.",
    });
  return sessionCommand(words, deps);
};

/** @throws AgtmuxError E_UNSUPPORTED where the agent has no command that ends a session. */
export const requireStoppable = (adapter: AgentAdapter | null, paneRef: string, id: string): void => {
  if (backgroundOf(adapter, paneRef).stop === undefined)
    throw new AgtmuxError(
      "E_UNSUPPORTED",
      `${adapter?.displayName ?? "Its agent"} has no command that ends a session in the background`,
      { remedy: `End its turn with 'agtmux interrupt bg-${id}'.` },
    );
};

/** In place of a signal, which its supervisor would take for a crash: the agent's own command to end it. */
export const createSessionStopper = (
  signaller: ProcessSignaller,
  {
    executor,
    adapter,
    account,
    id,
    paneRef,
  }: {
    executor: TargetExecutor;
    adapter: AgentAdapter | null;
    account: Account | null;
    id: string;
    paneRef: string;
  },
): ProcessSignaller => ({
  find: (pid) => signaller.find(pid),
  signal: async () => {
    const words = backgroundOf(adapter, paneRef).stop?.(id) ?? [];
    const command = sessionCommand(words, { account, cwd: null });
    const { exitCode, stderr } = await executor.run(command, { timeoutMs: STOP_LIMIT_MS });
    if (exitCode === 0) return true;
    const why = stderr.trim().split("\n").at(-1)?.slice(0, 200) ?? "";
    throw new AgtmuxError("E_UNSUPPORTED", `${paneRef} was not stopped${why === "" ? "" : `: ${why}`}`);
  },
});
