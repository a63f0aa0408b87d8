// Connects a target behind SSH with the daemon: which implementation reaches it, and where its unit, its health and its events
// go.
import type { Envelope } from "../model/envelope.ts";
import type { TargetHealth, TargetLink } from "../model/runtime.ts";
import type { Clock, IdSource } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { createRemoteExecutor } from "../targets/createRemoteExecutor.ts";
import { sshTerminalCommand } from "../targets/sshTerminal.ts";
import type { Fleet } from "../connections/fleet.ts";
import { createSshTarget, type SshTarget, type SshTargetDeps } from "../connections/sshTarget.ts";
import type { TargetUnit, UnitParts } from "../connections/targetUnit.ts";

export interface SshOpenerDeps {
  env: NodeJS.ProcessEnv;
  /** Folder of control sockets. */
  controlDir: string;
  createUnit: (parts: UnitParts) => TargetUnit;
  fleet: Fleet;
  setHealth: (targetId: string, health: TargetHealth, reason: string | null, link: TargetLink) => void;
  onEvents: (unit: TargetUnit, envelopes: Envelope[]) => Promise<void>;
  clock: Clock;
  ids: IdSource;
  logger: Logger;
}

/** A configured target, not started yet. */
export const createSshOpener =
  (deps: SshOpenerDeps) =>
  ({ targetId, config }: Pick<SshTargetDeps, "targetId" | "config">): SshTarget => {
    const { fleet, env, clock, ids } = deps;
    const logger = deps.logger.child({ target: targetId });
    let current: TargetUnit | null = null;
    return createSshTarget({
      targetId,
      config,
      createExecutor: ({ ssh_target, transport }) =>
        createRemoteExecutor({
          targetId,
          alias: ssh_target,
          env,
          controlDir: deps.controlDir,
          transport: transport === "auto" ? null : transport,
          configFile: env["AGTMUX_SSH_CONFIG"] ?? null,
          logger,
        }),
      toTerminal: (argv) =>
        sshTerminalCommand({ alias: config.ssh_target, configFile: env["AGTMUX_SSH_CONFIG"] ?? null }, argv),
      createUnit: deps.createUnit,
      onUnit: (unit) => {
        if (current !== null) fleet.remove(current);
        current = unit;
        if (unit !== null) fleet.add(unit);
      },
      onHealth: (health, reason, link) => deps.setHealth(targetId, health, reason, link),
      onEvents: deps.onEvents,
      clock,
      ids,
      logger,
      random: Math.random,
    });
  };
