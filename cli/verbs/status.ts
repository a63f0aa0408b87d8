// `agtmux status`: one line for status bars and prompts, most urgent first.
import { withDaemon, type CliContext } from "../context.ts";
import { describeCounts } from "../render/mark.ts";

export const runStatus = async (context: CliContext, options: { json?: boolean }): Promise<void> => {
  const list = await withDaemon(context, (client) => client.call((api) => api.panes.query({})));
  if (options.json === true) {
    const { schema_version, generated_at, summary, problems } = list;
    context.print(`${JSON.stringify({ schema_version, generated_at, summary, problems })}\n`);
    return;
  }
  const counts = describeCounts(list.summary.by_state, context.paint);
  const missing = list.problems.length === 0 ? "" : context.paint("yellow", " (incomplete)");
  context.print(`${counts === "" ? "no agents" : counts}${missing}\n`);
};
