// Connects the targets behind SSH with the rest of the daemon: their list in config.json, what ingest learns of them, their events.
import type { ConfigFile } from "../config/configFile.ts";
import { createSshTarget, type SshTargetDeps } from "../connections/sshTarget.ts";
import { createTargetService, type TargetService } from "../connections/targetService.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { TestEvents } from "../integrations/testEvents.ts";
import type { TargetFiles } from "../ports/targetExecutor.ts";
import { tolerateStoreFailure } from "./tolerateStoreFailure.ts";

export interface DaemonTargetsDeps extends Pick<
  SshTargetDeps,
  "env" | "controlDir" | "createConnected" | "connectedTargets" | "programs" | "clock" | "ids" | "logger"
> {
  config: ConfigFile;
  /** Of this machine. */
  files: TargetFiles;
  ingest: Ingest;
  testEvents: Pick<TestEvents, "without">;
}

/** Its caller closes it. */
export const createDaemonTargets = (deps: DaemonTargetsDeps): TargetService => {
  const { config, files, ingest, testEvents, ...shared } = deps;
  const { clock, logger } = shared;
  return createTargetService({
    config: () => config.current,
    write: (valueOf) => config.update(files, ["targets"], valueOf),
    ingest: {
      setTarget: (target) => ingest.setTarget(target),
      removeTarget: (targetId) => ingest.removeTarget(targetId),
      targets: () => ingest.targets(),
      targetOf: (targetId) => ingest.liveState.targets.get(targetId),
    },
    open: (target) =>
      createSshTarget({
        ...target,
        ...shared,
        onHealth: (health, reason, link) =>
          tolerateStoreFailure(logger, () => ingest.setHealth(target.targetId, health, reason, link)),
        onEvents: (connected, envelopes) => connected.collector.deliver(testEvents.without(envelopes)),
        logger: logger.child({ target: target.targetId }),
        random: Math.random,
      }),
    clock,
    logger,
  });
};
