// What was used, added up by day, agent, model or session. The rows come in pieces, so that many of them stop nobody.
import type { HistoryUsageRow, UsageGroup } from "../../../core/model/history.ts";
import type { HistoryService } from "../calls.ts";
import type { HistoryDb } from "../historyDb.ts";
import type { Sessions } from "../sessions.ts";
import { createPace } from "../pace.ts";
import type { UsageRow } from "../usageDb.ts";

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

export const usageAnswers = (sessions: Sessions): Pick<HistoryService, "readUsage" | "usage"> => {
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
        ...sessions.stamp(),
        filters: { by, ...(folder === undefined ? {} : { folder }), ...filter },
        summary: total,
        problems: remoteUsage.problems(filter.target),
        items: sums.slice(0, MAX_SUMS).map((sum) => toRow(db, by, sum)),
      };
    },
  };
};
