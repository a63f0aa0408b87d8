// What `$TMUX` says of the process that has it: the tmux server and the session that it was started in.
import type { ServerInstance } from "../model/runtime.ts";

/** `$TMUX` of a process inside tmux: socket path, server pid, number of the session it was started in. */
export interface InsideTmux {
  socketPath: string;
  serverPid: number;
  sessionId: string;
}

/** Null for anything that tmux would not have written. The path may hold commas. */
export const parseInsideTmux = (text: string | null): InsideTmux | null => {
  const match = /^(\/.+),(\d+),(\d+)$/s.exec(text ?? "");
  return match === null
    ? null
    : { socketPath: match[1] ?? "", serverPid: Number(match[2]), sessionId: `$${match[3]}` };
};

const fileName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** By pid and file name: the same socket has several paths where /tmp is a symlink. */
export const isSameServer = (inside: InsideTmux, server: ServerInstance): boolean =>
  inside.serverPid === server.pid && fileName(inside.socketPath) === fileName(server.socketPath);
