// What the agents of a target do beside their state: the worktree of their folder (`readGitPlace`), and what their own logs say of
// the session. Read in the background, one after the other and rarely: no state and no screen waits for it.
import type { TargetFiles, TargetExecutor } from "../ports/targetExecutor.ts";
import type { StateFileRequest, ToldActivity } from "../ports/agentAdapter.ts";
import type { TranscriptEntry } from "../ports/agentFiles.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import {
  toProcess,
  type Attention,
  type CollectorSink,
  type WatchedRuntime,
  type WatchedServer,
} from "./sink.ts";

// Worktree: repository, branch and worktree of a folder, from git's own files, here and on other machines. No process is started.

/** Folders that are searched, from the given one up. */
const MAX_DEPTH = 24;
const MAX_BYTES = 4_096;

interface GitPlace {
  /** Name of the folder with the main worktree; null where that cannot be told. */
  repository: string | null;
  /** Null for a commit that no branch is checked out at. */
  branch: string | null;
  /** Name of a linked worktree; null in the main one. */
  worktree: string | null;
  /** The top folder of the worktree. */
  workTree: string | null;
}

export const NO_PLACE: GitPlace = { repository: null, branch: null, worktree: null, workTree: null };

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

const resolved = (path: string, folder: string): string =>
  path.startsWith("/") ? path : `${folder}/${path}`;

/** `folder` is where the worktree begins. */
const repositoryOf = (git: string, folder: string): string | null => {
  const main = /^(.*)\/worktrees\/[^/]+\/?$/.exec(git)?.[1];
  if (main === undefined) return nameOf(folder) || null;
  // Of a bare repository, git's folder is the repository.
  return nameOf(main.endsWith("/.git") ? parentOf(main) : main.replace(/\.git$/, "")) || null;
};

/** Git's folder for this worktree; null where `folder` is none. */
const gitFolder = async (files: TargetFiles, folder: string): Promise<string | null> => {
  const path = `${folder}/.git`;
  const stat = await files.stat(path);
  if (stat === null) return null;
  if (!stat.isFile) return path;
  const named = /^gitdir: (.+)$/m.exec((await files.readText(path, MAX_BYTES)) ?? "")?.[1];
  return named === undefined ? null : resolved(named.trim(), folder);
};

/** NO_PLACE for a folder outside of any worktree, and for one that cannot be read. Never throws. */
export const readGitPlace = async (files: TargetFiles, folder: string): Promise<GitPlace> => {
  try {
    let at = folder.replace(/\/+$/, "");
    for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
      const git = await gitFolder(files, at);
      const head = git === null ? null : await files.readText(`${git}/HEAD`, MAX_BYTES);
      // A folder of that name without a HEAD is no repository.
      if (git !== null && head !== null) {
        const branch = /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1] ?? null;
        const worktree = /\/worktrees\/([^/]+)\/?$/.exec(git)?.[1] ?? null;
        // Where refs are in tables, this file names none.
        return {
          repository: repositoryOf(git, at),
          branch: branch === ".invalid" ? null : branch,
          worktree,
          workTree: at === "" ? "/" : at,
        };
      }
      if (at === "") break;
      at = parentOf(at);
    }
  } catch {
    // A folder that may not be read says nothing.
  }
  return NO_PLACE;
};

/** How long what was read counts, while an agent works; another machine is asked less often. */
const FRESH_MS = { local: 10_000, ssh: 30_000 } as const;
/** The same for an agent of which nothing is expected, as long as nothing happens to it. */
const QUIET_FRESH_MS = 300_000;
/** Newest bytes of a log that are read for its last lines. */
const LOG_BYTES = 64 * 1024;

interface Seen {
  at: number;
  attention: Attention;
}

/** The same files, of which no more than the newest end is read, and that only once. */
const endsOnly = (files: TargetFiles): TargetFiles => {
  const tails = new Map<string, Promise<string | null>>();
  return {
    readText: (path, maxBytes) => files.readText(path, maxBytes),
    readTail: (path, maxBytes) => {
      const tail = tails.get(path) ?? files.readTail(path, Math.min(maxBytes, LOG_BYTES));
      tails.set(path, tail);
      return tail;
    },
    readLink: (path) => files.readLink(path),
    list: (path) => files.list(path),
    stat: (path) => files.stat(path),
    writeText: (path, text, mode) => files.writeText(path, text, mode),
    remove: (path) => files.remove(path),
  };
};

/** The call that a log ends with runs, or waits for its permission; `text` is its name and what it is given. */
const toolOf = (entry: TranscriptEntry | undefined): NonNullable<ToldActivity["tool"]> | null => {
  if (entry?.role !== "tool") return null;
  const [name = "", ...rest] = entry.text.split(" ");
  return { name, subject: rest.join(" ").trim() };
};

const toldBy = (entries: readonly TranscriptEntry[]): ToldActivity => ({
  promptText: entries.findLast(({ role }) => role === "user")?.text ?? null,
  saidText: entries.findLast(({ role }) => role === "agent")?.text ?? null,
  tool: toolOf(entries.at(-1)),
});

export class WorkWatch {
  private readonly deps: ConstructorParameters<typeof WorkWatch>[0];
  private readonly seen = new Map<string, Seen>();
  private readonly due = new Map<string, WatchedRuntime>();
  private readonly places = new Map<string, { at: number; place: GitPlace }>();
  private isReading = false;
  private isClosed = false;

  constructor(deps: {
    servers: readonly WatchedServer[];
    executor: TargetExecutor;
    sink: CollectorSink;
    clock: Clock;
    logger: Logger;
    guard: (work: Promise<void>) => void;
  }) {
    this.deps = deps;
  }

  close(): void {
    this.isClosed = true;
  }

  forgetGone(runtimes: ReadonlySet<string>): void {
    for (const map of [this.seen, this.due])
      for (const id of map.keys()) if (!runtimes.has(id)) map.delete(id);
  }

  /** To be called with runtimes whose screens are read just now: returns at once. */
  note(watched: readonly WatchedRuntime[]): void {
    const now = this.deps.clock.now();
    for (const one of watched) {
      const { runtimeId } = one.runtime;
      const last = this.seen.get(runtimeId);
      const { attention } = one;
      const freshMs = attention === "quiet" ? QUIET_FRESH_MS : FRESH_MS[this.deps.executor.kind];
      if (last !== undefined && last.attention === attention && now - last.at < freshMs) continue;
      this.seen.set(runtimeId, { at: now, attention });
      this.due.set(runtimeId, one);
    }
    if (!this.isReading && this.due.size > 0) this.deps.guard(this.read());
  }

  private async read(): Promise<void> {
    this.isReading = true;
    try {
      for (const [runtimeId, watched] of this.due) {
        this.due.delete(runtimeId);
        await this.readOne(watched);
        if (this.isClosed) return;
      }
    } finally {
      this.isReading = false;
    }
  }

  /** Where a machine went away or a file may not be read, nothing is reported, and it is tried again. */
  private async readOne(watched: WatchedRuntime): Promise<void> {
    try {
      await this.readPlace(watched);
      await this.readLog(watched);
    } catch (error) {
      this.deps.logger.debug(
        { error, agent: watched.adapter.agentType },
        "what an agent does could not be read",
      );
    }
  }

  private async readPlace(watched: WatchedRuntime): Promise<void> {
    const { runtime, pane, cwd } = watched;
    const { executor, servers, sink } = this.deps;
    const linked = runtime.pid === null ? null : await executor.files.readLink(`/proc/${runtime.pid}/cwd`);
    const server = servers.find((one) => one.server === runtime.server);
    const folder = cwd ?? linked ?? (await server?.currentPath(pane.paneId)) ?? null;
    const source = cwd !== null ? "hook" : linked !== null ? "process" : "tmux";
    const place = folder === null ? NO_PLACE : await this.placeOf(folder);
    if (!this.isClosed) sink.applyPlace(runtime.runtimeId, { folder, source, ...place });
  }

  /** Agents often share a folder. */
  private async placeOf(folder: string): Promise<GitPlace> {
    const { clock, executor } = this.deps;
    const now = clock.now();
    const known = this.places.get(folder);
    if (known !== undefined && now - known.at < FRESH_MS[executor.kind] / 2) return known.place;
    const place = folder.startsWith("/") ? await readGitPlace(executor.files, folder) : NO_PLACE;
    if (this.places.size > 500) this.places.clear();
    this.places.set(folder, { at: now, place });
    return place;
  }

  private async readLog(watched: WatchedRuntime): Promise<void> {
    const { adapter, runtime, pane, cwd, transcriptPath, account } = watched;
    const isSilent = adapter.readTranscript === undefined && adapter.readSessionTitle === undefined;
    if (isSilent || account === null || runtime.pid === null || runtime.processStartedAt === null) return;
    const request: StateFileRequest = {
      files: endsOnly(this.deps.executor.files),
      configDir: account.configDir,
      process: toProcess(watched),
      pane,
      agentSessionId: runtime.agentSessionId,
      transcriptPath,
      cwd,
    };
    const readAt = this.deps.clock.now();
    const entries = (await adapter.readTranscript?.(request)) ?? [];
    const sessionTitle = await adapter.readSessionTitle?.(request);
    if (this.isClosed) return;
    // The name of a session is as new as this read of it.
    if (sessionTitle !== undefined) this.deps.sink.applyTold(runtime.runtimeId, { sessionTitle }, readAt);
    const newest = entries.at(-1);
    if (newest !== undefined)
      this.deps.sink.applyTold(runtime.runtimeId, toldBy(entries), newest.at ?? readAt);
  }
}
