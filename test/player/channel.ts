// The line channel to a played agent: two FIFOs, so that the player needs nothing but a shell. Commands are answered in
// order; a player that is gone fails the commands that it has not answered.
import { execFile } from "node:child_process";
import { closeSync, constants, openSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface Channel {
  /** Resolves with the next line that the player sends unasked or as an answer, in order. */
  next(): Promise<string>;
  send(line: string): void;
  /** Fails every waiting `next` and all later ones. */
  fail(reason: Error): void;
  close(): void;
}

/** Makes the FIFOs `control` and `answers` in `folder` and opens this end of both. */
export const openChannel = async (folder: string): Promise<Channel> => {
  const [control, answers] = [join(folder, "control"), join(folder, "answers")];
  await run("mkfifo", ["-m", "600", control, answers]);
  // Read and write: opening neither waits for the player nor sees an end when it comes late.
  const controlFd = openSync(control, constants.O_RDWR | constants.O_NONBLOCK);
  const socket = new Socket({
    fd: openSync(answers, constants.O_RDWR | constants.O_NONBLOCK),
    readable: true,
    writable: false,
  });
  const received: string[] = [];
  const waiting: { resolve: (line: string) => void; reject: (reason: Error) => void }[] = [];
  let failure: Error | null = null;
  const lines = createInterface({ input: socket });
  lines.on("line", (line) => {
    const first = waiting.shift();
    if (first === undefined) received.push(line);
    else first.resolve(line);
  });
  const fail = (reason: Error): void => {
    failure ??= reason;
    for (const one of waiting.splice(0)) one.reject(reason);
  };
  return {
    next: () =>
      new Promise((resolve, reject) => {
        const line = received.shift();
        if (line !== undefined) resolve(line);
        else if (failure !== null) reject(failure);
        else waiting.push({ resolve, reject });
      }),
    send: (line) => void writeSync(controlFd, `${line}\n`),
    fail,
    close: () => {
      fail(new Error("the player's channel is closed"));
      lines.close();
      socket.destroy();
      closeSync(controlFd);
    },
  };
};
