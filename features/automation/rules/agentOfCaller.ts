// Whether an agent asks: no agent arms its own rules, nor does what it runs, nor what runs it. It goes by the processes that the
// daemon found at the other end, never by what they say. A process that an agent has cut loose from itself gets around this
// (docs/security.md).
import * as z from "zod";
import { AgtmuxError } from "../../../core/model/errors.ts";
import { HOST_TARGET, type ProcessInfo } from "../../../core/model/runtime.ts";
import type { Caller } from "../../../core/ports/caller.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";

const TIMEOUT_MS = 5_000;
const ROW = /^\s*(\d+)\s+(\d+)\s+(\S.*)$/;
const pidSchema = z.coerce.number().int();

const parseRow = (line: string): ProcessInfo[] => {
  const [, pid, ppid, args = ""] = ROW.exec(line) ?? [];
  if (pid === undefined || ppid === undefined) return [];
  const [program = ""] = args.split(" ", 1);
  const comm = program.slice(program.lastIndexOf("/") + 1);
  return [{ pid: pidSchema.parse(pid), ppid: pidSchema.parse(ppid), comm, args, startedAt: 0 }];
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

/** None where the system does not tell. */
const allProcesses = async ({ target }: Pick<FeatureContext, "target">): Promise<ProcessInfo[]> => {
  const { exitCode, stdout } = await target(HOST_TARGET).run(
    ["env", "LC_ALL=C", "ps", "-A", "-ww", "-o", "pid=,ppid=,args="],
    { timeoutMs: TIMEOUT_MS },
  );
  return exitCode === 0 ? stdout.split("\n").flatMap(parseRow) : [];
};

const pidsOf = async (caller: Caller): Promise<readonly number[]> => {
  switch (caller.kind) {
    case "window":
      return [process.pid];
    case "program":
      return caller.findPids();
    case "unknown":
      return [];
  }
};

/**
 * The name of an agent that makes a call, runs who makes it, or is run by it; null: there is none. What the app has started, such as
 * terminals, says nothing about its window. @throws AgtmuxError E_UNSUPPORTED where it cannot be told who calls.
 */
export const findAgentOf = async (
  caller: Caller,
  context: Pick<FeatureContext, "target" | "adapters">,
): Promise<string | null> => {
  // The callers first: by the time of the list they may have children.
  const pids = await pidsOf(caller);
  const byPid = new Map((await allProcesses(context)).map((one) => [one.pid, one]));
  if (pids.length === 0 || !pids.every((pid) => byPid.has(pid)))
    throw new AgtmuxError("E_UNSUPPORTED", "it cannot be told who asks for this; nothing was armed", {
      remedy: "Arm it in the app's window, or with 'agtmux rule arm' in a terminal of this machine.",
    });
  const above = pids.flatMap((pid) => lineOf(pid, byPid));
  const isBelow = ({ pid }: ProcessInfo): boolean => lineOf(pid, byPid).some((one) => pids.includes(one.pid));
  const below = caller.kind === "window" ? [] : [...byPid.values()].filter(isBelow);
  const programs = [...above, ...below].flatMap(programsOf);
  return (
    context.adapters().find((adapter) => programs.some((program) => adapter.identify([program]) !== null))
      ?.displayName ?? null
  );
};
