// The filters that lists share (spec 7.5). They are sent to the daemon, which applies them; here they are only read.
import type { ListFilters } from "../../core/api/service.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { CanonicalState } from "../../core/model/state.ts";
import { isStateName, STATE_NAMES } from "../render/mark.ts";

/** Options as commander hands them over. */
export interface FilterOptions {
  target?: string;
  allTargets?: boolean;
  targetSession?: string;
  session?: string;
  state?: string;
  agent?: string;
  needsAction?: boolean;
  all?: boolean;
}

/** Fails with E_USAGE naming the states there are. */
export const parseState = (text: string, option: string): CanonicalState => {
  if (isStateName(text)) return text;
  throw new AgtmuxError("E_USAGE", `${option} does not know the state '${text}'`, {
    remedy: `States are ${STATE_NAMES.join(", ")}.`,
  });
};

/** Only what was asked, so that the document repeats just that. Fails with E_USAGE. */
export const parseFilters = (options: FilterOptions): ListFilters => {
  if (options.target !== undefined && options.allTargets === true)
    throw new AgtmuxError("E_USAGE", "--target and --all-targets exclude each other");
  if (options.targetSession !== undefined && !/^[^/]+\/./.test(options.targetSession))
    throw new AgtmuxError("E_USAGE", `--target-session '${options.targetSession}' is not <target>/<session>`);
  return {
    ...(options.target === undefined ? {} : { target: options.target }),
    ...(options.targetSession === undefined ? {} : { targetSession: options.targetSession }),
    ...(options.session === undefined ? {} : { session: options.session }),
    ...(options.state === undefined ? {} : { state: parseState(options.state, "--state") }),
    ...(options.agent === undefined ? {} : { agent: options.agent }),
    ...(options.needsAction === true ? { needsAction: true } : {}),
    ...(options.all === true ? { all: true } : {}),
  };
};
