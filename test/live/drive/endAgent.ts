// Ends an agent as the kernel would when memory runs out: every process below the pane's shell, by its id, without a word.
import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Pids below the given one, however deep, from the lines `pid ppid` of ps. */
export const pidsBelow = (root: number, lines: string): number[] => {
  const pairs = lines
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] =>
    pairs.flatMap(([pid = 0, ppid]) => (ppid === parent ? [pid, ...below(pid)] : []));
  return below(root);
};

export const endAgent = async (shellPid: string): Promise<void> => {
  const { stdout } = await promisify(execFile)("ps", ["-eo", "pid=,ppid="]);
  for (const pid of pidsBelow(Number(shellPid), stdout)) process.kill(pid, "SIGKILL");
};
