// Starts the features that the host hands over, and passes on to them what the daemon learns. A feature that fails is logged
// and never stops the daemon or another feature.
import type { NotificationScheduler } from "../api/notifications/notificationScheduler.ts";
import type { ConfigFile } from "../config/configFile.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { Check } from "../model/doctorCheck.ts";
import { MAX_REQUEST_TEXT } from "../model/request.ts";
import type { JobStore } from "../ports/jobStore.ts";
import type { Feature, FeatureAnswers, FeatureContext } from "../ports/feature.ts";
import { redactText } from "../store/redactText.ts";

export interface StartFeaturesDeps extends Pick<
  FeatureContext,
  "configPath" | "homePath" | "adapters" | "env" | "uid" | "clock" | "ids" | "logger"
> {
  features: readonly Feature[];
  ingest: Pick<Ingest, "rows" | "onChanges" | "onScreens">;
  store: JobStore;
  notifications: Pick<NotificationScheduler, "announce">;
  isReady: () => boolean;
  attention: Omit<FeatureContext["rows"], "all" | "onScreens">;
  config: Pick<ConfigFile, "current" | "onChange">;
  /** Ends what is started here. */
  owned: AsyncDisposableStack;
}

export interface StartedFeatures {
  readonly answers: readonly FeatureAnswers[];
  keepsAwake(): boolean;
  doctorChecks(): Check[];
}

export const startFeatures = (deps: StartFeaturesDeps): StartedFeatures => {
  const { features, ingest, attention, config, store, notifications, owned, ...shared } = deps;
  const context: FeatureContext = {
    ...shared,
    rows: {
      all: () => ingest.rows(true),
      onScreens: (listener) => ingest.onScreens(listener),
      ...attention,
    },
    jobs: store,
    tell: (told) =>
      notifications.announce({
        ...told,
        kind: "watch",
        count: 1,
        sound: "default",
        actions: [{ kind: "attach", label: "Open" }],
        reply: null,
      }),
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
