// Programs that a person names as an agent in `config.json` (`agents.<type>.programs`): a wrapper around a container, or a name of
// their own. Pure.
import type { Config } from "../model/config.ts";
import type { ProcessInfo } from "../model/runtime.ts";
import type { AgentAdapter, IdentifyMatch } from "../ports/agentAdapter.ts";

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Every name under which a process may be meant: its own, its program's and, where another program runs it, its script's. */
const namesOf = ({ comm, args, file }: ProcessInfo): string[] => {
  const [program = "", script = ""] = args.split(/\s+/, 2);
  const paths = [program, script, ...(file === undefined ? [] : [file.path])];
  return [comm, ...paths, ...paths.map(baseName)];
};

/** The first process, parents before children, that the person named; null: none. */
export const findNamed = (
  processes: readonly ProcessInfo[],
  agents: Config["agents"],
  byAgentType: (agentType: string) => AgentAdapter | null,
): { adapter: AgentAdapter; match: IdentifyMatch } | null => {
  const named = Object.entries(agents).filter(([, { programs }]) => programs.length > 0);
  if (named.length === 0) return null;
  for (const process of processes) {
    const names = namesOf(process);
    for (const [agentType, { programs }] of named) {
      const adapter = byAgentType(agentType);
      const program = programs.find((one) => names.includes(one));
      if (adapter === null || program === undefined) continue;
      const sign = `"${program}", which config.json names for it`;
      return { adapter, match: { process, confidence: "medium", sign } };
    }
  }
  return null;
};
