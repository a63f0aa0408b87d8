// view-output: what a pane shows and has shown, or the agent's own log of its session, bounded and made safe for a terminal. It
// changes nothing; it goes through the gate all the same, so that what is shown is the pane that was meant and the view is on
// record.
import { stamp } from "../model/schemaVersion.ts";
import { AgtmuxError } from "../model/errors.ts";
import { MAX_OUTPUT_BYTES, MAX_OUTPUT_LINES, type PaneOutput } from "../model/action.ts";
import type { Pane, PaneKey } from "../model/runtime.ts";
import { backgroundIdOf } from "../model/shortRef.ts";
import { cleanText } from "../tmux/cleanText.ts";
import { isStillThere, type PaneClient, type PaneReach } from "./paneClient.ts";
import type { VerifiedAction } from "./prepare.ts";
import { transcriptLines } from "../model/words.ts";
import type { AgentAdapter, StateFileRequest } from "../ports/agentAdapter.ts";
import type { TranscriptEntry } from "../ports/agentFiles.ts";
import type { DaemonService } from "../api/calls.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { RuntimeEntry } from "../ingest/liveState.ts";
import type { Clock } from "../ports/clock.ts";
import type { ActionAudit } from "./audit.ts";
import type { ConnectedTargets } from "../connections/connectedTarget.ts";

// oxlint-disable-next-line no-control-regex -- it is what this is about
const SGR = /\u001b\[[0-9;:]*m/g;
// Strings that a terminal swallows up to their end: titles, links, device control.
// oxlint-disable-next-line no-control-regex -- it is what this is about
const TERMINAL_STRING = /\u001b[\]P^_X][^\u0007\u001b]*(?:\u0007|\u001b\\|$)/g;
// oxlint-disable-next-line no-control-regex -- it is what this is about
const OTHER_SEQUENCE = /\u001b(?:\[[0-9;:<=>?]*[ -/]*[@-~]|[ -/]*[0-~])?/g;
const RESET = "\u001b[0m";

const cleanPart = (text: string): string =>
  cleanText(text.replace(TERMINAL_STRING, "").replace(OTHER_SEQUENCE, ""), MAX_LINE);
const cleanPlain = (line: string): string => cleanPart(line).trimEnd();

/** Colours stay, everything else that a terminal would obey goes. */
export const keepColours = (line: string): string => {
  const safe = line.replace(TERMINAL_STRING, "");
  const colours = safe.match(SGR) ?? [];
  if (colours.length === 0) return cleanPlain(safe);
  const texts = safe.split(SGR).map(cleanPart);
  return `${texts.map((text, index) => `${text}${colours[index] ?? ""}`).join("")}${RESET}`;
};

const isBlank = (line: string): boolean => line.replace(SGR, "").trim() === "";

/** The newest lines within both bounds. */
const boundLines = (all: readonly string[], maxLines: number): Pick<PaneOutput, "lines" | "cut"> => {
  const lines: string[] = [];
  let bytes = 0;
  for (const line of all.toReversed()) {
    if (lines.length === maxLines) return { lines: lines.toReversed(), cut: "lines" };
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > MAX_OUTPUT_BYTES) return { lines: lines.toReversed(), cut: "bytes" };
    lines.push(line);
  }
  return { lines: lines.toReversed(), cut: "none" };
};

/**
 * The last `lines` (1 to 10,000) of scrollback and screen, at most 1 MB, blank ones at the end left out. Without `ansi` no
 * control character is left; with it only colours and attributes.
 * @throws AgtmuxError E_STALE_SNAPSHOT when the pane has gone.
 */
const viewOutput = async (input: {
  action: VerifiedAction;
  pane: Pane;
  client: PaneClient;
  lines: number;
  ansi: boolean;
}): Promise<Pick<PaneOutput, "lines" | "cut" | "is_alternate" | "has_ansi">> => {
  const { pane, client, ansi } = input;
  const wanted = Math.min(Math.max(1, Math.trunc(input.lines)), MAX_OUTPUT_LINES);
  const gone = () => new AgtmuxError("E_STALE_SNAPSHOT", `${input.action.subject.paneRef} is gone.`);
  const capture = await client.capture(pane);
  if (capture === null || !isStillThere(capture, pane)) throw gone();
  // Above the alternate screen tmux still holds what was there before the program: not this program's output.
  const scrollback = capture.isAlternate ? 0 : wanted;
  // One row more than asked, to know whether something was left out.
  const raw = await client.readScrollback(pane, { scrollback: scrollback === 0 ? 0 : scrollback + 1, ansi });
  if (raw === null) throw gone();
  const clean = raw.map(ansi ? keepColours : cleanPlain);
  const last = clean.findLastIndex((line) => !isBlank(line));
  return {
    ...boundLines(clean.slice(0, last + 1), wanted),
    is_alternate: capture.isAlternate,
    has_ansi: ansi,
  };
};

// Transcript: the agent's own log of its session, for agents whose scrollback tmux does not have. The adapter reads it; here it
// becomes lines that no program can dress up. It is shown and never stored.

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
  adapter: AgentAdapter | null;
  request: StateFileRequest;
  lines: number;
}): Promise<Pick<PaneOutput, "lines" | "cut">> => {
  const { paneRef, adapter, request } = input;
  const refuse = (why: string, cause?: unknown): AgtmuxError =>
    new AgtmuxError("E_UNSUPPORTED", `No transcript of ${paneRef}: ${why}`, {
      remedy:
        backgroundIdOf(request.pane.paneId) === null
          ? "Look at the screen, without --transcript."
          : "Open it with 'agtmux attach' to see it.",
      ...(cause === undefined ? {} : { cause }),
    });
  if (adapter?.readTranscript === undefined)
    throw refuse(`the format of ${adapter?.displayName ?? "this agent"}'s log is unknown`);
  let entries: readonly TranscriptEntry[] | null;
  try {
    entries = await adapter.readTranscript(request);
  } catch (cause) {
    if (cause instanceof AgtmuxError) throw cause;
    throw refuse(`${adapter.displayName}'s log cannot be read`, cause);
  }
  if (entries === null) throw refuse(`can't tell which log belongs to this ${adapter.displayName} process`);
  const wanted = Math.min(Math.max(1, Math.trunc(input.lines)), MAX_OUTPUT_LINES);
  return boundLines(renderTranscript(entries), wanted);
};

// The call: behind the gate and on record like every action.

export const createOutputActions = (deps: {
  ingest: Ingest;
  audit: ActionAudit;
  connectedTargets: ConnectedTargets;
  reach: PaneReach;
  clock: Clock;
}) => {
  const { ingest, audit, connectedTargets, reach, clock } = deps;

  const liveEntry = (runtimeId: string | null): RuntimeEntry | null => {
    const entry = runtimeId === null ? undefined : ingest.liveState.runtimes.get(runtimeId);
    return entry === undefined || entry.runtime.endedAt !== null ? null : entry;
  };

  const requestFor = (
    { runtime, transcriptPath, cwd, account }: RuntimeEntry,
    pane: Pane,
    paneRef: string,
  ): StateFileRequest => {
    const { pid, processStartedAt, agentSessionId } = runtime;
    if (pid === null || processStartedAt === null || account === null)
      throw new AgtmuxError("E_UNSUPPORTED", `Can't find the process of the agent in ${paneRef}`);
    const { executor } = connectedTargets.get(runtime.targetId);
    const process = { pid, ppid: pane.panePid, comm: "", args: "", startedAt: processStartedAt };
    const { configDir } = account;
    return { files: executor.files, configDir, process, pane, agentSessionId, transcriptPath, cwd };
  };

  const transcript = async (entry: RuntimeEntry | null, key: PaneKey, paneRef: string, lines: number) => {
    const pane = ingest.liveState.paneOf(key);
    if (pane === undefined) throw new AgtmuxError("E_STALE_SNAPSHOT", `${paneRef} is no longer there`);
    if (entry === null)
      throw new AgtmuxError("E_UNSUPPORTED", `No agent runs in ${paneRef}`, {
        remedy: "Look at the screen, without --transcript.",
      });
    const request = requestFor(entry, pane, paneRef);
    const shown = await viewTranscript({ paneRef, adapter: entry.adapter, request, lines });
    return { ...shown, source: "transcript" as const, is_alternate: pane.isAlternate, has_ansi: false };
  };

  /** Null where it cannot be read, or says nothing. */
  const readable = async <T extends Pick<PaneOutput, "lines">>(log: () => Promise<T>): Promise<T | null> => {
    try {
      const shown = await log();
      return shown.lines.length === 0 ? null : shown;
    } catch (error) {
      if (error instanceof AgtmuxError && error.code === "E_UNSUPPORTED") return null;
      throw error;
    }
  };

  return {
    viewOutput: (input) =>
      audit.throughGate("view-output", input, async ({ verified }) => {
        const { subject, snapshot } = verified;
        const { lines, ansi } = input;
        const entry = liveEntry(snapshot.runtimeId);
        // What no pane shows has no screen.
        const source = backgroundIdOf(subject.paneId) === null ? input.source : "transcript";
        const screen = async () => {
          const { pane, client } = reach.reach(subject.key, subject.paneRef);
          const shown = await viewOutput({ action: verified, pane, client, lines, ansi });
          return { ...shown, source: "screen" as const };
        };
        const log = () => transcript(entry, subject.key, subject.paneRef, lines);
        const output =
          source === "screen"
            ? await screen()
            : source === "transcript"
              ? await log()
              : ((await readable(log)) ?? (await screen()));
        return {
          ...stamp(clock.now()),
          pane_ref: subject.paneRef,
          runtime_id: snapshot.runtimeId,
          snapshot_id: snapshot.snapshotId,
          transcript_offered: output.source === "screen" && entry?.adapter?.readTranscript !== undefined,
          ...output,
        };
      }),
  } satisfies Partial<DaemonService>;
};
