// `agtmux run [--] <agent> …`: runs the wrapper script and exits with its status. `bin/agtmux` starts the script directly and
// never gets here; this is for other ways to start the command line.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { join } from "node:path";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { CliContext } from "../command/context.ts";

const SIGNALS = ["SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP"] as const;
/** The terminal's signals reach the agent directly; they must not end us before the agent has ended. */
const ignoreSignal = () => {};

/** Resolves with the agent's exit status; 128 + n when the wrapper itself ended by signal n. */
export const runAgent = (context: CliContext, command: readonly string[]): Promise<number> => {
  const wrapper = join(context.root, "resources", "hooks", "agtmux-run");
  return new Promise((resolve, reject) => {
    const child = spawn(wrapper, ["--", ...command], { stdio: "inherit", env: context.env });
    for (const signal of SIGNALS) process.on(signal, ignoreSignal);
    const release = () => {
      for (const signal of SIGNALS) process.off(signal, ignoreSignal);
    };
    child.once("error", (cause) => {
      release();
      reject(new AgtmuxError("E_INTERNAL", `cannot run ${wrapper}`, { cause }));
    });
    child.once("exit", (exitCode, signal) => {
      release();
      resolve(signal === null ? (exitCode ?? 1) : 128 + constants.signals[signal]);
    });
  });
};
