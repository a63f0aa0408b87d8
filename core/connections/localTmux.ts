// tmux servers of this machine for a command that asks them itself. The daemon has its own way (`connectedTarget.ts`); both go
// through the one function that calls tmux.
import { HOST_TARGET } from "../model/runtime.ts";
import { createLocalExecutor } from "../targets/executors/localExecutor.ts";
import { knowledgeOf, parseTmuxVersion } from "../tmux/findTmux.ts";
import { serverAt } from "../tmux/servers.ts";
import { createTmuxCalls, type TmuxCalls } from "../tmux/tmuxCalls.ts";

/** The one in PATH. */
const PROGRAM = "tmux";
const VERSION_LIMIT_MS = 5_000;

/** The tmux server on a socket. `env`: the person's environment, whose `TMUX_TMPDIR` says where tmux has its own sockets. */
export const createLocalTmux = (env: NodeJS.ProcessEnv, socketPath: string): TmuxCalls => {
  // Inside tmux this names the server that the command is typed in; here the socket says which is meant.
  const { TMUX: _, ...outside } = env;
  const executor = createLocalExecutor({ targetId: HOST_TARGET, env: outside });
  return createTmuxCalls({
    executor,
    tmuxPath: PROGRAM,
    knowledge: async () => {
      const { stdout } = await executor.run([PROGRAM, "-V"], { timeoutMs: VERSION_LIMIT_MS });
      return knowledgeOf(parseTmuxVersion(stdout));
    },
    socket: serverAt(socketPath, { tmpdir: env["TMUX_TMPDIR"], uid: process.getuid?.() ?? 0 }),
    clock: {
      now: () => performance.now(),
      setTimer: (delayMs, callback) => {
        const timer = setTimeout(callback, delayMs);
        return () => clearTimeout(timer);
      },
    },
  });
};
