// The real command line as child processes against the daemon of a harness, which is served on its socket for that.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { findInstallation } from "../../cli/command/createContext.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { tryOwn } from "../../core/rpc/ownership.ts";
import type { RuntimePaths } from "../../core/rpc/paths.ts";
import { startSocketServer } from "../../core/rpc/socketServer.ts";
import type { TestDaemon } from "./daemon.ts";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A program as a child whose output is kept. */
export const startProgram = (
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
) => {
  const { TMUX: _tmux, TMUX_PANE: _pane, FORCE_COLOR: _force, ...outer } = process.env;
  const child = spawn(file, args, { env: { ...outer, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return {
    child,
    stdout: (): string => stdout,
    stderr: (): string => stderr,
    /** The whole lines of stdout so far. */
    lines: (): string[] => stdout.split("\n").slice(0, -1),
    finished: once(child, "close").then(() => ({ code: child.exitCode, stdout, stderr })),
  };
};

export type Running = ReturnType<typeof startProgram>;

/** Commands find the daemon of this home and never start one. */
export const openCommandLine = (home: string, more: Readonly<Record<string, string>> = {}) => {
  const children = new Set<Running>();
  const start = (args: readonly string[]): Running => {
    const env = { AGTMUX_HOME: home, AGTMUX_NO_START: "1", NO_COLOR: "1", ...more };
    const running = startProgram(process.execPath, [CLI_ENTRY, ...args], env);
    children.add(running);
    void running.finished.then(() => children.delete(running));
    return running;
  };
  return {
    start,
    run: (args: readonly string[]): Promise<Finished> => start(args).finished,
    /** Ends what was started here and still runs. */
    close: async (): Promise<void> => {
      for (const { child } of children) child.kill("SIGKILL");
      await Promise.all([...children].map(({ finished }) => finished));
    },
  };
};

export type CommandLine = ReturnType<typeof openCommandLine>;

/** Serves a daemon of this process on its home's socket; the returned function stops that. */
export const serveDaemon = async ({
  daemon,
  paths,
}: Pick<TestDaemon, "daemon"> & { paths: RuntimePaths }): Promise<() => Promise<void>> => {
  const owner = tryOwn(paths.home);
  if (owner === null) throw new Error("the home is taken");
  const { router } = daemon;
  const { version } = findInstallation();
  const server = await startSocketServer({ paths, owner, router, version, logger: SILENT_LOGGER });
  return async () => {
    await server.close();
    owner.release();
  };
};
