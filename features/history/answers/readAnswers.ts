// One session: a piece of its conversation, and what another agent needs to go on with it.
import type { HistoryEntry } from "../../../core/model/history.ts";
import type { TranscriptEntry } from "../../../core/ports/agentHistory.ts";
import type { HistoryService } from "../calls.ts";
import { composeHandoff } from "../handoff.ts";
import type { SessionRow } from "../historyDb.ts";
import { createPace } from "../pace.ts";
import type { SessionPiece } from "../readSession.ts";
import { toEntry, type Sessions } from "../sessions.ts";

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

export const readAnswers = (sessions: Sessions): Pick<HistoryService, "find" | "read" | "handoff"> => ({
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
    return { ...sessions.stamp(), session, text: composeHandoff(session, await readNewest(sessions, row)) };
  },
});
