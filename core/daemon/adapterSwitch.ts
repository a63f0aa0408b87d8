// Which adapters count. A person may disable one in `config.json` or with `agtmux adapters disable`; only the file counts. A
// disabled adapter stays known (it is listed, its hook can be removed), but nothing is recognised as its agent.
import type { Config } from "../model/config.ts";
import { AgtmuxError } from "../model/errors.ts";
import { findNamed } from "../collect/panePrograms.ts";
import type { AdapterSource } from "../ports/adapterSource.ts";

export interface AdapterSwitch {
  /** The adapters without the disabled ones. */
  readonly enabled: AdapterSource;
  isEnabled(agentType: string): boolean;
  /** Disabled agent types that no adapter has: a typing mistake, or an adapter file that is missing now. */
  unknown(): readonly string[];
  /**
   * Resolves when it is in force; false when nothing had to change.
   * @throws AgtmuxError E_USAGE for an agent that is not known, E_CONFIG_INVALID for a file that is already invalid.
   */
  set(agentType: string, isEnabled: boolean): Promise<boolean>;
}

export interface AdapterSwitchDeps {
  adapters: AdapterSource;
  config: () => Config;
  /** Writes the list of disabled agent types; resolves when it is in force. */
  write: (valueOf: (current: Config) => readonly string[]) => Promise<void>;
}

export const createAdapterSwitch = ({ adapters, config, write }: AdapterSwitchDeps): AdapterSwitch => {
  const isEnabled = (agentType: string): boolean => !config().adapters.disabled.includes(agentType);
  const types = (): string[] => adapters.list().map(({ agentType }) => agentType);
  return {
    isEnabled,
    unknown: () => config().adapters.disabled.filter((agentType) => !types().includes(agentType)),
    enabled: {
      list: () => adapters.list().filter(({ agentType }) => isEnabled(agentType)),
      byAgentType: (agentType) => (isEnabled(agentType) ? adapters.byAgentType(agentType) : null),
      // All adapters take part in recognising a pane's agent: the pane of a disabled agent must not count as that of a tool
      // which it runs.
      identify: (processes) => {
        const found =
          adapters.identify(processes) ??
          findNamed(processes, config().agents, (type) => adapters.byAgentType(type));
        return found === null || !isEnabled(found.adapter.agentType) ? null : found;
      },
      ...(adapters.files === undefined ? {} : { files: adapters.files }),
    },
    set: async (agentType, isWanted) => {
      // Enabling also removes agent types that are no longer known.
      if (!types().includes(agentType) && (!isWanted || isEnabled(agentType)))
        throw new AgtmuxError("E_USAGE", `there is no agent '${agentType.slice(0, 100)}'`, {
          remedy: `There is ${types().join(", ")}.`,
        });
      if (isEnabled(agentType) === isWanted) return false;
      await write(({ adapters: { disabled } }) =>
        isWanted
          ? disabled.filter((one) => one !== agentType)
          : [...new Set([...disabled, agentType])].toSorted(),
      );
      return true;
    },
  };
};
