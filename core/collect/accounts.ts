// Accounts: the folders in which an agent keeps its settings, sessions and logs. A person may have several, because the environment
// of an agent's process can name others than the usual ones (`AgentAdapter.configFolder`). Which ones there are is learned from the
// processes that run, from config.json, and from what was seen before.
import { basename, dirname, join, resolve } from "node:path";
import type { Account, ProcessInfo } from "../model/runtime.ts";
import { endsWithin } from "../model/endsWithin.ts";
import type { AgentAdapter, AgentFolder } from "../ports/agentAdapter.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import { cleanText } from "../tmux/cleanText.ts";

const TIMEOUT_MS = 5_000;
/** How long it counts that a folder is there and is the person's own. */
const BELIEVED_MS = 60_000;
/** The same of one that is not there: an agent makes its folder when it runs first. */
const MISSING_MS = 3_000;
/** A listing waits so long for folders, which may be on a disk that hangs; those that answer later count for the next one. */
const LEARN_MS = 1_000;
const MAX_PIDS = 100;
const MAX_KNOWN = 2_000;
const MAX_NAME = 40;

/**
 * For each process a line with its pid, then `NAME=value` of its environment for the given names. Where /proc does not say it, as on a
 * Mac, `ps` shows the environment of one's own processes after the arguments, in one line.
 */
const ENVIRONMENTS = `names=$1; shift
for p do
  echo "$p"
  if [ -r "/proc/$p/environ" ]; then tr '\\0' '\\n' <"/proc/$p/environ"
  else
    a=$(ps -ww -o command= -p "$p"); e=$(ps -Eww -o command= -p "$p")
    printf '%s\\n' "\${e#"$a"}" | awk '{ gsub(/ [A-Za-z_][A-Za-z0-9_]*=/, "\\n&"); print }' | sed 's/^ //'
  fi 2>/dev/null | grep -E "^($names)=" | head -n 20
done
:`;

/**
 * The folder's real path; nothing where it belongs to somebody else, may be written by everybody, or (with the first argument
 * \`strict\`) has a link in it that leads out, or very many, as a hostile project's folder may; "missing" where it is not there.
 */
const BELIEVED = `cd -P -- "$2" 2>/dev/null || { [ -e "$2" ] || printf missing; exit 0; }
[ -O . ] || exit 0
case $(ls -ld .) in ????????w*) exit 0 ;; esac
real=$(pwd -P)
links=0
[ "$1" = strict ] && for e in * .[!.]*; do
  [ -L "$e" ] || continue
  links=$((links + 1))
  [ "$links" -le 50 ] || exit 0
  case $(readlink "$e") in *..*) exit 0 ;; "$real"/*) ;; /*) exit 0 ;; esac
done
[ "$real" -ef . ] && printf %s "$real"`;

/** What every shell reads alike within quotes: it becomes a part of commands. */
const isPath = (path: string): boolean =>
  /^\/[^\p{Cc}'\\]{1,1000}$/u.test(path) && !`${path}/`.includes("/../");

/** Without the parts at its end that it shares with the usual folder. */
const nameOf = (dir: string, { usual }: AgentFolder): string => {
  let rest = dir;
  for (const part of usual.split("/").toReversed()) if (basename(rest) === part) rest = dirname(rest);
  return cleanText(basename(rest), MAX_NAME);
};

export class Accounts {
  private readonly deps: ConstructorParameters<typeof Accounts>[0];
  /** By pid and start. */
  private readonly byProcess = new Map<string, Account>();
  /** The same for those without an account as yet: what their environments say. */
  private readonly environments = new Map<string, readonly string[]>();
  /** Real path, or null, by how it was asked. */
  private readonly believed = new Map<string, { at: number; real: Promise<string | null>; keptMs: number }>();

  constructor(deps: {
    targetId: string;
    executor: Pick<TargetExecutor, "run" | "homeDir" | "openProc">;
    /** What was seen before, each as lines of `NAME=value` (core/config/accountMemory.ts). */
    memory: {
      list(targetId: string, agentType: string): Promise<readonly string[]>;
      add(targetId: string, agentType: string, environment: readonly string[]): Promise<void>;
    };
    /** Folders of an agent that config.json names. */
    named: (agentType: string) => readonly string[];
    clock: Clock;
    logger: Logger;
  }) {
    this.deps = deps;
  }

  async usual(adapter: AgentAdapter): Promise<Account> {
    const home = await this.deps.executor.homeDir();
    const { configFolder = { usual: "" }, dataFolder = configFolder } = adapter;
    const at = ({ usual }: AgentFolder): string => join(home, usual);
    const [name = ""] = configFolder.usual.split("/");
    return { configDir: at(configFolder), dataDir: at(dataFolder), name, environment: [] };
  }

  /** The usual one first; then what config.json names, and what was seen. All are there, and each folder once. */
  async all(adapter: AgentAdapter): Promise<Account[]> {
    const { targetId, memory, named } = this.deps;
    const texts = await memory.list(targetId, adapter.agentType);
    const others = await Promise.all([
      ...named(adapter.agentType).map((folder) => this.ofNamed(adapter, folder)),
      ...texts.map((text) => this.ofEnvironment(adapter, text.split("\n"))),
    ]);
    const found = [await this.usual(adapter), ...others.flatMap((one) => one ?? [])];
    return [...new Map(found.toReversed().map((one) => [one.configDir, one])).values()].toReversed();
  }

  /** That of a process which `learn` was asked about; null: it was not, or its folders are not there or not believed. */
  of({ pid, startedAt }: Pick<ProcessInfo, "pid" | "startedAt">): Account | null {
    return this.byProcess.get(`${pid}/${startedAt}`) ?? null;
  }

  /**
   * Reads the environments of those that are not known yet, together. One that cannot be read counts as the usual one. A process
   * whose folders are not believed has none: the usual ones would be those of another account.
   */
  async learn(found: readonly { adapter: AgentAdapter; process: ProcessInfo }[]): Promise<void> {
    const { clock, logger } = this.deps;
    const unknown = found.filter(({ process }) => this.of(process) === null);
    if (unknown.length === 0) return;
    for (const map of [this.byProcess, this.environments]) if (map.size > MAX_KNOWN) map.clear();
    const keyOf = ({ process: { pid, startedAt } }: (typeof unknown)[number]): string =>
      `${pid}/${startedAt}`;
    const unread = unknown.filter((one) => !this.environments.has(keyOf(one)));
    try {
      const read = unread.length === 0 ? new Map<number, string[]>() : await this.environmentsOf(unread);
      for (const one of unread) this.environments.set(keyOf(one), read.get(one.process.pid) ?? []);
    } catch (error) {
      // It is tried again with the next scan; until then none of their files is read.
      logger.debug({ error }, "the environments of agents could not be read");
      return;
    }
    const placed = unknown.map(async (one) => {
      const lines = this.environments.get(keyOf(one));
      const account = lines === undefined ? null : await this.ofEnvironment(one.adapter, lines);
      if (account === null) return;
      this.byProcess.set(keyOf(one), account);
      this.environments.delete(keyOf(one));
      if (account.environment.length === 0) return;
      await this.deps.memory.add(this.deps.targetId, one.adapter.agentType, account.environment);
    });
    await endsWithin(Promise.all(placed), LEARN_MS, clock);
  }

  private async environmentsOf(
    found: readonly { adapter: AgentAdapter; process: ProcessInfo }[],
  ): Promise<Map<number, string[]>> {
    const names = new Set<string>();
    for (const { adapter } of found)
      for (const folder of [adapter.configFolder, adapter.dataFolder])
        if (folder?.variable !== undefined) names.add(folder.variable);
    const environments = new Map<number, string[]>();
    const unread: string[] = [];
    for (const { pid } of found.map(({ process }) => process)) {
      const lines = this.readEnvironment(pid);
      if (lines === null) unread.push(String(pid));
      else environments.set(pid, lines);
    }
    for (let from = 0; from < unread.length; from += MAX_PIDS) {
      const pids = unread.slice(from, from + MAX_PIDS);
      let own: string[] = [];
      for (const line of await this.linesOf(ENVIRONMENTS, [[...names].join("|"), ...pids]))
        if (/^\d+$/.test(line)) environments.set(Number(line), (own = []));
        else if (line !== "") own.push(line);
    }
    return environments;
  }

  /** Without the start of a program; null where that is not possible. */
  private readEnvironment(pid: number): string[] | null {
    const file = this.deps.executor.openProc?.(`/proc/${pid}/environ`) ?? null;
    const text = file?.read() ?? null;
    file?.close();
    return text?.split("\0") ?? null;
  }

  /** Null where a folder of it is not there or not believed. */
  private async ofEnvironment(adapter: AgentAdapter, lines: readonly string[]): Promise<Account | null> {
    const values = new Map(
      lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );
    const home = await this.deps.executor.homeDir();
    const environment: string[] = [];
    const dirs: string[] = [];
    for (const folder of [adapter.configFolder, adapter.dataFolder]) {
      const { usual, variable = "", below } = folder ?? { usual: "" };
      const value = values.get(variable) ?? "";
      if (value !== "" && folder !== undefined) environment.push(`${variable}=${value}`);
      dirs.push(value === "" ? join(home, usual) : resolve("/", value, below ?? ""));
    }
    const [configDir = "", own = ""] = dirs;
    const dataDir = adapter.dataFolder === undefined ? configDir : own;
    const usual = await this.usual(adapter);
    if (configDir === usual.configDir && dataDir === usual.dataDir) return usual;
    if (!environment.every((one) => isPath(one.slice(one.indexOf("=") + 1)))) return null;
    const [config, data] = await Promise.all(
      [configDir, dataDir].map(async (dir) => {
        const real = await this.realOf(dir, "strict");
        return real ?? ((await this.isNamed(adapter, dir)) ? this.realOf(dir, "named") : null);
      }),
    );
    if (config === null || config === undefined || data === null || data === undefined) return null;
    return this.accountAt(adapter, { configDir: config, dataDir: data, environment, isFound: true });
  }

  private async isNamed(adapter: AgentAdapter, dir: string): Promise<boolean> {
    const home = await this.deps.executor.homeDir();
    return this.deps
      .named(adapter.agentType)
      .some((folder) => this.namedDir(adapter, folder, home).configDir === dir);
  }

  private namedDir({ configFolder }: AgentAdapter, folder: string, home: string) {
    const path = folder.startsWith("~/") ? join(home, folder.slice(2)) : folder;
    return { path, configDir: resolve("/", path, configFolder?.below ?? "") };
  }

  private async ofNamed(adapter: AgentAdapter, folder: string): Promise<Account | null> {
    const { path, configDir } = this.namedDir(adapter, folder, await this.deps.executor.homeDir());
    const variable = adapter.configFolder?.variable;
    const real = variable !== undefined && isPath(path) ? await this.realOf(configDir, "named") : null;
    if (real === null) return null;
    return this.accountAt(adapter, { configDir: real, dataDir: real, environment: [`${variable}=${path}`] });
  }

  /** `configDir`, `dataDir`: real paths. The usual folder is often a link to where a person keeps such files: it is one account. */
  private async accountAt(adapter: AgentAdapter, found: Omit<Account, "name">): Promise<Account> {
    const usual = await this.usual(adapter);
    const [config, data] = await Promise.all([
      this.realOf(usual.configDir, "named"),
      this.realOf(usual.dataDir, "named"),
    ]);
    if (config === found.configDir && data === found.dataDir) return usual;
    return { ...found, name: nameOf(found.configDir, adapter.configFolder ?? { usual: "" }) };
  }

  private realOf(path: string, how: "strict" | "named"): Promise<string | null> {
    const key = `${how} ${path}`;
    const now = this.deps.clock.now();
    const known = this.believed.get(key);
    if (known !== undefined && now - known.at < known.keptMs) return known.real;
    if (this.believed.size > MAX_KNOWN) this.believed.clear();
    const asked = { at: now, real: this.askReal(path, how), keptMs: BELIEVED_MS };
    this.believed.set(key, asked);
    asked.real.catch(() => this.believed.delete(key));
    return asked.real;
  }

  private async askReal(path: string, how: "strict" | "named"): Promise<string | null> {
    const { executor, logger } = this.deps;
    const { stdout } = await executor.run(["sh", "-c", BELIEVED, "sh", how, path], { timeoutMs: TIMEOUT_MS });
    if (isPath(stdout)) return stdout;
    const asked = this.believed.get(`${how} ${path}`);
    if (stdout !== "missing")
      logger.warn(
        { path },
        "a folder that an agent's environment names is not used; to use it all the same, name it in config.json (agents.<agent>.folders)",
      );
    else if (how === "strict" && asked !== undefined) asked.keptMs = MISSING_MS;
    return null;
  }

  private async linesOf(script: string, words: readonly string[]): Promise<string[]> {
    const { stdout } = await this.deps.executor.run(["sh", "-c", script, "sh", ...words], {
      timeoutMs: TIMEOUT_MS,
    });
    return stdout.split("\n");
  }
}
