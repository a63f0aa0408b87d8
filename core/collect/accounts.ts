// Accounts: the folders in which an agent keeps its settings, sessions and logs. A person may have several, because the environment
// of an agent's process can name others than the usual ones (`AgentAdapter.configFolder`). Which ones there are is learned from the
// processes that run, from config.json, and from what was seen before.
import { basename, dirname, join } from "node:path";
import type { Account, ProcessInfo } from "../model/runtime.ts";
import type { AgentAdapter, AgentFolder } from "../ports/agentAdapter.ts";
import type { Logger } from "../ports/logger.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import { cleanText } from "../tmux/cleanText.ts";

const TIMEOUT_MS = 5_000;
/** How long it counts that a folder is there and is the person's own. */
const BELIEVED_MS = 60_000;
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
 * For each folder a line: its real path, or nothing where it is not there, belongs to somebody else, may be written by everybody, or
 * (with the first argument \`strict\`) has a link in it that leads out, as a hostile project's folder may.
 */
const BELIEVED = `how=$1; shift
for d do
  (
    cd -P -- "$d" 2>/dev/null && [ -O . ] || exit 0
    case $(ls -ld .) in ????????w*) exit 0 ;; esac
    real=$(pwd -P)
    if [ "$how" = strict ]; then
      for e in * .[!.]*; do
        [ -L "$e" ] || continue
        case $(readlink "$e") in *..*) exit 0 ;; "$real"/*) ;; /*) exit 0 ;; esac
      done
    fi
    printf %s "$real"
  )
  echo
done`;

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
  /** Real path, or null, by how it was asked. */
  private readonly believed = new Map<string, { at: number; real: string | null }>();

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
    clock: { now: () => number };
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

  /** The usual one first; then what config.json names, and what was seen. All are there. */
  async all(adapter: AgentAdapter): Promise<Account[]> {
    const { targetId, memory, named } = this.deps;
    const found = [await this.usual(adapter)];
    for (const folder of named(adapter.agentType)) found.push(...(await this.ofNamed(adapter, folder)));
    for (const text of await memory.list(targetId, adapter.agentType))
      found.push(...(await this.ofEnvironment(adapter, text.split("\n"))));
    return [...new Map(found.toReversed().map((one) => [one.configDir, one])).values()].toReversed();
  }

  /** That of a process which `learn` was asked about; null: it was not. */
  of({ pid, startedAt }: Pick<ProcessInfo, "pid" | "startedAt">): Account | null {
    return this.byProcess.get(`${pid}/${startedAt}`) ?? null;
  }

  /** Reads the environments of those that are not known yet, together. One that cannot be read counts as the usual one. */
  async learn(found: readonly { adapter: AgentAdapter; process: ProcessInfo }[]): Promise<void> {
    const unknown = found.filter(({ process }) => this.of(process) === null);
    if (unknown.length === 0) return;
    if (this.byProcess.size > MAX_KNOWN) this.byProcess.clear();
    const environments = await this.environmentsOf(unknown).catch((error: unknown) => {
      this.deps.logger.debug({ error }, "the environments of agents could not be read");
      return null;
    });
    // It is tried again with the next scan; until then none of their files is read.
    if (environments === null) return;
    for (const { adapter, process } of unknown) {
      const [account] = await this.ofEnvironment(adapter, environments.get(process.pid) ?? []);
      this.byProcess.set(`${process.pid}/${process.startedAt}`, account ?? (await this.usual(adapter)));
      if (account === undefined || account.environment.length === 0) continue;
      await this.deps.memory.add(this.deps.targetId, adapter.agentType, account.environment);
    }
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

  /** None where a folder of it is not believed. */
  private async ofEnvironment(adapter: AgentAdapter, lines: readonly string[]): Promise<Account[]> {
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
      dirs.push(value === "" ? join(home, usual) : join(value, below ?? ""));
    }
    const [configDir = "", own = ""] = dirs;
    const dataDir = adapter.dataFolder === undefined ? configDir : own;
    const usual = await this.usual(adapter);
    if (configDir === usual.configDir && dataDir === usual.dataDir) return [usual];
    if (!environment.every((one) => isPath(one.slice(one.indexOf("=") + 1)))) return [];
    const [config, data] = [await this.realOf(configDir, "strict"), await this.realOf(dataDir, "strict")];
    return config === null || data === null
      ? []
      : [{ ...this.accountAt(adapter, config, environment), dataDir: data }];
  }

  private async ofNamed(adapter: AgentAdapter, folder: string): Promise<Account[]> {
    const home = await this.deps.executor.homeDir();
    const path = folder.startsWith("~/") ? join(home, folder.slice(2)) : folder;
    const { variable, below = "" } = adapter.configFolder ?? { usual: "" };
    const real =
      variable !== undefined && isPath(path) ? await this.realOf(join(path, below), "named") : null;
    return real === null ? [] : [this.accountAt(adapter, real, [`${variable}=${path}`])];
  }

  private accountAt(adapter: AgentAdapter, configDir: string, environment: readonly string[]): Account {
    const name = nameOf(configDir, adapter.configFolder ?? { usual: "" });
    return { configDir, dataDir: configDir, name, environment };
  }

  private async realOf(path: string, how: "strict" | "named"): Promise<string | null> {
    const key = `${how} ${path}`;
    const now = this.deps.clock.now();
    const known = this.believed.get(key);
    if (known !== undefined && now - known.at < BELIEVED_MS) return known.real;
    const [line = ""] = await this.linesOf(BELIEVED, [how, path]);
    const real = isPath(line) ? line : null;
    if (real === null && known?.real !== null)
      this.deps.logger.warn({ path }, "a folder that an agent's environment names is not used");
    if (this.believed.size > MAX_KNOWN) this.believed.clear();
    this.believed.set(key, { at: now, real });
    return real;
  }

  private async linesOf(script: string, words: readonly string[]): Promise<string[]> {
    const { stdout } = await this.deps.executor.run(["sh", "-c", script, "sh", ...words], {
      timeoutMs: TIMEOUT_MS,
    });
    return stdout.split("\n");
  }
}
