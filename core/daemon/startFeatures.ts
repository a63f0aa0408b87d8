// Starts the features that the host hands over, and passes on to them what the daemon learns. A feature that fails is logged
// and never stops the daemon or another feature.
import type { ConfigFile } from "../config/configFile.ts";
import type { ConnectedTargets } from "../connections/connectedTargets.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { Check } from "../model/doctorCheck.ts";
import { AgtmuxError } from "../model/errors.ts";
import { MAX_REQUEST_TEXT } from "../model/request.ts";
import type { JobStore } from "../ports/jobStore.ts";
import type { Feature, FeatureAnswers, FeatureContext, FeatureTarget } from "../ports/feature.ts";
import type { Store } from "../ports/store.ts";
import { redactText } from "../store/redactText.ts";
import type { Service } from "./service.ts";
import { tolerateStoreFailure } from "./tolerateStoreFailure.ts";

export interface StartFeaturesDeps extends Pick<
  FeatureContext,
  "configPath" | "homePath" | "adapters" | "env" | "uid" | "clock" | "ids" | "logger"
> {
  features: readonly Feature[];
  ingest: Pick<Ingest, "rows" | "onChanges" | "onScreens" | "setWorkspace" | "liveState">;
  service: Pick<Service, "attention" | "feedHub" | "notifications" | "send">;
  store: JobStore & Pick<Store, "appendAudit">;
  connectedTargets: Pick<ConnectedTargets, "get">;
  isReady: () => boolean;
  config: Pick<ConfigFile, "current" | "onChange">;
  /** Ends what is started here. */
  owned: AsyncDisposableStack;
}

export interface StartedFeatures {
  readonly answers: readonly FeatureAnswers[];
  keepsAwake(): boolean;
  doctorChecks(): Check[];
}

const createTargetReach =
  ({ ingest, connectedTargets }: Pick<StartFeaturesDeps, "ingest" | "connectedTargets">) =>
  (name: string): FeatureTarget => {
    const target = [...ingest.liveState.targets.values()].find(({ targetName }) => targetName === name);
    if (target === undefined)
      throw new AgtmuxError("E_TARGET_UNKNOWN", `there is no target '${name.slice(0, 64)}'`);
    const { executor, reader, tmuxPath, servers } = connectedTargets.get(target.targetId);
    // What takes long must not hold up the one connection through which watching reads.
    return {
      kind: executor.kind,
      homeDir: () => executor.homeDir(),
      run: (argv, options) => executor.run(argv, options),
      files: reader.files,
      tmux: (wanted) => {
        const found = wanted === null ? servers[0] : servers.find(({ server }) => server === wanted);
        if (tmuxPath === null) throw new AgtmuxError("E_TMUX_MISSING", `no tmux was found on ${name}`);
        if (found === undefined)
          throw new AgtmuxError(
            "E_USAGE",
            `no tmux server '${(wanted ?? "").slice(0, 64)}' is watched on ${name}`,
          );
        return { server: found.server, argv: [tmuxPath, "-u", ...found.socketArgs] };
      },
    };
  };

export const startFeatures = (deps: StartFeaturesDeps): StartedFeatures => {
  const { features, ingest, service, store, connectedTargets, config, owned, ...shared } = deps;
  const context: FeatureContext = {
    ...shared,
    rows: {
      all: () => ingest.rows(true),
      onScreens: (listener) => ingest.onScreens(listener),
      ...service.attention,
      onShown: (listener) => service.feedHub.onShown(listener),
      setWorkspace: (runtimeId, workspace) =>
        tolerateStoreFailure(deps.logger, () => ingest.setWorkspace(runtimeId, workspace)),
    },
    jobs: store,
    tell: (told) =>
      service.notifications.announce({
        ...told,
        kind: "watch",
        count: 1,
        sound: "default",
        actions: [{ kind: "attach", label: "Open" }],
        reply: null,
      }),
    send: (input) => service.send(input),
    record: (entry) =>
      tolerateStoreFailure(deps.logger, () =>
        store.appendAudit({
          ...entry,
          actionId: deps.ids.next("ac"),
          at: deps.clock.now(),
          runtimeId: null,
          snapshotId: null,
          promptFingerprint: null,
          textLength: null,
        }),
      ),
    target: createTargetReach({ ingest, connectedTargets }),
    config: () => config.current,
    onConfigChange: (listener) => config.onChange(listener),
    redact: (text) => redactText(text, MAX_REQUEST_TEXT),
  };
  const running = features.map((feature) => {
    const logger = context.logger.child({ feature: feature.name });
    const started = feature.start({ ...context, logger });
    owned.defer(() => started.close());
    const stop = ingest.onChanges((changes) => {
      try {
        started.onChanges(changes);
      } catch (error) {
        logger.error({ error }, "the feature could not take a change in");
      }
    });
    owned.defer(stop);
    return { feature, started };
  });
  return {
    answers: running.map(({ feature: { name, calls }, started }) => ({
      name,
      calls,
      answer: (call, input) => started.answer(call, input),
    })),
    keepsAwake: () => running.some(({ started }) => started.keepsAwake()),
    doctorChecks: () => running.flatMap(({ started }) => started.doctorChecks()),
  };
};
