// The TargetExecutor of an SSH target over either transport. It owns the connection and its channels, and bounds how many are
// open at once. Its owner decides when to connect again.
import type { AgtmuxError } from "../../model/errors.ts";
import type { Logger } from "../../ports/logger.ts";
import type { RunResult } from "../../ports/targetExecutor.ts";
import { checkGuarded, guardedCall, guardedCommand } from "../ownSocket.ts";
import { LOGIN_COMMAND } from "../quote.ts";
import type { ConnectionFacts, RemoteExecutor } from "../remoteExecutor.ts";
import { unreachableError } from "../sshErrors.ts";
import { createSemaphore } from "../../engine/semaphore.ts";
import { openRemoteChannel, type RemoteChannel } from "./remoteChannel.ts";
import { RemoteFlood, runRemote, type RemoteRequest, type RemoteResult } from "./remoteRun.ts";
import { askFacts } from "./connectionFacts.ts";
import { createSpareSessions } from "./spareSessions.ts";
import { createSshFiles } from "./sshFiles.ts";
import type { SshTransport, TransportChannel } from "./sshTransport.ts";

/**
 * How many sessions are open at once; others wait. An OpenSSH server refuses the eleventh session of a connection
 * (MaxSessions). This is half of that, because the server counts a session until it has cleaned up after it, and the next one
 * may be opened before that.
 */
const MAX_CHANNELS = 5;

const DEFAULT_MAX_BYTES = 8 * 1024 * 1024;
const DEFAULT_CONNECT_TIMEOUT_MS = 15_000;
const SIGNAL_TIMEOUT_MS = 5_000;

export interface SshExecutorOptions {
  targetId: string;
  alias: string;
  transport: SshTransport;
  logger: Logger;
  connectTimeoutMs?: number;
}

/**
 * The executor. Every command needs a connection; without one it fails at once with E_TARGET_UNREACHABLE. When a signal ended
 * the command, `run` gives exit code null; where that is unclear, a status of 129 to 159 counts as a signal.
 */
export const createSshExecutor = (options: SshExecutorOptions): RemoteExecutor => {
  const { targetId, alias, transport, logger } = options;
  const timeoutMs = options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS;
  const semaphore = createSemaphore(MAX_CHANNELS);
  const channels = new Set<RemoteChannel>();
  let connecting: Promise<ConnectionFacts> | null = null;
  let facts: ConnectionFacts | null = null;
  let isUp = false;
  let isClosed = false;
  let downListener: (error: AgtmuxError) => void = () => {};

  transport.onDown((error) => {
    isUp = false;
    facts = null;
    spares.drop();
    logger.info({ targetId, code: error.code }, "connection lost");
    downListener(error);
  });

  const openSession = async (): Promise<TransportChannel> => {
    if (!isUp) throw unreachableError(alias, isClosed ? "the executor is closed" : "there is no connection");
    const release = await semaphore.acquire();
    try {
      const channel = await transport.open(LOGIN_COMMAND);
      void channel.ended.then(release);
      return channel;
    } catch (error) {
      release();
      throw error;
    }
  };
  const spares = createSpareSessions(openSession);
  const open = (): Promise<TransportChannel> => spares.take();
  /** After a flood nothing more is sent to the remote side until the owner connects again. */
  const lose = (error: AgtmuxError): void => {
    if (!isUp) return;
    isUp = false;
    facts = null;
    spares.drop();
    logger.warn({ targetId, error }, "connection given up");
    void transport.disconnect();
    downListener(error);
  };
  const remote = async (request: RemoteRequest): Promise<RemoteResult> => {
    try {
      return await runRemote(open, request);
    } catch (error) {
      if (error instanceof Error && error.name === "AgtmuxError") throw error;
      const problem = unreachableError(alias, error instanceof Error ? error.message : String(error), {
        cause: error,
      });
      if (error instanceof RemoteFlood) lose(problem);
      throw problem;
    }
  };
  const signal = async (pid: number): Promise<void> => {
    await remote({
      command: '{ kill -TERM "$1" && sleep 1 && kill -KILL "$1"; }',
      words: [String(pid)],
      stdin: null,
      timeoutMs: SIGNAL_TIMEOUT_MS,
      maxBytes: DEFAULT_MAX_BYTES,
      isProgram: false,
    });
  };
  const openChannel = (argv: readonly string[]): RemoteChannel => {
    const channel: RemoteChannel = openRemoteChannel(open, argv, signal, () => channels.delete(channel));
    channels.add(channel);
    return channel;
  };

  const connect = async (): Promise<ConnectionFacts> => {
    const startedAt = performance.now();
    await transport.connect(timeoutMs);
    isUp = true;
    try {
      const left = timeoutMs - (performance.now() - startedAt);
      facts = { transport: transport.name, ...(await askFacts(openChannel, alias, Math.max(1_000, left))) };
      logger.info({ targetId, ...facts }, "connected");
      return facts;
    } catch (error) {
      isUp = false;
      await transport.disconnect();
      throw error;
    }
  };

  /** `command`: see RemoteRequest. */
  const run = async (
    command: string,
    words: readonly string[],
    { timeoutMs: runTimeoutMs, stdin, maxBytes }: Parameters<RemoteExecutor["run"]>[1],
  ): Promise<RunResult> => {
    const result = await remote({
      command,
      words,
      stdin: stdin ?? null,
      timeoutMs: runTimeoutMs,
      maxBytes: maxBytes ?? DEFAULT_MAX_BYTES,
      isProgram: true,
    });
    if (result.isAbsent) throw new Error(`run ${words[0]}: could not start`);
    const { exitCode, stdout, stderr, timedOut } = result;
    return { exitCode, stdout: stdout.toString("utf8"), stderr: stderr.toString("utf8"), timedOut };
  };

  return {
    targetId,
    kind: "ssh",
    get isConnected() {
      return facts !== null;
    },
    connect: () => {
      if (isClosed) return Promise.reject(unreachableError(alias, "the executor is closed"));
      if (facts !== null) return Promise.resolve(facts);
      connecting ??= connect().finally(() => {
        connecting = null;
      });
      return connecting;
    },
    onDown: (listener) => {
      downListener = listener;
    },
    openChannel,
    run: (argv, options) => run('"$@"', argv, options),
    runTmux: async (call, options) => {
      const { look, argv } = guardedCall(call);
      return checkGuarded(call, await run(`{ ${look}; exec "$@"; }`, argv, options));
    },
    tmuxForTerminal: guardedCommand,
    hurry: () => {
      if (isUp) spares.hurry();
    },
    files: createSshFiles(remote),
    homeDir: () =>
      facts === null
        ? Promise.reject(unreachableError(alias, "there is no connection"))
        : Promise.resolve(facts.homeDir),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      spares.drop();
      // The rest of an abandoned attempt is not awaited.
      if (connecting !== null) await transport.disconnect();
      await connecting?.catch(() => {});
      await Promise.all([...channels].map((channel) => channel.close()));
      isUp = false;
      facts = null;
      await transport.disconnect();
    },
  };
};
