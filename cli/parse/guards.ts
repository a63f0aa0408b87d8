// The explicit guards of an action (spec 7.5). The daemon checks them; here they are only read.
import type { ActionGuards } from "../../core/model/snapshot.ts";
import { parseCount } from "./count.ts";
import { parseDuration } from "./duration.ts";
import { parseState } from "./filters.ts";

export interface GuardOptions {
  ifRuntime?: string;
  ifState?: string;
  ifVersion?: string;
  ifPrompt?: string;
  ifUpdatedWithin?: string;
  forceStale?: boolean;
}

/** Fails with E_USAGE. */
export const parseGuards = (options: GuardOptions): Partial<ActionGuards> => ({
  ...(options.ifRuntime === undefined ? {} : { ifRuntime: options.ifRuntime }),
  ...(options.ifState === undefined ? {} : { ifState: parseState(options.ifState, "--if-state") }),
  ...(options.ifVersion === undefined
    ? {}
    : { ifVersion: parseCount(options.ifVersion, "--if-version", { min: 0, max: 999_999_999 }) }),
  ...(options.ifPrompt === undefined ? {} : { ifPrompt: options.ifPrompt }),
  ...(options.ifUpdatedWithin === undefined
    ? {}
    : { ifUpdatedWithinMs: parseDuration(options.ifUpdatedWithin, "--if-updated-within") }),
  ...(options.forceStale === true ? { forceStale: true } : {}),
});
