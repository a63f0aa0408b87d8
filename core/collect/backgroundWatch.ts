// Sessions of agents that no pane shows, as one more server of the target: each is listed like a pane, under the agent's own name
// for it. What is listed comes from the agents' own files (`BackgroundSessions` of an adapter), and counts only for the process that
// they name. On this machine a watch says which file changed; what it misses, and another machine, is found by reading again.
import { watch, type FSWatcher } from "node:fs";
import type { Recognised } from "../engine/epoch.ts";
import { type Account, type Pane, type ProcessInfo, paneKeyString } from "../model/runtime.ts";
import { BACKGROUND_SERVER, backgroundPaneId } from "../model/shortRef.ts";
import type { AgentAdapter, BackgroundSession, BackgroundSessions } from "../ports/agentAdapter.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { TargetFiles } from "../ports/targetExecutor.ts";
import { cleanText } from "../tmux/cleanText.ts";
import type { ServerListing, WatchedServer } from "./sink.ts";

/** Every file is read again after this: a watch may miss a change, and a file of no background session may become that of one. */
const FULL_MS = 30_000;
/** Without a watch, the files of known sessions are read, and new ones looked for, as often: on this machine, and on others. */
const UNWATCHED_MS = { local: 1_000, ssh: 3_000 } as const;
/** The same while no session is known there: on another machine each look costs a round trip and a program. */
const LOOKING_MS = { local: 1_000, ssh: 10_000 } as const;
/** As often it is looked whether a folder is there by now that was missing. */
const MISSING_MS = 3_000;
/** A session that its terminal has begun is no row of its own while nobody has recognised that terminal. */
const TERMINAL_MS = 5_000;
/** A terminal may show it although its events did not say so: until then its agent has dropped the session that they named. */
const UNNAMED_MS = 65_000;
/** A file is written in several steps, and several files together. */
const SETTLE_MS = 40;
/** A file that is being written can be read soon, also on a busy machine. One that cannot after this is read again when it changes. */
const WRITING_MS = 5_000;
/** As often it is tried meanwhile, on this machine; on others with each listing. */
const RETRY_MS = 250;
const MAX_TITLE = 200;
/** More than anybody runs at once; the rest of a folder was left behind. */
const MAX_FILES = 1_000;

/** What the file `name` of an adapter's folder says; `session` null: nothing of a session that runs in the background. */
interface Known {
  adapter: AgentAdapter;
  account: Account;
  background: BackgroundSessions;
  name: string;
  /** Changes of all of its files are noticed. */
  isFollowed: boolean;
  session: BackgroundSession | null;
  /** It cannot be read since then (epoch ms), and this is what it said before; null: it can. */
  unreadableSince: number | null;
}

/** It may be half written. */
const isBeingWritten = ({ unreadableSince }: Known, now: number): boolean =>
  unreadableSince !== null && now - unreadableSince < WRITING_MS;

/** Of the process that runs it now. */
const keyOf = ({ id, pid, beganAt }: BackgroundSession): string => `${id} ${pid} ${beganAt}`;

type Listed = Known & { session: BackgroundSession };

/** `isDead`: its process ended in the middle of a turn. */
const toPane = (
  targetId: string,
  { session }: Listed,
  { isDead, updatedAt }: { isDead: boolean; updatedAt: number },
): Pane => ({
  targetId,
  server: BACKGROUND_SERVER,
  paneId: backgroundPaneId(session.id) ?? "",
  sessionId: "$0",
  sessionName: BACKGROUND_SERVER,
  alsoIn: [],
  windowId: "@0",
  windowIndex: 0,
  windowName: cleanText(session.title, MAX_TITLE),
  paneIndex: 0,
  panePid: session.pid,
  tty: "",
  title: "",
  isActive: false,
  isDead,
  deadStatus: isDead ? 1 : null,
  isAlternate: false,
  inMode: false,
  width: 0,
  height: 0,
  cursorX: 0,
  cursorY: 0,
  historySize: 0,
  windowActivity: session.changedAt / 1_000,
  updatedAt,
});

export class BackgroundWatch implements WatchedServer {
  readonly server = BACKGROUND_SERVER;
  readonly socketPath = "";
  private readonly deps: ConstructorParameters<typeof BackgroundWatch>[0];
  /** By path of the file. */
  private known = new Map<string, Known>();
  private readonly watchers = new Map<string, FSWatcher>();
  /** Files to read again, and ids of sessions one of whose other files changed. */
  private readonly changed = new Set<string>();
  private readAt = -Infinity;
  private readAllAt = -Infinity;
  /** New files are noticed in every folder that is there. */
  private isWatching = false;
  private isAnyMissing = true;
  /** The last reading failed, which is logged once. */
  private isFailing = false;
  private readonly panes = new WeakMap<BackgroundSession, Pane>();
  /** Their process is gone although their file, which an orderly end removes, says that they work. */
  private readonly dead = new Set<string>();
  /** Sessions that panes show, by pane. */
  private readonly viewers = new Map<string, string>();
  /** Panes whose agents show none of them. */
  private readonly apart = new Set<string>();
  /** Panes whose terminals go from session to session: the process of each, and the session that it gave away, which stays so. */
  private readonly roaming = new Map<string, { pid: number; gaveAway: string }>();
  /**
   * Of sessions that start in terminals: one shows it; it goes on without; it was at rest when its terminal left. A number: none
   * has shown it as far as is known, and since then (epoch ms) it has been at work.
   */
  private readonly whereabouts = new Map<string, "shown" | "going on" | "left" | number>();
  private cancelNews: (() => void) | null = null;
  private cancelLook: (() => void) | null = null;
  private lookAt = Infinity;
  private isClosed = false;

  constructor(deps: {
    targetId: string;
    kind: "local" | "ssh";
    adapters: () => readonly AgentAdapter[];
    files: TargetFiles;
    accountsOf: (adapter: AgentAdapter) => Promise<readonly Account[]>;
    isGone: (pid: number) => boolean;
    /**
     * The session that each of these agents in a pane shows, null where that is not known; `account` null: of all accounts. Null: the
     * panes are not known yet.
     */
    terminals: (adapter: AgentAdapter, account: Account | null) => readonly (string | null)[] | null;
    /** Whether the session of this name has a row of its own. */
    hasRow: (id: string) => boolean;
    /** A session has changed, begun or ended. */
    onNews: () => void;
    clock: Clock;
    logger: Logger;
  }) {
    this.deps = deps;
  }

  /** A pane shows the session `id`, which is then listed as that pane alone; null: it shows none. */
  noteViewer(paneKey: string, id: string | null): void {
    if ((this.viewers.get(paneKey) ?? null) === id) return;
    if (id === null) this.viewers.delete(paneKey);
    else this.viewers.set(paneKey, id);
    this.deps.onNews();
  }

  /** Whether the agent in this pane runs its sessions itself, so that it shows none of these. */
  noteApart(paneKey: string, isApart: boolean): void {
    if (isApart) this.apart.add(paneKey);
    else this.apart.delete(paneKey);
  }

  /** Whether what this terminal shows may be another session than before, or may become one. */
  mayRoam(paneKey: string, title: string): boolean {
    return this.roaming.has(paneKey) || this.roamers().some((roams) => roams.title.test(title));
  }

  /**
   * The session that this terminal shows, where it goes from one to another; null: it shows none, or nobody can tell; undefined: it
   * runs its own.
   */
  async viewOf(
    pane: Pane,
    { adapter, process, account }: { adapter: AgentAdapter; process: ProcessInfo; account: Account | null },
  ): Promise<string | null | undefined> {
    const roams = adapter.background?.roams;
    const key = paneKeyString(pane);
    if (roams === undefined || account === null) return undefined;
    const { configDir } = account;
    // A file that cannot be read for once takes nothing back.
    const read = await roams.gaveAway({ files: this.deps.files, configDir, process }).catch(() => null);
    const known = this.roaming.get(key);
    const gaveAway = read ?? (known?.pid === process.pid ? known.gaveAway : null);
    if (gaveAway === null) return undefined;
    this.roaming.set(key, { pid: process.pid, gaveAway });
    const sessions = this.listed().flatMap((one) => (one.adapter === adapter ? [one.session] : []));
    return roams.shown(pane.title, gaveAway, sessions);
  }

  mayShow(paneKey: string): boolean {
    return !this.apart.has(paneKey);
  }

  /** Keeps what is known of these panes. */
  forgetPanes(panes: ReadonlySet<string>): void {
    for (const key of this.viewers.keys()) if (!panes.has(key)) this.noteViewer(key, null);
    for (const key of this.apart) if (!panes.has(key)) this.apart.delete(key);
    for (const key of this.roaming.keys()) if (!panes.has(key)) this.roaming.delete(key);
  }

  /** To be called when agents may have begun or ended: a session whose terminal has gone may go on. */
  noteTerminals(): void {
    if (this.noteTurns()) this.deps.onNews();
  }

  /** The agent's own id of the session that it calls `id`; null: it is not known. */
  sessionIdOf(agentType: string, id: string): string | null {
    const found = this.listed().find(
      ({ adapter, session }) => adapter.agentType === agentType && session.id === id,
    );
    return found?.session.sessionId ?? null;
  }

  /**
   * The agent of a session that was listed as `pane`; null where its process is another one by now. "listing": the next listing says
   * how it ended.
   */
  recognise(pane: Pane, processes: readonly ProcessInfo[]): Recognised | null | "listing" {
    const found = this.listed().find(
      ({ session }) => backgroundPaneId(session.id) === pane.paneId && session.pid === pane.panePid,
    );
    const process = processes.find(({ pid }) => pid === pane.panePid);
    if (found === undefined) return null;
    if (process === undefined || !found.session.isOf(process)) {
      if (!found.session.isAtWork || pane.isDead) return null;
      // A second look may come before that listing.
      if (!this.dead.has(keyOf(found.session))) this.deps.onNews();
      this.dead.add(keyOf(found.session));
      return "listing";
    }
    const { adapter, account, session } = found;
    const { sessionId, cwd = null, logPath: transcriptPath = null } = session;
    return { agentType: adapter.agentType, account, process, sessionId, cwd, transcriptPath };
  }

  async list(): Promise<ServerListing> {
    const now = this.deps.clock.now();
    // What it did while a terminal showed it is not known.
    const isFull = now - this.readAllAt >= FULL_MS || this.noteTurns();
    const isAnyKnown = [...this.known.values()].some(
      ({ session }) => session !== null && this.whereabouts.get(session.id) !== "shown",
    );
    const pauseMs = (isAnyKnown ? UNWATCHED_MS : LOOKING_MS)[this.deps.kind];
    const isFollowed = this.isWatching && [...this.known.values()].every((one) => !this.mayChange(one));
    const isMissingDue = this.isAnyMissing && now - this.readAt >= MISSING_MS;
    const isDue = isMissingDue || (!isFollowed && now - this.readAt >= pauseMs);
    const hasNews = this.changed.size > 0 || this.isAnyBeingWritten(now);
    if (isFull || isDue || hasNews)
      await this.readFiles({ isFull }).catch((error: unknown) => {
        // What changed is not known any more: the next listing reads everything.
        this.readAllAt = -Infinity;
        if (!this.isFailing)
          this.deps.logger.warn({ error }, "the sessions that run in the background cannot be read");
        this.isFailing = true;
      });
    if (this.deps.kind === "local" && this.isAnyBeingWritten(now)) this.listAgainAt(now + RETRY_MS);
    const shown = new Set(this.viewers.values());
    const panes = this.listed()
      .filter(({ session }) => !shown.has(session.id) && (session.isAtWork || !this.deps.isGone(session.pid)))
      .filter((one) => one.background.startsInTerminals !== true || this.goesOn(one, { now, isFull }))
      .map((one) => this.paneOf(one, now));
    return { status: "ok", mode: "direct", problem: null, instance: null, panes };
  }

  /** Its listings are asked for by `onNews`; with those of tmux they cost next to nothing. */
  pauseMs(): number {
    return Infinity;
  }

  expectChange(): void {
    this.readAllAt = -Infinity;
  }

  /** The next listing finds sessions that have begun since the last one. */
  expectNew(): void {
    this.changed.add("");
  }

  capture(): Promise<Map<string, readonly string[]>> {
    return Promise.resolve(new Map());
  }

  look(): ReturnType<WatchedServer["look"]> {
    return Promise.resolve(new Map());
  }

  currentPath(): Promise<string | null> {
    return Promise.resolve(null);
  }

  clients(): Promise<readonly []> {
    return Promise.resolve([]);
  }

  close(): Promise<void> {
    this.isClosed = true;
    this.cancelNews?.();
    this.cancelLook?.();
    for (const watcher of this.watchers.values()) watcher.close();
    return Promise.resolve();
  }

  /** Nothing tells of a change, and it is or may become a row. */
  private mayChange({ session, isFollowed }: Known): boolean {
    return session !== null && !isFollowed && this.whereabouts.get(session.id) !== "shown";
  }

  /** Whether a terminal has left a session that it showed, or shows one that did without. */
  private noteTurns(): boolean {
    let hasTurned = false;
    for (const adapter of this.deps.adapters()) {
      const terminals =
        adapter.background?.startsInTerminals === true ? this.deps.terminals(adapter, null) : null;
      if (terminals === null) continue;
      const shown = new Set(terminals);
      for (const id of shown)
        if (id !== null && this.whereabouts.get(id) !== "shown") {
          hasTurned ||= this.whereabouts.has(id);
          this.whereabouts.set(id, "shown");
        }
      for (const [id, whereabouts] of this.whereabouts)
        hasTurned ||= whereabouts === "shown" && !shown.has(id);
    }
    return hasTurned;
  }

  /**
   * Whether a session that starts in a terminal goes on although none shows it. At rest it does not: it ends by itself then. `isFull`:
   * it was read just now.
   */
  private goesOn(one: Listed, { now, isFull }: { now: number; isFull: boolean }): boolean {
    const { adapter, account, session } = one;
    const terminals = this.deps.terminals(adapter, account);
    const before = this.whereabouts.get(session.id) ?? now;
    if (terminals === null) return this.deps.hasRow(session.id);
    if (terminals.includes(session.sessionId)) return false;
    const turn = (whereabouts: "going on" | "left" | number): boolean => {
      this.whereabouts.set(session.id, whereabouts);
      return whereabouts === "going on";
    };
    if (before === "going on" || this.deps.hasRow(session.id)) return turn("going on");
    if (before === "shown" && !isFull) return false;
    if (typeof before !== "number") return turn(session.isAtWork ? "going on" : "left");
    if (!session.isAtWork) return turn(now);
    const loaded = new Set(this.listed().map((other) => other.session.sessionId));
    const isNamed = terminals.every((sessionId) => sessionId !== null && loaded.has(sessionId));
    const dueAt = before + (terminals.length === 0 ? TERMINAL_MS : UNNAMED_MS);
    const isUnseen = now >= dueAt;
    if (isNamed && !isUnseen) this.listAgainAt(dueAt);
    return turn(isNamed && isUnseen ? "going on" : before);
  }

  private roamers(): NonNullable<BackgroundSessions["roams"]>[] {
    return this.deps.adapters().flatMap(({ background }) => background?.roams ?? []);
  }

  private isAnyBeingWritten(now: number): boolean {
    return [...this.known.values()].some((one) => isBeingWritten(one, now));
  }

  private listAgainAt(at: number): void {
    if (at >= this.lookAt) return;
    const { clock, onNews } = this.deps;
    this.cancelLook?.();
    this.lookAt = at;
    this.cancelLook = clock.setTimer(at - clock.now(), () => {
      this.lookAt = Infinity;
      if (!this.isClosed) onNews();
    });
  }

  /** The same object as long as nothing changed: rows are made again for a new one. */
  private paneOf(one: Listed, now: number): Pane {
    const known = this.panes.get(one.session);
    const isDead = this.dead.has(keyOf(one.session));
    if (known?.isDead === isDead) return known;
    const pane = toPane(this.deps.targetId, one, { isDead, updatedAt: now });
    this.panes.set(one.session, pane);
    return pane;
  }

  /** A process that was killed leaves its file behind: of several with one name, the one that began last counts. */
  private listed(): Listed[] {
    const byId = new Map<string, Listed>();
    for (const known of this.known.values()) {
      const { session } = known;
      if (session === null || backgroundPaneId(session.id) === null) continue;
      const key = `${known.adapter.agentType}/${session.id}`;
      if ((byId.get(key)?.session.beganAt ?? -Infinity) < session.beganAt)
        byId.set(key, { ...known, session });
    }
    return [...byId.values()];
  }

  /** A file that cannot be read now, as while it is written, counts as it was, and is read again. */
  private async read(known: Omit<Known, "session" | "unreadableSince">, path: string): Promise<Known> {
    const { files, logger, clock } = this.deps;
    const before = this.known.get(path);
    try {
      const { account, background, name } = known;
      const session = await background.read({ files, configDir: account.configDir, name });
      return { ...known, session, unreadableSince: null };
    } catch (error) {
      logger.debug({ error, name: known.name }, "the file of a session could not be read");
      const unreadableSince = before?.unreadableSince ?? clock.now();
      return { ...known, session: before?.session ?? null, unreadableSince };
    }
  }

  /** Reads the files that are new or may have changed, or every one. A file of no background session is taken to stay that. */
  private async readFiles({ isFull }: { isFull: boolean }): Promise<void> {
    this.readAt = this.deps.clock.now();
    if (isFull) this.readAllAt = this.readAt;
    const changed = new Set(this.changed);
    this.changed.clear();
    const all = new Map<string, Known>();
    let isWatching = true;
    let isAnyMissing = false;
    for (const { adapter, account, background } of await this.places()) {
      const { sessions, jobs } = background.folders(account.configDir);
      const ofSessions = await this.follow(sessions, (name) => this.changed.add(`${sessions}/${name}`));
      // Most people have none of some of these.
      if (ofSessions === "missing") {
        isAnyMissing = true;
        continue;
      }
      // The first job writes a file of its session, too, which is noticed.
      const ofJobs =
        jobs === undefined
          ? "unfollowed"
          : await this.follow(jobs, (name) => this.changed.add(name.split("/", 1)[0] ?? ""));
      isWatching = isWatching && ofSessions === "followed";
      const isFollowed = ofSessions === "followed" && ofJobs !== "unfollowed";
      const names = await this.deps.files.list(sessions);
      if (isFull && names.length > MAX_FILES)
        this.deps.logger.warn(
          { folder: sessions, count: names.length, read: MAX_FILES },
          "only the first files of sessions are read",
        );
      for (const name of names.slice(0, MAX_FILES)) {
        const path = `${sessions}/${name}`;
        const before = isFull ? undefined : this.known.get(path);
        const { session = null, unreadableSince = null } = before ?? {};
        const mayDiffer =
          session === null
            ? unreadableSince !== null && changed.has(path)
            : (before !== undefined && this.mayChange(before)) ||
              changed.has(path) ||
              changed.has(session.id);
        const isSame = before !== undefined && !isBeingWritten(before, this.readAt) && !mayDiffer;
        const file = { adapter, account, background, name, isFollowed };
        all.set(path, isSame ? before : await this.read(file, path));
      }
    }
    this.known = all;
    const ids = new Set([...all.values()].map(({ session }) => session?.id));
    for (const id of this.whereabouts.keys()) if (isFull && !ids.has(id)) this.whereabouts.delete(id);
    const keys = new Set(
      [...all.values()].flatMap(({ session }) => (session === null ? [] : [keyOf(session)])),
    );
    for (const key of this.dead) if (!keys.has(key)) this.dead.delete(key);
    this.isFailing = false;
    this.isWatching = isWatching;
    this.isAnyMissing = isAnyMissing;
  }

  private async places(): Promise<Pick<Known, "adapter" | "account" | "background">[]> {
    const places = this.deps.adapters().map(async (adapter) => {
      const { background } = adapter;
      if (background === undefined) return [];
      return (await this.deps.accountsOf(adapter)).map((account) => ({ adapter, account, background }));
    });
    return (await Promise.all(places)).flat();
  }

  /** Whether changes below the folder are reported; `missing`: it is not there, on this machine. */
  private async follow(
    folder: string,
    note: (name: string) => void,
  ): Promise<"followed" | "unfollowed" | "missing"> {
    const { kind, files, clock, onNews } = this.deps;
    if (kind === "ssh") return "unfollowed";
    // What cannot be read cannot be watched either; reading it says why.
    const found = await files.stat(folder).catch(() => undefined);
    if (found === undefined || found === null || found.isFile || this.isClosed) {
      this.unfollow(folder);
      return found === null ? "missing" : "unfollowed";
    }
    if (this.watchers.has(folder)) return "followed";
    try {
      const watcher = watch(folder, { recursive: true }, (_kind, name) => {
        if (name !== null) note(name);
        this.cancelNews ??= clock.setTimer(SETTLE_MS, () => {
          this.cancelNews = null;
          if (!this.isClosed) onNews();
        });
      });
      watcher.on("error", () => this.unfollow(folder));
      this.watchers.set(folder, watcher);
      return "followed";
    } catch {
      // What cannot be watched is read again and again.
      return "unfollowed";
    }
  }

  private unfollow(folder: string): void {
    if (!this.watchers.has(folder)) return;
    this.watchers.get(folder)?.close();
    this.watchers.delete(folder);
    this.isWatching = false;
    for (const [path, one] of this.known) this.known.set(path, { ...one, isFollowed: false });
  }
}
