// The scene of the SSH figures: a real sshd behind a proxy that delays, a remote tmux, and the daemon as a process of its own with
// configured targets.
import { appendFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runtimePaths } from "../core/rpc/paths.ts";
import type { DaemonClient } from "../core/rpc/socketClient.ts";
import { connectTo, spawnDaemon } from "../test/harness/daemonProcess.ts";
import { createPrivateTmux } from "../test/harness/privateTmux.ts";
import { until } from "../test/setup/realClock.ts";
import { createProxy } from "../test/ssh/proxy.ts";
import { createSshServer } from "../test/ssh/sshServer.ts";

const ONE_WAY_MS = 25;
const LIMIT_MS = 60_000;

export type Transport = "openssh" | "ssh2";
export interface TargetSettings {
  name: string;
  ssh_target: string;
  transport: Transport;
  tmux_servers: readonly { name: string; socket_path: string }[];
}

/** Resolves once the daemon lists the target with this health. */
export const untilHealth = (client: DaemonClient, name: string, health: string): Promise<void> =>
  until(
    async () =>
      (await client.call((api) => api.targets.query())).some(
        (one) => one.target === name && one.health === health,
      ),
    `${name} is ${health}`,
    LIMIT_MS,
  );

export const createSshHarness = async (transport: Transport) => {
  const server = await createSshServer();
  const proxy = await createProxy(server.port);
  proxy.setDelay(ONE_WAY_MS);
  const slowAlias = await server.addHost("slow", [`Port ${proxy.port}`]);
  await appendFile(
    server.knownHosts,
    `${server.hostKeyLine.replace(`:${server.port} `, `:${proxy.port} `)}\n`,
  );
  const remote = createPrivateTmux();
  const root = await mkdtemp(join(tmpdir(), "agtmux-bs-"));
  const paths = runtimePaths(join(root, "a"));
  await mkdir(paths.home, { mode: 0o700 });
  const undo: (() => Promise<void> | void)[] = [];
  return {
    server,
    proxy,
    remote,
    /** An alias of the server that goes through the proxy. */
    slowAlias,
    settingsOf: (name: string, alias: string): TargetSettings => ({
      name,
      ssh_target: alias,
      transport,
      tmux_servers: [{ name: "far", socket_path: remote.socketPath }],
    }),
    /** Starts the daemon with these targets; it watches nothing of this machine. */
    startDaemon: async (targets: readonly TargetSettings[]): Promise<DaemonClient> => {
      await writeFile(paths.config, JSON.stringify({ targets }));
      const env = {
        HOME: root,
        AGTMUX_SSH_CONFIG: server.configFile,
        AGTMUX_TMUX_SOCKETS: join(root, "none"),
      };
      const daemon = await spawnDaemon({ home: paths.home, env });
      undo.push(() => daemon.stop());
      const client = await connectTo(paths.home);
      undo.push(() => client.close());
      return client;
    },
    close: async (): Promise<void> => {
      for (const step of undo.toReversed()) await step();
      await proxy.close();
      await server.close();
      await remote.close();
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};

export type SshHarness = Awaited<ReturnType<typeof createSshHarness>>;
