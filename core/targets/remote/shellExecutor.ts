// A target as its collector reads it: every question goes through the one remote shell. What changes something there, and what a
// person waits for, goes through the connection's own executor instead.
import type { RunResult, TargetExecutor } from "../../ports/targetExecutor.ts";
import { createRemoteReader } from "./remoteReader.ts";
import { commandScript, toRunResult, type RemoteShell } from "./remoteShell.ts";

const DEFAULT_MAX_BYTES = 8 * 1024 * 1024;

/** `base` does what the remote shell does not: writing files. Closing it closes the shell, not the base. */
export const createShellExecutor = (options: {
  base: TargetExecutor;
  shell: RemoteShell;
}): TargetExecutor => {
  const { base, shell } = options;
  return {
    targetId: base.targetId,
    kind: base.kind,
    homeDir: () => base.homeDir(),
    run: async (argv, { timeoutMs, stdin, maxBytes = DEFAULT_MAX_BYTES }): Promise<RunResult> =>
      toRunResult(
        await shell.ask(commandScript(argv, stdin), { timeoutMs, captureErrors: true, maxBytes }),
        maxBytes,
      ),
    files: { ...base.files, ...createRemoteReader(shell) },
    close: () => shell.close(),
  };
};
