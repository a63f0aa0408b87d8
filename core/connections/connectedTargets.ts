// The targets that are connected right now, by id. Everything that needs a target asks here, and gets an error with one
// sentence when the target is not connected.
import { AgtmuxError } from "../model/errors.ts";
import type { ConnectedTarget } from "./connectedTarget.ts";

export interface ConnectedTargets {
  /** @throws AgtmuxError E_TARGET_UNREACHABLE while there is no connection to the target. */
  get(targetId: string): ConnectedTarget;
  find(targetId: string): ConnectedTarget | null;
  all(): readonly ConnectedTarget[];
  /** Replaces an earlier connection of the same target, which its owner closes. */
  add(connected: ConnectedTarget): void;
  /** Removes the target only if it is still the one in place. */
  remove(connected: ConnectedTarget): void;
}

export const createConnectedTargets = (
  describe: (targetId: string) => { name: string; reason: string | null },
): ConnectedTargets => {
  const byId = new Map<string, ConnectedTarget>();
  return {
    get: (targetId) => {
      const connected = byId.get(targetId);
      if (connected !== undefined) return connected;
      const { name, reason } = describe(targetId);
      throw new AgtmuxError(
        "E_TARGET_UNREACHABLE",
        `target ${name} is not connected${reason === null ? "" : `: ${reason}`}`,
        { remedy: `Try 'agtmux target connect ${name}'.` },
      );
    },
    find: (targetId) => byId.get(targetId) ?? null,
    all: () => [...byId.values()],
    add: (connected) => {
      byId.set(connected.targetId, connected);
    },
    remove: (connected) => {
      if (byId.get(connected.targetId) === connected) byId.delete(connected.targetId);
    },
  };
};
