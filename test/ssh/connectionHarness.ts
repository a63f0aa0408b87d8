// Executors of a real sshd's aliases, and what is left of them on both sides.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { createRemoteExecutor } from "../../core/targets/executors/createRemoteExecutor.ts";
import type { RemoteExecutor } from "../../core/targets/executors/sshExecutor.ts";
import { until } from "../setup/realClock.ts";
import { createProxy } from "./proxy.ts";
import { createSshServer, type SshServer } from "./sshServer.ts";

/** The executor of an alias of this server; nothing is connected yet. */
export const executorOf = (
  server: SshServer,
  more: Partial<Parameters<typeof createRemoteExecutor>[0]> = {},
): RemoteExecutor =>
  createRemoteExecutor({
    targetId: "vm1",
    alias: server.alias,
    env: process.env,
    logger: SILENT_LOGGER,
    controlDir: join(server.folder, "cm"),
    transport: null,
    configFile: server.configFile,
    ...more,
  });

export const openConnectionHarness = async () => {
  const server = await createSshServer();
  const made: RemoteExecutor[] = [];
  /** A path in the server's folder. */
  const at = (name: string): string => join(server.folder, name);
  /** Of all that were made so far. */
  const closeExecutors = async (): Promise<void> => {
    await Promise.all(made.splice(0).map((executor) => executor.close()));
  };
  return {
    server,
    at,
    closeExecutors,
    executorFor: (alias: string, more: Parameters<typeof executorOf>[1] = {}): RemoteExecutor => {
      const executor = executorOf(server, { targetId: alias, alias, connectTimeoutMs: 15_000, ...more });
      made.push(executor);
      return executor;
    },
    /** An alias that leads to the server through a proxy. */
    behindProxy: async (name: string) => {
      const proxy = await createProxy(server.port);
      const own = `HostKeyAlias [127.0.0.1]:${server.port}`;
      return { proxy, alias: await server.addHost(name, [`Port ${proxy.port}`, own]) };
    },
    /** Gives the public key. */
    makeKey: (name: string): string => {
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", at(name)]);
      return readFileSync(at(`${name}.pub`), "utf8")
        .split(" ")
        .slice(0, 2)
        .join(" ");
    },
    nothingIsLeft: async (): Promise<void> => {
      await until(() => server.remoteProcesses().length === 0, "no far process");
      await until(() => server.sessionPids().length === 0, "no connection at the server");
      const sockets = readdirSync(server.folder).includes("cm") ? readdirSync(at("cm")) : [];
      expect(sockets).toEqual([]);
    },
    close: async (): Promise<void> => {
      await closeExecutors();
      await server.close();
    },
  };
};

export type ConnectionHarness = Awaited<ReturnType<typeof openConnectionHarness>>;
