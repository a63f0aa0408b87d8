// What follows when something that everything rests on was exchanged: the adapters in force, or the memory of the present.
import type { ConfigFile } from "../config/configFile.ts";
import type { ConnectedTargets } from "../connections/connectedTargets.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { AdapterSource } from "../ports/adapterSource.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import type { AdapterService } from "./adapterService.ts";
import type { AdapterSwitch } from "./adapterSwitch.ts";
import { tolerateStoreFailure } from "./tolerateStoreFailure.ts";

/** Stores the adapters now and after each change; the returned function stores them once more. */
export const followAdapters = ({
  adapters,
  adapterService,
  adapterSwitch,
  config,
  store,
  ingest,
  connectedTargets,
  logger,
  owned,
}: {
  adapters: AdapterSource;
  adapterService: Pick<AdapterService, "rows">;
  adapterSwitch: Pick<AdapterSwitch, "isEnabled">;
  config: Pick<ConfigFile, "current" | "onChange">;
  store: Pick<Store, "upsertAdapter">;
  ingest: Pick<Ingest, "endDisabled" | "renewAdapters">;
  connectedTargets: Pick<ConnectedTargets, "all">;
  logger: Logger;
  owned: AsyncDisposableStack;
}): (() => void) => {
  const storeAdapters = (): void => {
    for (const row of adapterService.rows()) store.upsertAdapter(row);
  };
  storeAdapters();
  const renewAdapters = (): void => {
    storeAdapters();
    ingest.endDisabled((agentType) => adapterSwitch.isEnabled(agentType));
    ingest.renewAdapters();
    for (const connected of connectedTargets.all()) connected.collector.rescan();
  };
  owned.defer(adapters.files?.onChange(() => tolerateStoreFailure(logger, renewAdapters)) ?? (() => {}));
  /** What says which processes are agents. */
  const chosen = (): string => JSON.stringify([config.current.adapters, config.current.agents]);
  let followed = chosen();
  owned.defer(
    config.onChange(() => {
      if (chosen() === followed) return;
      followed = chosen();
      tolerateStoreFailure(logger, renewAdapters);
    }),
  );
  return storeAdapters;
};

/** Time limit for a look at everything: a slow target must not delay the others. */
const RESYNC_MS = 5_000;

/** After memory was rebuilt from the store, all targets are looked at again, and no state is claimed before that. */
export const resyncAfterRebuild = ({
  ingest,
  restore,
  connectedTargets,
  clock,
  logger,
  owned,
}: {
  ingest: Pick<Ingest, "onRebuilt" | "resynced">;
  /** Writes into the store what it may lack now. */
  restore: () => void;
  connectedTargets: Pick<ConnectedTargets, "all">;
  clock: Clock;
  logger: Logger;
  owned: AsyncDisposableStack;
}): void => {
  let stopWaiting = (): void => {};
  owned.defer(() => stopWaiting());
  ingest.onRebuilt(() => {
    tolerateStoreFailure(logger, restore);
    stopWaiting();
    stopWaiting = clock.setTimer(RESYNC_MS, () => ingest.resynced());
    void Promise.all(connectedTargets.all().map(({ collector }) => collector.resync())).then(() => {
      stopWaiting();
      ingest.resynced();
    });
  });
};
