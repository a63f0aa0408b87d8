// The contract of executors on this machine and over both SSH transports to a real OpenSSH server on loopback, whose login
// shell says more than it should.
import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type TransportName,
  createRemoteExecutor,
} from "../../core/targets/executors/createRemoteExecutor.ts";
import type { RemoteExecutor } from "../../core/targets/remoteExecutor.ts";
import { createLocalExecutor } from "../../core/targets/executors/localExecutor.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { until } from "../setup/realClock.ts";
import { describeChannels, describeExecutor, type ExecutorUnderTest } from "./executorContract.ts";
import { createSshServer, type SshServer } from "./sshServer.ts";

let server: SshServer;
beforeAll(async () => {
  server = await createSshServer({
    bashrc: 'echo "Welcome!"; echo "careful" >&2; printf "no newline"',
    env: { LC_ALL: "de_DE.UTF-8", PATH: "/usr/bin:/bin" },
  });
});
afterAll(() => server.close());

describeExecutor("the local executor", () => {
  const homeDir = mkdtempSync(join(tmpdir(), "agtmux-home-"));
  const executor = createLocalExecutor({
    targetId: "host",
    env: { PATH: process.env["PATH"], HOME: `${homeDir}/` },
  });
  return Promise.resolve({ executor, homeDir, close: () => executor.close() });
});

/** Counts what is left of the executor on both sides when it is closed. */
const overSsh = async (
  transport: TransportName,
): Promise<ExecutorUnderTest & { executor: RemoteExecutor }> => {
  const controlDir = join(server.folder, `cm-${transport}`);
  const executor = createRemoteExecutor({
    targetId: "vm1",
    alias: server.alias,
    env: process.env,
    logger: SILENT_LOGGER,
    controlDir,
    transport,
    configFile: server.configFile,
  });
  const { transport: used, homeDir, system } = await executor.connect();
  expect({ used, homeDir, system }).toEqual({ used: transport, homeDir: server.remoteHome, system: "Linux" });
  return {
    executor,
    homeDir: server.remoteHome,
    close: async () => {
      executor.openChannel(["cat"]);
      await executor.close();
      await until(() => server.remoteProcesses().length === 0, "no process is left on the remote side");
      await until(() => server.sessionPids().length === 0, "no connection is left");
      if (transport === "openssh") expect(readdirSync(controlDir)).toEqual([]);
      await expect(executor.run(["true"], { timeoutMs: 1_000 })).rejects.toMatchObject({
        code: "E_TARGET_UNREACHABLE",
      });
    },
  };
};
describeExecutor("the executor over ssh2", () => overSsh("ssh2"));
describeExecutor("the executor over OpenSSH", () => overSsh("openssh"));
describeChannels("a program that stays over there, by ssh2", () => overSsh("ssh2"));
describeChannels("a program that stays over there, by OpenSSH", () => overSsh("openssh"));

it.each(["ssh2", "openssh"] as const)("needs a connection: %s", async (transport) => {
  const executor = createRemoteExecutor({
    targetId: "vm1",
    alias: server.alias,
    env: process.env,
    logger: SILENT_LOGGER,
    controlDir: join(server.folder, "cm"),
    transport,
    configFile: server.configFile,
  });
  await expect(executor.run(["true"], { timeoutMs: 1_000 })).rejects.toMatchObject({
    code: "E_TARGET_UNREACHABLE",
  });
  await executor.close();
});
