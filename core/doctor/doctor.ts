// `agtmux doctor` in the daemon: puts the checks of the host, of features, of every target and of every agent together. Also what
// set-up finds on a target. It only reads: it changes no state, setting or pane.
import type { IntegrationSummary, SetupAgent, SetupLook } from "../model/adapterView.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { ProcessInfo } from "../model/runtime.ts";
import type { AgentAdapter, AdapterSource } from "../ports/agentAdapter.ts";
import { parseTmuxVersion } from "../tmux/findTmux.ts";
import { agentVersionOf, askPath, agentChecks } from "./agentChecks.ts";
import { COMMAND_TIMEOUT_MS, type DoctorLink, type DoctorTarget } from "./doctorTarget.ts";
import type { Integrations } from "../integrations/integrations.ts";
import { redactFinding, runChecks, type Check, type Finding } from "../model/doctor.ts";
import type { Clock } from "../ports/clock.ts";
import { hostChecks, type HostFacts } from "./hostChecks.ts";
import { serverChecks, targetChecks } from "./targetChecks.ts";

// Set-up: a target's tmux, the agents that are there with their versions, and what their hooks are missing. It starts no agent and
// changes nothing.

const lookAtTmux = async ({ tmuxPath, executor, findTmux }: DoctorLink): Promise<SetupLook["tmux"]> => {
  if (tmuxPath !== null) {
    const ran = await executor.run([tmuxPath, "-V"], { timeoutMs: COMMAND_TIMEOUT_MS });
    const { raw } = parseTmuxVersion(ran.stdout);
    return { path: tmuxPath, version: raw === "" ? null : raw, problem: null };
  }
  try {
    const { path, version } = await findTmux();
    const problem = "tmux was found now, but not when the daemon started. Run 'agtmux daemon stop'.";
    return { path, version: version.raw, problem };
  } catch (error) {
    if (!(error instanceof AgtmuxError)) throw error;
    return { path: null, version: null, problem: `${error.message}. ${error.remedy}` };
  }
};

const processOf = (args: string): ProcessInfo => ({ pid: 0, ppid: 0, comm: args, args, startedAt: 0 });

/** What installing would change, or why it is refused. */
const planOf = async (
  integrations: Integrations,
  { agent, folder }: IntegrationSummary,
): Promise<{ changes: SetupAgent["changes"]; refusal: string[] }> => {
  try {
    return { changes: await integrations.planRepair(agent, folder), refusal: [] };
  } catch (error) {
    if (error instanceof AgtmuxError) return { changes: [], refusal: [`${error.message}. ${error.remedy}`] };
    throw error;
  }
};

/** Which version of each agent there is: of one that runs, else of the program that a shell would find. */
const createVersions = async ({ executor, processes }: DoctorLink, seen: DoctorTarget["agents"]) => {
  const path = askPath(executor);
  const trees = await processes.ofPanes(seen.map(({ panePid }) => panePid));
  const versionOf = (process: ProcessInfo | undefined): Promise<string | null> =>
    process === undefined ? Promise.resolve(null) : agentVersionOf(executor.files, process, () => path);
  return async ({ agentType, programs = [agentType] }: AgentAdapter): Promise<string | null> => {
    const running = seen
      .filter((one) => one.agentType === agentType)
      .map(({ pid, panePid }) => trees.get(panePid)?.find((one) => one.pid === pid));
    for (const process of [...running, ...programs.map(processOf)]) {
      const version = await versionOf(process);
      if (version !== null) return version;
    }
    return null;
  };
};

/** `adapters`: of every agent that may be found. `muted`: agents that cause no notifications. */
const lookAtSetup = async (
  { view, agents: seen }: DoctorTarget,
  link: DoctorLink,
  {
    adapters,
    muted,
    keepAwake,
  }: { adapters: readonly AgentAdapter[]; muted: readonly string[]; keepAwake: SetupLook["keep_awake"] },
): Promise<SetupLook> => {
  const { executor } = link;
  const integrations = await link.integrations();
  const versionOf = await createVersions(link, seen);
  const lookAtAgent = async (summary: IntegrationSummary): Promise<SetupAgent[]> => {
    const adapter = adapters.find(({ agentType }) => agentType === summary.agent);
    if (adapter === undefined) return [];
    const usual = await link.accounts.usual(adapter);
    const running = seen.filter(
      ({ agentType, account }) =>
        agentType === summary.agent && (account ?? usual).configDir === summary.folder,
    );
    const { changes, refusal } = await planOf(integrations, summary);
    const version = await versionOf(adapter);
    const folder = await executor.files.stat(summary.folder);
    const isThere =
      running.length > 0 || version !== null || summary.state !== "absent" || folder?.isFile === false;
    const silent = running.filter(({ hasEvents }) => !hasEvents).length;
    const problems = summary.state === "absent" ? refusal : summary.problems;
    if (!isThere) return [];
    const notifications = await integrations.notifications(summary, muted.includes(summary.agent));
    return [{ ...summary, problems, version, running: running.length, silent, changes, notifications }];
  };
  const [tmux, summaries] = await Promise.all([lookAtTmux(link), integrations.list()]);
  const agents = (await Promise.all(summaries.map(lookAtAgent))).flat();
  return { target: view.target, tmux, agents, keep_awake: view.kind === "local" ? keepAwake : null };
};

const unknownTarget = (name: string, all: readonly DoctorTarget[]): AgtmuxError =>
  new AgtmuxError("E_TARGET_UNKNOWN", `there is no machine '${name.slice(0, 64)}'`, {
    remedy: `Known machines: ${all.map(({ view }) => view.target).join(", ")}.`,
  });

export const createDoctor = ({
  adapters,
  targets,
  host,
  featureChecks,
  redact,
  clock,
}: {
  adapters: AdapterSource;
  /** The targets at the moment of the call. */
  targets: () => readonly DoctorTarget[];
  host: () => HostFacts;
  /** What features say of themselves. */
  featureChecks: () => readonly Check[];
  /** Takes secrets out of a text, because people pass the report on. */
  redact: (text: string) => string;
  clock: Clock;
}) => ({
  /** What set-up finds there. Fails with E_TARGET_UNKNOWN, E_TARGET_UNREACHABLE. */
  lookAtSetup: async (name: string): Promise<SetupLook> => {
    const all = targets();
    const target = all.find(({ view }) => view.target === name);
    if (target === undefined) throw unknownTarget(name, all);
    if (target.link === null)
      throw new AgtmuxError("E_TARGET_UNREACHABLE", `machine ${name} is not connected`, {
        remedy: `Try 'agtmux target connect ${name}'.`,
      });
    const { notifications, keepAwake } = host();
    const muted = notifications.muted_agents;
    return lookAtSetup(target, target.link, { adapters: adapters.list(), muted, keepAwake });
  },
  /** Of every agent that this machine has, by its type; an agent whose version cannot be found without starting it is left out. */
  installedVersions: async (): Promise<Map<string, string>> => {
    const local = targets().find(({ view }) => view.kind === "local");
    const found = new Map<string, string>();
    if (local === undefined || local.link === null) return found;
    const versionOf = await createVersions(local.link, local.agents);
    for (const adapter of adapters.list()) {
      const version = await versionOf(adapter);
      if (version !== null) found.set(adapter.agentType, version);
    }
    return found;
  },
  /** `target` null: all of them. Fails with E_TARGET_UNKNOWN for a name that is not known. */
  examine: async ({ target }: { target: string | null }): Promise<{ findings: Finding[] }> => {
    const all = targets();
    const chosen = all.filter(({ view }) => target === null || view.target === target);
    if (target !== null && chosen.length === 0) throw unknownTarget(target, all);
    const known = adapters.list();
    const testAgent = known.find(({ integration }) => integration !== undefined)?.agentType ?? null;
    const checks = [
      ...hostChecks(adapters, host()),
      ...featureChecks(),
      ...chosen.flatMap((one) => [
        ...targetChecks(one, testAgent, clock),
        ...serverChecks(one),
        ...agentChecks(one, known, clock),
      ]),
    ];
    const findings = await runChecks(checks, (delayMs, callback) => clock.setTimer(delayMs, callback));
    return { findings: findings.map((finding) => redactFinding(finding, redact)) };
  },
});

export type Doctor = ReturnType<typeof createDoctor>;
