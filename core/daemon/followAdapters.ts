// Keeps what depends on the adapters in force up to date: the stored rows, the runtimes that are known and what the collectors
// look for. A person changes them by an adapter file or by the disabled ones in config.json.
import type { Ingest } from "../ingest/ingest.ts";
import type { AdapterSource } from "../ports/adapterSource.ts";
import type { Logger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import type { AdapterDesk } from "./adapterDesk.ts";
import type { AdapterSwitch } from "./adapterSwitch.ts";
import type { Own } from "./closing.ts";
import type { ConfigFile } from "../config/configFile.ts";
import type { Fleet } from "../connections/fleet.ts";
import { survive } from "./survive.ts";

export interface FollowAdaptersDeps {
  adapters: AdapterSource;
  adapterSwitch: Pick<AdapterSwitch, "isEnabled">;
  adapterDesk: Pick<AdapterDesk, "rows">;
  config: Pick<ConfigFile, "current" | "onChange">;
  store: Pick<Store, "upsertAdapter">;
  ingest: Pick<Ingest, "endDisabled" | "renewAdapters">;
  fleet: Pick<Fleet, "units">;
  logger: Logger;
  own: Own;
}

export interface AdapterRows {
  /** Puts the adapters in force into the store, as after its loss. */
  storeAll(): void;
}

/** Stores them at once, and follows every change from then on. */
export const followAdapters = (deps: FollowAdaptersDeps): AdapterRows => {
  const { adapters, adapterSwitch, config, ingest, logger, own } = deps;
  const storeAll = (): void => {
    for (const row of deps.adapterDesk.rows()) deps.store.upsertAdapter(row);
  };
  storeAll();
  const renew = (): void => {
    storeAll();
    ingest.endDisabled((agentType) => adapterSwitch.isEnabled(agentType));
    ingest.renewAdapters();
    for (const unit of deps.fleet.units()) unit.collector.rescan();
  };
  const forgetFiles = adapters.files?.onChange(() => survive(logger, renew));
  if (forgetFiles !== undefined) own(forgetFiles);
  let disabled = config.current.adapters.disabled.join();
  own(
    config.onChange(() => {
      if (config.current.adapters.disabled.join() === disabled) return;
      disabled = config.current.adapters.disabled.join();
      survive(logger, renew);
    }),
  );
  return { storeAll };
};
