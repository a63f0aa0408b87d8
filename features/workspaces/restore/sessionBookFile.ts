// Keeps the book in a file of the home, so that a reboot does not lose it. Damaged or missing, it begins again empty: then nothing
// can be brought back, and nothing else depends on it.
import { chmod, readFile, rename, writeFile } from "node:fs/promises";
import {
  EMPTY_BOOK,
  bookSchema,
  lostSessions,
  noteRows,
  noteStart,
  forget,
  serverKey,
  serversWithMissing,
  type SessionBook,
} from "./sessionBook.ts";
import type { LostSession } from "../../../core/model/lostSession.ts";
import { isMissing } from "../../../core/model/systemError.ts";
import { printWords } from "../../../core/model/tmuxHooks.ts";
import type { PaneView } from "../../../core/model/view.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";

/** Changes of rows are gathered that long. */
const GATHER_MS = 2_000;
const TIMEOUT_MS = 5_000;

type Context = Pick<FeatureContext, "target" | "clock" | "logger" | "redact"> & {
  rows: Pick<FeatureContext["rows"], "all">;
};

export class SessionBookFile {
  private readonly context: Context;
  private readonly path: string;
  private book: Promise<SessionBook>;
  private written = "";
  /** Which life of a server is present, as long as it shows rows and none of its agents is missing. */
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
    await this.write(await this.book);
  }

  /** An agent was started there by a person. */
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
