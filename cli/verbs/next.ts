// `agtmux next`: goes to the agent that has waited longest for a person. The pane that one is in is passed over, so that pressing
// a key again goes on to the next.
import { AgtmuxError, type ErrorCode } from "../../core/model/errors.ts";
import type { PaneList, PaneView } from "../../core/model/view.ts";
import { STATE_WORDS } from "../../core/model/words.ts";
import { waitingOf } from "../../ui/lists/needsFirst.ts";
import { rowAge, rowTitle } from "../../ui/text/rowText.ts";
import { withDaemon, type CliContext } from "../context.ts";
import { cleanLine } from "../render/clean.ts";
import { settleRef } from "../settleRef.ts";
import { runAttach } from "./attach.ts";

/** Exit status when nothing waits: not a failure, but nothing to go to. */
const NOTHING_EXIT_CODE = 1;

/** A row whose pane went meanwhile, or whose machine is not connected, is no place to go to. */
const PASSED_OVER: readonly ErrorCode[] = ["E_REF_NOT_FOUND", "E_STALE_SNAPSHOT", "E_TARGET_UNREACHABLE"];
const isPassedOver = (error: unknown): boolean =>
  error instanceof AgtmuxError && PASSED_OVER.includes(error.code);

interface Waiting {
  list: PaneList;
  /** The pane that one is in; null outside of tmux and where it is not known. */
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
