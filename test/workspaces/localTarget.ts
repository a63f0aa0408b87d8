// This machine as a feature reaches it, with a home of the test's own.
import { Accounts } from "../../core/collect/accounts.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { createLocalExecutor } from "../../core/targets/executors/localExecutor.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { FeatureTarget } from "../../core/ports/feature.ts";
import { realClock } from "../setup/realClock.ts";

export const localTarget = (home: string, env: Readonly<Record<string, string>> = {}): FeatureTarget => {
  const executor = createLocalExecutor({ targetId: "host", env: { ...process.env, ...env, HOME: home } });
  const accounts = new Accounts({
    targetId: "host",
    executor,
    memory: { list: () => Promise.resolve([]), add: () => Promise.resolve() },
    named: () => [],
    clock: realClock,
    logger: SILENT_LOGGER,
  });
  return {
    kind: "local",
    homeDir: () => Promise.resolve(home),
    run: (argv, options) => executor.run(argv, options),
    files: executor.files,
    accounts: (adapter) => accounts.all(adapter),
    tmux: () => {
      throw new AgtmuxError("E_TMUX_MISSING", "there is none here");
    },
  };
};
