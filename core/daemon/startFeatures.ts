// Starts the features that the host hands over, and passes on to them what the daemon learns. A feature that fails is logged
// and never stops the daemon or another feature.
import type { ConfigFile } from "../config/configFile.ts";
import { createTargetReach, type ConnectedTargets } from "../connections/connectedTarget.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { Check } from "../model/doctor.ts";
import { MAX_REQUEST_TEXT } from "../model/request.ts";
import type { Clock, IdSource } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import type { Feature, FeatureAnswers, FeatureContext } from "../ports/feature.ts";
import { redactText } from "../store/redact.ts";
import type { Service } from "./service.ts";
import { tolerateStoreFailure } from "./tolerateStoreFailure.ts";

export const startFeatures = (deps: {
  features: readonly Feature[];
  ingest: Ingest;
  service: Service;
  store: Store;
  connectedTargets: ConnectedTargets;
  isReady: () => boolean;
  config: ConfigFile;
  configPath: string;
  homePath: string;
  adapters: FeatureContext["adapters"];
  env: NodeJS.ProcessEnv;
  uid: number;
  clock: Clock;
  ids: IdSource;
  logger: Logger;
  /** Ends what is started here. */
  owned: AsyncDisposableStack;
}) => {
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
      setArmed: (runtimeId, armed) => ingest.setArmed(runtimeId, armed),
      readScreen: async (row) => {
        const { target, tmux_server, pane_id } = row.identity;
        const pane = [...ingest.liveState.panes()].find(
          ({ targetId, server, paneId }) =>
            paneId === pane_id &&
            server === tmux_server &&
            ingest.liveState.targets.get(targetId)?.targetName === target,
        );
        return pane === undefined
          ? null
          : ((await connectedTargets.find(pane.targetId)?.capture(pane)) ?? null);
      },
    },
    setAwake: (awake) => tolerateStoreFailure(deps.logger, () => ingest.setAwake(awake)),
    setNewerRelease: (version) => tolerateStoreFailure(deps.logger, () => ingest.setNewerRelease(version)),
    setLimits: (target, limits) => tolerateStoreFailure(deps.logger, () => ingest.setLimits(target, limits)),
    jobs: store,
    rules: store,
    sends: service.unattended,
    requests: {
      find: (runtimeId) => service.unattended.findRequest(runtimeId),
      answer: (input) => service.unattended.answer(input),
    },
    hasListeners: () => service.notifications.listenerCount > 0,
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
    answer: (input) => service.answer(input),
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
    target: createTargetReach(
      connectedTargets,
      (name) =>
        [...ingest.liveState.targets.values()].find(({ targetName }) => targetName === name)?.targetId,
    ),
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
  const answers: FeatureAnswers[] = running.map(({ feature: { name, calls }, started }) => ({
    name,
    calls,
    answer: (call, input, caller) => started.answer(call, input, caller),
  }));
  return {
    answers,
    keepsAwake: (): boolean => running.some(({ started }) => started.keepsAwake()),
    doctorChecks: (): Check[] => running.flatMap(({ started }) => started.doctorChecks()),
  };
};
