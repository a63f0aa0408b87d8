// Answers what sessions there are: brings the index up to date, lists it, and searches inside the sessions.
import { endsWithin } from "../../../core/model/endsWithin.ts";
import type { HistoryService } from "../calls.ts";
import { searchSessions } from "../search.ts";
import { toEntry, type Sessions } from "../sessions.ts";
import { StretchSpace } from "../stretches.ts";

/** How long a call waits for a look that is under way. */
const MAX_WAIT_MS = 1_000;

/** Characters of an excerpt, and of those before what was searched for. */
const BEFORE = 60;
const LENGTH = 240;

/** The place in a text that was searched for, as one line; `query` stands in it, in any case. */
const excerptOf = (text: string, query: string): string => {
  const at = Math.max(0, text.toLowerCase().indexOf(query.toLowerCase()));
  const from = at <= BEFORE ? 0 : at - BEFORE;
  const line = text
    .slice(from, from + LENGTH)
    .replace(/\s+/g, " ")
    .trim();
  return `${from > 0 ? "…" : ""}${line}${from + LENGTH < text.length ? "…" : ""}`;
};

export const listAnswers = (sessions: Sessions): Pick<HistoryService, "refresh" | "list" | "search"> => {
  /** The memory of the last search, for the next piece of it. */
  const spaces: StretchSpace[] = [];
  return {
    refresh: async () => {
      const { scan, db, remote } = await sessions.index();
      const [isDone, isDoneElsewhere] = await Promise.all([
        endsWithin(scan.refresh(), MAX_WAIT_MS, sessions.context.clock),
        remote.refresh(MAX_WAIT_MS),
      ]);
      return { isDone: isDone && isDoneElsewhere, sessions: db.count({}) };
    },
    list: async ({ limit, offset, ...filter }) => {
      const { db, remote } = await sessions.index();
      remote.checkNames(filter.target ?? []);
      return {
        ...sessions.stamp(),
        filters: filter,
        summary: { total: db.count(filter) },
        problems: remote.problems(filter.target),
        items: db.list(filter, { limit, offset }).map((row) => sessions.viewOf(row)),
      };
    },
    search: async ({ text, cursor, ...filter }) => {
      const { db, remote: machines, remoteSearch: remote } = await sessions.index();
      machines.checkNames(filter.target ?? []);
      const space = spaces.pop() ?? new StretchSpace();
      try {
        const unknownOf = machines.problemsByName(filter.target);
        const deps = { ...sessions, db, space, remote, unknownOf };
        const { found, ...page } = await searchSessions(deps, { text, cursor, filter });
        const hits = found.map(({ row, entries, hasMore }) => {
          const session = sessions.viewOf(row);
          const matches = entries.map((entry) => ({ ...toEntry(entry), text: excerptOf(entry.text, text) }));
          return { identity: session.identity, session, matches, has_more: hasMore };
        });
        return { hits, ...page };
      } finally {
        if (spaces.length === 0) spaces.push(space);
      }
    },
  };
};
