// `config.json`: reads the file, follows its changes, and makes the changes that the daemon is asked for (`ConfigFile`); and the
// settings in it that a surface may read and change. A file that does not parse is reported and the last good configuration stays
// in force; a missing file means the defaults.
import * as z from "zod";
import {
  DEFAULT_CONFIG,
  type Config,
  SETTING_SCHEMAS,
  settingsOf,
  type Settings,
  checkConfig,
  configProblems,
  editConfig,
} from "../model/config.ts";
import { AgtmuxError, errorCodeOf } from "../model/errors.ts";
import { isSettingKey, SETTING_KEYS } from "../model/settingKeys.ts";
import { unwatchFile, watchFile } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Logger } from "../ports/logger.ts";
import type { TargetFiles } from "../ports/targetExecutor.ts";

// Settings: the closed list of core/model/config.ts. Other content of the file is neither shown nor changed.

export const createSettingsService = ({
  path,
  config,
  problem,
  reload,
  write,
}: {
  path: string;
  config: () => Config;
  problem: () => string | null;
  /** Reads config.json now. */
  reload: () => Promise<void>;
  /** Writes one value into config.json; resolves when it is in force. */
  write: (key: readonly [string, ...string[]], value: unknown) => Promise<void>;
}) => {
  const defaults = settingsOf(DEFAULT_CONFIG);
  const inForce = (): Settings => ({ path, problem: problem(), values: settingsOf(config()), defaults });
  return {
    /** Reads the file first, so that what somebody has just written into it is in force. */
    get: async (): Promise<Settings> => {
      await reload();
      return inForce();
    },
    /**
     * Resolves with the settings that are then in force. Null sets a key that cannot be null back to its default.
     * @throws AgtmuxError E_USAGE naming the key, for one that is not in the list and for a value that it cannot have;
     * E_CONFIG_INVALID where the file is already invalid; then it is left unchanged.
     */
    set: async (key: string, value: unknown): Promise<Settings> => {
      if (!isSettingKey(key))
        throw new AgtmuxError("E_USAGE", `'${key.slice(0, 100)}' cannot be set from here`, {
          remedy: `Edit ${path}, or set one of ${SETTING_KEYS.join(", ")}.`,
        });
      const schema: z.ZodType = SETTING_SCHEMAS[key];
      const wanted = value === null && !schema.safeParse(null).success ? defaults[key] : value;
      const parsed = schema.safeParse(wanted);
      if (!parsed.success)
        throw new AgtmuxError(
          "E_USAGE",
          `${key} can't have that value: ${parsed.error.issues[0]?.message ?? ""}`,
          {
            remedy: "Nothing was changed. Choose another value.",
          },
        );
      const [first = key, ...rest] = key.split(".");
      await write([first, ...rest], parsed.data);
      return inForce();
    },
  };
};

export type SettingsService = ReturnType<typeof createSettingsService>;

/** The file's times are polled: watching its folder would wake the daemon on macOS with every write to the database. */
const STAT_MS = 2_000;

/** Throws E_CONFIG_INVALID naming the keys that are wrong. */
export const parseConfig = (text: string, path: string): Config => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    // JSON.parse quotes the text that it does not understand; here the place is enough.
    const [problem] = configProblems(text);
    throw new AgtmuxError(
      "E_CONFIG_INVALID",
      `${path} is not JSON${problem === undefined ? "" : ` (line ${problem.line})`}`,
      { cause },
    );
  }
  const checked = checkConfig(json);
  if (checked.config !== null) return checked.config;
  const details = checked.issues.map((issue) => `${issue.path.join(".") || "(top level)"}: ${issue.message}`);
  throw new AgtmuxError("E_CONFIG_INVALID", `${path} is not valid: ${details.join("; ")}`, { details });
};

/** Null where there is no file. */
const readConfigText = async (path: string): Promise<string | null> => {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return null;
    throw new AgtmuxError("E_CONFIG_INVALID", `${path} cannot be read`, { cause: error });
  }
};

const readConfig = async (path: string): Promise<Config> => {
  const text = await readConfigText(path);
  return text === null ? DEFAULT_CONFIG : parseConfig(text, path);
};

export class ConfigFile {
  private readonly path: string;
  private readonly logger: Logger;
  private readonly onStat = (): void => void this.reload();
  private value: Config = DEFAULT_CONFIG;
  private failure: string | null = null;
  /** Reads and writes happen one after the other: an older read must not overtake a newer one. */
  private busy: Promise<void> = Promise.resolve();
  private readonly listeners = new Set<() => void>();

  private constructor(path: string, logger: Logger) {
    this.path = path;
    this.logger = logger;
  }

  /** Never fails because of the file's content: `problem` says what is wrong with it. */
  static async open(path: string, logger: Logger): Promise<ConfigFile> {
    const file = new ConfigFile(path, logger);
    await file.reload();
    watchFile(path, { interval: STAT_MS, persistent: false }, file.onStat);
    return file;
  }

  get current(): Config {
    return this.value;
  }

  /** What is wrong with the file now, or null. */
  get problem(): string | null {
    return this.failure;
  }

  /** Called after each change of `current`. Returns the unsubscribe function. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * Puts the value of one key into the file and keeps everything else in it; resolves when the value is in force.
   * @throws AgtmuxError E_CONFIG_INVALID where the file is already invalid; then it is left unchanged.
   */
  update(
    files: TargetFiles,
    key: readonly [string, ...string[]],
    valueOf: (current: Config) => unknown,
  ): Promise<void> {
    return this.inTurn(async () => {
      const before = await readConfigText(this.path);
      const current = before === null ? DEFAULT_CONFIG : parseConfig(before, this.path);
      const after = editConfig(before, key, valueOf(current));
      parseConfig(after, this.path);
      if (after !== before) await files.writeText(this.path, after);
      await this.read();
    });
  }

  /** Reads the file now, whether it changed or not. */
  reload(): Promise<void> {
    return this.inTurn(() => this.read());
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    const mine = this.busy.then(work);
    // The caller gets a failure; the next in turn only waits for the end.
    this.busy = mine.catch(() => undefined);
    return mine;
  }

  private async read(): Promise<void> {
    const before = JSON.stringify(this.value);
    try {
      this.value = await readConfig(this.path);
      this.failure = null;
    } catch (error) {
      this.failure = error instanceof Error ? error.message : String(error);
      this.logger.warn(
        { problem: this.failure },
        "config.json is not valid; the last good configuration stays in force",
      );
    }
    if (JSON.stringify(this.value) !== before) for (const listener of this.listeners) listener();
  }

  close(): void {
    unwatchFile(this.path, this.onStat);
  }
}
