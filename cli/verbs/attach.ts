// `agtmux attach <ref>`, and `agtmux next`, which attaches to the agent that has waited longest. The daemon checks the pane and
// gives a command; this process hands its terminal to it, never through a shell, and exits with its status.
import { execFile, spawn } from "node:child_process";
import { constants } from "node:os";
import { promisify } from "node:util";
import type { AttachPlan } from "../../core/model/action.ts";
import { AgtmuxError, errorCodeOf, type ErrorCode } from "../../core/model/errors.ts";
import { type CliContext, withDaemon } from "../command/context.ts";
import { parseGuards, type GuardOptions } from "../parse/filters.ts";
import { withRef, settleRef } from "../command/settleRef.ts";
import type { PaneList, PaneView } from "../../core/model/view.ts";
import { STATE_WORDS } from "../../core/model/words.ts";
import { waitingOf, rowAge, rowTitle } from "../../ui/text/rowText.ts";
import { cleanLine } from "../render/clean.ts";

/** Ctrl-C belongs to the pane: tmux reads it before it becomes a signal. A signal that still reaches us must not end us first. */
const ignoreSignal = () => {};

/** From the start of the client until it shows the pane that it was sent to. */
const LAND_MS = 1_000;

/** The pane that the client shows instead of the one that was asked for; null: it shows that one, or nobody knows. */
const movedOnTo = async (look: NonNullable<AttachPlan["look"]>, pid: number): Promise<string | null> => {
  const [file = "", ...args] = look.argv;
  // Without an answer nobody knows, and nothing is said.
  const { stdout } = await promisify(execFile)(file, args).catch(() => ({ stdout: "" }));
  const own = stdout.split("\n").find((line) => line.startsWith(`${pid} `));
  const shown = own?.slice(own.indexOf(" ") + 1) ?? look.paneId;
  return shown === look.paneId ? null : shown;
};

/**
 * Runs the plan's command on our own terminal; resolves with its exit status, 128 + n after signal n. `onMoved` is called once the
 * client has ended, if it did not stay on the pane that it was sent to.
 */
export const become = (
  plan: Pick<AttachPlan, "argv" | "mode" | "look">,
  context: CliContext,
  onMoved: (paneId: string) => void = () => {},
): Promise<number> => {
  const [file, ...args] = plan.argv;
  if (file === undefined) throw new AgtmuxError("E_INTERNAL", "the daemon named no command to attach with");
  // tmux refuses to run inside tmux while $TMUX is set. For a pane of another server this is wanted, so $TMUX is removed.
  const { TMUX, ...outside } = context.env;
  const env = plan.mode === "switch_client" ? { ...outside, TMUX } : outside;
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: "inherit", env });
    process.on("SIGINT", ignoreSignal);
    const { look } = plan;
    let moved: Promise<string | null> = Promise.resolve(null);
    const looking = setTimeout(() => {
      if (look !== undefined && child.pid !== undefined) moved = movedOnTo(look, child.pid);
    }, LAND_MS);
    child.once("error", (cause) => {
      process.off("SIGINT", ignoreSignal);
      clearTimeout(looking);
      const isMissing = errorCodeOf(cause) === "ENOENT";
      const code = isMissing ? (file === "ssh" ? "E_UNSUPPORTED" : "E_TMUX_MISSING") : "E_INTERNAL";
      reject(new AgtmuxError(code, `cannot run ${file}`, { cause }));
    });
    child.once("exit", (exitCode, signal) => {
      process.off("SIGINT", ignoreSignal);
      clearTimeout(looking);
      void moved.then((paneId) => {
        if (paneId !== null) onMoved(paneId);
        resolve(signal === null ? (exitCode ?? 1) : 128 + constants.signals[signal]);
      });
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
  const exitCode = await become(plan, context, (paneId) =>
    context.stderr.write(
      `agtmux: another terminal of the same session moved this one on to ${paneId}: clients of a session share its current window.\n`,
    ),
  );
  if (plan.mode === "focus_client" && exitCode === 0)
    context.stderr.write(
      `agtmux: a terminal shows this session natively (tmux -CC on ${plan.existingClient?.tty ?? "its tty"}): the pane was selected there, and no second client was attached.\n`,
    );
  return exitCode;
};

// Next: passes over the pane that the person is in, so that pressing a key again goes on to the next agent that waits.

/** Exit status when nothing waits: not a failure, but nothing to go to. */
const NOTHING_EXIT_CODE = 1;

/** The pane disappeared meanwhile, or its machine is not connected: the next row is tried. */
const PASSED_OVER: readonly ErrorCode[] = ["E_REF_NOT_FOUND", "E_STALE_SNAPSHOT", "E_TARGET_UNREACHABLE"];
const isPassedOver = (error: unknown): boolean =>
  error instanceof AgtmuxError && PASSED_OVER.includes(error.code);

interface Waiting {
  list: PaneList;
  /** The pane that the person is in; null outside tmux and where it is not known. */
  here: string | null;
}

const look = (context: CliContext): Promise<Waiting> =>
  withDaemon(context, async (client) => {
    const list = await client.call((api) => api.panes.query({ needsAction: true }));
    const isInside = (context.env["TMUX"] ?? "") !== "" && (context.env["TMUX_PANE"] ?? "") !== "";
    if (!isInside) return { list, here: null };
    try {
      return { list, here: await settleRef(context, client, { ref: ".", says: false }) };
    } catch (error) {
      if (error instanceof AgtmuxError && error.code === "E_REF_NOT_FOUND") return { list, here: null };
      throw error;
    }
  });

const describe = (pane: PaneView, now: number): string =>
  `${pane.short_ref}: ${pane.agent_name ?? "the agent"}, ${STATE_WORDS[pane.state ?? "unknown"]} for ${rowAge(pane, now)}: ${rowTitle(pane).text}`;

/** Resolves with the exit status of going there; 1 when nothing waits. */
export const runNext = async (context: CliContext): Promise<number> => {
  const { list, here } = await look(context);
  const others = waitingOf(list.items).filter(({ identity }) => identity.pane_ref !== here);
  for (const pane of others) {
    try {
      context.stderr.write(`agtmux: ${cleanLine(describe(pane, context.now()))}\n`);
      return await runAttach(context, pane.identity.pane_ref, {});
    } catch (error) {
      if (!isPassedOver(error)) throw error;
    }
  }
  const isOnlyHere = others.length < list.items.length;
  context.print(isOnlyHere ? "Nothing else waits for you.\n" : "Nothing waits for you.\n");
  for (const problem of list.problems) context.stderr.write(`agtmux: missing: ${cleanLine(problem)}\n`);
  return NOTHING_EXIT_CODE;
};
