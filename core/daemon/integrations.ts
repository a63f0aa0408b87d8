// Carries out what an adapter plans for the agent's settings files: shows the diff, backs up, writes, and proves that
// events arrive. What goes into a settings file is the adapter's business.
import { createTwoFilesPatch } from "diff";
import type { IntegrationAction, IntegrationReport, IntegrationVerification } from "../api/service.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { Envelope } from "../model/envelope.ts";
import type {
  AgentAdapter,
  Integration,
  IntegrationChange,
  IntegrationRequest,
} from "../ports/agentAdapter.ts";
import type { Clock, IdSource } from "../ports/clock.ts";
import type { TargetExecutor, TargetFiles } from "../ports/targetExecutor.ts";

export interface IntegrationDeps {
  executor: TargetExecutor;
  /** Installed event script that the hooks call. */
  eventScript: string;
  adapterOf: (agentType: string) => AgentAdapter | null;
  agentTypes: () => string[];
  lastRealEventAt: (agentType: string) => number | null;
  clock: Clock;
  ids: IdSource;
}

/** Payload key of a synthetic event: it is recognised on arrival and never applied. */
const TEST_KEY = "agtmux_test";
const DELIVERY_TIMEOUT_MS = 3_000;

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

export class Integrations {
  private readonly deps: IntegrationDeps;
  private readonly awaited = new Map<string, () => void>();

  constructor(deps: IntegrationDeps) {
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

  private async request(): Promise<IntegrationRequest> {
    const { executor, eventScript } = this.deps;
    return { files: executor.files, homeDir: await executor.homeDir(), eventScript };
  }

  async change(input: {
    agent: string;
    action: IntegrationAction;
    dryRun: boolean;
  }): Promise<IntegrationReport> {
    const integration = this.find(input.agent);
    const request = await this.request();
    const plan = await this.plan(integration, request, input.action);
    const changes = plan.filter((change) => change.before !== change.after);
    const backups = input.dryRun ? [] : await this.apply(changes, input.action);
    return {
      agent: input.agent,
      changes: changes.map(toDiff),
      applied: !input.dryRun && changes.length > 0,
      backups,
    };
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
        return integration.planUninstall(request);
      case "repair": {
        const removed = await integration.planUninstall(request);
        const files = withChanges(request.files, removed);
        const installed = await integration.planInstall({ ...request, files });
        const paths = new Set([...removed, ...installed].map((change) => change.path));
        return Promise.all(
          [...paths].map(async (path): Promise<IntegrationChange> => {
            const last =
              installed.find((change) => change.path === path) ??
              removed.find((change) => change.path === path);
            return { path, before: await request.files.readText(path), after: last?.after ?? null };
          }),
        );
      }
    }
  }

  /** Each file is compared with what the plan was made from right before it is written. */
  private async apply(changes: readonly IntegrationChange[], action: IntegrationAction): Promise<string[]> {
    const { files } = this.deps.executor;
    const backups: string[] = [];
    for (const change of changes) {
      if ((await files.readText(change.path)) !== change.before)
        throw new AgtmuxError("E_INTEGRATION_REFUSED", `${change.path} changed while it was being edited`, {
          remedy: "Run the command again.",
        });
      if (change.before !== null && action !== "uninstall") {
        const backup = `${change.path}.agtmux-backup`;
        await files.writeText(backup, change.before);
        backups.push(backup);
      }
      if (change.after === null) await files.remove(change.path);
      else await files.writeText(change.path, change.after);
    }
    return backups;
  }

  /** Which of our entries are in the agent's settings on this target. */
  async inspect(agent: string): ReturnType<Integration["inspect"]> {
    return this.find(agent).inspect(await this.request());
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
      deliveryWorks: delivery.works,
      deliveryDetail: delivery.detail,
      lastRealEventAt: lastAt === null ? null : new Date(lastAt).toISOString(),
    };
  }

  /** Sends a test event through the installed event script and waits for it; nothing is applied. */
  async deliver(agent: string): Promise<{ works: boolean; detail: string }> {
    const { executor, eventScript, clock, ids } = this.deps;
    const nonce = ids.nonce();
    const { eventName, payload } = this.find(agent).testEvent;
    let cancel: () => void = () => {};
    const arrived = new Promise<boolean>((resolve) => {
      this.awaited.set(nonce, () => resolve(true));
      cancel = clock.setTimer(DELIVERY_TIMEOUT_MS, () => resolve(false));
    });
    const startedAt = clock.now();
    try {
      const ran = await executor.run([eventScript, agent, eventName], {
        timeoutMs: DELIVERY_TIMEOUT_MS,
        stdin: JSON.stringify({ ...payload, [TEST_KEY]: nonce }),
      });
      if (ran.exitCode !== 0)
        return { works: false, detail: `${eventScript} ended with ${ran.exitCode ?? "a time-out"}` };
      const works = await arrived;
      return works
        ? { works, detail: `a test event arrived after ${Math.round(clock.now() - startedAt)} ms` }
        : { works, detail: `a test event did not arrive within ${DELIVERY_TIMEOUT_MS / 1_000} s` };
    } finally {
      cancel();
      this.awaited.delete(nonce);
    }
  }

  /** Takes the synthetic events out of a drained batch. */
  withoutTests(envelopes: readonly Envelope[]): Envelope[] {
    return envelopes.filter(({ payload }) => {
      const nonce = payload?.[TEST_KEY];
      if (typeof nonce !== "string") return true;
      this.awaited.get(nonce)?.();
      return false;
    });
  }
}
