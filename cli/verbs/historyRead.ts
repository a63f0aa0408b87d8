// A session's conversation for a verb: pages from its end, as many as are wanted.
import type { HistoryEntry, HistoryPage, HistorySession } from "../../core/model/history.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import { isTypedRef } from "../../core/model/shortRef.ts";
import type { DaemonClient } from "../../core/rpc/socketClient.ts";
import { withDaemon, type CliContext } from "../context.ts";
import { settleRef } from "../settleRef.ts";
import { askHistory, refreshHistory } from "../askHistory.ts";

/** Pages in which nothing can be read before it is given up: a log of noise. */
const MAX_EMPTY_PAGES = 8;

export interface ReadSession {
  session: HistorySession;
  entries: HistoryEntry[];
  isCut: boolean;
  /** In how many entries a secret was taken out. */
  redacted: number;
}

const countLines = (entries: readonly HistoryEntry[]): number =>
  entries.reduce((total, { text }) => total + text.split("\n").length + 1, 0);

/** Where a pane was named: the session that its agent has open. */
export const sessionOf = async (context: CliContext, client: DaemonClient, ref: string): Promise<string> => {
  const isPane = !isTypedRef(ref) || /[%/]|:\d+\.\d+$/.test(ref);
  if (!isPane) return ref;
  const paneRef = await settleRef(context, client, { ref, says: false });
  const { pane } = await client.call((api) => api.explain.query({ ref: paneRef }));
  if (pane.agent === null || pane.agent_session_id === null)
    throw new AgtmuxError("E_UNSUPPORTED", `it is not known which session ${paneRef} has open`, {
      remedy: "Find it with 'agtmux history list', and give its id.",
    });
  return `${pane.agent}:${pane.agent_session_id}`;
};

/** At least `lines` lines of its end, or all. */
export const readSession = (
  context: CliContext,
  ref: string,
  { lines, redact = false }: { lines: number; redact?: boolean },
): Promise<ReadSession> =>
  withDaemon(context, async (client) => {
    await refreshHistory(context, client);
    const named = await sessionOf(context, client, ref);
    const pages: HistoryEntry[][] = [];
    let before: string | null = null;
    for (let read = 0, empty = 0, redacted = 0; ;) {
      context.signal.throwIfAborted();
      const page: HistoryPage = await askHistory(client, "read", "query", { ref: named, before, redact });
      pages.unshift(page.entries);
      read += countLines(page.entries);
      redacted += page.redacted;
      empty = page.entries.length === 0 ? empty + 1 : 0;
      before = page.before;
      if (before === null || read >= lines || empty > MAX_EMPTY_PAGES)
        return { session: page.session, entries: pages.flat(), isCut: before !== null, redacted };
    }
  });
