// The settings that a surface may read and change: the closed list of core/model/settings.ts, in `config.json`. Other content
// of the file is neither shown nor changed.
import * as z from "zod";
import { DEFAULT_CONFIG, type Config } from "../model/config.ts";
import { AgtmuxError } from "../model/errors.ts";
import { isSettingKey, SETTING_KEYS } from "../model/settingKeys.ts";
import { SETTING_SCHEMAS, settingsOf, type Settings } from "../model/settings.ts";

export interface SettingsService {
  /** Reads the file first, so that what somebody has just written into it is in force. */
  get(): Promise<Settings>;
  /**
   * Resolves with the settings that are then in force. Null sets a key that cannot be null back to its default.
   * @throws AgtmuxError E_USAGE naming the key, for one that is not in the list and for a value that it cannot have;
   * E_CONFIG_INVALID where the file is already invalid; then it is left unchanged.
   */
  set(key: string, value: unknown): Promise<Settings>;
}

export interface SettingsServiceDeps {
  path: string;
  config: () => Config;
  problem: () => string | null;
  /** Reads config.json now. */
  reload: () => Promise<void>;
  /** Writes one value into config.json; resolves when it is in force. */
  write: (key: readonly [string, ...string[]], value: unknown) => Promise<void>;
}

export const createSettingsService = ({
  path,
  config,
  problem,
  reload,
  write,
}: SettingsServiceDeps): SettingsService => {
  const defaults = settingsOf(DEFAULT_CONFIG);
  const inForce = (): Settings => ({ path, problem: problem(), values: settingsOf(config()), defaults });
  return {
    get: async () => {
      await reload();
      return inForce();
    },
    set: async (key, value) => {
      if (!isSettingKey(key))
        throw new AgtmuxError("E_USAGE", `'${key.slice(0, 100)}' cannot be set from here`, {
          remedy: `Edit ${path}, or set one of ${SETTING_KEYS.join(", ")}.`,
        });
      const schema: z.ZodType = SETTING_SCHEMAS[key];
      const wanted = value === null && !schema.safeParse(null).success ? defaults[key] : value;
      const parsed = schema.safeParse(wanted);
      if (!parsed.success)
        throw new AgtmuxError("E_USAGE", `${key} cannot be that: ${parsed.error.issues[0]?.message ?? ""}`, {
          remedy: "Nothing was changed. Choose another value.",
        });
      const [first = key, ...rest] = key.split(".");
      await write([first, ...rest], parsed.data);
      return inForce();
    },
  };
};
