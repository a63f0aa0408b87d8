// Whether a process runs below an agent: no agent arms its own rules. A program that names another pid gets around this. So it
// stops an agent that does it in passing, not a program of the same user that means to.
import * as z from "zod";
import { AgtmuxError } from "../../../core/model/errors.ts";
import { HOST_TARGET, type ProcessInfo } from "../../../core/model/runtime.ts";
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

/** The process and all above it, the topmost first. */
const lineOf = (pid: number, processes: readonly ProcessInfo[]): ProcessInfo[] => {
  const byPid = new Map(processes.map((one) => [one.pid, one]));
  const line: ProcessInfo[] = [];
  for (let at = byPid.get(pid); at !== undefined && !line.includes(at); at = byPid.get(at.ppid))
    line.unshift(at);
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

/** The name of the agent above a process of this machine; null: there is none. @throws AgtmuxError where it cannot be told. */
export const findAgentAbove = async (
  pid: number,
  { target, adapters }: Pick<FeatureContext, "target" | "adapters">,
): Promise<string | null> => {
  const { exitCode, stdout } = await target(HOST_TARGET).run(
    ["env", "LC_ALL=C", "ps", "-A", "-ww", "-o", "pid=,ppid=,args="],
    { timeoutMs: TIMEOUT_MS },
  );
  const above = lineOf(pid, exitCode === 0 ? stdout.split("\n").flatMap(parseRow) : []);
  if (above.length === 0)
    throw new AgtmuxError("E_UNSUPPORTED", "it cannot be told who asks for this; nothing was armed");
  return (
    adapters().find((adapter) =>
      above.flatMap(programsOf).some((program) => adapter.identify([program]) !== null),
    )?.displayName ?? null
  );
};
