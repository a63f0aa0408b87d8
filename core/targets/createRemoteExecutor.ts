// The executor of an SSH alias: it reads what OpenSSH knows about the alias and builds the executor over the transport that
// fits. The choice is made for each connection, because keys and configuration change while the daemon runs.
import { connect } from "node:net";
import type { AgtmuxError } from "../model/errors.ts";
import type { Logger } from "../ports/logger.ts";
import { chooseTransport, type TransportChoice, type TransportName } from "./chooseTransport.ts";
import { createOpenSshTransport } from "./executors/openSshTransport.ts";
import { SSH2_ALGORITHMS } from "./executors/ssh2Library.ts";
import { createSsh2Transport, type Ssh2Plan } from "./executors/ssh2Transport.ts";
import { createSshExecutor } from "./executors/sshExecutor.ts";
import type { SshTransport } from "./executors/sshTransport.ts";
import { readKnownHost } from "./knownHosts.ts";
import type { RemoteExecutor } from "./remoteExecutor.ts";
import { checkSshAlias, familyOf, readSshConfig } from "./sshConfig.ts";
import { readIdentities } from "./sshIdentities.ts";

// A transport that is chosen again for each connection.
/** @param choose makes a new transport; `connect` rejects with its errors. */
const createSwitchingTransport = (choose: () => Promise<SshTransport>): SshTransport => {
  let current: SshTransport | null = null;
  let connecting: SshTransport | null = null;
  let downListener: (error: AgtmuxError) => void = () => {};
  return {
    get name() {
      return current?.name ?? "openssh";
    },
    connect: async (timeoutMs) => {
      const chosen = await choose();
      chosen.onDown((error) => downListener(error));
      connecting = chosen;
      await chosen.connect(timeoutMs);
      current = chosen;
    },
    open: (command) =>
      current === null ? Promise.reject(new Error("there is no connection")) : current.open(command),
    onDown: (listener) => {
      downListener = listener;
    },
    disconnect: async () => {
      await (current ?? connecting)?.disconnect();
      current = null;
      connecting = null;
    },
  };
};

// One TCP connection over which nothing is sent. macOS asks the person whether a program may reach the local network, but only
// when the program connects itself, not when one of its children does.
/**
 * Resolves when the connection was accepted or refused, or after the time limit. The outcome does not matter: the next
 * connection will show it.
 */
export const knock = async (
  address: { host: string; port: number; family: 0 | 4 | 6 },
  limitMs: number,
): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = connect(address);
  socket.setTimeout(limitMs);
  for (const event of ["connect", "error", "timeout"]) socket.once(event, resolve);
  await promise;
  socket.destroy();
};

export interface RemoteExecutorOptions {
  targetId: string;
  /** A name of the SSH configuration. */
  alias: string;
  /** Environment of `ssh` and of the key agent: PATH, HOME and SSH_AUTH_SOCK matter. */
  env: NodeJS.ProcessEnv;
  logger: Logger;
  /** Folder for control sockets, made 0700 when it is missing: `cm` of the home. */
  controlDir: string;
  /** What the target's settings force; null: choose. */
  transport: TransportName | null;
  /** Used instead of the person's and the system's SSH configuration; null: theirs. */
  configFile: string | null;
  /** How long the server may be silent before the connection counts as lost. */
  keepAliveMs?: number;
  connectTimeoutMs?: number;
  /** Platform of this machine; only tests set another one. */
  platform?: NodeJS.Platform;
}

const DEFAULT_KEEP_ALIVE_MS = 15_000;
const KNOCK_LIMIT_MS = 1_000;

export interface ResolvedTarget extends Ssh2Plan, TransportChoice {}

/**
 * Everything about an alias that decides how it is reached; opens no connection.
 * @throws AgtmuxError E_USAGE for the alias, E_TARGET_UNREACHABLE when ssh refuses its configuration.
 */
export const resolveTarget = async (
  options: Pick<RemoteExecutorOptions, "alias" | "env" | "configFile" | "transport">,
): Promise<ResolvedTarget> => {
  const { alias, env, configFile } = options;
  const { config, unconfigured } = await readSshConfig(alias, { env, configFile });
  const [identities, knownHost] = await Promise.all([
    readIdentities(config, env),
    readKnownHost(config, env),
  ]);
  const inputs = { config, unconfigured, identities, knownHost, supported: SSH2_ALGORITHMS };
  return { config, identities, knownHost, ...chooseTransport(inputs, options.transport) };
};

/**
 * The executor of a target; nothing is connected yet.
 * @throws AgtmuxError E_USAGE for an alias that cannot be one.
 */
export const createRemoteExecutor = (options: RemoteExecutorOptions): RemoteExecutor => {
  const { targetId, alias, env, logger, controlDir, configFile } = options;
  checkSshAlias(alias);
  const keepAliveMs = options.keepAliveMs ?? DEFAULT_KEEP_ALIVE_MS;
  const openSsh = (): SshTransport =>
    createOpenSshTransport({ alias, env, controlDir, configFile, keepAliveMs });
  const platform = options.platform ?? process.platform;
  let hasKnocked = false;
  /** Done before a child connects for the first time. A host behind a jump host or a proxy is not on our network. */
  const askMacOs = async ({ config }: ResolvedTarget): Promise<void> => {
    if (hasKnocked || config.proxyjump !== null || config.proxycommand !== null) return;
    hasKnocked = true;
    await knock({ host: config.hostname, port: config.port, family: familyOf(config) }, KNOCK_LIMIT_MS);
  };
  const transport = createSwitchingTransport(async () => {
    if (options.transport === "openssh" && platform !== "darwin") return openSsh();
    const resolved = await resolveTarget(options);
    logger.info({ targetId, transport: resolved.transport, reason: resolved.reason }, "transport chosen");
    if (resolved.transport === "ssh2")
      return createSsh2Transport({ alias, plan: () => Promise.resolve(resolved), keepAliveMs });
    if (platform === "darwin") await askMacOs(resolved);
    return openSsh();
  });
  const { connectTimeoutMs } = options;
  return createSshExecutor({
    targetId,
    alias,
    transport,
    logger,
    ...(connectTimeoutMs === undefined ? {} : { connectTimeoutMs }),
  });
};
