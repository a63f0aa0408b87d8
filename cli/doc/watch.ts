// `agtmux doc watch`: one watch for a project, which hands saved documents to their agents. It holds a lock that the kernel frees,
// so that another one, --status and --stop know whether it runs.
import { watch, type FSWatcher, existsSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { AgtmuxError } from "../../core/model/errors.ts";
import { isInProject, locateDocument, projectOf } from "../../features/documents/files/documentPaths.ts";
import { claimsPath, readRegistry } from "../../features/documents/files/registry.ts";
import {
  prepareFolder,
  tryLock,
  readKept,
  removeKept,
  writeKept,
} from "../../features/documents/files/wholeFile.ts";
import { loadSnapshot } from "../../features/documents/files/snapshots.ts";
import {
  openDocument,
  decideChange,
  NEVER_SUBMITTED,
  type WatchedDocument,
} from "../../features/documents/flow/documentChanges.ts";
import { recoverPending } from "../../features/documents/flow/writeResponse.ts";
import { mergeByLines } from "../../features/documents/git.ts";
import type { CliContext } from "../command/context.ts";
import { cleanLine } from "../render/clean.ts";
import { createPaneLook, findPane, rowOf } from "./claims.ts";
import { runRun } from "./run.ts";
import { execFile } from "node:child_process";
import { ensureHome } from "../../core/rpc/paths.ts";
import { parseCount } from "../parse/values.ts";

export type Project = Awaited<ReturnType<typeof projectOf>>;

interface WatchLimits {
  readonly debounceMs: number;
  readonly maxCycles: number;
  /** The person has said that whatever is saved may let an agent change files without asking. */
  readonly acceptsEdits: boolean;
}

/** For at least this long after an answer, a change may be a program's, however short the pause for saving is. */
const FOLLOW_MS = 2_000;
/** Between checks of a pane whose agent works, and between tries while an editor is busy. */
const LATER_MS = 1_000;

const OUTSIDE = "outside of this project, and is not watched";

const BUSY_STATES: ReadonlySet<string | null> = new Set(["running", "waiting_approval", "waiting_input"]);

/** Whether the agent in the document's pane works or asks; what cannot be found out holds nothing up. */
const isPaneBusy = async (context: CliContext, project: Project, id: string): Promise<boolean> => {
  try {
    const look = createPaneLook(context);
    const found = await findPane(look, await readRegistry(project, look.home), id);
    if (!found.isAlive) return false;
    const client = await context.connect({ start: false });
    try {
      return BUSY_STATES.has((await rowOf(client, found.live)).state);
    } finally {
      client.close();
    }
  } catch (error) {
    if (error instanceof AgtmuxError) return false;
    throw error;
  }
};

/** Whether anybody but the person may have written what a document holds; null: nobody. */
const otherWriter = async (file: string): Promise<string | null> => {
  const { uid, gid, mode } = await lstat(file);
  if (uid !== (process.getuid?.() ?? uid)) return "belongs to another user";
  const isOpen = (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== (process.getgid?.() ?? gid));
  return isOpen ? "may be written by others" : null;
};

/** Hands documents of its project to their agents, without a pane, whenever a person has saved them. */
export class DocumentWatch {
  private readonly context: CliContext;
  private readonly project: Project;
  private readonly limits: WatchLimits;
  /** Ids of the documents by their files. */
  private files = new Map<string, string>();
  /** Those that are handed over at once, without a pause for saving. */
  private readonly reactive = new Set<string>();
  private readonly known = new Map<string, WatchedDocument>();
  private readonly dueAt = new Map<string, number>();
  /** When the first change came that was not judged yet: the pause for saving is no pause of whoever made it. */
  private readonly changedAt = new Map<string, number>();
  private readonly folders = new Map<string, FSWatcher>();
  private wake: () => void = () => {};

  constructor(context: CliContext, project: Project, limits: WatchLimits) {
    this.context = context;
    this.project = project;
    this.limits = limits;
  }

  async run(): Promise<void> {
    const { signal } = this.context;
    signal.addEventListener("abort", () => this.wake());
    try {
      const home = this.context.paths().home;
      await prepareFolder({ root: home }, dirname(this.claims));
      await this.readFiles();
      this.context.print(
        `Watching ${this.files.size === 1 ? "1 document" : `${this.files.size} documents`}.\n`,
      );
      while (!signal.aborted) await this.step();
    } finally {
      for (const watcher of this.folders.values()) watcher.close();
    }
  }

  /** What the person claimed here. */
  private get claims(): string {
    return claimsPath(this.context.paths().home, this.project.root);
  }

  private warn(message: string): void {
    this.context.stderr.write(`agtmux: warning: ${cleanLine(message)}\n`);
  }

  /** A document may have been moved, and a link leads anywhere: nothing else of the person's is handed to an agent. */
  private isInside(file: string): boolean {
    return isInProject({ file, root: this.project.root });
  }

  private async readFiles(): Promise<void> {
    const { entries, own } = await readRegistry(this.project, this.context.paths().home);
    const claimed = Object.entries(own).flatMap(([id, { file }]): [string, string][] =>
      file === null ? [] : [[file, id]],
    );
    for (const [file] of claimed) if (!this.isInside(file)) this.warn(`${file} is ${OUTSIDE}`);
    // The registry may have come with the project: it says what somebody claimed, and not that this person did.
    for (const [id, { file }] of Object.entries(entries))
      if (!Object.hasOwn(own, id))
        this.warn(`${file} is in the project's registry, but you have not claimed it: it is not watched`);
    this.files = new Map(claimed.filter(([file]) => this.isInside(file)));
    const wanted = new Set([dirname(this.claims), ...[...this.files.keys()].map((file) => dirname(file))]);
    for (const [folder, watcher] of this.folders)
      if (!wanted.has(folder)) {
        watcher.close();
        this.folders.delete(folder);
      }
    for (const folder of wanted) this.watchFolder(folder);
    for (const file of this.files.keys()) await this.noteStrategy(file);
  }

  private async noteStrategy(file: string): Promise<void> {
    try {
      const { frontmatter } = await openDocument(await locateDocument(file, this.project.root));
      if (frontmatter.write === "crdt") this.reactive.add(file);
      else this.reactive.delete(file);
    } catch (error) {
      // It may be in the middle of being written, or gone; with its next change it is looked at again.
      if (!(error instanceof AgtmuxError)) throw error;
    }
  }

  private pauseOf(file: string): number {
    return this.reactive.has(file) ? 0 : this.limits.debounceMs;
  }

  /** The folder, because editors put a new file in the place of the old one. */
  private watchFolder(folder: string): void {
    if (this.folders.has(folder)) return;
    const watcher = watch(folder, (_event, name) => {
      if (name === null) return;
      const path = join(folder, name);
      if (path === this.claims) this.touch(path, 0);
      else if (this.files.has(path)) {
        if (!this.changedAt.has(path)) this.changedAt.set(path, Date.now());
        this.touch(path, this.pauseOf(path));
      }
    });
    // A folder that went away: its documents are gone with it.
    watcher.on("error", () => this.folders.delete(folder));
    this.folders.set(folder, watcher);
  }

  private touch(path: string, delayMs: number): void {
    this.dueAt.set(path, Date.now() + delayMs);
    this.wake();
  }

  private async step(): Promise<void> {
    const [next] = [...this.dueAt].toSorted(([, a], [, b]) => a - b);
    const now = Date.now();
    if (next === undefined || next[1] > now) {
      const ended = new AbortController();
      const woken = new Promise<void>((done) => (this.wake = done));
      const waits = [woken];
      // It is aborted where something came sooner.
      if (next !== undefined) waits.push(delay(next[1] - now, undefined, ended).catch(() => {}));
      if (!this.context.signal.aborted) await Promise.race(waits);
      ended.abort();
      return;
    }
    const [path] = next;
    this.dueAt.delete(path);
    try {
      const id = this.files.get(path);
      await (id === undefined ? this.readFiles() : this.look(path, id));
    } catch (error) {
      if (!(error instanceof AgtmuxError)) throw error;
      if (error.code === "E_DOCUMENT_BUSY") this.touch(path, LATER_MS);
      else this.warn(`${basename(path)}: ${error.message}`);
    }
  }

  private async look(file: string, id: string): Promise<void> {
    const paths = await locateDocument(file, this.project.root);
    if (!this.isInside(paths.file)) {
      this.warn(`${file} is ${OUTSIDE}`);
      return;
    }
    const merge = mergeByLines(paths.root, this.context.env);
    await recoverPending({ paths, mergeByLines: merge, way: "auto", now: this.context.now() });
    const why = await otherWriter(paths.file);
    if (why !== null) {
      this.warn(`${basename(file)} ${why}, so nobody knows who asks: it is not handed over`);
      return;
    }
    const { text } = await openDocument(paths);
    const before = this.known.get(file) ?? NEVER_SUBMITTED;
    const windowMs = Math.max(this.limits.debounceMs, FOLLOW_MS);
    const at = this.changedAt.get(file) ?? Date.now();
    const change = { text, seen: await loadSnapshot(paths), at };
    const decision = decideChange(before, change, { windowMs, maxCycles: this.limits.maxCycles });
    if (decision.kind === "ignore") {
      this.changedAt.delete(file);
      if (decision.why === "often")
        this.warn(
          `${basename(file)} was changed right after ${before.cycles} answers in a row; it waits for you`,
        );
      return;
    }
    if (await isPaneBusy(this.context, this.project, id)) {
      this.touch(file, LATER_MS);
      return;
    }
    this.changedAt.delete(file);
    this.known.set(file, { ...before, submitted: text, cycles: decision.cycles });
    try {
      await runRun(this.context, file, { git: true, acceptsEdits: this.limits.acceptsEdits });
    } finally {
      // An agent that failed may have changed the document itself: that is no question of the person's either.
      this.known.set(file, { submitted: text, cycles: decision.cycles, answeredAt: Date.now() });
    }
    await this.noteStrategy(file);
    // What was typed meanwhile is a question as well.
    this.touch(file, this.pauseOf(file));
  }
}

const STOP_MS = 5_000;
const MAX_PID_BYTES = 100;

const lockPath = ({ folder }: Project): string => join(folder, "agtmux.watch.db");
const pidPath = ({ folder }: Project): string => join(folder, "watch.pid");

/** The process of the watch that runs, by the pid it wrote and by its command line; null where none runs. */
const findWatch = async (project: Project): Promise<number | null> => {
  if (!existsSync(lockPath(project))) return null;
  const held = await tryLock(project, lockPath(project));
  if (held !== null) {
    held.close();
    return null;
  }
  const pid = Number((await readKept(project, pidPath(project), MAX_PID_BYTES))?.trim());
  const command = await new Promise<string>((done) => {
    execFile("ps", ["-o", "args=", "-p", String(pid)], (_error, stdout) => done(stdout));
  });
  // The file of an earlier watch may name somebody else's process by now.
  if (Number.isSafeInteger(pid) && pid > 1 && /\bwatch\b/.test(command)) return pid;
  throw new AgtmuxError("E_DOCUMENT_BUSY", "a watch of this project has just started", {
    remedy: "Repeat it.",
  });
};

const stopWatch = async (context: CliContext, project: Project, pid: number): Promise<void> => {
  process.kill(pid, "SIGTERM");
  const deadline = Date.now() + STOP_MS;
  for (;;) {
    const held = await tryLock(project, lockPath(project));
    if (held !== null) {
      held.close();
      context.print("Stopped.\n");
      return;
    }
    if (Date.now() > deadline)
      throw new AgtmuxError("E_TIMEOUT", `the watch (process ${pid}) doesn't end`, {
        remedy: "It may be waiting for an agent's answer; try again in a while.",
      });
    await delay(50);
  }
};

export interface WatchOptions {
  stop?: boolean;
  status?: boolean;
  debounce?: string;
  maxCycles?: string;
  acceptEdits?: boolean;
}

/** Gives the exit status. */
export const runWatch = async (context: CliContext, options: WatchOptions): Promise<number> => {
  const debounceMs = parseCount(options.debounce ?? "500", "--debounce", { min: 0, max: 600_000 });
  const maxCycles = parseCount(options.maxCycles ?? "3", "--max-cycles", { min: 1, max: 1_000 });
  const project = await projectOf(process.cwd());
  if (options.status === true || options.stop === true) {
    const pid = await findWatch(project);
    if (pid === null) context.print("No watch runs in this project.\n");
    else if (options.stop === true) await stopWatch(context, project, pid);
    else context.print(`A watch runs in this project (process ${pid}).\n`);
    return pid === null && options.status === true ? 1 : 0;
  }
  ensureHome(context.paths());
  const held = await tryLock(project, lockPath(project));
  if (held === null)
    throw new AgtmuxError("E_USAGE", "a watch runs in this project already", {
      remedy: "See 'agtmux doc watch --status', or end it with --stop.",
    });
  try {
    await writeKept(project, pidPath(project), `${process.pid}\n`);
    const limits = { debounceMs, maxCycles, acceptsEdits: options.acceptEdits === true };
    await new DocumentWatch(context, project, limits).run();
    return 0;
  } finally {
    await removeKept(project, pidPath(project));
    held.close();
  }
};
