// Answers the calls of history: which sessions there are and a search through them, one of them, what another agent needs to go on
// with it (`composeHandoff`), and what was used.
import { endsWithin } from "../../core/model/endsWithin.ts";
import { stamp } from "../../core/model/schemaVersion.ts";
import type { HistoryService } from "./calls.ts";
import { searchSessions } from "./search.ts";
import { toEntry, type Sessions, type SessionPiece } from "./sessions.ts";
import { StretchSpace, createPace } from "./logFile.ts";
import type { HistoryEntry, HistorySession, HistoryUsageRow, UsageGroup } from "../../core/model/history.ts";
import type { TranscriptEntry } from "../../core/ports/agentFiles.ts";
import type { SessionRow, HistoryDb, UsageRow } from "./historyDb.ts";

/** How long a call waits for a scan that is under way. */
const MAX_WAIT_MS = 1_000;

/** Characters of an excerpt, and of those before what was searched for. */
const BEFORE = 60;
const LENGTH = 240;

/** The place in a text that was searched for, as one line; `query` stands in it, in any case. */
const excerptOf = (text: string, query: string): string => {
  const at = Math.max(0, text.toLowerCase().indexOf(query.toLowerCase()));
  const from = at <= BEFORE ? 0 : at - BEFORE;
  const line = text
    .slice(from, from + LENGTH)
    .replace(/\s+/g, " ")
    .trim();
  return `${from > 0 ? "…" : ""}${line}${from + LENGTH < text.length ? "…" : ""}`;
};

export const listAnswers = (sessions: Sessions) => {
  /** The memory of the last search, for the next piece of it. */
  const spaces: StretchSpace[] = [];
  return {
    refresh: async () => {
      const { scan, db, remote } = await sessions.index();
      const [isDone, isDoneElsewhere] = await Promise.all([
        endsWithin(scan.refresh(), MAX_WAIT_MS, sessions.context.clock),
        remote.run(MAX_WAIT_MS),
      ]);
      return { isDone: isDone && isDoneElsewhere, sessions: db.count({}) };
    },
    list: async ({ limit, offset, ...filter }) => {
      const { db, remote } = await sessions.index();
      remote.checkNames(filter.target ?? []);
      return {
        ...stamp(sessions.context.clock.now()),
        filters: filter,
        summary: { total: db.count(filter) },
        problems: remote.problems(filter.target),
        items: db.list(filter, { limit, offset }).map((row) => sessions.viewOf(row)),
      };
    },
    search: async ({ text, cursor, ...filter }) => {
      const { db, remote: machines, remoteSearch: remote } = await sessions.index();
      machines.checkNames(filter.target ?? []);
      const space = spaces.pop() ?? new StretchSpace();
      try {
        const unknownOf = machines.problemsByName(filter.target);
        const ground = { ...sessions, db, space, remote, unknownOf };
        const { found, ...page } = await searchSessions(ground, { text, cursor, filter });
        const hits = found.map(({ row, entries, hasMore }) => {
          const session = sessions.viewOf(row);
          const matches = entries.map((entry) => ({ ...toEntry(entry), text: excerptOf(entry.text, text) }));
          return { identity: session.identity, session, matches, has_more: hasMore };
        });
        return { hits, ...page };
      } finally {
        if (spaces.length === 0) spaces.push(space);
      }
    },
  } satisfies Partial<HistoryService>;
};

// Handoff: what another agent needs to go on with a session: what the person asked, what was said last, what was touched, and where
// it stopped. It is put together from the log alone, because the agent may be out of tokens; nothing is made up, so what a log does
// not say (why something was decided) is not in it.

/** Of the whole document, and of single texts in it, in characters. */
const MAX_LENGTH = 12_000;
const MAX_GOAL = 2_500;
const MAX_REQUEST = 600;
const MAX_ANSWER = 2_000;
const MAX_REQUESTS = 8;
const MAX_ANSWERS = 2;
const MAX_FILES = 30;
const MAX_COMMANDS = 8;

/** Tools that change a file, by the names that agents give them; what follows is the file. */
const CHANGES =
  /^(?:edit|multi_?edit|write|create|replace|write_file|edit_file|apply_patch|str_replace\w*|notebook_?edit) +(\S.*)$/i;
const RUNS = /^(?:bash|shell|exec_command|run_shell_command|run_in_terminal|local_shell) +(\S.*)$/i;

const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max).trimEnd()} […${text.length - max} more characters]`;

/** The last different ones, in their order. */
const newest = (texts: readonly string[], count: number): string[] =>
  [...new Set(texts.toReversed())].slice(0, count).toReversed();

const matching = (calls: readonly string[], pattern: RegExp): string[] =>
  calls.flatMap((call) => pattern.exec(call)?.[1]?.trim() ?? []);

const listOf = (texts: readonly string[]): string =>
  texts.map((text) => `- ${text.replaceAll("\n", "\n  ")}`).join("\n");

const section = (title: string, body: string): string[] => (body === "" ? [] : [`## ${title}\n\n${body}`]);

/** `entries`: the newest of the session, oldest first; the first prompt may be older than they are. */
export const composeHandoff = (session: HistorySession, entries: readonly HistoryEntry[]): string => {
  const textsOf = (role: HistoryEntry["role"]): string[] =>
    entries.filter((entry) => entry.role === role).map(({ text }) => text);
  const prompts = textsOf("user");
  const answers = textsOf("agent");
  const calls = textsOf("tool");
  const goal = session.first_prompt ?? prompts[0] ?? session.title ?? "";
  const whole = prompts.find((prompt) => prompt.startsWith(goal.replace(/…$/, "").slice(0, 200)));
  const later = prompts.filter((prompt) => prompt !== whole);
  const last = entries.at(-1);
  const stopped =
    last === undefined || last.role === "agent" ? "" : `The log ends with: ${cut(last.text, MAX_REQUEST)}`;
  const [open = ""] = last?.role === "user" ? [last.text] : [];
  const context = [
    ...(session.folder === null ? [] : [`Folder: ${session.folder}`]),
    `Session: ${session.identity.agent}:${session.identity.session_id}`,
    ...(session.branch === null ? [] : [`Branch when it began: ${session.branch}`]),
    ...newest(matching(calls, CHANGES), MAX_FILES).map((file) => `Changed: ${cut(file, 200)}`),
    ...newest(matching(calls, RUNS), MAX_COMMANDS).map((command) => `Ran: ${cut(command, 200)}`),
  ];
  const document = [
    `# Work handed over from ${session.agent_name}`,
    "You take over work that another coding agent began. This was put together from its log. Look at the files and at git before you rely on it.",
    ...section("Goal", cut(whole ?? goal, MAX_GOAL)),
    ...section(
      "What the person asked since",
      listOf(later.slice(-MAX_REQUESTS).map((text) => cut(text, MAX_REQUEST))),
    ),
    ...section(
      "What the agent said last",
      answers
        .slice(-MAX_ANSWERS)
        .map((text) => cut(text, MAX_ANSWER))
        .join("\n\n---\n\n"),
    ),
    ...section("Context", listOf(context)),
    ...section(
      "Next steps",
      [
        open === "" ? stopped : `This was asked last and is not answered: ${cut(open, MAX_REQUEST)}`,
        "Find out what of the goal is not done yet, and go on with it.",
      ]
        .filter((text) => text !== "")
        .join("\n\n"),
    ),
  ].join("\n\n");
  return `${cut(document, MAX_LENGTH)}\n`;
};

// One session: a piece of its conversation, and its handoff.

/** Half a megabyte each: what is older is not what the work is about now. */
const MAX_HANDOFF_PAGES = 4;

/** A long text takes its time, so others get their turn between two of them. */
const redactEntries = async (
  entries: readonly TranscriptEntry[],
  redact: (text: string) => string,
): Promise<readonly TranscriptEntry[]> => {
  const pace = createPace();
  const redacted: TranscriptEntry[] = [];
  for (const entry of entries) {
    redacted.push({ ...entry, text: redact(entry.text) });
    await pace();
  }
  return redacted;
};

/** The newest part of a session, without known secrets, oldest first. */
const readNewest = async (sessions: Sessions, row: SessionRow): Promise<HistoryEntry[]> => {
  const entries: HistoryEntry[] = [];
  let before: string | null = null;
  for (let pages = 0; pages < MAX_HANDOFF_PAGES; pages += 1) {
    const piece: SessionPiece = await sessions.readPiece(row, before);
    entries.unshift(...(await redactEntries(piece.entries, sessions.context.redact)).map(toEntry));
    before = piece.before;
    if (before === null) break;
  }
  return entries;
};

export const readAnswers = (sessions: Sessions) =>
  ({
    find: async ({ ref }) => sessions.viewOf(await sessions.find(ref)),
    read: async ({ ref, before, redact }) => {
      const row = await sessions.find(ref);
      const piece = await sessions.readPiece(row, before);
      const entries = redact ? await redactEntries(piece.entries, sessions.context.redact) : piece.entries;
      return {
        session: sessions.viewOf(row),
        entries: entries.map(toEntry),
        before: piece.before,
        redacted: entries.filter(({ text }, index) => text !== piece.entries[index]?.text).length,
      };
    },
    handoff: async ({ ref }) => {
      const row = await sessions.find(ref);
      const session = sessions.viewOf(row);
      return {
        ...stamp(sessions.context.clock.now()),
        session,
        text: composeHandoff(session, await readNewest(sessions, row)),
      };
    },
  }) satisfies Partial<HistoryService>;

// Usage: what was used, added up by day, agent, model, machine or session. Rows come in pieces, so that many stop nobody.

/** How long one call reads what was used. */
const READ_MS = 300;
/** Sessions or days that one answer holds. */
const MAX_SUMS = 1_000;

/** The day where the daemon runs. */
const dayOf = (at: number | null): string => {
  if (at === null) return "unknown";
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
};

type Amounts = Omit<HistoryUsageRow, "identity" | "session">;

interface UsageSum extends Amounts {
  /** Day, model, agent, machine, or machine, agent and session. */
  key: string;
  target: string;
  agent: string;
  sessionId: string;
}

const NOTHING: Amounts = {
  answers: 0,
  input: 0,
  output: 0,
  cache_read: 0,
  cache_write: 0,
  cost: null,
};

const KEYS: Readonly<Record<UsageGroup, (row: UsageRow) => string>> = {
  day: ({ at }) => dayOf(at),
  agent: ({ agent }) => agent,
  model: ({ model }) => model ?? "unknown",
  target: ({ target }) => target,
  session: ({ target, agent, sessionId }) => `${target} ${agent}:${sessionId}`,
};

const add = (sum: Amounts, row: UsageRow): void => {
  const tokens = row.input + row.output + row.cacheRead + row.cacheWrite;
  // A row of a cost alone is no answer.
  sum.answers += tokens > 0 ? 1 : 0;
  sum.input += row.input;
  sum.output += row.output;
  sum.cache_read += row.cacheRead;
  sum.cache_write += row.cacheWrite;
  if (row.cost !== null) sum.cost = (sum.cost ?? 0) + row.cost;
};

const tokensOf = ({ input, output, cache_read, cache_write }: Amounts): number =>
  input + output + cache_read + cache_write;

/** The newest day first; else what used most. `isWanted`: by the session. */
const sumUsage = async (
  pieces: Iterable<readonly UsageRow[]>,
  by: UsageGroup,
  isWanted: (row: UsageRow) => boolean,
): Promise<{ total: Amounts; sums: UsageSum[] }> => {
  const pace = createPace();
  const total: Amounts = { ...NOTHING };
  const sums = new Map<string, UsageSum>();
  for (const piece of pieces) {
    for (const row of piece) {
      if (!isWanted(row)) continue;
      const key = KEYS[by](row);
      const sum = sums.get(key) ?? {
        ...NOTHING,
        key,
        target: row.target,
        agent: row.agent,
        sessionId: row.sessionId,
      };
      sums.set(key, sum);
      add(sum, row);
      add(total, row);
    }
    await pace();
  }
  const ordered = [...sums.values()].toSorted((one, other) =>
    by === "day" ? (one.key < other.key ? 1 : -1) : tokensOf(other) - tokensOf(one),
  );
  return { total, sums: ordered };
};

export const usageAnswers = (sessions: Sessions) => {
  const toRow = (db: HistoryDb, by: UsageGroup, sum: UsageSum): HistoryUsageRow => {
    const { key, target, agent, sessionId, ...amounts } = sum;
    const [row] = by === "session" ? db.find({ target, agent, id: sessionId }, 1) : [];
    const identity = by === "session" ? { target, agent, session_id: sessionId } : { [by]: key };
    return { identity, session: row === undefined ? null : sessions.viewOf(row), ...amounts };
  };
  return {
    readUsage: async () => {
      const { usage, remoteUsage } = await sessions.index();
      const [isDone, isDoneElsewhere] = await Promise.all([usage.run(READ_MS), remoteUsage.run(READ_MS)]);
      return { isDone: isDone && isDoneElsewhere };
    },
    usage: async ({ by, folder, ...filter }) => {
      const { db, remote, remoteUsage } = await sessions.index();
      remote.checkNames(filter.target ?? []);
      const inFolder = folder === undefined ? null : new Set(db.sessionsIn(folder));
      const { total, sums } = await sumUsage(
        db.usage.rows(filter),
        by,
        ({ target, agent, sessionId }) => inFolder?.has(`${target} ${agent}:${sessionId}`) ?? true,
      );
      return {
        ...stamp(sessions.context.clock.now()),
        filters: { by, ...(folder === undefined ? {} : { folder }), ...filter },
        summary: total,
        problems: remoteUsage.problems(filter.target),
        items: sums.slice(0, MAX_SUMS).map((sum) => toRow(db, by, sum)),
      };
    },
  } satisfies Partial<HistoryService>;
};
