// The sessions that opencode keeps: a SQLite database, `~/.local/share/opencode/opencode.db`. Recorded with 1.18.33: a message
// is a row of JSON, and its text and calls are rows of `part`. A sub-agent is a session with a parent.
import type {
  DatabaseHistory,
  LogLine,
  ReadRows,
  UsageRecord,
  TranscriptEntry,
} from "../../core/ports/agentFiles.ts";
import { amountOf, costOf, SESSION_ID, callOf, entryOf } from "../common/sessionLog.ts";
import { asPayload, fieldOf, numberOf, parsePayload, type Payload, textOf } from "../common/events.ts";

/** Rows above this are pictures and outputs; they are not loaded. */
const MAX_ROW = 1_000_000;
/** What the program writes until the session has a name. */
const NO_NAME = /^(?:New session|Child session) - \d{4}-/;

const LIST = `SELECT id, substr(directory, 1, 4096) AS directory, substr(title, 1, 2000) AS title, time_created, time_updated
  FROM session WHERE parent_id IS NULL AND time_updated >= ? ORDER BY time_updated, id LIMIT ?`;
const NTH = `SELECT time_updated FROM session WHERE parent_id IS NULL ORDER BY time_updated DESC LIMIT 1 OFFSET ?`;
const WITH_TEXT = `SELECT DISTINCT session_id FROM part WHERE octet_length(data) <= ${MAX_ROW} AND
  instr(lower(data), lower(?)) > 0 LIMIT ?`;
const FIRST_PROMPT = `SELECT data FROM part WHERE octet_length(data) <= ${MAX_ROW} AND message_id =
  (SELECT id FROM message WHERE session_id = ? ORDER BY time_created, id LIMIT 1) ORDER BY id LIMIT 5`;
const MESSAGES = `SELECT id, time_created, data FROM message
  WHERE session_id = ? AND time_created < ? AND octet_length(data) <= ${MAX_ROW}
  ORDER BY time_created DESC, id DESC LIMIT ?`;
const PARTS = `SELECT data FROM part WHERE message_id = ? AND octet_length(data) <= ${MAX_ROW} ORDER BY id LIMIT 500`;

const dataOf = (row: LogLine): Payload => parsePayload(textOf(row, "data") ?? "") ?? {};

const firstPrompt = (rows: ReadRows, id: string): string | null => {
  for (const row of rows(FIRST_PROMPT, id)) {
    const part = dataOf(row);
    if (textOf(part, "type") === "text" && fieldOf(part, "synthetic") !== true) return textOf(part, "text");
  }
  return null;
};

const toSession = (rows: ReadRows, row: LogLine): ReturnType<DatabaseHistory["listSessions"]>[number][] => {
  const id = textOf(row, "id");
  const changedAt = numberOf(row, "time_updated");
  if (id === null || changedAt === null || !SESSION_ID.test(id)) return [];
  const title = textOf(row, "title");
  const facts = {
    id,
    cwd: textOf(row, "directory"),
    branch: null,
    title: title === null || NO_NAME.test(title) ? null : title,
    firstPrompt: firstPrompt(rows, id),
    startedAt: numberOf(row, "time_created"),
    lastAt: changedAt,
    parentId: null,
  };
  return [{ facts, changedAt }];
};

const partEntries = (part: Payload, role: "user" | "agent", at: number | null): TranscriptEntry[] => {
  if (fieldOf(part, "synthetic") === true) return [];
  switch (textOf(part, "type")) {
    case "text":
      return entryOf(role, textOf(part, "text"), at);
    case "tool":
      return callOf(textOf(part, "tool"), fieldOf(asPayload(fieldOf(part, "state")) ?? {}, "input"), at);
    // Reasoning, steps, snapshots, and what later versions may add.
    case null:
    default:
      return [];
  }
};

const messageEntries = (rows: ReadRows, row: LogLine): TranscriptEntry[] => {
  const message = dataOf(row);
  const at = numberOf(row, "time_created");
  const role = textOf(message, "role") === "user" ? "user" : "agent";
  const said = rows(PARTS, textOf(row, "id") ?? "").flatMap((part) => partEntries(dataOf(part), role, at));
  const error = asPayload(fieldOf(message, "error"));
  if (error === null) return said;
  const name = textOf(error, "name");
  const detail = textOf(asPayload(fieldOf(error, "data")) ?? {}, "message") ?? name ?? "error";
  return [...said, ...entryOf("note", name === "MessageAbortedError" ? "interrupted" : detail, at)];
};

const ANSWERS = `SELECT id, time_created, data FROM message WHERE octet_length(data) <= ${MAX_ROW} AND (session_id = ? OR
  session_id IN (SELECT id FROM session WHERE parent_id = ?))`;

const toUsage = (row: LogLine): UsageRecord[] => {
  const message = dataOf(row);
  const tokens = asPayload(fieldOf(message, "tokens"));
  const key = textOf(row, "id");
  if (tokens === null || key === null) return [];
  const cache = asPayload(fieldOf(tokens, "cache")) ?? {};
  return [
    {
      key,
      at: numberOf(row, "time_created"),
      model: textOf(message, "modelID"),
      input: amountOf(tokens, "input"),
      output: amountOf(tokens, "output") + amountOf(tokens, "reasoning"),
      cacheRead: amountOf(cache, "read"),
      cacheWrite: amountOf(cache, "write"),
      cost: costOf(message, "cost"),
    },
  ];
};

export const opencodeHistory: DatabaseHistory = {
  kind: "database",
  file: "opencode.db",
  tables: ["session", "message", "part"],
  listIds: (rows) =>
    rows("SELECT id FROM session WHERE parent_id IS NULL").flatMap((row) => textOf(row, "id") ?? []),
  changedBefore: (rows, count) => {
    const [row] = rows(NTH, count);
    return row === undefined ? 0 : (numberOf(row, "time_updated") ?? 0);
  },
  idsWith: (rows, inJson, limit) =>
    rows(WITH_TEXT, inJson, limit).flatMap((row) => textOf(row, "session_id") ?? []),
  listSessions: (rows, since, limit) => rows(LIST, since, limit).flatMap((row) => toSession(rows, row)),
  readUsage: (rows, id) => rows(ANSWERS, id, id).flatMap(toUsage),
  readEntries: (rows, { id, before, limit }) => {
    const messages = rows(MESSAGES, id, before ?? Number.MAX_SAFE_INTEGER, limit).toReversed();
    const [oldest] = messages;
    return {
      entries: messages.flatMap((row) => messageEntries(rows, row)),
      before: messages.length < limit || oldest === undefined ? null : numberOf(oldest, "time_created"),
    };
  },
};
