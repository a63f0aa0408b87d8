// Tells oh-my-pi from everything else in a pane. Source: recorded process tree (18.2.3): bun runs the package's cli.js
// and the process is renamed `omp`.
import type { IdentifyMatch } from "../../core/ports/agentAdapter.ts";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import { identifyScript } from "../piFamily/identify.ts";

const SIGNS = {
  displayName: "oh-my-pi",
  packagePath: /(^|\/)@oh-my-pi\/pi-coding-agent\/(dist|src)\/cli\.[jt]s$/,
  command: "omp",
  helpers: new Set([
    "acp",
    "commit",
    "config",
    "grep",
    "jupyter",
    "plugin",
    "setup",
    "shell",
    "ssh",
    "stats",
    "update",
  ]),
};

export const identifyOmp = (processes: readonly ProcessInfo[]): IdentifyMatch | null =>
  identifyScript(processes, SIGNS);
