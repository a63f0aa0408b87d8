// What actions ask of a runtime that lives: its state, its turns, whether its program has the terminal, and how its box takes keys.
import type { ConnectedTargets } from "../connections/connectedTargets.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { RuntimeEntry } from "../ingest/liveState.ts";
import type { CanonicalState } from "../model/state.ts";
import { findProcess } from "./processSignaller.ts";

export interface LiveAgents {
  /** Null when it has ended meanwhile. */
  readonly entryOf: (runtimeId: string) => RuntimeEntry | null;
  readonly stateOf: (runtimeId: string) => CanonicalState | null;
  readonly isForeground: (runtimeId: string) => Promise<boolean>;
  /** See `TextModeInput`. */
  readonly usesModes: (runtimeId: string) => Promise<boolean>;
}

export const createLiveAgents = ({
  ingest,
  connectedTargets,
}: {
  ingest: Ingest;
  connectedTargets: ConnectedTargets;
}): LiveAgents => {
  const entryOf = (runtimeId: string): RuntimeEntry | null => {
    const entry = ingest.liveState.runtimes.get(runtimeId);
    return entry === undefined || entry.runtime.endedAt !== null ? null : entry;
  };
  return {
    entryOf,
    stateOf: (runtimeId) => entryOf(runtimeId)?.resolution?.status.state ?? null,
    isForeground: async (runtimeId) => {
      const runtime = entryOf(runtimeId)?.runtime;
      if (runtime === undefined || runtime.pid === null || runtime.processStartedAt === null) return false;
      const { executor, processes } = connectedTargets.get(runtime.targetId);
      const seen = await findProcess(executor, runtime.pid);
      // A pid that was given to another process may be in front of another terminal.
      return seen?.isForeground === true && (await processes.verify(runtime.pid, runtime.processStartedAt));
    },
    usesModes: async (runtimeId) => {
      const entry = entryOf(runtimeId);
      if (entry?.adapter?.inputModes === undefined) return false;
      const { executor } = connectedTargets.get(entry.runtime.targetId);
      const cwd = entry.activity.folder?.value ?? null;
      const homeDir = await executor.homeDir();
      return entry.adapter.inputModes.isOn({ files: executor.files, homeDir, cwd });
    },
  };
};
