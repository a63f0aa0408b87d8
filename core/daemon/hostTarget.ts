// This machine as a target: always there. Which tmux servers are watched, and by which tmux program, is decided once, at start.
// Without tmux the target is down and says so.
import type { ConfigFile } from "../config/configFile.ts";
import type { ConnectedTargetParts } from "../connections/connectedTarget.ts";
import type { LookForTmux } from "../connections/tmuxLook.ts";
import type { Ingest } from "../ingest/ingest.ts";
import { AgtmuxError } from "../model/errors.ts";
import { HOST_TARGET } from "../model/runtime.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import type { FoundTmux } from "../tmux/findTmux.ts";
import { createProcessTree } from "../tmux/processTree.ts";
import { resolveServers } from "../tmux/servers.ts";

export interface HostTargetDeps {
  ingest: Pick<Ingest, "setTarget" | "setHealth">;
  executor: TargetExecutor;
  lookForTmux: LookForTmux;
  config: Pick<ConfigFile, "current">;
  env: NodeJS.ProcessEnv;
  uid: number;
  platform: NodeJS.Platform;
  takeEvents: ConnectedTargetParts["takeEvents"];
  clock: Clock;
  logger: Logger;
}

const find = async (deps: HostTargetDeps): Promise<FoundTmux | null> => {
  try {
    return await deps.lookForTmux(deps.executor);
  } catch (error) {
    if (!(error instanceof AgtmuxError)) throw error;
    deps.logger.error({ error }, "tmux was not found");
    deps.ingest.setHealth(HOST_TARGET, "down", `${error.message}. ${error.remedy}`);
    return null;
  }
};

/** Registers this machine as a target and returns its parts. */
export const declareHost = async (deps: HostTargetDeps): Promise<ConnectedTargetParts> => {
  const { ingest, executor, config, env, uid, platform, clock } = deps;
  ingest.setTarget({
    targetId: HOST_TARGET,
    targetName: HOST_TARGET,
    kind: "local",
    connectionRef: null,
    isDefault: true,
    health: "ok",
    healthReason: null,
    lastSeenAt: clock.now(),
    updatedAt: clock.now(),
    link: null,
  });
  const servers = resolveServers({ configured: config.current.tmux_servers, env, uid });
  const processes = createProcessTree({ executor, platform, clock });
  return { executor, tmux: await find(deps), servers, processes, takeEvents: deps.takeEvents };
};
