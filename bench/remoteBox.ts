// A box that counts processes like a remote machine: everything that is started in it is in its own PID namespace, whose last
// pid tells exactly how many processes were started. Needs root on Linux; elsewhere there is no such box.
import { spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";

export interface RemoteBox {
  /** Runs a line of shell in the box; it must not wait for what it starts. */
  run(line: string): void;
  /** Processes (and threads) started in the box so far, without those that the question itself starts. */
  startedProcesses(): Promise<number>;
  /** Ends everything in it. */
  close(): Promise<void>;
}

const NAMESPACE = ["--pid", "--fork", "--mount-proc", "--kill-child"];
/** The namespace ends with its first process, and this process ends with its input. */
const INIT = 'while IFS= read -r line; do eval "$line"; done';

/** Null where this machine does not allow it. */
export const openRemoteBox = (): RemoteBox | null => {
  if (spawnSync("unshare", [...NAMESPACE, "true"]).status !== 0) return null;
  const child = spawn("unshare", [...NAMESPACE, "sh", "-c", INIT], { stdio: ["pipe", "pipe", "inherit"] });
  const gone = new Promise<void>((done) => child.once("exit", () => done()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let asked = 0;
  const run = (line: string): void => {
    child.stdin.write(`${line}\n`);
  };
  return {
    run,
    startedProcesses: async () => {
      // A shell's own `read` gets no more than the first digit of this file.
      run("cat /proc/sys/kernel/ns_last_pid");
      asked += 1;
      const { value } = await lines.next();
      return Number(value) - asked;
    },
    close: async () => {
      child.stdin.end();
      await gone;
    },
  };
};
