// The targets as people and the configuration see them: which targets exist, which ones a change of config.json adds or
// removes, and the work of `target add|connect|remove`. Each target handles its own connection (sshTarget.ts).
import type { Config, SshTargetConfig } from "../model/config.ts";
import { AgtmuxError } from "../model/errors.ts";
import { HOST_TARGET, type Target } from "../model/runtime.ts";
import type { TargetView } from "../model/view.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { checkSshAlias } from "../targets/sshConfig.ts";
import type { SshTarget } from "./sshTarget.ts";

/** The settings of a target that a person may change; a setting that is left out does not change. */
interface TargetChange {
  name: string;
  enabled?: boolean | undefined;
  transport?: SshTargetConfig["transport"] | undefined;
  tmuxPath?: string | null | undefined;
}

interface NewTarget {
  name: string;
  sshTarget: string;
  transport?: SshTargetConfig["transport"] | undefined;
  tmuxPath?: string | null | undefined;
}

const sameSettings = (a: SshTargetConfig, b: SshTargetConfig): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

const WAITING = "not connected yet";
const DISABLED = "it is disabled";
/** An attempt that is further away waits for a person (a key, a host key). It is not brought forward. */
const SOON_MS = 100_000;

export const createTargetService = (deps: {
  config: () => Config;
  /** Writes the list of targets into config.json; resolves when it is in force. */
  write: (valueOf: (current: Config) => readonly SshTargetConfig[]) => Promise<void>;
  ingest: {
    setTarget(target: Target): void;
    removeTarget(targetId: string): void;
    targets(): TargetView[];
    targetOf(targetId: string): Target | undefined;
  };
  open: (target: { targetId: string; config: SshTargetConfig }) => SshTarget;
  clock: Clock;
  logger: Logger;
}) => {
  const { ingest, clock, logger } = deps;
  const running = new Map<string, SshTarget>();
  const closing = new Set<Promise<void>>();

  const stop = (name: string, target: SshTarget): void => {
    running.delete(name);
    const work = target
      .close()
      .catch((error: unknown) => logger.error({ error, target: name }, "a target could not be closed"))
      .finally(() => closing.delete(work));
    closing.add(work);
  };
  const declare = (config: SshTargetConfig): void => {
    const known = ingest.targetOf(config.name);
    ingest.setTarget({
      targetId: config.name,
      targetName: config.name,
      kind: "ssh",
      connectionRef: config.ssh_target,
      isDefault: false,
      health: "down",
      healthReason: config.enabled ? WAITING : DISABLED,
      lastSeenAt: known?.lastSeenAt ?? null,
      updatedAt: clock.now(),
      link: {
        isEnabled: config.enabled,
        transport: null,
        rttMs: null,
        remedy: config.enabled ? null : `Enable it with 'agtmux target enable ${config.name}'.`,
        nextAttemptAt: null,
        note: null,
      },
    });
  };
  const apply = (): void => {
    const wanted = new Map(deps.config().targets.map((target) => [target.name, target]));
    for (const [name, target] of running) {
      const config = wanted.get(name);
      if (config === undefined || !config.enabled || !sameSettings(config, target.config)) stop(name, target);
    }
    for (const { target, kind } of ingest.targets())
      if (kind === "ssh" && !wanted.has(target)) ingest.removeTarget(target);
    for (const [name, config] of wanted) {
      if (running.has(name)) continue;
      declare(config);
      if (!config.enabled) continue;
      const target = deps.open({ targetId: name, config });
      running.set(name, target);
      target.start();
    }
  };

  const find = (name: string): SshTargetConfig => {
    const found = deps.config().targets.find((target) => target.name === name);
    if (found !== undefined) return found;
    const names = deps.config().targets.map((target) => target.name);
    throw new AgtmuxError(
      name === HOST_TARGET ? "E_UNSUPPORTED" : "E_TARGET_UNKNOWN",
      name === HOST_TARGET
        ? `'${HOST_TARGET}' is this machine: it is always there`
        : `there is no machine '${name.slice(0, 64)}'`,
      { remedy: names.length === 0 ? "Add one with 'agtmux target add'." : `Targets: ${names.join(", ")}.` },
    );
  };
  const viewOf = (name: string): TargetView => {
    const view = ingest.targets().find(({ target }) => target === name);
    if (view === undefined) throw new AgtmuxError("E_TARGET_UNKNOWN", `there is no machine '${name}'`);
    return view;
  };
  const connect = async (name: string): Promise<TargetView> => {
    const config = find(name);
    const target = running.get(name);
    if (!config.enabled || target === undefined)
      throw new AgtmuxError("E_TARGET_UNREACHABLE", `machine ${name} is disabled`, {
        remedy: `Enable it with 'agtmux target enable ${name}'.`,
      });
    await target.connectNow();
    return viewOf(name);
  };

  return {
    /** Starts and stops targets so that they match the configuration. Never throws; a failure becomes the target's health. */
    apply,
    /** Makes one attempt now. @throws AgtmuxError with the reason why the target is not connected. */
    connect,
    /** @throws AgtmuxError E_USAGE for a name that is taken or an invalid alias. */
    add: async ({ name, sshTarget, transport = "auto", tmuxPath = null }: NewTarget): Promise<TargetView> => {
      checkSshAlias(sshTarget);
      await deps.write(({ targets }) => {
        if (name === HOST_TARGET || targets.some((target) => target.name === name))
          throw new AgtmuxError("E_USAGE", `there is already a machine '${name}'`, {
            remedy: "Choose another name, or remove that one first.",
          });
        const added = { name, ssh_target: sshTarget, transport, tmux_path: tmuxPath };
        return [...targets, { ...added, enabled: true, tmux_servers: [] }];
      });
      apply();
      return viewOf(name);
    },
    /** @throws AgtmuxError E_TARGET_UNKNOWN; E_UNSUPPORTED for this machine; the methods below throw the same. */
    change: async ({ name, enabled, transport, tmuxPath }: TargetChange): Promise<TargetView> => {
      find(name);
      await deps.write(({ targets }) =>
        targets.map((target) =>
          target.name === name
            ? {
                ...target,
                enabled: enabled ?? target.enabled,
                transport: transport ?? target.transport,
                tmux_path: tmuxPath === undefined ? target.tmux_path : tmuxPath,
              }
            : target,
        ),
      );
      apply();
      return viewOf(name);
    },
    remove: async (name: string): Promise<void> => {
      find(name);
      await deps.write(({ targets }) => targets.filter((target) => target.name !== name));
      apply();
    },
    /**
     * Tries the targets that wait for their next attempt and do not need a person for it; the result becomes the target's health.
     */
    retryNow: async (): Promise<void> => {
      const now = clock.now();
      const due = [...running.values()].filter(({ link: { nextAttemptAt } }) => {
        return nextAttemptAt !== null && nextAttemptAt - now <= SOON_MS;
      });
      // What an attempt failed with is the target's health already.
      await Promise.all(due.map((target) => target.connectNow().catch(() => undefined)));
    },
    close: async (): Promise<void> => {
      for (const [name, target] of running) stop(name, target);
      await Promise.all(closing);
    },
  };
};

export type TargetService = ReturnType<typeof createTargetService>;
