// `agtmux attach <ref>`: the daemon checks the pane and gives a command; this process hands its terminal to that command and
// exits with its status. The command never goes through a shell.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import type { AttachPlan } from "../../core/api/service.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { CliContext } from "../context.ts";
import { parseGuards, type GuardOptions } from "../parse/guards.ts";
import { withRef } from "../settleRef.ts";
import { errorCodeOf } from "../../core/model/systemError.ts";

/**
 * Ctrl-C now belongs to the pane: tmux reads it before it becomes a signal. A signal that still reaches us must not end us
 * first.
 */
const ignoreSignal = () => {};

/** Runs the plan's command on our own terminal; resolves with its exit status, 128 + n after signal n. */
export const become = (
  plan: Pick<AttachPlan, "argv" | "mode">,
  context: Pick<CliContext, "env">,
): Promise<number> => {
  const [file, ...args] = plan.argv;
  if (file === undefined) throw new AgtmuxError("E_INTERNAL", "the daemon named no command to attach with");
  // tmux refuses to run inside tmux while $TMUX is set. For a pane of another server this is wanted, so $TMUX is removed.
  const { TMUX, ...outside } = context.env;
  const env = plan.mode === "switch_client" ? { ...outside, TMUX } : outside;
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: "inherit", env });
    process.on("SIGINT", ignoreSignal);
    child.once("error", (cause) => {
      process.off("SIGINT", ignoreSignal);
      const isMissing = errorCodeOf(cause) === "ENOENT";
      const code = isMissing ? (file === "ssh" ? "E_UNSUPPORTED" : "E_TMUX_MISSING") : "E_INTERNAL";
      reject(new AgtmuxError(code, `cannot run ${file}`, { cause }));
    });
    child.once("exit", (exitCode, signal) => {
      process.off("SIGINT", ignoreSignal);
      resolve(signal === null ? (exitCode ?? 1) : 128 + constants.signals[signal]);
    });
  });
};

/** Resolves with the exit status of this process. */
export const runAttach = async (context: CliContext, ref: string, options: GuardOptions): Promise<number> => {
  const guards = parseGuards(options);
  const insideTmux = context.env["TMUX"] || null;
  if (insideTmux === null && !context.stdin.isTTY)
    throw new AgtmuxError("E_USAGE", "attach needs a terminal", {
      remedy: "Run it in a terminal, or inside tmux.",
    });
  const plan = await withRef(context, { ref, says: true }, (client, settled) =>
    client.call((api) =>
      api.prepareAttach.mutate({
        ref: settled,
        guards,
        surface: "cli",
        insideTmux,
      }),
    ),
  );
  const exitCode = await become(plan, context);
  if (plan.mode === "focus_client" && exitCode === 0)
    context.stderr.write(
      `agtmux: a terminal shows this session natively (tmux -CC on ${plan.existingClient?.tty ?? "its tty"}): the pane was selected there, and no second client was attached.\n`,
    );
  return exitCode;
};
