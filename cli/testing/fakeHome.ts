// A home with a fake daemon in the test's own process, and the real command line as child processes against it.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRouter } from "../../core/api/router.ts";
import type { DaemonService } from "../../core/api/calls.ts";
import type { FeatureAnswers } from "../../core/ports/feature.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { tryOwn } from "../../core/rpc/ownership.ts";
import { ensureHome, runtimePaths, type RuntimePaths } from "../../core/rpc/paths.ts";
import { startSocketServer } from "../../core/rpc/socketServer.ts";
import { findInstallation } from "../command/createContext.ts";
import { CLI_ENTRY } from "./cliEntry.ts";

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  readonly finished: Promise<Finished>;
}

export interface FakeHome {
  readonly paths: RuntimePaths;
  /** Starts serving; the returned function stops it. */
  serve(service: DaemonService, features?: readonly FeatureAnswers[]): Promise<() => Promise<void>>;
  start(args: readonly string[], env?: Record<string, string>): Running;
  run(args: readonly string[], env?: Record<string, string>): Promise<Finished>;
  /** Stops what was started here. */
  close(): Promise<void>;
}

/** Commands run with AGTMUX_NO_START=1 unless the test says otherwise. */
export const makeFakeHome = (): FakeHome => {
  const paths = runtimePaths(join(mkdtempSync(join(tmpdir(), "agtmux-cli-")), "home"));
  ensureHome(paths);
  const stops: (() => Promise<void>)[] = [];
  const children = new Set<ChildProcess>();

  const start = (args: readonly string[], env: Record<string, string> = {}): Running => {
    const { TMUX: _tmux, TMUX_PANE: _pane, FORCE_COLOR: _color, NO_COLOR: _noColor, ...outer } = process.env;
    const child = spawn("node", [CLI_ENTRY, ...args], {
      env: { ...outer, AGTMUX_HOME: paths.home, AGTMUX_NO_START: "1", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.add(child);
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const finish = async (): Promise<Finished> => {
      await once(child, "close");
      children.delete(child);
      return { code: child.exitCode, stdout, stderr };
    };
    return { child, stdout: () => stdout, stderr: () => stderr, finished: finish() };
  };

  return {
    paths,
    serve: async (service, features) => {
      const owner = tryOwn(paths.home);
      if (owner === null) throw new Error("the home is taken");
      const server = await startSocketServer({
        paths,
        owner,
        router: createRouter(service, features),
        version: findInstallation().version,
        logger: SILENT_LOGGER,
      });
      const stop = async () => {
        await server.close();
        owner.release();
      };
      stops.push(stop);
      return stop;
    },
    start,
    run: (args, env) => start(args, env).finished,
    close: async () => {
      for (const child of children) {
        const closed = once(child, "close");
        child.kill("SIGKILL");
        await closed;
      }
      for (const stop of stops.splice(0).toReversed()) await stop();
    },
  };
};
