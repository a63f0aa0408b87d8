// `agtmux view-output <ref>`: the last lines of a pane's screen and scrollback, or of its agent's own log. The daemon bounds
// and cleans them.
import { DEFAULT_OUTPUT_LINES, MAX_OUTPUT_LINES, type PaneOutput } from "../../core/model/actionView.ts";
import type { CliContext } from "../context.ts";
import { parseCount } from "../parse/count.ts";
import { withRef } from "../settleRef.ts";
import { parseGuards, type GuardOptions } from "../parse/guards.ts";

const whatIsMissing = (output: PaneOutput): string | null => {
  if (output.source === "transcript" && output.cut === "none")
    return "This is from the agent's own log: '> ' is you, '* ' a tool, '! ' a note.";
  if (output.is_alternate && output.source === "screen")
    return `The program draws on the alternate screen: tmux has no scrollback of it, this is what is visible.${output.transcript_offered ? " Its own log of the session: --transcript." : ""}`;
  return output.cut === "bytes" ? "Older lines were left out: the output is larger than 1 MB." : null;
};

export const runViewOutput = async (
  context: CliContext,
  ref: string,
  options: GuardOptions & { lines?: string; ansi?: boolean; transcript?: boolean; json?: boolean },
): Promise<void> => {
  const guards = parseGuards(options);
  const lines =
    options.lines === undefined
      ? DEFAULT_OUTPUT_LINES
      : parseCount(options.lines, "--lines", { min: 1, max: MAX_OUTPUT_LINES });
  const output = await withRef(context, { ref, says: false }, (client, settled) =>
    client.call((api) =>
      api.viewOutput.mutate({
        ref: settled,
        guards,
        surface: "cli",
        lines,
        ansi: options.ansi === true,
        source: options.transcript === true ? "transcript" : "screen",
      }),
    ),
  );
  if (options.json === true) {
    context.print(`${JSON.stringify(output)}\n`);
    return;
  }
  if (output.lines.length > 0) context.print(`${output.lines.join("\n")}\n`);
  const missing = whatIsMissing(output);
  // Notes go to stderr, so that a pipe gets only the pane's own lines.
  if (missing !== null) context.stderr.write(`agtmux: ${missing}\n`);
};
