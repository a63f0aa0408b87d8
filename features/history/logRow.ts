// What the index has of one log: what its beginning and its end say of the session, cut and without secrets.
import type { FileHistory, SessionFacts } from "../../core/ports/agentHistory.ts";
import type { KnownLog, LogRow } from "./historyDb.ts";
import type { LogFile } from "./logFile.ts";

export const TAIL_BYTES = 16 * 1024;
/** Where the beginning does not hold the first prompt, more is read once. */
const LONG_HEAD_BYTES = 256 * 1024;
const MAX_TITLE = 200;
const MAX_PROMPT = 400;

const oneLine = (text: string | null, max: number, redact: (text: string) => string): string | null => {
  // Cut before it is redacted, with room for a secret that stands across the cut.
  const line = redact((text ?? "").slice(0, max * 4))
    .replace(/\s+/g, " ")
    .trim();
  return line === "" ? null : line.length > max ? `${line.slice(0, max - 1)}…` : line;
};

/** Null: it is no session. `below`: its path below the root. */
export const headOf = async (
  log: Pick<LogFile, "size" | "read">,
  history: FileHistory,
  below: string,
): Promise<SessionFacts | null> => {
  let facts: SessionFacts | null = null;
  for (const size of [history.headBytes, LONG_HEAD_BYTES]) {
    const head = (await log.read(0, size)).toString("utf8");
    const tail =
      log.size <= size
        ? head
        : (await log.read(Math.max(0, log.size - TAIL_BYTES), log.size)).toString("utf8");
    facts = history.readFacts({ path: below, head, tail });
    if (facts === null || facts.firstPrompt !== null || log.size <= size) break;
  }
  // A log in which nobody asked anything was opened and left.
  return facts === null || (facts.firstPrompt === null && facts.title === null) ? null : facts;
};

/** `facts` null: the file is no session. */
export const toLogRow = (
  log: KnownLog & Pick<LogRow, "target">,
  facts: SessionFacts | null,
  redact: (text: string) => string,
): LogRow => ({
  ...log,
  sessionId: facts?.id ?? null,
  cwd: oneLine(facts?.cwd ?? null, 1_000, redact),
  branch: oneLine(facts?.branch ?? null, MAX_TITLE, redact),
  title: oneLine(facts?.title ?? null, MAX_TITLE, redact),
  firstPrompt: oneLine(facts?.firstPrompt ?? null, MAX_PROMPT, redact),
  startedAt: facts?.startedAt ?? null,
  lastAt: facts?.lastAt ?? log.mtime,
  parentId: facts?.parentId ?? null,
});
