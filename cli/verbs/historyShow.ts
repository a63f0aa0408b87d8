// `agtmux history show <session>`: what an agent's log tells of a session, oldest first.
import type { HistorySession, HistoryShow } from "../../core/model/history.ts";
import { transcriptLines } from "../../core/model/transcriptLines.ts";
import type { CliContext } from "../context.ts";
import { printDocument } from "../document.ts";
import { parseCount } from "../parse/count.ts";
import { cleanLine, cleanLines } from "../render/clean.ts";
import { readSession } from "./historyRead.ts";

const DEFAULT_LINES = 100;
const MAX_LINES = 100_000;

const renderHead = ({
  agent_name,
  identity,
  title,
  first_prompt,
  folder,
  branch,
}: HistorySession): string[] => [
  cleanLine(title ?? first_prompt ?? ""),
  cleanLine(
    [agent_name, identity.session_id, folder ?? "", branch ?? ""]
      .filter((part) => part !== "")
      .join(" \u00B7 "),
  ),
];

export const runHistoryShow = async (
  context: CliContext,
  ref: string,
  options: { lines?: string; all?: boolean; json?: boolean },
): Promise<void> => {
  const wanted =
    options.lines === undefined
      ? DEFAULT_LINES
      : parseCount(options.lines, "--lines", { min: 1, max: MAX_LINES });
  const isAll = options.all === true;
  const { session, entries, isCut } = await readSession(context, ref, { lines: isAll ? Infinity : wanted });
  if (options.json === true) {
    printDocument<HistoryShow>(context, { session, entries, is_cut: isCut });
    return;
  }
  const lines = transcriptLines(entries, cleanLines);
  const shown = isAll ? lines : lines.slice(-wanted);
  const { paint } = context;
  const [first = "", second = ""] = renderHead(session);
  context.print(`${[paint("bold", first), paint("dim", second), "", ...shown].join("\n")}\n`);
  // Notes go to stderr, so that a pipe gets only the session's own lines.
  if (isCut || shown.length < lines.length)
    context.stderr.write("agtmux: This is the end of the session; --all shows the rest.\n");
};
