// One watched tmux server: answers batches of read-only commands through one control-mode client, or through one process
// per batch while there is none, and passes on hints that its topology may have changed. It never starts a server, never
// changes one, and knows nothing of what the answers mean.
import type { Clock, IdSource } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { RunResult, TargetExecutor } from "../ports/targetExecutor.ts";
import { ANCHOR_FORMAT, chooseAnchor, parseAnchorCandidates } from "./controlAnchor.ts";
import { createControlClient, type ControlClient } from "./controlClient.ts";
import { createControlRetry } from "./controlRetry.ts";
import { assertReadCommand, toControlLine, type ReadCommand } from "./readCommand.ts";
import type { WatchedServer } from "./servers.ts";
import { markerOf, parseProcessTranscript, type CommandAnswer } from "./transcript.ts";

const PROCESS_TIMEOUT_MS = 5_000;
/** What a batch may print: the largest listings and screens take a tenth of it. */
const MAX_BATCH_BYTES = 16 * 1024 * 1024;
/** A socket without a listener is tried again this often while its file does not change. */
const STALE_SOCKET_RETRY_MS = 10_000;
/** Hints that come together are told once. */
const HINT_COALESCE_MS = 20;
/** So many may follow each other closely; a server that goes on hinting makes nobody list without a pause. */
const MAX_CLOSE_HINTS = 20;
const HINT_PAUSE_MS = 250;
/** A batch is repeated without the failing command; beyond this many failures the rest is given up. */
const MAX_FAILED_COMMANDS = 16;

const HINT = /^%(?:unlinked-window-|sessions-changed|session-|window-|layout-change|pane-mode-changed)/;
const NO_SERVER =
  /no server running|server exited|lost server|\((?:No such file or directory|Connection refused)\)/;

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
  readonly mode: "control" | "polling";
  /** Why it is polling for longer than a moment; null while nothing is wrong. */
  readonly problem: string | null;
  /** Pid of our own control client, to leave it out where clients are shown; null without one. */
  readonly controlClientPid: number | null;
  /**
   * Attaches anew without the read-only flag, for good: some tmux versions (reported for 3.7b) take no keys from anybody while
   * the only client is a read-only one. Resolves when the old client is gone from the server.
   */
  allowKeys(): Promise<void>;
  /** Calls back when topology may have changed; returns its removal. Without a control client there are no hints. */
  onHint(listener: () => void): () => void;
  close(): Promise<void>;
}

export interface TmuxServerOptions extends WatchedServer {
  executor: TargetExecutor;
  tmuxPath: string;
  clock: Clock;
  ids: Pick<IdSource, "nonce">;
  logger: Logger;
}

export const createTmuxServer = (options: TmuxServerOptions): TmuxServer => {
  const { executor, tmuxPath, server, socketArgs, socketPath, clock, ids } = options;
  const logger = options.logger.child({ tmuxServer: server });
  // -u: otherwise a client without a UTF-8 locale gets underscores for everything that is not ASCII.
  const tmux = [tmuxPath, "-u", ...(options.label === undefined ? socketArgs : ["-L", options.label])];
  const retry = createControlRetry();
  const hintListeners = new Set<() => void>();
  let cancelHint: (() => void) | null = null;
  let closeHints = 0;
  let hintedAt = Number.NEGATIVE_INFINITY;
  let control: ControlClient | null = null;
  /** Started, but its first answer is not there yet. */
  let opening: ControlClient | null = null;
  let starting: Promise<void> | null = null;
  let unavailable: string | null = null;
  let isReadOnly = true;
  let stale: { mtimeMs: number; seenAt: number } | null = null;
  let isClosed = false;

  /** A pause without a hint makes up for one that was told. */
  const nextHintMs = (): number => {
    const now = clock.now();
    closeHints = Math.max(0, closeHints - Math.max(0, now - hintedAt) / HINT_PAUSE_MS) + 1;
    hintedAt = now;
    return closeHints > MAX_CLOSE_HINTS ? HINT_PAUSE_MS : HINT_COALESCE_MS;
  };
  const hint = (): void => {
    if (isClosed || cancelHint !== null) return;
    cancelHint = clock.setTimer(nextHintMs(), () => {
      cancelHint = null;
      for (const listener of hintListeners) listener();
    });
  };

  /** False when there is surely nobody to talk to, found without starting a process. */
  const isSocketWorthTrying = async (): Promise<boolean> => {
    const found = await executor.files.stat(socketPath);
    if (found === null) {
      stale = null;
      return false;
    }
    return (
      stale === null || stale.mtimeMs !== found.mtimeMs || clock.now() - stale.seenAt >= STALE_SOCKET_RETRY_MS
    );
  };
  const noteNoServer = async (): Promise<QueryResult> => {
    const found = await executor.files.stat(socketPath);
    stale = found === null ? null : { mtimeMs: found.mtimeMs, seenAt: clock.now() };
    return { status: "no_server" };
  };

  const openControl = async (): Promise<void> => {
    const listed = await executor.run([...tmux, "list-sessions", "-F", ANCHOR_FORMAT], {
      timeoutMs: PROCESS_TIMEOUT_MS,
    });
    const candidates = parseAnchorCandidates(listed.stdout);
    const anchor = chooseAnchor(candidates);
    unavailable =
      anchor === null && candidates.length > 0
        ? "every session would be kept alive by a control client (destroy-unattached or exit-unattached)"
        : null;
    if (anchor === null || isClosed) return;
    // -E: attaching must not replace the session's environment by ours.
    const clientFlags = `${isReadOnly ? "read-only," : ""}no-output,ignore-size`;
    const flags = ["-C", "attach-session", "-E", "-f", clientFlags, "-t", anchor];
    const startedAt = clock.now();
    const client = createControlClient({
      process: executor.start([...tmux, ...flags]),
      clock,
      makeNonce: () => ids.nonce(),
      onNotification: (line) => {
        if (HINT.test(line)) hint();
      },
      onEnd: (reason) => {
        if (control === client) control = null;
        if (isClosed) return;
        retry.ended(clock.now(), clock.now() - startedAt, reason);
        logger.info({ reason }, "tmux control client ended");
        hint();
      },
    });
    opening = client;
    try {
      // The first answer proves that it works; until then queries go through processes.
      await client.send([toControlLine(["display-message", "-p", "#{pid}"])]);
      control = client;
    } catch {
      // Its end was counted in onEnd.
    } finally {
      opening = null;
    }
  };
  const startControl = (): void => {
    if (isClosed || control !== null || starting !== null || !retry.mayStart(clock.now())) return;
    starting = openControl()
      .catch((error: unknown) => {
        retry.ended(clock.now(), 0, error instanceof Error ? error.message : String(error));
      })
      .finally(() => {
        starting = null;
      });
  };

  const runBatch = (commands: readonly ReadCommand[], nonce: string): Promise<RunResult> => {
    const argv = commands.flatMap((command, index) => [
      "display-message",
      "-p",
      markerOf(nonce, index),
      ";",
      ...command,
      ";",
    ]);
    return executor.run([...tmux, ...argv, "display-message", "-p", markerOf(nonce, commands.length)], {
      timeoutMs: PROCESS_TIMEOUT_MS,
      maxBytes: MAX_BATCH_BYTES,
    });
  };

  /** tmux ends a sequence at its first error, so what follows a failing command is asked for again. */
  const queryByProcess = async (commands: readonly ReadCommand[]): Promise<QueryResult> => {
    if (!(await isSocketWorthTrying())) return { status: "no_server" };
    const answers: CommandAnswer[] = [];
    for (let failed = 0; failed <= MAX_FAILED_COMMANDS && answers.length < commands.length; failed++) {
      const rest = commands.slice(answers.length);
      const nonce = ids.nonce();
      // oxlint-disable-next-line no-await-in-loop -- each round depends on how far the one before came
      const result = await runBatch(rest, nonce);
      const message = result.stderr.trim();
      if (result.timedOut)
        return { status: "error", problem: `tmux did not answer within ${PROCESS_TIMEOUT_MS} ms` };
      if (NO_SERVER.test(message)) return noteNoServer();
      const got = parseProcessTranscript(result.stdout, nonce, rest.length);
      answers.push(...got);
      if (got.length === rest.length) break;
      if (got.length === 0 && !result.stdout.includes(markerOf(nonce, 0)))
        return { status: "error", problem: `tmux: ${message === "" ? "no answer" : message}` };
      answers.push({ isOk: false, lines: message.split("\n") });
    }
    while (answers.length < commands.length)
      answers.push({ isOk: false, lines: ["not asked: too many failures"] });
    stale = null;
    startControl();
    return { status: "ok", answers, at: clock.now() };
  };

  return {
    targetId: executor.targetId,
    server,
    query: async (commands) => {
      for (const command of commands) assertReadCommand(command);
      if (isClosed) return { status: "error", problem: "the connection to the tmux server is closed" };
      if (control !== null) {
        try {
          const answers = await control.send(commands.map(toControlLine));
          return { status: "ok", answers, at: clock.now() };
        } catch {
          // Reading twice is harmless: the same batch goes through a process, which also tells why.
        }
      }
      try {
        return await queryByProcess(commands);
      } catch (error) {
        return { status: "error", problem: error instanceof Error ? error.message : String(error) };
      }
    },
    get mode() {
      return control === null ? "polling" : "control";
    },
    get problem() {
      return control === null ? (unavailable ?? retry.problem) : null;
    },
    get controlClientPid() {
      return control?.pid ?? null;
    },
    allowKeys: async () => {
      if (!isReadOnly || isClosed) return;
      isReadOnly = false;
      logger.warn({}, "tmux takes no keys beside a read-only client; ours is attached without that flag now");
      await Promise.all([control?.close(), opening?.close(), starting]);
      // One answer later the server has noticed that the client went.
      await executor.run([...tmux, "list-clients"], { timeoutMs: PROCESS_TIMEOUT_MS });
    },
    onHint: (listener) => {
      hintListeners.add(listener);
      return () => hintListeners.delete(listener);
    },
    close: async () => {
      isClosed = true;
      cancelHint?.();
      hintListeners.clear();
      await Promise.all([control?.close(), opening?.close(), starting]);
    },
  };
};
