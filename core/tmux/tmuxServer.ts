// One watched tmux server: answers batches of read-only commands, over the server's own socket where that can be reached, else
// by one tmux process per batch (`tmuxCalls.ts`). It attaches nothing to the server and leaves nothing there between two batches,
// so nobody there notices it. It never starts or changes a server, and does not know what the answers mean.
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { RunResult, TargetExecutor } from "../ports/targetExecutor.ts";
import { PROTOCOL } from "./askServer.ts";
import { knowledgeOf, parseTmuxVersion, tellsPaneOutput } from "./findTmux.ts";
import {
  isGone,
  LOOK_HOOKS,
  lookScript,
  assertReadCommand,
  type ReadCommand,
  parseTranscript,
  type CommandAnswer,
} from "./tmuxCommand.ts";
import type { TmuxCalls } from "./tmuxCalls.ts";
import { createSemaphore } from "../engine/semaphore.ts";

const TIMEOUT_MS = 5_000;
/** A server says its protocol without doing anything else. */
const PROTOCOL_LIMIT_MS = 1_000;
/** Most bytes that a batch may print; the largest listings and screens take a tenth of this. */
const MAX_BYTES = 16 * 1024 * 1024;
/** While its file does not change, a socket without a listener is tried again this often, and one where somebody hung up. */
const STALE_SOCKET_RETRY_MS = 10_000;
const HUNG_UP_RETRY_MS = 2_000;
/** Batches that are sent to one server at once. */
const AT_ONCE = 4;

const NO_SERVER =
  /no server running|server exited|lost server|\((?:No such file or directory|Connection refused)\)/;
/**
 * Also what a tmux program before 3.6 says of a server since 3.6, which closes the connection: with the same protocol they differ in
 * how a message says that a file comes with it (`imsg.h`; tried with 3.3a and 3.7c). Messages of ours have none.
 */
const HUNG_UP = /server exited|lost server/;
const OTHER_VERSION =
  'a server is there, but the tmux program cannot talk to it: they are of different versions. Set "tmux_path" in config.json to the program that started the server';
const HOOKED = `a hook is set that tmux would run with every look (${LOOK_HOOKS.join(", ")}): this server is left alone until it is unset`;

/**
 * What a server of a version that was not tried out has to say alike over its socket and to the tmux program: text beyond ASCII,
 * which server it is, and every pane. Nothing of it moves while panes only print.
 */
const SAMPLE: readonly ReadCommand[] = [
  ["display-message", "-p", "ü─語 #{pid} #{start_time} #{socket_path}"],
  ["list-panes", "-a", "-F", "#{session_id} #{window_id} #{pane_id} #{pane_pid} #{pane_tty} #{session_name}"],
];

/** `at`: when the answer arrived, on the clock. `no_server` is a normal answer. */
export type QueryResult =
  | { status: "ok"; answers: readonly CommandAnswer[]; at: number }
  | { status: "no_server" }
  | { status: "error"; problem: string };

export interface TmuxServer {
  readonly targetId: string;
  readonly server: string;
  /** Runs constant read-only commands; throws for any other. One failing command does not affect the others. */
  query(commands: readonly ReadCommand[]): Promise<QueryResult>;
  /** How it is asked: over its socket, or by a process each time. */
  readonly mode: "direct" | "polling";
  /** It belongs to another user: what it says of itself may be untrue. */
  readonly isShared: boolean;
  /** It tells when each pane printed last, and not only when something in its window did. */
  readonly tellsPaneOutput: boolean;
  /** Why the tmux program asks although the socket can be reached and the version is not too old; null while nothing is wrong. */
  readonly problem: string | null;
  close(): Promise<void>;
}

const FAILURES_ALLOWED = 2;
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 600_000;

interface DirectRetry {
  mayAsk(now: number): boolean;
  worked(): void;
  failed(now: number, reason: string): void;
  /** Why the tmux program asks instead, for `doctor`; null while nothing is wrong. */
  readonly problem: string | null;
}

/**
 * When a server may be asked over its socket again after a failure. A server of another kind will not change, so after two failures
 * the tmux program asks instead, the mode says so, and the socket is tried again only rarely.
 */
const createDirectRetry = (): DirectRetry => {
  let failures = 0;
  let pauseMs = FIRST_PAUSE_MS;
  let resumeAt = 0;
  let problem: string | null = null;
  return {
    mayAsk: (now) => now >= resumeAt,
    worked: () => {
      failures = 0;
      pauseMs = FIRST_PAUSE_MS;
      problem = null;
    },
    failed: (now, reason) => {
      failures += 1;
      if (failures < FAILURES_ALLOWED) return;
      problem = reason;
      resumeAt = now + pauseMs;
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    },
    get problem() {
      return problem;
    },
  };
};

const SHARED_LIMIT_MS = 1_000;
/** A server of another user may take this share of our time, answers within QUICK_MS aside: it could keep all others waiting. */
const SHARED_SHARE = 0.1;
const SHARED_SAVED_MS = 2_000;
const QUICK_MS = 100;
const SLOW = "it belongs to another user and answers slowly: it is asked less often";

/** Whether another user's server may be asked now, by how long it took before. */
const createPatience = (now: () => number) => {
  let [leftMs, at] = [SHARED_SAVED_MS, now()];
  return {
    isLeft: (): boolean => {
      leftMs = Math.min(SHARED_SAVED_MS, leftMs + (now() - at) * SHARED_SHARE);
      at = now();
      return leftMs > 0;
    },
    spend: (tookMs: number): void => {
      leftMs -= Math.max(0, tookMs - QUICK_MS);
    },
  };
};

export const createTmuxServer = (options: {
  executor: TargetExecutor;
  calls: TmuxCalls;
  clock: Clock;
  /** Hex digits that nobody can guess. */
  makeNonce: () => string;
  logger: Logger;
}): TmuxServer => {
  const { executor, calls, clock, makeNonce } = options;
  const { server, socketPath } = calls;
  const logger = options.logger.child({ tmuxServer: server });
  const retry = createDirectRetry();
  const patience = createPatience(() => clock.now());
  const semaphore = createSemaphore(AT_ONCE);
  /**
   * The server of the person that last answered the tmux program: its socket, and who asks it. A message of ours might end a server
   * of another version than those that were tried out; `compare`: it is to be seen whether both may ask.
   */
  let known: {
    socket: string;
    by: "socket" | "program" | "compare";
    tellsPaneOutput: boolean;
  } | null = null;
  let isComparing = false;
  /** It belongs to another user, and answers over a connection of ours. */
  let isShared = false;
  /** A socket at which no server answered. One that ends hangs up, too, but only once. */
  let stale: { socket: string; seenAt: number; hasHungUp: boolean; answer: QueryResult } | null = null;
  let isClosed = false;

  /** What is surely still so at a socket where no server answered, found without starting a process; null: it is to be asked. */
  const staleAnswer = (socket: string): QueryResult | null => {
    if (stale?.socket !== socket) return null;
    const pauseMs = stale.hasHungUp ? HUNG_UP_RETRY_MS : STALE_SOCKET_RETRY_MS;
    return clock.now() - stale.seenAt < pauseMs ? stale.answer : null;
  };

  const run = (words: readonly string[]): Promise<RunResult> =>
    calls.run(words, { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
  const runShared = async (words: readonly string[]): Promise<RunResult> => {
    const startedAt = clock.now();
    try {
      return await calls.run(words, { timeoutMs: SHARED_LIMIT_MS, maxBytes: MAX_BYTES });
    } finally {
      patience.spend(clock.now() - startedAt);
    }
  };
  /** Null: nobody listens, or the tmux program has to ask. */
  const runDirectly = async (words: readonly string[], socket: string): Promise<RunResult | null> => {
    if (known?.by !== "socket" || !retry.mayAsk(clock.now())) return null;
    if (socket !== known.socket) {
      known = null;
      return null;
    }
    const answer = await calls.ask(words, { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
    switch (answer.status) {
      case "answered":
        if (!answer.timedOut) retry.worked();
        return answer;
      case "refused":
        known = null;
        return null;
      case "unfit":
        if (!isClosed) {
          retry.failed(clock.now(), answer.problem);
          logger.info({ reason: answer.problem }, "the tmux server could not be asked directly");
        }
        return null;
    }
  };

  const readAnswers = (
    { stdout, stderr, timedOut }: RunResult,
    nonce: string,
    commands: readonly ReadCommand[],
  ): QueryResult => {
    if (timedOut)
      return {
        status: "error",
        problem: `tmux did not answer within ${isShared ? SHARED_LIMIT_MS : TIMEOUT_MS} ms`,
      };
    const found = parseTranscript(stdout, nonce, commands.length);
    const message = stderr.trim();
    if (found === null && stdout === "" && message === "") return { status: "error", problem: HOOKED };
    if (found === null)
      return { status: "error", problem: `tmux: ${message === "" ? "no answer" : message}` };
    const answers = found.map((lines, index) =>
      isGone(lines, nonce)
        ? { isOk: false, lines: [`the pane is gone: ${commands[index]?.join(" ")}`] }
        : { isOk: true, lines },
    );
    return { status: "ok", answers, at: clock.now() };
  };
  /** `socket` was noted before tmux was asked, because another server may take its place afterwards. */
  const learnVersion = async (socket: string): Promise<void> => {
    if (known !== null || isShared) return;
    const nonce = makeNonce();
    const asked: ReadCommand[] = [["display-message", "-p", "#{version}"]];
    const result = readAnswers(await run(lookScript(asked, nonce)), nonce, asked);
    if (result.status !== "ok") return;
    const version = parseTmuxVersion(`tmux ${result.answers[0]?.lines[0] ?? ""}`);
    const ways = { tested: "socket", untried: "compare", older: "program" } as const;
    known = { socket, by: ways[knowledgeOf(version)], tellsPaneOutput: tellsPaneOutput(version) };
  };
  /** What is at the socket's path now, noted before it is asked: one that takes its place meanwhile was not tried yet. */
  const look = async (): Promise<{ socket: string; isLocal: boolean } | null> => {
    const found = await calls.find();
    if (found !== undefined) {
      isShared = found !== null && found.doubt !== null;
      return found === null ? null : { socket: found.identity, isLocal: true };
    }
    const stat = await executor.files.stat(socketPath);
    return stat === null ? null : { socket: String(stat.mtimeMs), isLocal: false };
  };
  /** Why our own connection cannot be trusted with the server; null: what it says there is what it says to the tmux program. */
  const whyNotDirect = async (nonce: string, byProgram: QueryResult): Promise<string | null> => {
    const protocol = await calls.protocol(PROTOCOL_LIMIT_MS);
    if (protocol === null) return "it does not say which protocol it speaks";
    if (protocol !== PROTOCOL) return `it speaks protocol ${protocol} of tmux, and only ${PROTOCOL} is known`;
    const answer = await calls.ask(lookScript(SAMPLE, nonce), { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
    if (answer.status === "refused") return "it takes no connection of ours";
    if (answer.status === "unfit") return answer.problem;
    const bySocket = readAnswers(answer, nonce, SAMPLE);
    const textOf = (result: QueryResult): string =>
      result.status === "ok" ? JSON.stringify(result.answers) : result.status;
    return textOf(bySocket) === textOf(byProgram)
      ? null
      : "over its socket it says something else than to the tmux program";
  };
  /** Asks both once, where it is due. Panes that come or go meanwhile make a difference, so it is tried again as after a failure. */
  const compare = async (socket: string): Promise<void> => {
    if (known?.by !== "compare" || isComparing || !retry.mayAsk(clock.now())) return;
    isComparing = true;
    try {
      const nonce = makeNonce();
      const byProgram = readAnswers(await run(lookScript(SAMPLE, nonce)), nonce, SAMPLE);
      // Another server may be there by now.
      const found = await look();
      if (byProgram.status !== "ok" || isShared || found?.socket !== socket) return;
      const reason = await whyNotDirect(nonce, byProgram);
      if (isClosed || known?.socket !== socket) return;
      if (reason === null) {
        known = { ...known, by: "socket" };
        retry.worked();
      } else {
        retry.failed(clock.now(), reason);
        logger.info({ reason }, "the tmux server of an untried version is asked by the tmux program");
      }
    } finally {
      isComparing = false;
    }
  };
  const queryOnce = async (commands: readonly ReadCommand[]): Promise<QueryResult> => {
    const nonce = makeNonce();
    const words = lookScript(commands, nonce);
    const found = await look();
    const unasked = found === null ? null : staleAnswer(found.socket);
    if (found === null || unasked !== null) {
      known = null;
      return unasked ?? { status: "no_server" };
    }
    if (isShared && !patience.isLeft()) return { status: "error", problem: SLOW };
    if (isShared) known = null;
    const direct = isShared ? null : await runDirectly(words, found.socket);
    if (direct !== null) return readAnswers(direct, nonce, commands);
    const result = await (isShared ? runShared(words) : run(words));
    if (!result.timedOut && NO_SERVER.test(result.stderr)) {
      known = null;
      const hasHungUp = HUNG_UP.test(result.stderr);
      const isThere = hasHungUp && stale?.socket === found.socket && stale.hasHungUp;
      const answer: QueryResult = isThere
        ? { status: "error", problem: OTHER_VERSION }
        : { status: "no_server" };
      stale = { socket: found.socket, seenAt: clock.now(), hasHungUp, answer };
      return answer;
    }
    stale = null;
    const answers = readAnswers(result, nonce, commands);
    if (answers.status !== "ok" || !found.isLocal) return answers;
    await learnVersion(found.socket);
    await compare(found.socket);
    return answers;
  };

  return {
    targetId: executor.targetId,
    server,
    query: async (commands) => {
      for (const command of commands) assertReadCommand(command);
      try {
        return await semaphore.run(async () =>
          isClosed
            ? { status: "error", problem: "the connection to the tmux server is closed" }
            : queryOnce(commands),
        );
      } catch (error) {
        return { status: "error", problem: error instanceof Error ? error.message : String(error) };
      }
    },
    get mode() {
      return isShared || (known?.by === "socket" && retry.problem === null) ? "direct" : "polling";
    },
    get isShared() {
      return isShared;
    },
    get tellsPaneOutput() {
      return known?.tellsPaneOutput === true;
    },
    get problem() {
      return retry.problem;
    },
    close: () => {
      isClosed = true;
      return Promise.resolve();
    },
  };
};
