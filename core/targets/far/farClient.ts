// A tmux control client that the far shell keeps in the background: its input is a pipe of the shell, its output the
// channel's stderr. A shell has one at a time.
import type { LineProcess } from "../../ports/targetExecutor.ts";
import { quoteArgv } from "../quote.ts";
import type { FarShell } from "./farShell.ts";

/** A login shell may come before it, where the shell is a new one. */
const START_TIMEOUT_MS = 15_000;

/**
 * The named pipes exist for the moment of the start only. Opening one for reading waits for the writer and the other way
 * round, so neither can be missed; file descriptor 5 of the shell is the client's input from then on. Nothing of it may end
 * the shell: a full disk only means that there is no client. 6 is there to be closed with the shell, however that ends, and
 * then the client is killed: tmux 3.3a was seen to wait for ever for somebody to take its last output when the connection
 * broke in the middle of it.
 */
const startScript = (argv: readonly string[], mark: string): string =>
  [
    'if k=$(mktemp -d "${TMPDIR:-/tmp}/agtmux.XXXXXX"); then if mkfifo -m 600 "$k/in" "$k/up"; then',
    `{ ${quoteArgv(argv)} <&3 3<&- 6<&- >&4 2>&4 & c=$!`,
    '{ read -r x; kill -KILL "$c"; } <&6 6<&- 3<&- >/dev/null 2>&1 4>&- & w=$!',
    `wait "$c"; s=$?; kill "$w"; printf '\\n%s %s\\n' ${mark} "$s" >&4; } 3<"$k/in" 6<"$k/up" &`,
    'exec 5>"$k/in" 6>"$k/up"; rm -rf "$k"; true; else rm -rf "$k"; false; fi; else false; fi',
  ].join("\n");
/** Its input is closed, and tmux ends at once then. */
const END_TIMEOUT_MS = 10_000;
/** Before anybody listens. */
const MAX_EARLY_LINES = 1_000;

const STOP_SCRIPT = "exec 5>&- 6>&-";

export const startFarClient = (
  shell: FarShell,
  argv: readonly string[],
  makeNonce: () => string,
  onGone: () => void,
): LineProcess => {
  const mark = `agtmux-end-${makeNonce()}`;
  let lineListener: ((line: string) => void) | null = null;
  let early: string[] = [];
  let exitListener: ((reason: string) => void) | null = null;
  let exitReason: string | null = null;
  const gone = Promise.withResolvers<void>();

  const finish = (reason: string): void => {
    if (exitReason !== null) return;
    exitReason = reason;
    shell.onBackgroundLine(null);
    shell.tell(STOP_SCRIPT);
    onGone();
    exitListener?.(reason);
    gone.resolve();
  };
  shell.onBackgroundLine((line) => {
    if (exitReason !== null) return;
    if (line.startsWith(`${mark} `)) finish(`exit status ${line.slice(mark.length + 1)}`);
    else if (lineListener !== null) lineListener(line);
    else if (early.push(line) > MAX_EARLY_LINES) shell.fail("its tmux client writes what nobody asked for");
  });
  shell.onClose((reason) => finish(`the channel ended: ${reason}`));
  // What is told is not held up by questions that wait for their turn; so nothing is told before the pipe is there.
  const started = shell.ask(startScript(argv, mark), { timeoutMs: START_TIMEOUT_MS }).then(
    ({ status }) => {
      if (status !== 0) finish("no named pipe could be made in the target's folder for temporary files");
    },
    (error: unknown) => finish(error instanceof Error ? error.message : String(error)),
  );
  const tell = (script: string): void => {
    void started.then(() => {
      if (exitReason === null) shell.tell(script);
    });
  };
  return {
    pid: undefined,
    write: (text) => tell(`printf %s ${quoteArgv([text])} >&5`),
    onLine: (listener) => {
      lineListener = listener;
      for (const line of early.splice(0)) listener(line);
    },
    onExit: (listener) => {
      exitListener = listener;
      if (exitReason !== null) listener(exitReason);
    },
    abort: (reason) => shell.fail(reason),
    close: async () => {
      if (exitReason !== null) return;
      tell("exec 5>&-");
      const timer = setTimeout(() => shell.fail("its tmux client does not end"), END_TIMEOUT_MS);
      await gone.promise;
      clearTimeout(timer);
    },
  };
};
