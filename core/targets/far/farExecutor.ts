// A target as its collector reads it: every question goes through the one far shell. What changes something there, and what a
// person waits for, goes through the connection's own executor instead. A shell carries one program; a second tmux server has
// a shell of its own, because asking it anew each time would start a process there each time.
import type { LineProcess, RunResult, TargetExecutor } from "../../ports/targetExecutor.ts";
import { startFarClient } from "./farClient.ts";
import { createFarReader } from "./farReader.ts";
import { commandScript, toRunResult, type FarShell } from "./farShell.ts";

const DEFAULT_MAX_BYTES = 8 * 1024 * 1024;

/** Beside the first: the connection needs channels for other things too. */
const MAX_MORE_SHELLS = 3;

/**
 * `start` throws when as many programs run as there may be. `base` does what the far shell does not: writing files. Closing it
 * closes the shells, not the base.
 */
export const createFarExecutor = (options: {
  base: TargetExecutor;
  shell: FarShell;
  /** Opens another shell, for one program. */
  openShell: () => FarShell;
  makeNonce: () => string;
}): TargetExecutor => {
  const { base, shell, openShell, makeNonce } = options;
  const more = new Set<FarShell>();
  let hasClient = false;
  const startFirst = (argv: readonly string[]): LineProcess => {
    hasClient = true;
    return startFarClient(shell, argv, makeNonce, () => {
      hasClient = false;
    });
  };
  const startBeside = (argv: readonly string[]): LineProcess => {
    if (more.size >= MAX_MORE_SHELLS) throw new Error("the target's channels carry other programs already");
    const own = openShell();
    more.add(own);
    return startFarClient(own, argv, makeNonce, () => {
      more.delete(own);
      void own.close();
    });
  };
  return {
    targetId: base.targetId,
    kind: base.kind,
    homeDir: () => base.homeDir(),
    run: async (argv, { timeoutMs, stdin, maxBytes = DEFAULT_MAX_BYTES }): Promise<RunResult> =>
      toRunResult(
        await shell.ask(commandScript(argv, stdin), { timeoutMs, captureErrors: true, maxBytes }),
        maxBytes,
      ),
    start: (argv) => (hasClient ? startBeside(argv) : startFirst(argv)),
    files: { ...base.files, ...createFarReader(shell) },
    close: async () => {
      await Promise.all([shell, ...more].map((one) => one.close()));
    },
  };
};
