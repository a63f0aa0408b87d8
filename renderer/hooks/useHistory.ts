// What the History view shows: the list, which follows the agents' logs while somebody looks, and a search inside the sessions.
import { useEffect, useMemo, useState } from "react";
import { getUntypedClient } from "@trpc/client";
import * as z from "zod";
import {
  historyListSchema,
  historyPageSchema,
  historySearchPageSchema,
  type HistoryHit,
  type HistoryList,
  type HistoryPage,
  type HistorySearchPage,
} from "../../core/model/history.ts";
import type { Failure } from "../../ui/actions/actionStatus.ts";
import { useAsk } from "../components/settings/useAsk.ts";
import { toFailure, type Api } from "../connection/connectHost.ts";
import { usePopover } from "../state/popover.ts";

/** While the view is open the logs are looked at again after this time. */
const LOOK_AGAIN_MS = 10_000;
/** As many sessions are found before the person asks for more. */
const MAX_FOUND = 20;

// The calls are a feature's, which the router's type does not name: what comes back is checked here.
const refreshedSchema = z.object({ isDone: z.boolean() });

interface AskHistory {
  /** False where the look goes on: ask again. */
  refresh(): Promise<boolean>;
  /** Those with the text in name, first prompt or folder; an empty text: all. */
  list(text: string, limit: number): Promise<HistoryList>;
  /** Inside the sessions. */
  search(text: string, cursor: string | null, signal: AbortSignal): Promise<HistorySearchPage>;
  /** The end of a session. */
  read(ref: string): Promise<HistoryPage>;
}

const askHistory = (api: Api): AskHistory => {
  const client = getUntypedClient(api);
  return {
    refresh: async () => refreshedSchema.parse(await client.mutation("history.refresh")).isDone,
    list: async (text, limit) =>
      historyListSchema.parse(
        await client.query("history.list", { limit, ...(text === "" ? {} : { text }) }),
      ),
    search: async (text, cursor, signal) =>
      historySearchPageSchema.parse(await client.mutation("history.search", { text, cursor }, { signal })),
    read: async (ref) => historyPageSchema.parse(await client.query("history.read", { ref })),
  };
};

export const useAskHistory = (): AskHistory => {
  const { api } = usePopover().host;
  return useMemo(() => askHistory(api), [api]);
};

export const useSessions = (text: string, limit: number) => {
  const ask = useAskHistory();
  const { visibility } = usePopover().host;
  const asked = useAsk(`${limit} ${text}`, () => ask.list(text, limit));
  const { reload } = asked;
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | null = null;
    const look = async (): Promise<void> => {
      try {
        const isDone = !visibility.isVisible() || (await ask.refresh());
        if (isOver) return;
        reload();
        timer = setTimeout(() => void look(), isDone ? LOOK_AGAIN_MS : 0);
      } catch {
        // The list says what is wrong; it is tried again later.
        if (!isOver) timer = setTimeout(() => void look(), LOOK_AGAIN_MS);
      }
    };
    void look();
    return () => {
      isOver = true;
      if (timer !== null) clearTimeout(timer);
    };
  }, [ask, reload, visibility]);
  return asked;
};

export interface Found {
  hits: readonly HistoryHit[];
  state: "searching" | "stopped" | "done";
  failure: Failure | null;
}

interface Search {
  ask: AskHistory;
  text: string;
  signal: AbortSignal;
  onFound: (found: Found) => void;
}

const searchOn = async ({ ask, text, signal, onFound }: Search): Promise<void> => {
  let cursor: string | null = null;
  const hits: HistoryHit[] = [];
  try {
    do {
      const page = await ask.search(text, cursor, signal);
      if (signal.aborted) return;
      hits.push(...page.hits);
      cursor = page.cursor;
      onFound({ hits: [...hits], state: "searching", failure: null });
    } while (cursor !== null && hits.length < MAX_FOUND);
    onFound({ hits, state: cursor === null ? "done" : "stopped", failure: null });
  } catch (error) {
    if (!signal.aborted) onFound({ hits, state: "done", failure: toFailure(error) });
  }
};

/** For a component that is mounted again for another text; leaving it ends the search. */
export const useSearch = (text: string): Found => {
  const ask = useAskHistory();
  const [found, setFound] = useState<Found>({ hits: [], state: "searching", failure: null });
  useEffect(() => {
    const aborter = new AbortController();
    void searchOn({ ask, text, signal: aborter.signal, onFound: setFound });
    return () => aborter.abort();
  }, [ask, text]);
  return found;
};
