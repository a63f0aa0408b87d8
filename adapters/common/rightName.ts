// A process under the name of the file that it runs: what a link, a copy, a wrapper or `exec -a` calls it is no sign of anything.
import type { ProcessInfo } from "../../core/model/runtime.ts";
import type { AgentAdapter } from "../../core/ports/agentAdapter.ts";
import { baseName, readScriptCommand, wordsOf } from "./commandLine.ts";

/** What the system itself brings. */
const OF_SYSTEM = /^(\/usr)?\/(s?bin|libexec)\/|^\/System\//;

type Named = Pick<AgentAdapter, "agentType" | "programs" | "executable">;

/**
 * The process as the rules of this adapter are to see it; null: its file shows that it is not this agent. Without a file, what it is
 * called is all that is known.
 */
export const byRightName = (adapter: Named, process: ProcessInfo): ProcessInfo | null => {
  const { file, args } = process;
  if (file === undefined) return process;
  if (file.runtime !== null) {
    const command = readScriptCommand(args);
    if (command === null) return process;
    return { ...process, args: [file.runtime, file.path, ...command.operands].join(" ") };
  }
  const [called = "", ...operands] = wordsOf(args);
  if (file.agentType === adapter.agentType) {
    const name = adapter.programs?.[0] ?? adapter.agentType;
    return { ...process, comm: name, args: [name, ...operands].join(" ") };
  }
  if (typeof file.agentType === "string") return null;
  if (file.agentType === null && adapter.executable !== undefined) return null;
  const names = adapter.programs ?? [adapter.agentType];
  const isPosing =
    names.includes(baseName(called)) && OF_SYSTEM.test(file.path) && !names.includes(baseName(file.path));
  return isPosing ? null : process;
};
