// Looks for tmux on a target, as its connection does: only at the configured path if there is one, else in the usual places,
// and on this machine also in the person's PATH.
import { HOST_TARGET } from "../model/runtime.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import { findTmux, type FoundTmux } from "../tmux/findTmux.ts";
import type { ConfigFile } from "../config/configFile.ts";

/** An app that the desktop starts has no shell's PATH, and where Nix puts a person's programs depends on the person. */
const foldersOf = ({ PATH, HOME, USER }: NodeJS.ProcessEnv): string =>
  [
    PATH,
    ...(HOME === undefined ? [] : [`${HOME}/.nix-profile/bin`]),
    ...(USER === undefined ? [] : [`/etc/profiles/per-user/${USER}/bin`]),
  ]
    .filter(Boolean)
    .join(":");

/** Fails with E_TMUX_MISSING and the places that were tried. */
export type LookForTmux = (executor: TargetExecutor) => Promise<FoundTmux>;

export const createTmuxLook =
  (config: Pick<ConfigFile, "current">, env: NodeJS.ProcessEnv): LookForTmux =>
  (executor) => {
    const { tmux_path, targets } = config.current;
    const { targetId } = executor;
    if (targetId === HOST_TARGET)
      return findTmux({ executor, configuredPath: tmux_path, pathVariable: foldersOf(env) });
    const configured = targets.find(({ name }) => name === targetId);
    return findTmux({ executor, configuredPath: configured?.tmux_path ?? null, pathVariable: undefined });
  };
