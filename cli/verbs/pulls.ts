// `agtmux pulls`: the pull requests of the branches that agents work on, as the daemon gets them from `gh` and `glab`; and opening
// the page of one.
import { AgtmuxError } from "../../core/model/errors.ts";
import { pageOfRequest } from "../../core/model/requestPage.ts";
import type { PullRequestList } from "../../core/model/workspace.ts";
import { requestWords } from "../../ui/text/rowText.ts";
import { withDaemon, type CliContext } from "../command/context.ts";
import { printDocument } from "../command/document.ts";
import { openPage } from "../command/openPage.ts";
import { settleRef } from "../command/settleRef.ts";
import { cleanLine } from "../render/clean.ts";
import { measureFor, renderTable, type Cell, type Column } from "../render/table.ts";

const COLUMNS: readonly Column[] = [
  { title: "REF", min: null },
  { title: "PULL REQUEST", min: 16 },
  { title: "BRANCH", min: 8 },
  { title: "TITLE", min: 12 },
];

const toRow = (item: PullRequestList["items"][number]): Cell[] => [
  { text: cleanLine(item.short_ref) },
  { text: cleanLine(requestWords(item)) },
  { text: cleanLine(item.branch) },
  { text: cleanLine(item.title) },
];

const openOne = async (
  context: CliContext,
  { items, not_looked_at: left }: PullRequestList,
): Promise<void> => {
  const [item] = items;
  if (item === undefined)
    throw new AgtmuxError("E_REF_NOT_FOUND", "its branch has no pull request that is known", {
      remedy:
        left[0] === undefined ? "See 'agtmux pulls'." : `It was not asked for: ${cleanLine(left[0].reason)}.`,
    });
  const page = pageOfRequest(item);
  if (page === null)
    throw new AgtmuxError("E_UNSUPPORTED", `${cleanLine(item.host)} names no page of it`, {
      remedy: "See 'agtmux pulls'.",
    });
  const isOpened = await openPage(page, context.env);
  context.print(isOpened ? `Opened ${page}\n` : `No browser can be opened here. The page is ${page}\n`);
};

/** Fails with E_REF_NOT_FOUND for a ref whose branch has none. */
export const runPulls = async (
  context: CliContext,
  typed: string | undefined,
  options: { open?: boolean; json?: boolean },
): Promise<void> => {
  if (options.open === true && typed === undefined)
    throw new AgtmuxError("E_USAGE", "--open takes the agent whose pull request is meant", {
      remedy: "As in: agtmux pulls %12 --open",
    });
  const list = await withDaemon(context, async (client): Promise<PullRequestList> => {
    if (typed === undefined) return client.call((api) => api.workspaces.pulls.mutate());
    const ref = await settleRef(context, client, { ref: typed, says: false });
    const { pane } = await client.call((api) => api.explain.query({ ref }));
    const all = await client.call((api) => api.workspaces.pulls.mutate());
    const isHere = (one: { target: string; work_tree: string }): boolean =>
      one.target === pane.identity.target && one.work_tree === pane.activity?.work_tree;
    return { ...all, items: all.items.filter(isHere), not_looked_at: all.not_looked_at.filter(isHere) };
  });
  if (options.open === true) return openOne(context, list);
  if (options.json === true) return printDocument<PullRequestList>(context, list);
  const { width, paint } = context;
  const rows = list.items.map(toRow);
  const lines = [
    ...(rows.length === 0
      ? ["No agent works on a branch with a pull request."]
      : renderTable(COLUMNS, rows, { width, paint, measure: await measureFor(list.items) })),
    ...list.not_looked_at.map(({ work_tree: folder, reason }) =>
      paint("dim", `Not asked for: ${cleanLine(folder)}: ${cleanLine(reason)}`),
    ),
  ];
  context.print(`${lines.join("\n")}\n`);
};
