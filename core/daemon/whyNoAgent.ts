// Why there is no agent in a pane, as far as its processes tell: what runs behind them is not on this machine, or not to be seen. Pure.
import type { ProcessInfo } from "../model/runtime.ts";

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

const nameOf = ({ comm, file }: ProcessInfo): string =>
  file === undefined ? comm : file.path.slice(file.path.lastIndexOf("/") + 1);

/** `processes`: of the pane, parents before children. One sentence. */
export const whyNoAgent = (processes: readonly ProcessInfo[]): string => {
  const names = processes.map(nameOf);
  for (const name of names.toReversed())
    for (const [program, remedy] of REASONS)
      if (program.test(name)) return `its program is ${name}: ${remedy}`;
  if (names.length === 0) return "no agent was recognised in this pane, and its processes cannot be read";
  const named = [...new Set(names)].slice(-MAX_NAMED).join(", ");
  return `no agent was recognised in this pane; it runs ${named}`;
};
