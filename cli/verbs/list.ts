// `agtmux list panes|windows|sessions`: asks the daemon once and prints its document, as a table or as it is.
import type { ListFilters } from "../../core/api/service.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { CliContext } from "../context.ts";
import { withDaemon } from "../context.ts";
import { parseFilters, type FilterOptions } from "../parse/filters.ts";
import { measureFor, type Measure } from "../render/measure.ts";
import { renderPanes, type RenderOptions } from "../render/paneTable.ts";
import { renderSessions } from "../render/sessionTable.ts";
import { renderWindows } from "../render/windowTable.ts";

export type Scope = "panes" | "windows" | "sessions";

export interface ListOptions extends FilterOptions {
  json?: boolean;
  withAgentStatus?: boolean;
  agentSummary?: boolean;
  groupBy?: string;
}

/** One request of a scope: its document and how to print it as a table. */
export interface Listing {
  readonly document: { readonly items: readonly unknown[] };
  table(options: RenderOptions): string[];
}

const parseGroupBy = (text: string | undefined): "target-session" | "session-name" | undefined => {
  if (text === undefined || text === "target-session" || text === "session-name") return text;
  throw new AgtmuxError("E_USAGE", `--group-by does not know '${text}'`, {
    remedy: "Use target-session or session-name.",
  });
};

type Api = Parameters<Parameters<Awaited<ReturnType<CliContext["connect"]>>["call"]>[0]>[0];

/** Reads the options once, so that `watch` fails at its start and not in the middle. Fails with E_USAGE. */
export const prepareListing = (scope: Scope, options: ListOptions): ((api: Api) => Promise<Listing>) => {
  const filters: ListFilters = parseFilters(options);
  switch (scope) {
    case "panes":
      return async (api) => {
        const document = await api.panes.query(filters);
        return { document, table: (render) => renderPanes(document, render) };
      };
    case "windows":
      return async (api) => {
        const document = await api.windows.query(filters);
        return {
          document,
          table: (render) => renderWindows(document, options.withAgentStatus === true, render),
        };
      };
    case "sessions": {
      const groupBy = parseGroupBy(options.groupBy);
      const input = groupBy === undefined ? filters : { ...filters, groupBy };
      return async (api) => {
        const document = await api.sessions.query(input);
        return {
          document,
          table: (render) => renderSessions(document, options.agentSummary === true, render),
        };
      };
    }
  }
};

export const renderOptionsOf = (context: CliContext, measure: Measure): RenderOptions => ({
  paint: context.paint,
  width: context.width,
  now: context.now(),
  measure,
});

export const runList = async (context: CliContext, scope: Scope, options: ListOptions): Promise<void> => {
  const ask = prepareListing(scope, options);
  const listing = await withDaemon(context, (client) => client.call(ask));
  if (options.json === true) context.print(`${JSON.stringify(listing.document, null, 2)}\n`);
  else {
    const measure = await measureFor(listing.document);
    context.print(`${listing.table(renderOptionsOf(context, measure)).join("\n")}\n`);
  }
};
