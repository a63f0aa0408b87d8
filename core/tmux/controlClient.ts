// One life of one control-mode client: sends batches one after another, gives each its answers, and passes the pushed
// notifications on. It decides nothing about restarts; its owner hears once that it ended.
import { createFloodGuard } from "../engine/floodGuard.ts";
import type { Clock } from "../ports/clock.ts";
import type { LineProcess } from "../ports/targetExecutor.ts";
import { markerOf, parseControlTranscript, type CommandAnswer } from "./transcript.ts";

const ANSWER_TIMEOUT_MS = 5_000;
/** Of an answer: the largest listings and screens take a tenth of it. */
const MAX_TRANSCRIPT_LENGTH = 16 * 1024 * 1024;
/** What a line takes beside its text. */
const LINE_COST = 32;

export interface ControlClient {
  readonly pid: number | undefined;
  /** Answers of the lines, in order. Rejects when the client ends, does not answer within 5 s or answers nonsense; it is ended then. */
  send(lines: readonly string[]): Promise<CommandAnswer[]>;
  /** Ends it and resolves when the process is gone. */
  close(): Promise<void>;
}

interface Batch {
  lines: readonly string[];
  nonce: string;
  received: string[];
  receivedLength: number;
  resolve: (answers: CommandAnswer[]) => void;
  reject: (error: Error) => void;
}

export const createControlClient = (options: {
  process: LineProcess;
  clock: Clock;
  makeNonce: () => string;
  onNotification: (line: string) => void;
  onEnd: (reason: string) => void;
}): ControlClient => {
  const { process, clock, makeNonce, onNotification, onEnd } = options;
  const waiting: Batch[] = [];
  const guard = createFloodGuard();
  let current: Batch | null = null;
  let cancelTimer: (() => void) | null = null;
  let endReason: string | null = null;
  /** tmux's own `%exit` says more than the exit status 0 that follows. */
  let exitLine: string | null = null;

  const end = (reason: string): void => {
    if (endReason !== null) return;
    endReason = reason;
    cancelTimer?.();
    for (const batch of [...(current === null ? [] : [current]), ...waiting.splice(0)])
      batch.reject(new Error(`tmux control client ended: ${reason}`));
    current = null;
    onEnd(reason);
    void process.close();
  };
  /** It writes what it should not: nothing of it is read any more. */
  const giveUp = (reason: string): void => {
    process.abort(reason);
    end(reason);
  };
  const sendNext = (): void => {
    const batch = waiting.shift() ?? null;
    current = batch;
    if (batch === null) return;
    cancelTimer = clock.setTimer(ANSWER_TIMEOUT_MS, () => end(`no answer within ${ANSWER_TIMEOUT_MS} ms`));
    const markers = batch.lines.map(
      (line, index) => `display-message -p ${markerOf(batch.nonce, index)}\n${line}\n`,
    );
    process.write(`${markers.join("")}display-message -p ${markerOf(batch.nonce, batch.lines.length)}\n`);
  };
  const finish = (batch: Batch): void => {
    cancelTimer?.();
    const parsed = parseControlTranscript(batch.received, batch.nonce, batch.lines.length);
    if (parsed === null) {
      end("an answer was not of the control protocol's form");
      return;
    }
    current = null;
    batch.resolve(parsed.answers);
    for (const line of parsed.notifications) onNotification(line);
    sendNext();
  };

  process.onLine((line) => {
    if (endReason !== null) return;
    if (current === null) {
      if (!guard.allows(line.length + 1, clock.now())) {
        giveUp("tmux writes what nobody asked for");
        return;
      }
      // The end of the last marker's block comes here too; as a notification it means nothing.
      if (line === "%exit" || line.startsWith("%exit ")) exitLine = line;
      onNotification(line);
      return;
    }
    current.received.push(line);
    current.receivedLength += line.length + LINE_COST;
    if (line === markerOf(current.nonce, current.lines.length)) finish(current);
    else if (current.receivedLength > MAX_TRANSCRIPT_LENGTH) giveUp("tmux answered too much");
  });
  process.onExit((reason) => {
    exitLine ??= current?.received.findLast((line) => line.startsWith("%exit")) ?? null;
    end(exitLine === null ? reason : `${exitLine.slice(1)} (${reason})`);
  });

  return {
    pid: process.pid,
    send: (lines) =>
      new Promise((resolve, reject) => {
        if (endReason !== null) {
          reject(new Error(`tmux control client ended: ${endReason}`));
          return;
        }
        waiting.push({ lines, nonce: makeNonce(), received: [], receivedLength: 0, resolve, reject });
        if (current === null) sendNext();
      }),
    close: async () => {
      end("closed");
      await process.close();
    },
  };
};
