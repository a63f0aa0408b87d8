// Connects the configured targets with the daemon: what they are written to and read from, where their units, health and
// events go, and that a change of config.json is followed.
import type { Ingest } from "../ingest/ingest.ts";
import type { Clock, IdSource } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import type { Own } from "./closing.ts";
import type { ConfigFile } from "../config/configFile.ts";
import { survive } from "./survive.ts";
import type { TestEvents } from "../integrations/testEvents.ts";
import type { Fleet } from "../connections/fleet.ts";
import { createSshOpener } from "./openSshTarget.ts";
import { createTargetDesk, type TargetDesk } from "../connections/targetDesk.ts";
import type { TargetUnit, UnitParts } from "../connections/targetUnit.ts";

export interface OpenTargetDeskDeps {
  config: ConfigFile;
  /** This machine's: config.json is there. */
  executor: Pick<TargetExecutor, "files">;
  ingest: Pick<Ingest, "setTarget" | "removeTarget" | "targets" | "world" | "setHealth">;
  env: NodeJS.ProcessEnv;
  /** Folder of control sockets. */
  controlDir: string;
  createUnit: (parts: UnitParts) => TargetUnit;
  fleet: Fleet;
  testEvents: Pick<TestEvents, "without">;
  clock: Clock;
  ids: IdSource;
  logger: Logger;
  own: Own;
}

/** Nothing is connected before the first `apply`, which is the caller's. */
export const openTargetDesk = (deps: OpenTargetDeskDeps): TargetDesk => {
  const { config, ingest, env, controlDir, createUnit, fleet, clock, ids, logger, own } = deps;
  const desk = createTargetDesk({
    config: () => config.current,
    write: (valueOf) => config.update(deps.executor.files, ["targets"], valueOf),
    ingest: {
      setTarget: (target) => ingest.setTarget(target),
      removeTarget: (targetId) => ingest.removeTarget(targetId),
      targets: () => ingest.targets(),
      targetOf: (targetId) => ingest.world.targets.get(targetId),
    },
    open: createSshOpener({
      env,
      controlDir,
      createUnit,
      fleet,
      setHealth: (targetId, health, reason, link) =>
        survive(logger, () => ingest.setHealth(targetId, health, reason, link)),
      onEvents: (unit, envelopes) => unit.collector.deliver(deps.testEvents.without(envelopes)),
      clock,
      ids,
      logger,
    }),
    clock,
    logger,
  });
  own(() => desk.close());
  own(config.onChange(() => survive(logger, () => desk.apply())));
  return desk;
};
