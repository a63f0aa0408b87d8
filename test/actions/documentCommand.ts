// `agtmux doc …` as it is typed in a pane of a harness, or called by an editor outside of tmux.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";
import type { Finished } from "../harness/commandLine.ts";
import type { Harness } from "./actionHarness.ts";

/** `env`: beside or instead of what a pane has. */
export const runDoc = async (
  harness: Harness,
  cwd: string,
  args: readonly string[],
  options: { pane?: string; env?: Readonly<Record<string, string>>; input?: string } = {},
): Promise<Finished> => {
  const { pane, env = {}, input = "" } = options;
  const { TMUX: _tmux, TMUX_PANE: _pane, ...outer } = process.env;
  const child = spawn(process.execPath, [CLI_ENTRY, "doc", ...args], {
    cwd,
    env: {
      ...outer,
      AGTMUX_HOME: harness.daemon.paths.home,
      AGTMUX_NO_START: "1",
      TMUX: `${harness.tmux.socketPath},1,0`,
      ...(pane === undefined ? {} : { TMUX_PANE: pane }),
      ...env,
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  // A verb that reads nothing may have ended.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  await once(child, "close");
  return { code: child.exitCode, stdout, stderr };
};
