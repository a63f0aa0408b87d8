// Acting on a session that no pane shows: the agent's own commands open it (`attach.ts` says where) and end it. Whatever needs its
// screen is refused (`requireScreen` of the gate); a pane that shows it takes keys like any other.
import type { ProcessSignaller } from "./kill.ts";
import { inAccount, inLoginShell } from "../model/commandWords.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { Account } from "../model/runtime.ts";
import type { AgentAdapter, BackgroundSessions } from "../ports/agentAdapter.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";

/** A shell reads the command, so that it holds nothing but plain words. */
const WORD = /^[A-Za-z0-9._=/-]{1,200}$/;
const STOP_LIMIT_MS = 15_000;

/** A command of an adapter for this account, as an argument vector. */
export const sessionCommand = (words: readonly string[], account: Account | null): string[] => {
  for (const word of words) if (!WORD.test(word)) throw new Error(`'${word}' is no plain word`);
  return inLoginShell([...inAccount(account), ...words].join(" "));
};

/** How the agent opens and ends the session. @throws AgtmuxError E_UNSUPPORTED where its adapter does not say. */
export const backgroundOf = (adapter: AgentAdapter | null, paneRef: string): BackgroundSessions => {
  if (adapter?.background === undefined)
    throw new AgtmuxError("E_UNSUPPORTED", `How ${paneRef} is opened is not known`);
  return adapter.background;
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
    const command = sessionCommand(backgroundOf(adapter, paneRef).stop(id), account);
    const { exitCode, stderr } = await executor.run(command, { timeoutMs: STOP_LIMIT_MS });
    if (exitCode === 0) return true;
    const why = stderr.trim().split("\n").at(-1)?.slice(0, 200) ?? "";
    throw new AgtmuxError("E_UNSUPPORTED", `${paneRef} was not stopped${why === "" ? "" : `: ${why}`}`);
  },
});
