// This machine as a target: always there. Which of its tmux servers are watched and with which tmux is settled here, once at
// start; without a tmux it is a target that is down and says so.
import type { Ingest } from "../ingest/ingest.ts";
import { AgtmuxError } from "../model/errors.ts";
import { HOST_TARGET } from "../model/runtime.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import { createProcessTree } from "../tmux/processTree.ts";
import { resolveServers } from "../tmux/servers.ts";
import type { ConfigFile } from "../config/configFile.ts";
import type { TargetUnit, UnitParts } from "../connections/targetUnit.ts";
import type { LookForTmux } from "../connections/tmuxLook.ts";

export interface OpenHostDeps {
  ingest: Pick<Ingest, "setTarget" | "setHealth">;
  executor: TargetExecutor;
  createUnit: (parts: UnitParts) => TargetUnit;
  lookForTmux: LookForTmux;
  config: Pick<ConfigFile, "current">;
  env: NodeJS.ProcessEnv;
  uid: number;
  platform: NodeJS.Platform;
  clock: Clock;
  logger: Logger;
}

const findPath = async ({ executor, ingest, lookForTmux, logger }: OpenHostDeps): Promise<string | null> => {
  try {
    return (await lookForTmux(executor)).path;
  } catch (error) {
    if (!(error instanceof AgtmuxError)) throw error;
    logger.error({ error }, "tmux was not found");
    ingest.setHealth(HOST_TARGET, "down", `${error.message}. ${error.remedy}`);
    return null;
  }
};

/** Its unit, which does not watch yet; the caller closes it. */
export const openHost = async (deps: OpenHostDeps): Promise<TargetUnit> => {
  const { ingest, executor, clock } = deps;
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
  const servers = resolveServers({
    configured: deps.config.current.tmux_servers,
    env: deps.env,
    uid: deps.uid,
  });
  return deps.createUnit({
    executor,
    tmuxPath: await findPath(deps),
    servers,
    processes: createProcessTree({ executor, platform: deps.platform, clock }),
  });
};
