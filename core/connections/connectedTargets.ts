// The targets that are connected right now, by id. Everything that needs a target asks here, and gets an error with one
// sentence when the target is not connected.
import type { FeatureContext } from "../ports/feature.ts";
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

/**
 * What features reach of a target: its files and programs, and its tmux servers.
 * `targetIdOf`: by the name that rows have; undefined where there is none of it.
 */
export const createTargetReach =
  (
    connectedTargets: Pick<ConnectedTargets, "get">,
    targetIdOf: (name: string) => string | undefined,
  ): FeatureContext["target"] =>
  (name) => {
    const targetId = targetIdOf(name);
    if (targetId === undefined)
      throw new AgtmuxError("E_TARGET_UNKNOWN", `there is no target '${name.slice(0, 64)}'`);
    const connected = connectedTargets.get(targetId);
    const { executor, reader, servers } = connected;
    // What takes long must not hold up the one connection through which watching reads.
    return {
      kind: executor.kind,
      homeDir: () => executor.homeDir(),
      run: (argv, options) => executor.run(argv, options),
      files: reader.files,
      tmux: (wanted) => {
        const tmux = connected.tmuxOf(wanted ?? servers[0]?.server ?? "");
        if (tmux !== null) return tmux;
        throw new AgtmuxError(
          "E_USAGE",
          `no tmux server '${(wanted ?? "").slice(0, 64)}' is watched on ${name}`,
        );
      },
    };
  };
