// Tells pi from everything else in a pane, also from other programs called `pi`. Source: recorded process tree (0.87.1):
// pi overwrites its whole argument vector with the two letters, so a path with its package only shows before that.
import type { IdentifyMatch } from "../../core/ports/agentAdapter.ts";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import { identifyScript } from "../piFamily/identify.ts";

const SIGNS = {
  displayName: "pi",
  packagePath: /(^|\/)@(earendil-works|mariozechner)\/pi-coding-agent\/(dist|src)\/cli\.[jt]s$/,
  command: "pi",
  helpers: new Set(["config", "install", "list", "remove", "uninstall", "update"]),
};

/** Nobody else's `pi` is known to name its main thread and its whole command line alike; still only medium confidence. */
const isRenamed = ({ comm, args }: ProcessInfo): boolean => comm === "pi" && args.trim() === "pi";

export const identifyPi = (processes: readonly ProcessInfo[]): IdentifyMatch | null => {
  const script = identifyScript(processes, SIGNS);
  if (script !== null) return script;
  const process = processes.find(isRenamed);
  return process === undefined
    ? null
    : { process, confidence: "medium", sign: `process that named itself and its command line "pi"` };
};
