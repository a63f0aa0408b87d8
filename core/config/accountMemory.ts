// The accounts of agents that were seen, kept in a file of the runtime home: one that is not in use now still has hooks and sessions.
// What is read here chooses nothing by itself: its folders are checked like those of a running agent (core/collect/accounts.ts).
import * as z from "zod";
import type { Logger } from "../ports/logger.ts";
import type { TargetFiles } from "../ports/targetExecutor.ts";

/** Of one agent on one target. */
const MAX_ACCOUNTS = 20;

export class AccountMemory {
  private readonly deps: { path: string; files: TargetFiles; logger: Logger };
  private known: Promise<Map<string, Set<string>>> | null = null;
  private writing: Promise<void> = Promise.resolve();

  constructor(deps: AccountMemory["deps"]) {
    this.deps = deps;
  }

  async list(targetId: string, agentType: string): Promise<readonly string[]> {
    return [...((await this.load()).get(`${targetId}/${agentType}`) ?? [])];
  }

  async add(targetId: string, agentType: string, environment: readonly string[]): Promise<void> {
    const known = await this.load();
    const key = `${targetId}/${agentType}`;
    const own = known.get(key) ?? new Set<string>();
    const text = environment.join("\n");
    if ([...own].at(-1) === text) return;
    // The one that was used last comes last.
    own.delete(text);
    known.set(key, own.add(text));
    for (const oldest of own) if (own.size > MAX_ACCOUNTS) own.delete(oldest);
    this.writing = this.writing.then(() => this.write(known));
    await this.writing;
  }

  private async write(known: ReadonlyMap<string, ReadonlySet<string>>): Promise<void> {
    const json = Object.fromEntries([...known].map(([key, own]) => [key, [...own]]));
    const { files, path, logger } = this.deps;
    await files
      .writeText(path, `${JSON.stringify(json, null, 2)}\n`, 0o600)
      .catch((error: unknown) => logger.warn({ error, path }, "the folders of agents could not be kept"));
  }

  private load(): Promise<Map<string, Set<string>>> {
    this.known ??= this.read();
    return this.known;
  }

  private async read(): Promise<Map<string, Set<string>>> {
    const { files, path, logger } = this.deps;
    try {
      const text = await files.readText(path);
      const json = z.record(z.string(), z.array(z.string())).parse(JSON.parse(text ?? "{}"));
      return new Map(Object.entries(json).map(([key, own]) => [key, new Set(own)]));
    } catch (error) {
      logger.warn({ error, path }, "the folders of agents seen before are not known");
      return new Map();
    }
  }
}
