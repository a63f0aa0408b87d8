// Which agent makes a call, if one does: agents do not allow themselves what only a person may allow. The processes that the daemon
// found at the other end decide, never what they say. A process that an agent has detached from itself gets around this
// (docs/security.md).
import { AgtmuxError } from "../model/errors.ts";
import type { ProcessInfo } from "../model/runtime.ts";
import type { AgentAdapter } from "./agentAdapter.ts";
import type { Caller } from "./feature.ts";
import type { TargetExecutor } from "./targetExecutor.ts";

const TIMEOUT_MS = 5_000;
const ROW = /^\s*(\d+)\s+(\d+)\s+(\S.*)$/;

const parseRow = (line: string): ProcessInfo[] => {
  const [, pid, ppid, args = ""] = ROW.exec(line) ?? [];
  if (pid === undefined || ppid === undefined) return [];
  const [program = ""] = args.split(" ", 1);
  const comm = program.slice(program.lastIndexOf("/") + 1);
  return [{ pid: Number(pid), ppid: Number(ppid), comm, args, startedAt: 0 }];
};

/** The process and all above it. */
const lineOf = (pid: number, byPid: ReadonlyMap<number, ProcessInfo>): ProcessInfo[] => {
  const line: ProcessInfo[] = [];
  for (let at = byPid.get(pid); at !== undefined && !line.includes(at); at = byPid.get(at.ppid))
    line.push(at);
  return line;
};

/**
 * A process as it is, and as its program alone: with their arguments, adapters leave out what no row stands for, but an agent also
 * runs commands from a server, a worker, or without a pane.
 */
const programsOf = (one: ProcessInfo): ProcessInfo[] => {
  const [program = "", script = ""] = one.args.split(" ", 2);
  return [one.args, program, one.comm, `${program} ${script}`].map((args) => ({ ...one, args }));
};

/** Empty where the system does not list them. */
const allProcesses = async (run: TargetExecutor["run"]): Promise<ProcessInfo[]> => {
  const { exitCode, stdout } = await run(["env", "LC_ALL=C", "ps", "-A", "-ww", "-o", "pid=,ppid=,args="], {
    timeoutMs: TIMEOUT_MS,
  });
  return exitCode === 0 ? stdout.split("\n").flatMap(parseRow) : [];
};

const pidsOf = async (caller: Caller, ownPid: number): Promise<readonly number[]> => {
  switch (caller.kind) {
    case "window":
      return [ownPid];
    case "program":
      return caller.findPids();
    case "unknown":
      return [];
  }
};

/**
 * The name of an agent that makes the call, runs the caller, or is run by it; null: there is none. What the app has started, such
 * as terminals, says nothing about its window. `run`: on this machine; `ownPid`: of this process. @throws AgtmuxError E_UNSUPPORTED,
 * with `refusal`, where the caller cannot be determined.
 */
export const findAgentOf = async (
  caller: Caller,
  {
    run,
    ownPid,
    adapters,
    refusal,
  }: {
    run: TargetExecutor["run"];
    ownPid: number;
    adapters: readonly AgentAdapter[];
    refusal: { message: string; remedy: string };
  },
): Promise<string | null> => {
  // The callers first: by the time of the list they may have children.
  const pids = await pidsOf(caller, ownPid);
  const byPid = new Map((await allProcesses(run)).map((one) => [one.pid, one]));
  if (pids.length === 0 || !pids.every((pid) => byPid.has(pid)))
    throw new AgtmuxError("E_UNSUPPORTED", refusal.message, { remedy: refusal.remedy });
  const above = pids.flatMap((pid) => lineOf(pid, byPid));
  const isBelow = ({ pid }: ProcessInfo): boolean => lineOf(pid, byPid).some((one) => pids.includes(one.pid));
  const below = caller.kind === "window" ? [] : [...byPid.values()].filter(isBelow);
  const programs = [...above, ...below].flatMap(programsOf);
  return (
    adapters.find((adapter) => programs.some((program) => adapter.identify([program]) !== null))
      ?.displayName ?? null
  );
};
