// A target as its collector reads it: every question goes through the one far shell. What changes something there, and what a
// person waits for, goes through the connection's own executor instead.
import type { LineProcess, RunResult, TargetExecutor } from "../../ports/targetExecutor.ts";
import { startFarClient } from "./farClient.ts";
import { createFarReader } from "./farReader.ts";
import { commandScript, toRunResult, type FarShell } from "./farShell.ts";

const DEFAULT_MAX_BYTES = 8 * 1024 * 1024;

/** A shell carries one program at a time: `start` throws while there is one. `base` does what the far shell does not: writing files. Closing it closes the shell, not the base. */
export const createFarExecutor = (options: {
  base: TargetExecutor;
  shell: FarShell;
  makeNonce: () => string;
}): TargetExecutor => {
  const { base, shell, makeNonce } = options;
  let client: LineProcess | null = null;
  return {
    targetId: base.targetId,
    kind: base.kind,
    homeDir: () => base.homeDir(),
    run: async (argv, { timeoutMs, stdin, maxBytes = DEFAULT_MAX_BYTES }): Promise<RunResult> =>
      toRunResult(await shell.ask(commandScript(argv, stdin), { timeoutMs, captureErrors: true }), maxBytes),
    start: (argv) => {
      if (client !== null) throw new Error("the target's one channel carries another program already");
      const started = startFarClient(shell, argv, makeNonce, () => {
        client = null;
      });
      client = started;
      return started;
    },
    files: { ...base.files, ...createFarReader(shell) },
    close: () => shell.close(),
  };
};
