// Reads `config.json` and follows its changes. A file that does not parse is reported and the last good configuration
// stays in force; a missing file means the defaults.
import { watch, type FSWatcher } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { configSchema, DEFAULT_CONFIG, type Config } from "../model/config.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { Logger } from "../ports/logger.ts";

/** Throws E_CONFIG_INVALID naming the keys that are wrong. */
export const parseConfig = (text: string, path: string): Config => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new AgtmuxError(
      "E_CONFIG_INVALID",
      `${path} is not JSON: ${cause instanceof Error ? cause.message : "unreadable"}`,
      { cause },
    );
  }
  const parsed = configSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const details = parsed.error.issues.map(
    (issue) => `${issue.path.join(".") || "(top level)"}: ${issue.message}`,
  );
  throw new AgtmuxError("E_CONFIG_INVALID", `${path} is not valid: ${details.join("; ")}`, { details });
};

const readConfig = async (path: string): Promise<Config> => {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return DEFAULT_CONFIG;
    throw new AgtmuxError("E_CONFIG_INVALID", `${path} cannot be read`, { cause: error });
  }
  return parseConfig(text, path);
};

export class ConfigFile {
  private readonly path: string;
  private readonly logger: Logger;
  private watcher: FSWatcher | null = null;
  private value: Config = DEFAULT_CONFIG;
  private failure: string | null = null;

  private constructor(path: string, logger: Logger) {
    this.path = path;
    this.logger = logger;
  }

  /** Never fails because of the file's content: `problem` says what is wrong with it. */
  static async open(path: string, logger: Logger): Promise<ConfigFile> {
    const file = new ConfigFile(path, logger);
    await file.reload();
    file.watcher = watch(dirname(path), (_event, name) => {
      if (name === basename(path)) void file.reload();
    });
    file.watcher.on("error", (error) => logger.warn({ error }, "config.json is no longer watched"));
    return file;
  }

  get current(): Config {
    return this.value;
  }

  /** What is wrong with the file now, or null. */
  get problem(): string | null {
    return this.failure;
  }

  private async reload(): Promise<void> {
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
  }

  close(): void {
    this.watcher?.close();
  }
}
