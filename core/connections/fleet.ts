// The targets that can be reached right now, by id. Whoever needs something of a target asks here and hears in one sentence
// why it cannot be had.
import { AgtmuxError } from "../model/errors.ts";
import type { TargetUnit } from "./targetUnit.ts";

export interface Fleet {
  /** @throws AgtmuxError E_TARGET_UNREACHABLE while there is no connection to the target. */
  unitOf(targetId: string): TargetUnit;
  find(targetId: string): TargetUnit | null;
  units(): readonly TargetUnit[];
  /** Takes the place of a unit of the same target, which its owner closes. */
  add(unit: TargetUnit): void;
  /** Only if it is still the one in place. */
  remove(unit: TargetUnit): void;
}

export const createFleet = (
  describe: (targetId: string) => { name: string; reason: string | null },
): Fleet => {
  const units = new Map<string, TargetUnit>();
  return {
    unitOf: (targetId) => {
      const unit = units.get(targetId);
      if (unit !== undefined) return unit;
      const { name, reason } = describe(targetId);
      throw new AgtmuxError(
        "E_TARGET_UNREACHABLE",
        `target ${name} is not connected${reason === null ? "" : `: ${reason}`}`,
        { remedy: `Try 'agtmux target connect ${name}'.` },
      );
    },
    find: (targetId) => units.get(targetId) ?? null,
    units: () => [...units.values()],
    add: (unit) => {
      units.set(unit.targetId, unit);
    },
    remove: (unit) => {
      if (units.get(unit.targetId) === unit) units.delete(unit.targetId);
    },
  };
};
