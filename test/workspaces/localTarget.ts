// This machine as a feature reaches it, with a home of the test's own.
import { createLocalExecutor } from "../../core/targets/executors/localExecutor.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { FeatureTarget } from "../../core/ports/feature.ts";

export const localTarget = (home: string, env: Readonly<Record<string, string>> = {}): FeatureTarget => {
  const executor = createLocalExecutor({ targetId: "host", env: { ...process.env, ...env, HOME: home } });
  return {
    kind: "local",
    homeDir: () => Promise.resolve(home),
    run: (argv, options) => executor.run(argv, options),
    files: executor.files,
    tmux: () => {
      throw new AgtmuxError("E_TMUX_MISSING", "there is none here");
    },
  };
};
