// Opens what the home holds and what all the rest stands on: the stored state, config.json, the installed event script and
// this machine's executor. It watches nothing yet.
import { mkdir } from "node:fs/promises";
import type { Ingest } from "../ingest/ingest.ts";
import { HOST_TARGET } from "../model/runtime.ts";
import type { AdapterSource } from "../ports/adapterSource.ts";
import type { Clock, IdSource } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import type { RuntimePaths } from "../rpc/paths.ts";
import { openDurableStore, type DurableStore } from "../store/durableStore.ts";
import { createLocalExecutor } from "../targets/executors/localExecutor.ts";
import { createAdapterSwitch, type AdapterSwitch } from "./adapterSwitch.ts";
import type { Own } from "./closing.ts";
import { ConfigFile } from "../config/configFile.ts";
import { installEventScript } from "../integrations/eventScript.ts";
import { openIngest } from "./openIngest.ts";
import { continueClock } from "./systemClock.ts";

export interface OpenHomeDeps {
  paths: RuntimePaths;
  adapters: AdapterSource;
  eventScriptSource: string;
  env: NodeJS.ProcessEnv;
  clock: Clock;
  ids: IdSource;
  logger: Logger;
  own: Own;
}

export interface Home {
  readonly store: DurableStore;
  /** Goes on from what is stored, should the wall clock have been set back since. */
  readonly clock: Clock;
  readonly config: ConfigFile;
  /** Path of the event script, installed. */
  readonly eventScript: string;
  /** This machine's. */
  readonly executor: TargetExecutor;
  readonly adapterSwitch: AdapterSwitch;
  readonly ingest: Ingest;
}

/** Fails with E_DATABASE_* where the state cannot be opened; what was opened until then is owned already. */
export const openHome = async ({
  paths,
  adapters,
  ids,
  logger,
  env,
  own,
  ...deps
}: OpenHomeDeps): Promise<Home> => {
  for (const folder of [paths.spool, paths.spoolTmp, paths.spoolNew, paths.spoolBad, paths.logDir])
    // oxlint-disable-next-line no-await-in-loop -- a handful of folders, parents first
    await mkdir(folder, { recursive: true, mode: 0o700 });
  const store = openDurableStore({ path: paths.stateDb, logger, clock: deps.clock });
  own(() => store.close());
  const clock = continueClock(deps.clock, store.lastIngestedAt());
  const config = await ConfigFile.open(paths.config, logger);
  own(() => config.close());
  const eventScript = await installEventScript(deps.eventScriptSource, paths.binDir);

  const executor = createLocalExecutor({ targetId: HOST_TARGET, env });
  own(() => executor.close());
  const adapterSwitch = createAdapterSwitch({
    adapters,
    config: () => config.current,
    write: (valueOf) => config.update(executor.files, ["adapters", "disabled"], valueOf),
  });
  const ingest = openIngest({
    store,
    clock,
    ids,
    logger,
    timing: () => config.current.timing,
    adapterOf: (agentType) => adapterSwitch.enabled.byAgentType(agentType),
  });
  return { store, clock, config, eventScript, executor, adapterSwitch, ingest };
};
