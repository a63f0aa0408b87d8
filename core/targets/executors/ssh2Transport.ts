// A connection of the ssh2 library, for hosts that `chooseTransport` finds plain, without any child process: the algorithms, the
// socket, a channel that outlasts its connection, and the transport. The library is loaded on first use and reads no configuration
// itself: everything that matters is passed to it, and only host keys that known_hosts names are accepted.
import type {
  Algorithms,
  ServerHostKeyAlgorithm,
  ClientChannel,
  AgentAuthMethod,
  Client,
  ConnectConfig,
  PublicKeyAuthMethod,
} from "ssh2";
import { type KnownHost, fileOfChanged, judgeHostKey, typeOfKey, type SshIdentities } from "../sshKeys.ts";
import { type SshConfig, familyOf } from "../sshConfig.ts";
import { connect, type Socket } from "node:net";
import { readFile } from "node:fs/promises";
import type { AgtmuxError } from "../../model/errors.ts";
import { authError, cleanLine, hostKeyError, noRouteError, unreachableError } from "../sshErrors.ts";
import type { ChannelEnd, SshTransport, TransportChannel } from "../sshTransport.ts";

// Algorithms: one that OpenSSH's configuration leaves out is left out here too. The types of known host keys come first, so that
// the server shows one of these keys.

/** What ssh2 1.17 can do without its native part. Like OpenSSH, without SHA-1 signatures. */
export const SSH2_ALGORITHMS = {
  kexalgorithms: [
    "curve25519-sha256",
    "curve25519-sha256@libssh.org",
    "ecdh-sha2-nistp256",
    "ecdh-sha2-nistp384",
    "ecdh-sha2-nistp521",
    "diffie-hellman-group-exchange-sha256",
    "diffie-hellman-group14-sha256",
    "diffie-hellman-group15-sha512",
    "diffie-hellman-group16-sha512",
    "diffie-hellman-group17-sha512",
    "diffie-hellman-group18-sha512",
  ],
  ciphers: [
    "aes128-gcm@openssh.com",
    "aes256-gcm@openssh.com",
    "aes128-ctr",
    "aes192-ctr",
    "aes256-ctr",
    "chacha20-poly1305@openssh.com",
  ],
  macs: [
    "hmac-sha2-256-etm@openssh.com",
    "hmac-sha2-512-etm@openssh.com",
    "hmac-sha1-etm@openssh.com",
    "hmac-sha2-256",
    "hmac-sha2-512",
    "hmac-sha1",
  ],
  hostkeyalgorithms: [
    "ssh-ed25519",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "rsa-sha2-512",
    "rsa-sha2-256",
  ],
} as const;

const allowed = <T extends string>(ours: readonly T[], theirs: readonly string[]): T[] =>
  theirs.length === 0 ? [...ours] : ours.filter((name) => theirs.includes(name));

/** The type of the key that an algorithm signs with. */
const keyTypeOf = (algorithm: string): string => (algorithm.startsWith("rsa-") ? "ssh-rsa" : algorithm);

/** The algorithms for a connection: those of the configuration that ssh2 can do. */
const algorithmsFor = (config: SshConfig, knownHost: KnownHost): Algorithms => {
  const known = new Set([...knownHost.keys, ...knownHost.bareKeys].map(({ type }) => type));
  const hostKeys: ServerHostKeyAlgorithm[] = allowed(
    SSH2_ALGORITHMS.hostkeyalgorithms,
    config.hostkeyalgorithms,
  );
  return {
    kex: allowed(SSH2_ALGORITHMS.kexalgorithms, config.kexalgorithms),
    cipher: allowed(SSH2_ALGORITHMS.ciphers, config.ciphers),
    hmac: allowed(SSH2_ALGORITHMS.macs, config.macs),
    serverHostKey: [
      ...hostKeys.filter((name) => known.has(keyTypeOf(name))),
      ...hostKeys.filter((name) => !known.has(keyTypeOf(name))),
    ],
    // Watching sends nearly the same text each second; compressed it is a tenth.
    compress: ["zlib@openssh.com", "none"],
  };
};

/**
 * A TCP connection that sends all writes of one turn of the event loop together. The ssh2 library writes each SSH packet in several
 * pieces, and without Nagle's delay each of them would travel alone: measured, 55 segments a second instead of 20 on an idle
 * target. It begins to connect; success and failure are the socket's own events. `family` 0: whichever the name resolves to.
 */
const connectQuietly = (address: { host: string; port: number; family: 0 | 4 | 6 }): Socket => {
  const socket = connect({ ...address, noDelay: true });
  let isHeld = false;
  const release = (): void => {
    isHeld = false;
    socket.uncork();
  };
  const write = socket.write.bind(socket);
  const writeTogether = (...written: Parameters<Socket["write"]>): boolean => {
    if (!isHeld && !socket.connecting) {
      isHeld = true;
      socket.cork();
      process.nextTick(release);
    }
    return write(...written);
  };
  return Object.assign(socket, { write: writeTogether });
};

// Channel: it survives the end of its connection. With compression the library cannot write after that end and throws wherever it
// is called; thrown from the event loop, this would end our process. Such writes are dropped, because nobody would receive them.
const quiet =
  <T extends unknown[]>(call: (...words: T) => unknown): ((...words: T) => void) =>
  (...words) => {
    try {
      call(...words);
    } catch {
      // The channel's `close` event reports that the connection is gone.
    }
  };

/** Changes the channel itself; call it before anything else uses the channel. */
export const quietenChannel = (stream: ClientChannel): void => {
  const write = stream._write.bind(stream);
  Object.assign(stream, {
    eof: quiet(stream.eof.bind(stream)),
    close: quiet(stream.close.bind(stream)),
    _read: quiet(stream._read.bind(stream)),
    _write: (...words: Parameters<typeof write>) => {
      try {
        write(...words);
      } catch (error) {
        words[2](error instanceof Error ? error : new Error(String(error)));
      }
    },
  });
};

/** What a connection needs to know. It serves one connection, because keys and configuration change. */
export interface Ssh2Plan {
  config: SshConfig;
  identities: SshIdentities;
  knownHost: KnownHost;
}

const KEEP_ALIVE_COUNT = 3;

type Attempt = AgentAuthMethod | PublicKeyAuthMethod;

/** Like OpenSSH: the agent first, unless the configuration allows only the files that it names. */
const attemptsOf = async ({ config, identities }: Ssh2Plan): Promise<Attempt[]> => {
  const { user: username } = config;
  const files = await Promise.all(
    identities.keyFiles
      .filter(({ kind }) => kind === "plain")
      .map(async ({ path }) => ({ type: "publickey" as const, username, key: await readFile(path) })),
  );
  const agent = identities.agentSocket;
  return agent === null || config.identitiesonly || identities.agentKeyTypes.length === 0
    ? files
    : [{ type: "agent" as const, username, agent }, ...files];
};

const explain = (alias: string, error: Error & { level?: string; code?: unknown }): AgtmuxError => {
  const details = [cleanLine(error.message)];
  const { code } = error;
  if (error.level === "client-authentication") return authError(alias, details);
  if (error.level === "client-dns" || code === "ENOTFOUND" || code === "EAI_AGAIN")
    return unreachableError(alias, "the host name cannot be resolved", { details, cause: error });
  if (code === "ECONNREFUSED")
    return unreachableError(alias, "the connection was refused", { details, cause: error });
  if (code === "ENETUNREACH" || code === "EHOSTUNREACH")
    return noRouteError(alias, { details, cause: error });
  if (error.level === "client-timeout" || code === "ETIMEDOUT")
    return unreachableError(alias, "it does not answer", { details, cause: error });
  if (error.level === "handshake")
    return unreachableError(alias, "no common algorithm, or a broken handshake", { details, cause: error });
  return unreachableError(alias, "the connection was closed", { details, cause: error });
};

const channelOf = (stream: ClientChannel): TransportChannel => {
  quietenChannel(stream);
  let end: ChannelEnd = { exitCode: null, reason: "the connection was lost" };
  const ended = Promise.withResolvers<ChannelEnd>();
  stream.on("exit", (code: number | null, signal?: string) => {
    end =
      code === null
        ? { exitCode: null, reason: `signal ${cleanLine(signal ?? "of unknown kind")}` }
        : { exitCode: code, reason: `exit status ${code}` };
  });
  // A channel that breaks emits `close`, so its errors need no handling.
  stream.on("error", () => {});
  stream.stderr.on("error", () => {});
  stream.once("close", () => ended.resolve(end));
  return {
    stdin: stream,
    stdout: stream,
    stderr: stream.stderr,
    ended: ended.promise,
    destroy: () => {
      stream.close();
      // The remote side may never answer the closing.
      stream.destroy();
      ended.resolve(end);
    },
  };
};

/** The transport over the library. `disconnect` leaves no socket. */
export const createSsh2Transport = ({
  alias,
  plan,
  keepAliveMs,
}: {
  alias: string;
  plan: Ssh2Plan;
  /** How long the server may be silent before the connection counts as lost. */
  keepAliveMs: number;
}): SshTransport => {
  const channels = new Set<TransportChannel>();
  let client: Client | null = null;
  let abort: () => void = () => {};
  let downListener: (error: AgtmuxError) => void = () => {};

  const dropChannels = (): void => {
    for (const channel of channels) channel.destroy();
    channels.clear();
  };
  const configOf = async (
    timeoutMs: number,
    onHostKey: (error: AgtmuxError) => void,
  ): Promise<ConnectConfig> => {
    const { config, knownHost } = plan;
    const authHandler = await attemptsOf(plan);
    return {
      // The last step that is awaited: from now on the client listens to the socket's errors.
      sock: connectQuietly({
        host: config.hostname,
        port: config.port,
        family: familyOf(config),
      }),
      username: config.user,
      readyTimeout: timeoutMs,
      keepaliveInterval: Math.ceil(keepAliveMs / KEEP_ALIVE_COUNT),
      keepaliveCountMax: KEEP_ALIVE_COUNT,
      algorithms: algorithmsFor(config, knownHost),
      authHandler,
      hostVerifier: (key: Buffer): boolean => {
        const verdict = judgeHostKey(knownHost, key);
        if (verdict === "known") return true;
        const file = fileOfChanged(knownHost, key);
        onHostKey(
          hostKeyError(alias, verdict, {
            knownName: knownHost.name,
            ...(file === undefined ? {} : { file }),
            details: [`offered: ${cleanLine(typeOfKey(key))}`],
          }),
        );
        return false;
      },
    };
  };

  return {
    name: "ssh2",
    connect: async (timeoutMs) => {
      // About 60 ms once, which no command of the CLI pays.
      const { default: ssh2 } = await import("ssh2");
      let hostKeyProblem: AgtmuxError | null = null;
      const started = new ssh2.Client();
      const ready = Promise.withResolvers<void>();
      // The attempt may be given up before anybody awaits this promise.
      ready.promise.catch(() => {});
      let lastError: AgtmuxError | null = null;
      abort = () => {
        ready.reject(unreachableError(alias, "nobody waited for it any longer"));
        started.destroy();
      };
      started.on("ready", () => ready.resolve());
      started.on("error", (error: Error) => {
        lastError = hostKeyProblem ?? explain(alias, error);
        ready.reject(lastError);
      });
      started.on("close", () => {
        ready.reject(lastError ?? unreachableError(alias, "the connection was closed"));
        if (client !== started) return;
        client = null;
        dropChannels();
        downListener(lastError ?? unreachableError(alias, "the connection was closed"));
      });
      try {
        const config = await configOf(timeoutMs, (error) => {
          hostKeyProblem = error;
        });
        started.connect(config);
        await ready.promise;
      } catch (error) {
        started.destroy();
        throw error;
      }
      client = started;
    },
    open: async (command) => {
      const used = client;
      if (used === null) throw unreachableError(alias, "there is no connection");
      const opened = Promise.withResolvers<TransportChannel>();
      const lost = (): void => opened.reject(unreachableError(alias, "the connection was lost"));
      used.once("close", lost);
      try {
        used.exec(command, (error, stream) => {
          // Listens at once, because the exit status may be in the same packet.
          if (error === undefined) opened.resolve(channelOf(stream));
          else
            opened.reject(
              unreachableError(alias, "the server refused another session", {
                details: [cleanLine(error.message)],
                cause: error,
              }),
            );
        });
        const channel = await opened.promise;
        channels.add(channel);
        void channel.ended.then(() => channels.delete(channel));
        return channel;
      } finally {
        used.removeListener("close", lost);
      }
    },
    onDown: (listener) => {
      downListener = listener;
    },
    disconnect: async () => {
      const stopped = client;
      client = null;
      dropChannels();
      if (stopped === null) {
        abort();
        return;
      }
      const closed = new Promise<void>((done) => stopped.once("close", () => done()));
      stopped.end();
      // A server that does not answer keeps nothing alive on our side.
      stopped.destroy();
      await closed;
    },
  };
};
