// What an agent's own log tells of its session, for agents whose scrollback tmux does not have. The adapter reads; here it
// becomes lines that no program can dress up. It is shown and never stored.
import { AgtmuxError } from "../model/errors.ts";
import { MAX_OUTPUT_LINES, type PaneOutput } from "../model/actionView.ts";
import { transcriptLines } from "../model/transcriptLines.ts";
import type { AgentAdapter, StateFileRequest } from "../ports/agentAdapter.ts";
import type { TranscriptEntry } from "../ports/agentHistory.ts";
import { cleanText } from "../tmux/cleanText.ts";
import { boundLines } from "./viewOutput.ts";

const MAX_LINE = 20_000;

const cleanLines = (text: string): string[] =>
  text.split("\n").map((line) => cleanText(line.replaceAll("\t", "  "), MAX_LINE));

export const renderTranscript = (entries: readonly TranscriptEntry[]): string[] =>
  transcriptLines(entries, cleanLines);

/**
 * The last `lines` (1 to 10,000) of the session, at most 1 MB, without any control character.
 * @throws AgtmuxError E_UNSUPPORTED where the adapter knows no log, none is provably this process's, or it cannot be read.
 */
export const viewTranscript = async (input: {
  paneRef: string;
  adapter: Pick<AgentAdapter, "displayName" | "readTranscript"> | null;
  request: StateFileRequest;
  lines: number;
}): Promise<Pick<PaneOutput, "lines" | "cut">> => {
  const { paneRef, adapter, request } = input;
  const refuse = (why: string, cause?: unknown): AgtmuxError =>
    new AgtmuxError("E_UNSUPPORTED", `No transcript of ${paneRef}: ${why}`, {
      remedy: "Look at the screen, without --transcript.",
      ...(cause === undefined ? {} : { cause }),
    });
  if (adapter?.readTranscript === undefined)
    throw refuse(`the form of ${adapter?.displayName ?? "this agent"}'s log is not known`);
  let entries: readonly TranscriptEntry[] | null;
  try {
    entries = await adapter.readTranscript(request);
  } catch (cause) {
    if (cause instanceof AgtmuxError) throw cause;
    throw refuse(`${adapter.displayName}'s log cannot be read`, cause);
  }
  if (entries === null) throw refuse(`no log is provably that of this ${adapter.displayName} process`);
  const wanted = Math.min(Math.max(1, Math.trunc(input.lines)), MAX_OUTPUT_LINES);
  return boundLines(renderTranscript(entries), wanted);
};
