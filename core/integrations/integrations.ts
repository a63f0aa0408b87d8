// Carries out what an adapter plans for the agent's settings files: shows the diff, backs up, writes, and proves that events
// arrive. The adapter decides what goes into a settings file.
import { AgtmuxError } from "../model/errors.ts";
import type { TargetFiles, TargetExecutor } from "../ports/targetExecutor.ts";
import type { Envelope } from "../model/envelope.ts";
import type { Account } from "../model/runtime.ts";
import type { Clock, IdSource } from "../ports/clock.ts";
import { createTwoFilesPatch } from "diff";
import type { IntegrationAction } from "../api/calls.ts";
import type {
  IntegrationReport,
  IntegrationSummary,
  RemovalReport,
  SetupNotifications,
  IntegrationVerification,
} from "../model/adapterView.ts";
import type { Notifier } from "../model/words.ts";
import type {
  AgentAdapter,
  Integration,
  IntegrationChange,
  IntegrationRequest,
} from "../ports/agentAdapter.ts";
import type { EventHome, EventHomePlan } from "./remoteEventHome.ts";
import { backupOf, refuseOddFiles } from "./oddFiles.ts";

// Synthetic events that prove delivery. Each carries a nonce that somebody waits for. None is ever applied, whichever target it
// comes from, even when nobody waits for it any more.

/** Payload key of a synthetic event. */
const TEST_KEY = "agtmux_test";

export const createTestEvents = (clock: Clock) => {
  const awaited = new Map<string, () => void>();
  return {
    /** What an event's payload has to carry for `expect(nonce)`. */
    mark: (nonce: string): Record<string, string> => ({ [TEST_KEY]: nonce }),
    /** `arrived` resolves with whether it came within `timeoutMs`; `cancel` ends the waiting. */
    expect: (nonce: string, timeoutMs: number): { arrived: Promise<boolean>; cancel: () => void } => {
      const { promise: arrived, resolve } = Promise.withResolvers<boolean>();
      const cancelTimer = clock.setTimer(timeoutMs, () => resolve(false));
      awaited.set(nonce, () => resolve(true));
      return {
        arrived,
        cancel: () => {
          cancelTimer();
          awaited.delete(nonce);
          resolve(false);
        },
      };
    },
    /** Takes the synthetic events out of a drained batch. */
    without: (envelopes: readonly Envelope[]): Envelope[] =>
      envelopes.filter(({ payload }) => {
        const nonce = payload?.[TEST_KEY];
        if (typeof nonce !== "string") return true;
        awaited.get(nonce)?.();
        return false;
      }),
  };
};

export type TestEvents = ReturnType<typeof createTestEvents>;

const DELIVERY_TIMEOUT_MS = { local: 3_000, ssh: 6_000 };
const NO_PLAN: EventHomePlan = { shown: [], apply: async () => {} };

const toDiff = (change: IntegrationChange): { path: string; diff: string } => ({
  path: change.path,
  diff: createTwoFilesPatch(
    change.path,
    change.path,
    change.before ?? "",
    change.after ?? "",
    change.before === null ? "(new)" : "",
    change.after === null ? "(removed)" : "",
  ),
});

/** Two plans as one, the second made for the files as the first leaves them. */
const inTurn = (
  first: readonly IntegrationChange[],
  second: readonly IntegrationChange[],
): IntegrationChange[] => [
  ...first.map((change) => {
    const later = second.find(({ path }) => path === change.path);
    return later === undefined ? change : { ...change, after: later.after };
  }),
  ...second.filter(({ path }) => !first.some((change) => change.path === path)),
];

/** The agent's own notifications as it was, and then without our hooks. */
const planUninstall = async (
  integration: Integration,
  request: IntegrationRequest,
): Promise<IntegrationChange[]> => {
  const { notifications } = integration;
  const restored =
    notifications === undefined || "how" in notifications ? [] : await notifications.planRestore(request);
  const files = withChanges(request.files, restored);
  return inTurn(restored, await integration.planUninstall({ ...request, files }));
};

/** The files as they would be after `changes`, for planning the next step. */
const withChanges = (files: TargetFiles, changes: readonly IntegrationChange[]): TargetFiles => {
  const planned = new Map(changes.map((change) => [change.path, change.after]));
  return {
    ...files,
    readText: (path, maxBytes) => {
      const text = planned.get(path);
      return text === undefined ? files.readText(path, maxBytes) : Promise.resolve(text);
    },
  };
};

/** In order: two folders may share a file. */
const planEach = async (
  requests: readonly IntegrationRequest[],
  plan: (request: IntegrationRequest) => Promise<readonly IntegrationChange[]>,
): Promise<IntegrationChange[]> => {
  const changes = new Map<string, IntegrationChange>();
  for (const request of requests) for (const one of await plan(request)) changes.set(one.path, one);
  return [...changes.values()];
};

export class Integrations {
  private readonly deps: ConstructorParameters<typeof Integrations>[0];

  constructor(deps: {
    executor: TargetExecutor;
    /** Installed event script that the hooks call. */
    eventScript: string;
    /** What hooks need beside their entries, where it is installed and removed with them; null: the daemon itself keeps it. */
    eventHome: EventHome | null;
    adapterOf: (agentType: string) => AgentAdapter | null;
    accountsOf: (adapter: AgentAdapter) => Promise<readonly Account[]>;
    agentTypes: () => string[];
    lastRealEventAt: (agentType: string) => number | null;
    testEvents: TestEvents;
    clock: Clock;
    ids: IdSource;
  }) {
    this.deps = deps;
  }

  private find(agent: string): Integration {
    const integration = this.deps.adapterOf(agent)?.integration;
    if (integration !== undefined) return integration;
    const known = this.deps
      .agentTypes()
      .filter((type) => this.deps.adapterOf(type)?.integration !== undefined);
    throw new AgtmuxError("E_UNSUPPORTED", `there is no integration for '${agent.slice(0, 60)}'`, {
      remedy: `Agents with one: ${known.join(", ")}.`,
    });
  }

  /** One for each of the agent's configuration folders, or for the named one. @throws AgtmuxError E_USAGE for one that is not known */
  private async requests(agent: string, folder?: string): Promise<IntegrationRequest[]> {
    const { executor, eventScript, adapterOf, accountsOf } = this.deps;
    const adapter = adapterOf(agent);
    const known = (adapter === null ? [] : await accountsOf(adapter)).map(({ configDir }) => configDir);
    const wanted = folder === undefined ? known : known.filter((configDir) => configDir === folder);
    if (wanted.length === 0 && folder !== undefined)
      throw new AgtmuxError("E_USAGE", `${folder.slice(0, 200)} is not a folder of '${agent.slice(0, 60)}'`, {
        remedy: `Known ones: ${known.join(", ")}. Name others in config.json (agents.${agent.slice(0, 60)}.folders).`,
      });
    const homeDir = await executor.homeDir();
    return wanted.map((configDir) => ({ files: executor.files, homeDir, configDir, eventScript }));
  }

  private async refuseOddFiles(
    agent: string,
    changes: readonly { path: string; before: string | null }[],
  ): Promise<void> {
    const { executor, adapterOf, accountsOf } = this.deps;
    const adapter = adapterOf(agent);
    await refuseOddFiles(executor.files, changes, adapter === null ? [] : await accountsOf(adapter));
  }

  async change(input: {
    agent: string;
    action: IntegrationAction;
    /** One of the agent's configuration folders; left out: all of them. */
    folder?: string | undefined;
    dryRun: boolean;
  }): Promise<IntegrationReport> {
    const integration = this.find(input.agent);
    const requests = await this.requests(input.agent, input.folder);
    const plan = await planEach(requests, (request) => this.plan(integration, request, input.action));
    const changes = plan.filter((change) => change.before !== change.after);
    await this.refuseOddFiles(input.agent, changes);
    const home = await this.planHome(input);
    let backups: string[] = [];
    if (!input.dryRun) {
      // Entries never name a script that is not there.
      if (input.action !== "uninstall") await home.apply();
      backups = await this.apply(changes, input.action !== "uninstall");
      if (input.action === "uninstall") await home.apply();
    }
    const shown = [...home.shown, ...changes];
    return {
      agent: input.agent,
      changes: shown.map(toDiff),
      applied: !input.dryRun && shown.length > 0,
      backups,
    };
  }

  /** How the agent notifies by itself, and who tells of it; null where it does not. `isMuted`: agtmux does not. */
  async notifications(
    { agent, folder }: { agent: string; folder: string },
    isMuted: boolean,
  ): Promise<SetupNotifications | null> {
    const { notifications } = this.find(agent);
    if (notifications === undefined) return null;
    const { what } = notifications;
    if ("how" in notifications)
      return { what, told_by: isMuted ? "agent" : "both", path: null, how: notifications.how };
    const path = notifications.path(folder);
    try {
      const [request] = await this.requests(agent, folder);
      if (request === undefined) return null;
      const { isOn, isSilenced } = await notifications.inspect(request);
      if (isOn) return { what, told_by: isMuted ? "agent" : "both", path, how: null };
      if (isMuted) return { what, told_by: "nobody", path, how: null };
      return isSilenced ? { what, told_by: "agtmux", path, how: null } : null;
    } catch (error) {
      if (!(error instanceof AgtmuxError)) throw error;
      return { what, told_by: "unclear", path, how: `${error.message}. ${error.remedy}` };
    }
  }

  /** By us, in one of its folders. Where that cannot be told, it is not. */
  async isSilenced(agent: string): Promise<boolean> {
    const { notifications } = this.find(agent);
    if (notifications === undefined || "how" in notifications) return false;
    const found = (await this.requests(agent)).map((request) =>
      notifications.inspect(request).then(
        ({ isSilenced }) => isSilenced,
        () => false,
      ),
    );
    return (await Promise.all(found)).includes(true);
  }

  /**
   * Lets the agent, agtmux or both notify. `setMuted`: whether agtmux notifies of the agent. Whoever begins begins before the other
   * ends. Fails with E_INTEGRATION_REFUSED where that would leave nobody, and with E_UNSUPPORTED for an agent that has no setting.
   */
  async chooseNotifier(
    {
      agent,
      who,
      folder,
      dryRun,
    }: { agent: string; who: Notifier; folder?: string | undefined; dryRun: boolean },
    setMuted: (isMuted: boolean) => Promise<void>,
  ): Promise<IntegrationReport> {
    // What is muted is muted for all accounts, so all of them have to notify.
    const requests = await this.requests(agent, who === "agent" ? undefined : folder);
    const plan = await planEach(requests, (request) => this.planNotifier(agent, who, request));
    const changes = plan.filter(({ before, after }) => before !== after);
    await this.refuseOddFiles(agent, changes);
    let backups: string[] = [];
    if (!dryRun) {
      if (who !== "agent") await setMuted(false);
      backups = await this.apply(changes, who === "agtmux");
      if (who === "agent") await setMuted(true);
    }
    return { agent, changes: changes.map(toDiff), applied: !dryRun, backups };
  }

  private async planNotifier(
    agent: string,
    who: Notifier,
    request: IntegrationRequest,
  ): Promise<IntegrationChange[]> {
    const { notifications } = this.find(agent);
    if (notifications === undefined)
      throw new AgtmuxError(
        "E_UNSUPPORTED",
        `${agent} has no notifications of its own, as far as agtmux knows`,
      );
    if ("how" in notifications) {
      if (who !== "agtmux") return [];
      throw new AgtmuxError("E_UNSUPPORTED", `agtmux does not change the settings of ${agent}`, {
        remedy: notifications.how,
      });
    }
    if (who === "agtmux") return notifications.planSilence(request);
    const { isOn, isSilenced } = await notifications.inspect(request);
    if (who === "agent" && !isOn && !isSilenced)
      throw new AgtmuxError(
        "E_INTEGRATION_REFUSED",
        `${agent} does not notify by itself: its settings say so, and then nobody would tell you`,
        { remedy: "Switch that on in the agent first." },
      );
    return notifications.planRestore(request);
  }

  /**
   * Takes everything of ours out of the settings of all agents, with the backups that are what the settings are again. What hooks
   * need beside their entries goes too, unless one agent's settings have to be left alone.
   */
  async removeAll({ dryRun }: { dryRun: boolean }): Promise<Omit<RemovalReport, "target">> {
    const { executor, eventHome, agentTypes, adapterOf } = this.deps;
    const refused: RemovalReport["refused"] = [];
    const [entries, backups, keptBackups]: [IntegrationChange[], IntegrationChange[], string[]] = [
      [],
      [],
      [],
    ];
    for (const agent of agentTypes().filter((type) => adapterOf(type)?.integration !== undefined)) {
      try {
        const own = await this.planRemoval(agent);
        entries.push(...own.entries);
        backups.push(...own.backups);
        keptBackups.push(...own.kept);
      } catch (error) {
        if (!(error instanceof AgtmuxError)) throw error;
        refused.push({ agent, problem: `${error.message}. ${error.remedy}` });
      }
    }
    const home = refused.length > 0 || eventHome === null ? NO_PLAN : await eventHome.planRemoval();
    if (!dryRun) {
      await this.apply(entries, false);
      for (const { path } of backups) await executor.files.remove(path);
      await home.apply();
    }
    const shown = [...entries, ...backups, ...home.shown];
    return { changes: shown.map(toDiff), applied: !dryRun && shown.length > 0, refused, keptBackups };
  }

  private async planRemoval(agent: string) {
    const { files } = this.deps.executor;
    const integration = this.find(agent);
    const requests = await this.requests(agent);
    const uninstalled = await planEach(requests, (request) => planUninstall(integration, request));
    const entries = uninstalled.filter((one) => one.before !== one.after);
    await this.refuseOddFiles(agent, entries);
    // An earlier removal may have left a backup of a file that has nothing of ours now.
    const possible = await planEach(requests, (request) => integration.planInstall(request).catch(() => []));
    const paths = new Set([...entries, ...possible].map(({ path }) => path));
    const { notifications } = integration;
    if (notifications !== undefined && !("how" in notifications))
      for (const { configDir } of requests) paths.add(notifications.path(configDir));
    /** The text as it would be without what is ours; a backup may have some of it already. */
    const withoutOurs = async (path: string, text: string): Promise<string | null> => {
      const old = withChanges(files, [{ path, before: text, after: text }]);
      const plan = await planEach(requests, (request) =>
        planUninstall(integration, { ...request, files: old }).catch(() => []),
      );
      const own = plan.find((one) => one.path === path);
      return own === undefined ? text : own.after;
    };
    const [backups, kept]: [IntegrationChange[], string[]] = [[], []];
    for (const path of paths) {
      const entry = entries.find((one) => one.path === path);
      const backup = backupOf(path);
      const text = await files.readText(backup);
      if (text === null) continue;
      const rest = entry === undefined ? await files.readText(path) : entry.after;
      if (text === rest || (await withoutOurs(path, text)) === rest)
        backups.push({ path: backup, before: text, after: null });
      else kept.push(backup);
    }
    return { entries, backups, kept };
  }

  private async planHome(input: {
    agent: string;
    action: IntegrationAction;
    folder?: string | undefined;
  }): Promise<EventHomePlan> {
    const { eventHome } = this.deps;
    if (eventHome === null) return NO_PLAN;
    if (input.action !== "uninstall") return eventHome.planInstall();
    return (await this.hasOthers(input)) ? NO_PLAN : eventHome.planRemoval();
  }

  /** Whether settings of another agent or folder name the event script. If that cannot be told, the answer is yes. */
  private async hasOthers({
    agent,
    folder,
  }: {
    agent: string;
    folder?: string | undefined;
  }): Promise<boolean> {
    const { agentTypes, adapterOf } = this.deps;
    const found = await Promise.all(
      agentTypes()
        .filter((type) => adapterOf(type)?.integration !== undefined)
        .map(async (type) => {
          try {
            const requests = type === agent && folder === undefined ? [] : await this.requests(type);
            const others = requests.filter(({ configDir }) => type !== agent || configDir !== folder);
            return await this.isInAny(type, others);
          } catch (error) {
            if (error instanceof AgtmuxError && error.code === "E_INTEGRATION_REFUSED") return true;
            throw error;
          }
        }),
    );
    return found.includes(true);
  }

  private async plan(
    integration: Integration,
    request: IntegrationRequest,
    action: IntegrationAction,
  ): Promise<IntegrationChange[]> {
    switch (action) {
      case "install":
        return integration.planInstall(request);
      case "uninstall":
        return planUninstall(integration, request);
      case "repair": {
        const removed = await integration.planUninstall(request);
        const files = withChanges(request.files, removed);
        return inTurn(removed, await integration.planInstall({ ...request, files }));
      }
    }
  }

  /** Right before a file is written, it is compared with the text that the plan was made from. */
  private async apply(changes: readonly IntegrationChange[], isKept: boolean): Promise<string[]> {
    const { files } = this.deps.executor;
    const backups: string[] = [];
    for (const change of changes) {
      if ((await files.readText(change.path)) !== change.before)
        throw new AgtmuxError("E_INTEGRATION_REFUSED", `${change.path} changed while it was being edited`, {
          remedy: "Run the command again.",
        });
      if (change.before !== null && isKept && change.isOwn !== true) {
        const backup = backupOf(change.path);
        await files.writeText(backup, change.before);
        backups.push(backup);
      }
      if (change.after === null) await files.remove(change.path);
      else await files.writeText(change.path, change.after);
    }
    return backups;
  }

  /** Which of our entries are in the agent's settings on this target; of several folders, what any of them lacks. */
  async inspect(agent: string, folder?: string): ReturnType<Integration["inspect"]> {
    const integration = this.find(agent);
    const requests = await this.requests(agent, folder);
    const each = await Promise.all(requests.map((request) => integration.inspect(request)));
    const inspected = {
      installed: each.every(({ installed }) => installed),
      missing: [...new Set(each.flatMap(({ missing }) => missing))],
      problems: each.flatMap(({ problems }) => problems),
      steps: each.flatMap(({ steps = [] }) => steps),
    };
    const { eventHome } = this.deps;
    if (!inspected.installed || eventHome === null) return inspected;
    return { ...inspected, problems: [...inspected.problems, ...(await eventHome.problems())] };
  }

  /** Whether anything of ours lies in the agent's settings. Fails with E_INTEGRATION_REFUSED where that cannot be told. */
  async hasAnything(agent: string, folder?: string): Promise<boolean> {
    return this.isInAny(agent, await this.requests(agent, folder));
  }

  private async isInAny(agent: string, requests: readonly IntegrationRequest[]): Promise<boolean> {
    const integration = this.find(agent);
    const plan = await planEach(requests, (request) => integration.planUninstall(request));
    return plan.some((change) => change.before !== change.after);
  }

  /** Epoch ms of the newest event of a real agent; null: none yet. */
  lastRealEventAt(agent: string): number | null {
    return this.deps.lastRealEventAt(agent);
  }

  /** What writing our entries again would change. Fails with E_INTEGRATION_REFUSED, which says what prevents it. */
  async planRepair(agent: string, folder?: string): Promise<IntegrationReport["changes"]> {
    return (await this.change({ agent, action: "repair", folder, dryRun: true })).changes;
  }

  /** Every agent that has an integration, for each of its configuration folders, as its settings are now. Looks only. */
  async list(): Promise<IntegrationSummary[]> {
    const all = this.deps.agentTypes().map(async (agent) => {
      const adapter = this.deps.adapterOf(agent);
      if (adapter?.integration === undefined) return [];
      const accounts = await this.deps.accountsOf(adapter);
      return Promise.all(
        accounts.map(({ configDir, name }) =>
          this.summarise({
            agent,
            name: accounts.length === 1 ? adapter.displayName : `${adapter.displayName} (${name})`,
            folder: configDir,
          }),
        ),
      );
    });
    return (await Promise.all(all)).flat();
  }

  private async summarise(
    one: Pick<IntegrationSummary, "agent" | "name" | "folder">,
  ): Promise<IntegrationSummary> {
    const { agent, folder } = one;
    const lastAt = this.deps.lastRealEventAt(agent);
    const summary = { ...one, lastRealEventAt: lastAt === null ? null : new Date(lastAt).toISOString() };
    try {
      const { installed, missing, problems, steps = [] } = await this.inspect(agent, folder);
      const isAny = installed || (await this.hasAnything(agent, folder));
      if (!isAny) return { ...summary, state: "absent", missing: [], problems: [], steps: [] };
      // "Needs repair" is said only where a repair would change something.
      const repair = await this.planRepair(agent, folder);
      const state = installed && repair.length === 0 ? "installed" : "partial";
      return { ...summary, state, missing: [...missing], problems: [...problems], steps: [...steps] };
    } catch (error) {
      // One agent's odd settings must not hide the others.
      if (!(error instanceof AgtmuxError)) throw error;
      const problems = [`${error.message}. ${error.remedy}`];
      return { ...summary, state: "unclear", missing: [], problems, steps: [] };
    }
  }

  /** Whether the event script is on this target. */
  async hasScript(): Promise<boolean> {
    return (await this.deps.eventHome?.isPresent()) ?? true;
  }

  async verify({ agent }: { agent: string }): Promise<IntegrationVerification> {
    const inspected = await this.inspect(agent);
    const delivery = await this.deliver(agent);
    const lastAt = this.deps.lastRealEventAt(agent);
    return {
      agent,
      entriesPresent: inspected.installed,
      missing: [...inspected.missing],
      problems: [...inspected.problems],
      steps: [...(inspected.steps ?? [])],
      deliveryWorks: delivery.works,
      deliveryDetail: delivery.detail,
      lastRealEventAt: lastAt === null ? null : new Date(lastAt).toISOString(),
    };
  }

  /** Sends a test event through the installed event script and waits for it; nothing is applied. */
  async deliver(agent: string): Promise<{ works: boolean; detail: string }> {
    const { executor, eventScript, eventHome, testEvents, clock, ids } = this.deps;
    const { eventName, payload } = this.find(agent).testEvent;
    const [problem] = (await eventHome?.problems()) ?? [];
    if (problem !== undefined) return { works: false, detail: problem };
    const timeoutMs = DELIVERY_TIMEOUT_MS[executor.kind];
    const nonce = ids.nonce();
    const { arrived, cancel } = testEvents.expect(nonce, timeoutMs);
    const startedAt = clock.now();
    try {
      const ran = await executor.run([eventScript, agent, eventName], {
        timeoutMs,
        stdin: JSON.stringify({ ...payload, ...testEvents.mark(nonce) }),
      });
      if (ran.exitCode !== 0)
        return { works: false, detail: `${eventScript} ended with ${ran.exitCode ?? "a time-out"}` };
      const works = await arrived;
      return works
        ? { works, detail: `a test event arrived after ${Math.round(clock.now() - startedAt)} ms` }
        : { works, detail: `a test event did not arrive within ${timeoutMs / 1_000} s` };
    } finally {
      cancel();
    }
  }
}
