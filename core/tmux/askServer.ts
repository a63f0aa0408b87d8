// Sends one list of commands to a tmux server over the server's own socket, as `tmux` would: over a connection that attaches to
// nothing and ends with the answer. It starts no process and no server.
import { StringDecoder } from "node:string_decoder";
import type { Clock } from "../ports/clock.ts";
import type { RunResult, SocketConnection } from "../ports/targetExecutor.ts";
import { createServerReader, encodeInput, encodeRequest, type ServerSaid } from "./serverProtocol.ts";

/** `refused`: nobody listens. `unfit`: the server's messages are not understood, so the tmux program has to ask it. */
export type DirectAnswer =
  | ({ status: "answered" } & RunResult)
  | { status: "refused" }
  | { status: "unfit"; problem: string };

const NOBODY = /ENOENT|ECONNREFUSED/;

/**
 * `words` as in the arguments of tmux: commands with a lone `;` between them. `stdin`: the input of the one command that reads it;
 * the server gets it once, if it asks for it, and nothing else of this machine. Rejects only a list that is too long.
 */
export const askServer = async (options: {
  connect: () => SocketConnection;
  words: readonly string[];
  stdin?: string | undefined;
  clock: Pick<Clock, "setTimer">;
  timeoutMs: number;
  maxBytes: number;
}): Promise<DirectAnswer> => {
  const { clock, timeoutMs, maxBytes } = options;
  const request = encodeRequest(options.words);
  const { promise, resolve } = Promise.withResolvers<DirectAnswer>();
  const connection = options.connect();
  const read = createServerReader();
  const output = { stdout: "", stderr: "" };
  const decoders = { stdout: new StringDecoder("utf8"), stderr: new StringDecoder("utf8") };
  let received = 0;
  let { stdin } = options;

  const settle = (answer: DirectAnswer): void => {
    cancelTimer();
    resolve(answer);
    connection.close();
  };
  const answered = (exitCode: number | null, timedOut: boolean): DirectAnswer => ({
    status: "answered",
    exitCode,
    stdout: output.stdout + decoders.stdout.end(),
    stderr: output.stderr + decoders.stderr.end(),
    timedOut,
  });
  const cancelTimer = clock.setTimer(timeoutMs, () => settle(answered(null, true)));
  const hear = (said: ServerSaid): void => {
    switch (said.kind) {
      case "open":
        connection.write(said.reply);
        break;
      case "input":
        if (stdin === undefined)
          settle({ status: "unfit", problem: "the tmux server asks for what it was not given" });
        else connection.write(encodeInput(said.stream, stdin));
        stdin = undefined;
        break;
      case "output": {
        const stream = said.isError ? "stderr" : "stdout";
        output[stream] += decoders[stream].write(said.bytes);
        break;
      }
      case "end":
        settle(answered(said.exitCode, false));
        break;
      case "nothing":
        break;
    }
  };
  connection.onData((chunk) => {
    received += chunk.length;
    const all = received > maxBytes ? null : read(chunk);
    if (all === null) settle({ status: "unfit", problem: "what the tmux server says is not understood" });
    else for (const said of all) hear(said);
  });
  connection.onClose((reason) =>
    settle(
      NOBODY.test(reason)
        ? { status: "refused" }
        : { status: "unfit", problem: `the tmux server closed the connection: ${reason}` },
    ),
  );
  connection.write(request);
  return promise;
};
