// The one way in which anything here calls tmux on a server: by the tmux program where the server is the person's own, checked
// before each call; else over a connection of agtmux's own, which opens no file and runs no command whatever the server says.
// A server can make the tmux program do both, as whoever runs it. It does not know what the answers mean.
import { dirname } from "node:path/posix";
import { AgtmuxError } from "../model/errors.ts";
import type { Clock } from "../ports/clock.ts";
import type {
  FoundSocket,
  RunResult,
  SocketRule,
  TargetExecutor,
  TmuxCall,
} from "../ports/targetExecutor.ts";
import { askProtocol, askServer, PROTOCOL, type DirectAnswer } from "./askServer.ts";
import type { VersionKnowledge } from "./findTmux.ts";
import type { TmuxSocket } from "./servers.ts";

interface TmuxCallOptions {
  timeoutMs: number;
  maxBytes?: number;
  /** The input of the one command that reads `-`. */
  stdin?: string;
  /** A server is started where none is; only for a command that makes a session. */
  mayStart?: boolean;
}

/** Limits on reading from a server of another user. */
const SHARED_BYTES = 16 * 1024 * 1024;
const SHARED_MS = 5_000;

export interface TmuxCalls {
  readonly server: string;
  readonly socketPath: string;
  /**
   * `words` as in the arguments of tmux, behind the options that choose a server. Where no server runs, the answer is tmux's own.
   * @throws AgtmuxError E_SOCKET_UNSAFE where the server is not the person's own and cannot be asked in another way,
   *   E_TARGET_UNREACHABLE where another user's does not answer as tmux does.
   */
  run(words: readonly string[], options: TmuxCallOptions): Promise<RunResult>;
  /**
   * A command that a terminal of the person becomes; it checks the socket once more by itself.
   * @throws AgtmuxError E_SOCKET_UNSAFE where the server is not the person's own.
   */
  forTerminal(words: readonly string[]): Promise<string[]>;
  /** What lies at the socket's path now; null: nothing. Undefined where that cannot be seen from here. */
  find(): Promise<FoundSocket | null | undefined>;
  /** Over a connection of our own: only for versions that were tried out, or whose server says that it speaks the same protocol. */
  ask(words: readonly string[], options: TmuxCallOptions): Promise<DirectAnswer>;
  /** The protocol that the server says it speaks, which any version of tmux may be asked; null: it does not say so. */
  protocol(timeoutMs: number): Promise<number | null>;
}

const unsafe = (path: string, doubt: string, remedy: string): AgtmuxError =>
  new AgtmuxError("E_SOCKET_UNSAFE", `the tmux server at ${path} is not the person's own: ${doubt}`, {
    remedy,
  });

export const createTmuxCalls = (deps: {
  executor: TargetExecutor;
  tmuxPath: string;
  /** Of the program's version: the nearest to that of another user's server that can be known without asking it. */
  knowledge: () => Promise<VersionKnowledge>;
  socket: TmuxSocket;
  clock: Clock;
}): TmuxCalls => {
  const { executor, tmuxPath, knowledge, socket, clock } = deps;
  const { server, socketPath, label } = socket;
  const { sockets } = executor;
  const rule: SocketRule = label === undefined ? "trusted" : "person";

  const find: TmuxCalls["find"] = async () =>
    sockets === undefined ? undefined : sockets.find(socketPath, rule);
  const callOf = (words: readonly string[], mayStart: boolean): TmuxCall => ({
    program: tmuxPath,
    socketPath,
    rule,
    words,
    mayStart,
  });
  // Otherwise a client without a UTF-8 locale gets underscores for everything that is not ASCII.
  const inUtf8 = (words: readonly string[]): string[] => ["-u", ...words];
  /** tmux makes its folder where it is missing, and takes /tmp where the one around it is. */
  const checkAround = async (): Promise<void> => {
    const around = dirname(dirname(socketPath));
    if ((await executor.files.stat(around)) !== null) return;
    throw new AgtmuxError("E_USAGE", `there is no folder ${around} for tmux's sockets`, {
      remedy: "Make it, or change TMUX_TMPDIR and run 'agtmux daemon stop'.",
    });
  };
  const runProgram = async (
    words: readonly string[],
    { mayStart = false, ...options }: TmuxCallOptions,
  ): Promise<RunResult> => {
    if (label === undefined) return executor.runTmux(callOf(inUtf8(words), mayStart), options);
    if (mayStart) await checkAround();
    // tmux checks the folder itself.
    return executor.run([tmuxPath, "-L", label, ...inUtf8(words)], options);
  };

  const ask: TmuxCalls["ask"] = async (words, { timeoutMs, maxBytes = SHARED_BYTES, stdin }) => {
    if (sockets === undefined) return { status: "unfit", problem: "its socket cannot be reached" };
    return askServer({
      connect: () => sockets.connect(socketPath),
      words,
      stdin,
      clock,
      timeoutMs,
      maxBytes,
    });
  };
  const protocol: TmuxCalls["protocol"] = async (timeoutMs) =>
    sockets === undefined
      ? null
      : askProtocol({ connect: () => sockets.connect(socketPath), clock, timeoutMs });
  /** The last server of another user that said its protocol. */
  let heard: { identity: string; protocol: number } | null = null;
  const maySend = async ({ identity }: FoundSocket, timeoutMs: number): Promise<boolean> => {
    switch (await knowledge()) {
      case "older":
        return false;
      case "tested":
        return true;
      case "untried":
        if (heard?.identity !== identity) {
          const said = await protocol(Math.min(timeoutMs, SHARED_MS));
          heard = said === null ? null : { identity, protocol: said };
        }
        return heard?.protocol === PROTOCOL;
    }
  };
  const askShared = async (words: readonly string[], options: TmuxCallOptions): Promise<RunResult> => {
    const { timeoutMs, maxBytes = SHARED_BYTES, stdin } = options;
    const answer = await ask(words, {
      timeoutMs: Math.min(timeoutMs, SHARED_MS),
      maxBytes: Math.min(maxBytes, SHARED_BYTES),
      ...(stdin === undefined ? {} : { stdin }),
    });
    switch (answer.status) {
      case "answered":
        return answer;
      case "refused":
        return { exitCode: 1, stdout: "", stderr: `no server running on ${socketPath}\n`, timedOut: false };
      case "unfit":
        throw new AgtmuxError("E_TARGET_UNREACHABLE", `the tmux server ${server}: ${answer.problem}`);
    }
  };

  /** @throws AgtmuxError E_SOCKET_UNSAFE */
  const refuse = (doubt: string): never => {
    if (label !== undefined)
      throw unsafe(
        socketPath,
        doubt,
        `Remove ${dirname(socketPath)} if it is not yours; nothing was sent there.`,
      );
    throw unsafe(
      socketPath,
      `${doubt}; only tmux 3.2a and newer with protocol ${PROTOCOL} can be asked without the tmux program`,
      "Nothing was sent there.",
    );
  };

  return {
    server,
    socketPath,
    find,
    ask,
    protocol,
    run: async (words, options) => {
      const found = await find();
      if (found === undefined || (options.mayStart === true && found === null))
        return runProgram(words, options);
      if (found === null)
        return { exitCode: 1, stdout: "", stderr: `no server running on ${socketPath}\n`, timedOut: false };
      if (found.doubt === null) return runProgram(words, options);
      if (label !== undefined || !(await maySend(found, options.timeoutMs))) return refuse(found.doubt);
      return askShared(words, options);
    },
    forTerminal: async (words) => {
      const found = await find();
      if (found !== undefined && found !== null && found.doubt !== null)
        throw unsafe(
          socketPath,
          found.doubt,
          "A terminal of yours would do what that server says. If you trust its owner, attach to it yourself.",
        );
      // The remote side of a terminal that speaks UTF-8 need not have a locale that says so.
      const all = executor.kind === "ssh" ? inUtf8(words) : words;
      if (label === undefined) return executor.tmuxForTerminal(callOf(all, false));
      return ["env", `TMUX_TMPDIR=${dirname(dirname(socketPath))}`, tmuxPath, "-L", label, ...all];
    },
  };
};
