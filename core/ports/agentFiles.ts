// What an adapter knows of its agent's files: sessions that it keeps on disk, and what it reads when it starts in a folder. Pure:
// the caller finds, opens and bounds the files, and everything in them is hostile.

/**
 * One piece of a session as the agent's own log has it. `tool`: a call, in one line. `note`: what the log says beside the
 * conversation (an error, an interrupt, a summary). `text` has no control characters but newline and tab.
 */
export interface TranscriptEntry {
  role: "user" | "agent" | "tool" | "note";
  text: string;
  /** Epoch ms; null where the log does not say it. */
  at: number | null;
}

/** One line of a log that is a JSON object; nothing in it is checked. */
export type LogLine = Readonly<Record<string, unknown>>;

/** The newest and the oldest part of one log. `head` is all of it where the log is short; then `tail` is the same text. */
export interface LogPiece {
  /** Below the root, with "/". */
  path: string;
  /** Its last line may be cut. */
  head: string;
  /** Its first line may be cut. */
  tail: string;
}

/** What a log says of its session. Texts as they are, of any length; null: it does not say. Times in epoch ms. */
export interface SessionFacts {
  /** The agent's own id, by which it resumes the session. */
  id: string;
  cwd: string | null;
  branch: string | null;
  /** The agent's or the person's name for it. */
  title: string | null;
  /** The first thing that the person asked. */
  firstPrompt: string | null;
  startedAt: number | null;
  lastAt: number | null;
  /** The session from which this one was forked. */
  parentId: string | null;
}

/** A piece of a conversation, oldest first. `leaf`: where the piece before it ends, for logs that are trees; else null. */
interface ReadEntries {
  entries: readonly TranscriptEntry[];
  leaf: string | null;
}

/** What one answer used, as the log states it. */
export interface UsageRecord {
  /** The same wherever the same answer stands again: later in the log, or in the log of a fork. The last one counts. */
  key: string;
  /** Epoch ms. */
  at: number | null;
  model: string | null;
  /** Tokens. `input` without those that came from a cache, where the log separates them. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** US dollars, where the log states them. */
  cost: number | null;
}

/** Reads what was used from the lines of one log, in order. `state` goes on from where another reader of it stopped. */
export interface UsageReader {
  read(line: LogLine): readonly UsageRecord[];
  state(): string;
}

export interface FileUsage {
  /** Stands in every line that has to be read. */
  readonly mark: RegExp;
  /** Logs that are no sessions and use tokens too; the first group of `file` is the session to which one belongs. */
  readonly roots: FileHistory["roots"];
  createReader(path: string, state: string | null): UsageReader;
}

/** Logs of JSON lines, one file per session. */
export interface FileHistory {
  readonly kind: "files";
  /** `folder` is below the agent's folder; `file` matches the path below it, which has `depth` folders in it. */
  readonly roots: readonly { folder: string; depth: number; file: RegExp }[];
  /** How much of a log's beginning usually suffices. */
  readonly headBytes: number;
  /** Null for what is no session of a person: a sub-agent's, another program's, or one without any content. */
  readFacts(piece: LogPiece): SessionFacts | null;
  /** `lines` in order. `leaf`: what the piece after it gave; null for the newest piece. */
  readEntries(lines: readonly LogLine[], leaf: string | null): ReadEntries;
  readonly usage: FileUsage;
}

/** Asks a database that is open for reading; every text is bounded by the caller's SQL. */
export type ReadRows = (sql: string, ...values: readonly (string | number)[]) => readonly LogLine[];

/** Sessions in a SQLite database. */
export interface DatabaseHistory {
  readonly kind: "database";
  /** Below the agent's folder of data. */
  readonly file: string;
  /** What is read. They have to be plain tables: a view would be a program of whoever wrote the file. */
  readonly tables: readonly string[];
  /** The ids of all sessions that are there now. */
  listIds(rows: ReadRows): readonly string[];
  /** When the last but `count` of the sessions changed, epoch ms; 0 where there are not as many. */
  changedBefore(rows: ReadRows, count: number): number;
  /** Of at most `limit` sessions that hold a text somewhere, as JSON has it; case of ASCII letters does not count. */
  idsWith(rows: ReadRows, inJson: string, limit: number): readonly string[];
  /** At most `limit` sessions that changed at `since` (epoch ms) or later, the oldest change first. */
  listSessions(rows: ReadRows, since: number, limit: number): readonly DatabaseSession[];
  /** The newest `limit` messages before `before` (epoch ms; null: of all), oldest first, and where the piece before them ends. */
  readEntries(
    rows: ReadRows,
    query: { id: string; before: number | null; limit: number },
  ): { entries: readonly TranscriptEntry[]; before: number | null };
  /** What the answers of one session used. */
  readUsage(rows: ReadRows, id: string): readonly UsageRecord[];
}

interface DatabaseSession {
  facts: SessionFacts;
  /** Epoch ms. */
  changedAt: number;
}

export type AgentHistory = FileHistory | DatabaseHistory;

// Limits: what an agent's own files say of the provider's limits for the person's account.

/** A stretch of time in which only so much may be used. */
export interface LimitWindow {
  /** Its length; null: it does not say. */
  readonly minutes: number | null;
  /** A little above 100 where the provider lets it. */
  readonly usedPercent: number;
  /** Epoch ms. */
  readonly resetsAt: number;
}

/** `at`: when the provider said so, epoch ms. */
export interface LimitReading {
  readonly at: number;
  readonly windows: readonly LimitWindow[];
}

export interface AgentLimits {
  /** The newest logs of its sessions, or one file in its folder of settings. */
  readonly from: "logs" | { readonly file: string };
  /** Said to the person: where it stands. */
  readonly source: string;
  /** The newest that the end of a log, or the file, says; null: nothing. `changedAt`: of the file, epoch ms. */
  read(text: string, changedAt: number): LimitReading | null;
}

// Loads: where the files lie that an agent reads when it starts in a folder, and at which places in them the names stand that
// matter. The adapter only names the places; its caller reads the files.

type LoadKind =
  | "instructions"
  | "rules"
  | "settings"
  | "permissions"
  | "hooks"
  | "mcp"
  | "skills"
  | "commands"
  | "agents"
  | "extensions";

/** Who decides on it: the machine's administrator, the person, the project. */
export type LoadLevel = "managed" | "person" | "project";

export interface LoadPlace {
  readonly kind: LoadKind;
  readonly level: LoadLevel;
  /**
   * Absolute, below the home (`~/…`), or below the project's folder. Of several names in one folder the first that is there is
   * read. One part may be `*` or `*.md`: then what it stands for are the names.
   */
  readonly path: string | readonly string[];
  /** For a project: the folder alone where it is left out; else each one up to the repository's top, or up to the root. */
  readonly reach?: "top" | "root";
  /** The names are the keys of what stands under this key in the file. */
  readonly names?: { readonly format: "json" | "toml"; readonly key: string };
}

export interface AgentLoads {
  readonly places: readonly LoadPlace[];
  /** Which one is used where two have the same name, as far as that is known. */
  readonly wins: Partial<Record<LoadKind, "nearest" | "person">>;
  /** How this is known. */
  readonly basis: string;
  /** What it may read beside that, in words. */
  readonly unknown: readonly string[];
}

type Rest = Omit<LoadPlace, "kind" | "level" | "path">;

export const place = (
  kind: LoadKind,
  level: LoadLevel,
  path: LoadPlace["path"],
  rest: Rest = {},
): LoadPlace => ({ kind, level, path, ...rest });

/** Names of a JSON or TOML file. */
export const inFile = (format: "json" | "toml", key: string): Rest => ({ names: { format, key } });

/** Several kinds in one file: under which key each stands. */
export const settingsFile = (
  level: LoadLevel,
  path: string,
  keys: Partial<Record<LoadKind, string>>,
): LoadPlace[] =>
  (["mcp", "permissions", "hooks"] as const).flatMap((kind) => {
    const key = keys[kind];
    return key === undefined ? [] : [place(kind, level, path, inFile("json", key))];
  });
