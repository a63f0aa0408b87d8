// view-output as the service offers it: behind the gate and on record like every action, from the screen or from the agent's
// own log.
import { viewOutput } from "./viewOutput.ts";
import { viewTranscript } from "./viewTranscript.ts";
import type { DaemonService } from "../api/calls.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { RuntimeEntry } from "../ingest/liveState.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { Pane } from "../model/runtime.ts";
import { SCHEMA_VERSION } from "../model/view.ts";
import type { StateFileRequest } from "../ports/agentAdapter.ts";
import type { Clock } from "../ports/clock.ts";
import type { ActionAudit } from "./audit.ts";
import type { ConnectedTargets } from "../connections/connectedTargets.ts";
import type { PaneReach } from "./paneReach.ts";

export interface OutputActionsDeps {
  ingest: Pick<Ingest, "liveState">;
  audit: ActionAudit;
  connectedTargets: Pick<ConnectedTargets, "get">;
  reach: PaneReach;
  clock: Pick<Clock, "now">;
}

export const createOutputActions = (deps: OutputActionsDeps): Pick<DaemonService, "viewOutput"> => {
  const { ingest, audit, connectedTargets, reach, clock } = deps;

  const liveEntry = (runtimeId: string | null): RuntimeEntry | null => {
    const entry = runtimeId === null ? undefined : ingest.liveState.runtimes.get(runtimeId);
    return entry === undefined || entry.runtime.endedAt !== null ? null : entry;
  };

  const requestFor = async (
    { runtime, transcriptPath, cwd }: RuntimeEntry,
    pane: Pane,
    paneRef: string,
  ): Promise<StateFileRequest> => {
    const { pid, processStartedAt, agentSessionId } = runtime;
    if (pid === null || processStartedAt === null)
      throw new AgtmuxError("E_UNSUPPORTED", `The process of the agent in ${paneRef} is not known`);
    const { executor } = connectedTargets.get(runtime.targetId);
    const process = { pid, ppid: pane.panePid, comm: "", args: "", startedAt: processStartedAt };
    const homeDir = await executor.homeDir();
    return { files: executor.files, homeDir, process, pane, agentSessionId, transcriptPath, cwd };
  };

  const transcript = async (entry: RuntimeEntry | null, pane: Pane, paneRef: string, lines: number) => {
    if (entry === null)
      throw new AgtmuxError("E_UNSUPPORTED", `No agent runs in ${paneRef}`, {
        remedy: "Look at the screen, without --transcript.",
      });
    const request = await requestFor(entry, pane, paneRef);
    const shown = await viewTranscript({ paneRef, adapter: entry.adapter, request, lines });
    return { ...shown, is_alternate: pane.isAlternate, has_ansi: false };
  };

  return {
    viewOutput: (input) =>
      audit.throughGate("view-output", input, async ({ verified }) => {
        const { subject, snapshot } = verified;
        const { lines, ansi, source } = input;
        const { pane, client } = reach.reach(subject.key, subject.paneRef);
        const entry = liveEntry(snapshot.runtimeId);
        const output =
          source === "screen"
            ? await viewOutput({ action: verified, pane, client, lines, ansi })
            : await transcript(entry, pane, subject.paneRef, lines);
        return {
          schema_version: SCHEMA_VERSION,
          generated_at: new Date(clock.now()).toISOString(),
          pane_ref: subject.paneRef,
          runtime_id: snapshot.runtimeId,
          snapshot_id: snapshot.snapshotId,
          source,
          transcript_offered: source === "screen" && entry?.adapter?.readTranscript !== undefined,
          ...output,
        };
      }),
  };
};
