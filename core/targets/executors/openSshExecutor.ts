// The executor of an SSH target over the OpenSSH client.
import type { Logger } from "../../ports/logger.ts";
import type { RemoteExecutor } from "../remoteExecutor.ts";
import { createOpenSshTransport } from "./openSshTransport.ts";
import { createSshExecutor } from "./sshExecutor.ts";

export interface OpenSshExecutorOptions {
  targetId: string;
  /** A name of the SSH configuration; checked by `checkSshAlias`. */
  alias: string;
  /** Environment of `ssh`: PATH, HOME and SSH_AUTH_SOCK matter. */
  env: NodeJS.ProcessEnv;
  logger: Logger;
  /** Folder for control sockets, made 0700 when it is missing: `cm` of the home. */
  controlDir: string;
  /** Takes the place of the person's and the system's SSH configuration. */
  configFile?: string | null;
  keepAliveMs?: number;
  connectTimeoutMs?: number;
}

const DEFAULT_KEEP_ALIVE_MS = 15_000;

/** Knows everything that the person's own `ssh` knows: jump hosts, certificates, hardware keys, Kerberos. */
export const createOpenSshExecutor = (options: OpenSshExecutorOptions): RemoteExecutor =>
  createSshExecutor({
    targetId: options.targetId,
    alias: options.alias,
    logger: options.logger,
    transport: createOpenSshTransport({
      alias: options.alias,
      env: options.env,
      controlDir: options.controlDir,
      configFile: options.configFile ?? null,
      keepAliveMs: options.keepAliveMs ?? DEFAULT_KEEP_ALIVE_MS,
    }),
    ...(options.connectTimeoutMs === undefined ? {} : { connectTimeoutMs: options.connectTimeoutMs }),
  });
