// Which sessions of agents run in which tmux server, and which were lost with one. When a server ends, its panes are gone, and with
// them all that is known of who worked where; so that is kept here, for each instance of a server: the book as a value (pure), and
// `SessionBookFile`, which keeps it in a file of the home. Nothing is started here.
import * as z from "zod";
import { lostSessionSchema, type LostSession } from "../../core/model/workspace.ts";
import type { PaneView } from "../../core/model/view.ts";
import { chmod, readFile, rename, writeFile } from "node:fs/promises";
import { isMissing } from "../../core/model/errors.ts";
import { printWords } from "../../core/model/commandWords.ts";
import type { FeatureContext } from "../../core/ports/feature.ts";

/** An agent that ended within this time before its server did was ended by that. */
const GRACE_MS = 10_000;
const KEEP_MS = 14 * 24 * 3_600_000;
const MAX_LOST = 200;
const MAX_STARTED = 20;

const entrySchema = lostSessionSchema.extend({
  /** Epoch ms; null while it runs. */
  ended_at: z.number().nullable(),
});
type Entry = z.infer<typeof entrySchema>;

const bookSchema = z.object({
  version: z.literal(1),
  /** By target and server; `life` names one instance of the server. */
  servers: z.record(z.string(), z.object({ life: z.string(), entries: z.array(entrySchema) })),
  lost: z.array(lostSessionSchema),
  /** By machine, the agents that were started there, the last one first. */
  started: z.record(z.string(), z.array(z.string())).default({}),
});
export type SessionBook = z.infer<typeof bookSchema>;

export const EMPTY_BOOK: SessionBook = { version: 1, servers: {}, lost: [], started: {} };

const serverKey = ({ target, tmux_server }: PaneView["identity"]): string => `${target} ${tmux_server}`;

const nameOf = ({ target, agent, agent_session_id: id }: LostSession): string => `${target} ${agent} ${id}`;

const runningNames = (rows: readonly PaneView[]): Set<string> =>
  new Set(
    rows.flatMap(({ identity, agent, state, agent_session_id: id }) =>
      state === null || id === null ? [] : [`${identity.target} ${agent} ${id}`],
    ),
  );

/**
 * A session can be brought back once its agent named it and where it works. A name with a secret in it is not kept, and neither is
 * a session in a folder of such a name.
 */
const toEntry = (row: PaneView, now: number, redact: (text: string) => string): Entry[] => {
  const { identity, agent, agent_session_id: id, activity, window_index, window_name } = row;
  const folder = activity?.folder ?? null;
  if (agent === null || row.state === null || id === null || folder === null) return [];
  // Its own supervisor keeps it.
  if (row.background !== null) return [];
  const names = [folder, identity.session_name];
  if (names.some((name) => redact(name) !== name)) return [];
  return [
    {
      target: identity.target,
      tmux_server: identity.tmux_server,
      session_name: identity.session_name,
      window_index,
      window_name: redact(window_name) === window_name ? window_name : "",
      agent,
      agent_session_id: id,
      folder,
      seen_at: new Date(now).toISOString(),
      ended_at: null,
    },
  ];
};

const stillOf = (entries: readonly Entry[], now: readonly Entry[], at: number): Entry[] => {
  const alive = new Set(now.map(nameOf));
  const gone = entries
    .filter((entry) => !alive.has(nameOf(entry)))
    .map((entry) => ({ ...entry, ended_at: entry.ended_at ?? at }))
    .filter((entry) => at - entry.ended_at <= GRACE_MS);
  // `seen_at` changes at most once a minute, so that the file is not written all the time.
  const kept = now.map((entry) => {
    const before = entries.find((other) => nameOf(other) === nameOf(entry));
    const isFresh = before !== undefined && at - Date.parse(before.seen_at) < 60_000;
    return isFresh ? { ...entry, seen_at: before.seen_at } : entry;
  });
  return [...kept, ...gone];
};

const withoutEnd = (entry: Entry): LostSession => {
  const { ended_at: _, ...lost } = entry;
  return lost;
};

/** Servers of which an agent is missing: it ended, or the server did and another one has taken its place. */
const serversWithMissing = (book: SessionBook, rows: readonly PaneView[]): string[] => {
  const running = runningNames(rows);
  return Object.entries(book.servers).flatMap(([key, { entries }]) =>
    entries.some((entry) => !running.has(nameOf(entry))) ? [key] : [],
  );
};

/** `lives`: which instance of each server its rows are of, where that is known. */
export const noteRows = (
  book: SessionBook,
  {
    rows,
    lives,
    now,
    redact,
  }: {
    rows: readonly PaneView[];
    lives: ReadonlyMap<string, string>;
    now: number;
    redact: (text: string) => string;
  },
): SessionBook => {
  const servers = { ...book.servers };
  let { lost } = book;
  for (const [key, of] of Map.groupBy(rows, ({ identity }) => serverKey(identity))) {
    const life = lives.get(key);
    if (life === undefined) continue;
    const before = servers[key];
    const present = of.flatMap((row) => toEntry(row, now, redact));
    if (before !== undefined && before.life !== life) lost = [...before.entries.map(withoutEnd), ...lost];
    const entries = before?.life === life ? before.entries : [];
    servers[key] = { life, entries: stillOf(entries, present, now) };
  }
  return {
    ...book,
    servers,
    lost: lost.filter((one) => now - Date.parse(one.seen_at) < KEEP_MS).slice(0, MAX_LOST),
  };
};

/** Sessions that were lost and run nowhere now, each once. Those of a server that shows no pane now count as lost. */
export const lostSessions = (book: SessionBook, rows: readonly PaneView[]): LostSession[] => {
  const present = new Set(rows.map(({ identity }) => serverKey(identity)));
  const gone = Object.entries(book.servers).flatMap(([key, { entries }]) =>
    present.has(key) ? [] : entries.map(withoutEnd),
  );
  const running = runningNames(rows);
  const seen = new Set<string>();
  return [...gone, ...book.lost]
    .filter((one) => {
      const name = nameOf(one);
      if (running.has(name) || seen.has(name)) return false;
      seen.add(name);
      return true;
    })
    .toSorted(
      (a, b) =>
        a.target.localeCompare(b.target) ||
        a.session_name.localeCompare(b.session_name) ||
        a.window_index - b.window_index,
    );
};

/** Which agent a person starts on a machine is what they want next, too. */
const noteStart = (book: SessionBook, target: string, agent: string): SessionBook => {
  const before = (book.started[target] ?? []).filter((one) => one !== agent);
  return { ...book, started: { ...book.started, [target]: [agent, ...before].slice(0, MAX_STARTED) } };
};

/** Those that were brought back, or that the person does not want back, are lost no more. */
export const forget = (book: SessionBook, sessions: readonly LostSession[]): SessionBook => {
  const names = new Set(sessions.map(nameOf));
  const isKept = (one: LostSession): boolean => !names.has(nameOf(one));
  const servers = Object.fromEntries(
    Object.entries(book.servers).map(([key, { life, entries }]) => [
      key,
      { life, entries: entries.filter((entry) => entry.ended_at === null || isKept(entry)) },
    ]),
  );
  return { ...book, servers, lost: book.lost.filter(isKept) };
};

/** Changes of rows are gathered that long. */
const GATHER_MS = 2_000;
const TIMEOUT_MS = 5_000;

interface Context extends Omit<FeatureContext, "rows"> {
  rows: { all(): readonly PaneView[] };
}

/** Keeps the book in a file of the home, so that a reboot does not lose it. Damaged or missing, it begins again empty. */
export class SessionBookFile {
  private readonly context: Context;
  private readonly path: string;
  private book: Promise<SessionBook>;
  private written = "";
  /**
   * By server, the instance that is present. Dropped where it shows no rows or an agent is missing: it may be another one by then.
   */
  private readonly lives = new Map<string, string>();
  private cancelGather: (() => void) | null = null;
  private work: Promise<void> = Promise.resolve();
  private isClosed = false;

  constructor(context: Context, path: string) {
    this.context = context;
    this.path = path;
    this.book = this.read();
    // From the start on, so that a home always has the same files.
    this.work = this.keep(async () => this.write(await this.book));
  }

  /** Rows changed. Returns at once. */
  handleChanges(): void {
    if (this.isClosed) return;
    this.cancelGather ??= this.context.clock.setTimer(GATHER_MS, () => {
      this.cancelGather = null;
      void this.noteNow();
    });
  }

  /** By what is there at this moment: a server may just have been replaced. */
  async lost(): Promise<LostSession[]> {
    await this.noteNow();
    return lostSessions(await this.book, this.context.rows.all());
  }

  async forget(sessions: readonly LostSession[]): Promise<void> {
    this.book = this.book.then((book) => forget(book, sessions));
    // One write after another: they share a file beside the book.
    const written = this.work.then(async () => this.write(await this.book));
    this.work = this.keep(() => written);
    await written;
  }

  async noteStart(target: string, agent: string): Promise<void> {
    this.book = this.book.then((book) => noteStart(book, target, agent));
    this.work = this.work.then(() => this.keep(async () => this.write(await this.book)));
    await this.work;
  }

  async startedOn(target: string): Promise<readonly string[]> {
    return (await this.book).started[target] ?? [];
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.cancelGather?.();
    await this.work;
  }

  private noteNow(): Promise<void> {
    this.work = this.work.then(() => this.keep(() => this.note()));
    return this.work;
  }

  /** A list that cannot be kept holds up nothing else. */
  private async keep(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.context.logger.warn({ error }, "which sessions run could not be kept");
    }
  }

  private async read(): Promise<SessionBook> {
    try {
      return bookSchema.parse(JSON.parse(await readFile(this.path, "utf8")));
    } catch (error) {
      if (!isMissing(error))
        this.context.logger.warn({ error }, "what can be brought back is not known any more");
      return EMPTY_BOOK;
    }
  }

  private async note(): Promise<void> {
    const rows = this.context.rows.all();
    for (const key of serversWithMissing(await this.book, rows)) this.lives.delete(key);
    const lives = await this.livesOf(rows);
    this.book = this.book.then((book) =>
      noteRows(book, { rows, lives, now: this.context.clock.now(), redact: this.context.redact }),
    );
    await this.write(await this.book);
  }

  /** Asked once, and again when it may be another one. */
  private async livesOf(rows: readonly PaneView[]): Promise<ReadonlyMap<string, string>> {
    const servers = new Map(rows.map(({ identity }) => [serverKey(identity), identity]));
    for (const key of this.lives.keys()) if (!servers.has(key)) this.lives.delete(key);
    for (const [key, identity] of servers) {
      if (this.lives.has(key)) continue;
      const life = await this.lifeOf(identity);
      if (life !== null) this.lives.set(key, life);
    }
    return this.lives;
  }

  private async lifeOf({ target, tmux_server: server }: PaneView["identity"]): Promise<string | null> {
    try {
      const tmux = this.context.target(target).tmux(server);
      const words = printWords("#{pid} #{start_time}", null);
      const asked = await tmux.run(words, { timeoutMs: TIMEOUT_MS });
      const life = asked.stdout.trim();
      return asked.exitCode === 0 && /^\d+ \d+$/.test(life) ? life : null;
    } catch {
      // Not connected now: it is asked again with the next change.
      return null;
    }
  }

  private async write(book: SessionBook): Promise<void> {
    const text = JSON.stringify(book);
    if (text === this.written) return;
    const temp = `${this.path}.tmp`;
    await writeFile(temp, text, { mode: 0o600 });
    await chmod(temp, 0o600);
    await rename(temp, this.path);
    this.written = text;
  }
}
