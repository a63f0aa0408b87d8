// The integrations of every target: those of this machine exist as long as the daemon runs, those of a target behind SSH as
// long as its connection lasts.
import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AgtmuxError } from "../model/errors.ts";
import { HOST_TARGET } from "../model/runtime.ts";
import { createRemoteEventHome } from "./remoteEventHome.ts";
import type { ConnectedTargets, ConnectedTarget } from "../connections/connectedTarget.ts";
import type { AgentAdapter } from "../ports/agentAdapter.ts";
import { Integrations } from "./integrations.ts";

export const createIntegrationService = (
  deps: Omit<
    ConstructorParameters<typeof Integrations>[0],
    "executor" | "accountsOf" | "eventScript" | "eventHome" | "lastRealEventAt"
  > & {
    connectedTargets: ConnectedTargets;
    targetNames: () => readonly string[];
    /** The event script of this machine, installed. */
    eventScript: string;
    /** The event script as shipped, for other machines. */
    scriptText: string;
    lastRealEventAt: (agentType: string, targetId: string) => number | null;
    /** These agents have no hooks on this target since `at` (epoch ms), if that was not known before. */
    onHookless: (targetId: string, agentTypes: ReadonlySet<string>, at: number) => void;
  },
) => {
  const { connectedTargets, targetNames, eventScript, scriptText, lastRealEventAt, onHookless, ...shared } =
    deps;
  const known = new WeakMap<ConnectedTarget, Promise<Integrations>>();

  const create = async ({ targetId, executor, accounts }: ConnectedTarget): Promise<Integrations> => {
    const own = {
      ...shared,
      executor,
      accountsOf: (adapter: AgentAdapter) => accounts.all(adapter),
      lastRealEventAt: (agentType: string) => lastRealEventAt(agentType, targetId),
    };
    if (executor.kind === "local") return new Integrations({ ...own, eventScript, eventHome: null });
    const eventHome = createRemoteEventHome({ executor, homeDir: await executor.homeDir(), scriptText });
    return new Integrations({ ...own, eventScript: eventHome.eventScript, eventHome });
  };

  const of = async (targetId: string): Promise<Integrations> => {
    if (targetId !== HOST_TARGET && !targetNames().includes(targetId))
      throw new AgtmuxError("E_TARGET_UNKNOWN", `there is no machine '${targetId.slice(0, 64)}'`, {
        remedy: `Known machines: ${targetNames().join(", ")}.`,
      });
    const connected = connectedTargets.get(targetId);
    const integrations = known.get(connected) ?? create(connected);
    known.set(connected, integrations);
    return integrations;
  };

  return {
    /** @throws AgtmuxError E_TARGET_UNKNOWN; E_TARGET_UNREACHABLE while there is no connection. */
    of,
    /** Looks which agents have no hooks in any of their folders, as after the start and after each change. */
    noteHookless: async (targetId: string): Promise<void> => {
      const at = deps.clock.now();
      const all = await (await of(targetId)).list();
      const hooked = new Set(all.filter(({ state }) => state !== "absent").map(({ agent }) => agent));
      const hookless = all.map(({ agent }) => agent).filter((agent) => !hooked.has(agent));
      onHookless(targetId, new Set(hookless), at);
    },
    /**
     * Only the agent shall notify, on every machine. Fails with E_INTEGRATION_REFUSED where its own notifications are off by us on
     * another machine that is connected: nobody would tell of it there.
     */
    refuseSilencedElsewhere: async (targetId: string, agent: string): Promise<void> => {
      for (const other of [HOST_TARGET, ...targetNames()].filter((name) => name !== targetId)) {
        const isSilenced = await of(other).then(
          (integrations) => integrations.isSilenced(agent),
          () => false,
        );
        if (isSilenced)
          throw new AgtmuxError(
            "E_INTEGRATION_REFUSED",
            `agtmux has switched off the notifications of ${agent} on ${other}, and then nobody would tell you of it there`,
            { remedy: `First run 'agtmux integrate ${agent} --notify both --target ${other}'.` },
          );
      }
    },
  };
};

export type IntegrationService = ReturnType<typeof createIntegrationService>;

const EVENT_SCRIPT_NAME = "agtmux-event";

/**
 * Keeps the installed copy of the event script current. Its path never changes, because some agents ask for trust again when a
 * hook's command does.
 * Copies `source` to `<binDir>/agtmux-event` (mode 0700) when it differs; returns the installed path.
 */
export const installEventScript = async (source: string, binDir: string): Promise<string> => {
  const installed = join(binDir, EVENT_SCRIPT_NAME);
  const wanted = await readFile(source, "utf8");
  const present = await readFile(installed, "utf8").catch(() => null);
  if (present === wanted) return installed;
  await mkdir(dirname(installed), { recursive: true, mode: 0o700 });
  const temporary = `${installed}.${process.pid}.tmp`;
  await writeFile(temporary, wanted, { mode: 0o700 });
  await chmod(temporary, 0o700);
  await rename(temporary, installed);
  return installed;
};
