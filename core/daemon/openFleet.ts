// Begins the fleet with this machine in it, and makes the units of the other targets: what a unit needs of the daemon is the
// same for all of them.
import type { Ingest } from "../ingest/ingest.ts";
import type { AdapterSource } from "../ports/adapterSource.ts";
import type { IdSource } from "../ports/clock.ts";
import type { Own } from "./closing.ts";
import { createFleet, type Fleet } from "../connections/fleet.ts";
import { openHost, type OpenHostDeps } from "./openHost.ts";
import { createTargetUnit, type TargetUnit, type UnitParts } from "../connections/targetUnit.ts";

export interface OpenFleetDeps extends Omit<OpenHostDeps, "ingest" | "createUnit"> {
  ingest: Ingest;
  /** Those in force. */
  adapters: AdapterSource;
  ids: IdSource;
  own: Own;
}

export interface OpenFleet {
  readonly fleet: Fleet;
  /** This machine's unit; it does not watch yet. */
  readonly host: TargetUnit;
  readonly createUnit: (parts: UnitParts) => TargetUnit;
}

export const openFleet = async (deps: OpenFleetDeps): Promise<OpenFleet> => {
  const { ingest, adapters, config, clock, ids, logger, own } = deps;
  const fleet = createFleet((targetId) => {
    const target = ingest.world.targets.get(targetId);
    return { name: target?.targetName ?? targetId, reason: target?.healthReason ?? null };
  });
  const createUnit = (parts: UnitParts): TargetUnit =>
    createTargetUnit({
      ...parts,
      sink: ingest,
      adapters,
      timing: () => config.current.timing,
      clock,
      ids,
      logger,
    });
  const host = await openHost({ ...deps, createUnit });
  fleet.add(host);
  own(() => host.close());
  return { fleet, host, createUnit };
};
