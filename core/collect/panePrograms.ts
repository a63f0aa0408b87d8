// What a pane's processes say beside what adapters know of them: that they are what a person named as an agent in `config.json`
// (`agents.<type>.programs`: a wrapper around a container, or a name of their own), and why there is no agent. Pure.
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

const REMOTE = "add the machine as a target (agtmux target add)";
const CONTAINER =
  "what runs in a container is not seen; a wrapper of it can stand for an agent (agents.<type>.programs in config.json)";
const REASONS: readonly (readonly [program: RegExp, remedy: string])[] = [
  [/^(ssh|autossh|mosh(-client)?|et|telnet)$/, REMOTE],
  [/^tmux(: client)?$/, "name its server in config.json (tmux_servers) to watch what is in it"],
  [/^screen$/i, "what runs in another terminal multiplexer is not seen"],
  [
    /^(docker|podman|nerdctl|kubectl|lxc|incus|machinectl|nsenter|distrobox(-enter)?|toolbox|limactl|wsl)$/,
    CONTAINER,
  ],
];
const MAX_NAMED = 5;

const nameOf = ({ comm, file }: ProcessInfo): string => (file === undefined ? comm : baseName(file.path));

/** Why no agent is recognised: what runs behind its programs may be on another machine, or not to be seen. `processes`: of the pane, parents before children. One sentence. */
export const whyNoAgent = (processes: readonly ProcessInfo[]): string => {
  const names = processes.map(nameOf);
  for (const name of names.toReversed())
    for (const [program, remedy] of REASONS)
      if (program.test(name)) return `its program is ${name}: ${remedy}`;
  if (names.length === 0) return "no agent was recognised in this pane, and its processes cannot be read";
  const named = [...new Set(names)].slice(-MAX_NAMED).join(", ");
  return `no agent was recognised in this pane; it runs ${named}`;
};
