// The filters that lists share (spec 7.5). They are sent to the daemon, which applies them; here they are only read. A filter
// can be repeated, and unless it is free text, it can be a list with commas.
import type { ListFilters } from "../../core/api/calls.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { CanonicalState } from "../../core/model/state.ts";
import { isStateName, STATE_NAMES } from "../render/mark.ts";

/** Options as commander hands them over. */
export interface FilterOptions {
  target?: readonly string[];
  allTargets?: boolean;
  targetSession?: readonly string[];
  session?: readonly string[];
  state?: readonly string[];
  agent?: readonly string[];
  needsAction?: boolean;
  all?: boolean;
}

/** Fails with E_USAGE, which names the possible states. */
export const parseState = (text: string, option: string): CanonicalState => {
  if (isStateName(text)) return text;
  throw new AgtmuxError("E_USAGE", `${option} does not know the state '${text}'`, {
    remedy: `States are ${STATE_NAMES.join(", ")}.`,
  });
};

/** The names of a list with commas. Fails with E_USAGE for an empty one. */
export const parseNames = (texts: readonly string[], option: string): string[] => {
  const names = texts.flatMap((text) => text.split(",")).map((name) => name.trim());
  if (names.includes(""))
    throw new AgtmuxError("E_USAGE", `${option} '${texts.join(",")}' has an empty name in it`);
  return [...new Set(names)];
};

const nonEmpty = (texts: readonly string[], option: string): readonly string[] => {
  if (texts.includes("")) throw new AgtmuxError("E_USAGE", `${option} is empty`);
  return [...new Set(texts)];
};

/** Only the given filters, so that the document repeats just these. Fails with E_USAGE. */
export const parseFilters = (options: FilterOptions): ListFilters => {
  const { target, targetSession, session, state, agent } = options;
  if (target !== undefined && options.allTargets === true)
    throw new AgtmuxError("E_USAGE", "--target and --all-targets exclude each other");
  for (const text of targetSession ?? [])
    if (!/^[^/]+\/./.test(text))
      throw new AgtmuxError("E_USAGE", `--target-session '${text}' is not <target>/<session>`);
  return {
    ...(target === undefined ? {} : { target: parseNames(target, "--target") }),
    ...(targetSession === undefined ? {} : { targetSession: nonEmpty(targetSession, "--target-session") }),
    ...(session === undefined ? {} : { session: nonEmpty(session, "--session") }),
    ...(state === undefined
      ? {}
      : { state: parseNames(state, "--state").map((name) => parseState(name, "--state")) }),
    ...(agent === undefined ? {} : { agent: parseNames(agent, "--agent") }),
    ...(options.needsAction === true ? { needsAction: true } : {}),
    ...(options.all === true ? { all: true } : {}),
  };
};
