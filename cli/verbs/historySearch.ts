// `agtmux history search <words>`: where sessions say something. What is found is printed as it is found.
import type { HistoryHit, HistorySearch, HistorySearchPage } from "../../core/model/history.ts";
import { formatAge } from "../../core/model/words.ts";
import { transcriptLines } from "../../core/model/transcriptLines.ts";
import { withDaemon, type CliContext } from "../context.ts";
import { printDocument } from "../document.ts";
import { parseCount } from "../parse/count.ts";
import { cleanLine } from "../render/clean.ts";
import {
  askHistory,
  parseHistoryFilters,
  placeOf,
  refreshHistory,
  type HistoryFilterOptions,
} from "../askHistory.ts";

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 10_000;

const renderHit = (context: CliContext, { session, matches, has_more }: HistoryHit): string[] => {
  const age = formatAge(context.now() - Date.parse(session.last_at));
  const head = [session.short_ref, session.agent_name, `${age} ago`, placeOf(session)].join("  ");
  return [
    context.paint("bold", cleanLine(head)),
    ...matches
      .flatMap((entry) => transcriptLines([entry], (text) => [cleanLine(text)]))
      .map((line) => `  ${line}`),
    ...(has_more ? [context.paint("dim", "  … and more")] : []),
    "",
  ];
};

/** Gives the exit status: 1 where nothing is found. */
export const runHistorySearch = async (
  context: CliContext,
  words: readonly string[],
  options: HistoryFilterOptions & { limit?: string; json?: boolean },
): Promise<number> => {
  const limit =
    options.limit === undefined
      ? DEFAULT_LIMIT
      : parseCount(options.limit, "--limit", { min: 1, max: MAX_LIMIT });
  const text = words.join(" ").trim();
  const filters = parseHistoryFilters(context, options);
  const items: HistoryHit[] = [];
  let bytes = 0;
  const problems = new Set<string>();
  await withDaemon(context, async (client) => {
    await refreshHistory(context, client);
    let cursor: string | null = null;
    do {
      context.signal.throwIfAborted();
      const page: HistorySearchPage = await askHistory(client, "search", "mutation", {
        text,
        ...filters,
        cursor,
      });
      const hits = page.hits.slice(0, limit - items.length);
      if (options.json !== true)
        for (const hit of hits) context.print(`${renderHit(context, hit).join("\n")}\n`);
      items.push(...hits);
      bytes += page.bytes;
      for (const problem of page.problems) problems.add(problem);
      cursor = page.cursor;
    } while (cursor !== null && items.length < limit);
  });
  if (options.json === true)
    printDocument<HistorySearch>(context, {
      filters: { text, ...filters, limit },
      summary: { total: items.length, bytes },
      problems: [...problems],
      items,
    });
  else if (items.length === 0) context.print("Nothing is found.\n");
  for (const problem of problems) context.stderr.write(`agtmux: ${cleanLine(problem)}\n`);
  return items.length === 0 ? 1 : 0;
};
