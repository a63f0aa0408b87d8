// Executors of a real sshd's aliases, and what is left of them on both sides.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { createRemoteExecutor } from "../../core/targets/executors/createRemoteExecutor.ts";
import type { RemoteExecutor } from "../../core/targets/remoteExecutor.ts";
import { until } from "../setup/realClock.ts";
import { createSshServer, type SshServer } from "./sshServer.ts";

export interface ConnectionHarness {
  readonly server: SshServer;
  readonly executorFor: (
    alias: string,
    more?: Partial<Parameters<typeof createRemoteExecutor>[0]>,
  ) => RemoteExecutor;
  /** A path in the server's folder. */
  readonly at: (name: string) => string;
  /** Gives the public key. */
  makeKey(name: string): string;
  nothingIsLeft(): Promise<void>;
  /** Of all that were made so far. */
  closeExecutors(): Promise<void>;
  close(): Promise<void>;
}

export const openConnectionHarness = async (): Promise<ConnectionHarness> => {
  const server = await createSshServer();
  const made: RemoteExecutor[] = [];
  const at = (name: string): string => join(server.folder, name);
  const closeExecutors = async (): Promise<void> => {
    await Promise.all(made.splice(0).map((executor) => executor.close()));
  };
  return {
    server,
    at,
    closeExecutors,
    executorFor: (alias, more = {}) => {
      const executor = createRemoteExecutor({
        targetId: alias,
        alias,
        env: process.env,
        logger: SILENT_LOGGER,
        controlDir: join(server.folder, "cm"),
        transport: null,
        configFile: server.configFile,
        connectTimeoutMs: 15_000,
        ...more,
      });
      made.push(executor);
      return executor;
    },
    makeKey: (name) => {
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", at(name)]);
      return readFileSync(at(`${name}.pub`), "utf8")
        .split(" ")
        .slice(0, 2)
        .join(" ");
    },
    nothingIsLeft: async () => {
      await until(() => server.remoteProcesses().length === 0, "no far process");
      await until(() => server.sessionPids().length === 0, "no connection at the server");
      const sockets = readdirSync(server.folder).includes("cm") ? readdirSync(at("cm")) : [];
      expect(sockets).toEqual([]);
    },
    close: async () => {
      await closeExecutors();
      await server.close();
    },
  };
};
