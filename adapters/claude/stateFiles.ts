// Claude Code's own session file, `~/.claude/sessions/<pid>.json`: rewritten on every change, also where no hook fires
// (denied, interrupted), and deleted on exit. Undocumented, so nothing counts before it is tied to the living process. It
// never tells a fresh prompt from a finished turn: its `idle` carries the least specific reason and medium confidence. Its words
// for waits are recorded with 2.1.329; 2.1.197 calls a question a permission prompt too, which proves neither.
import { oneLine, parsePayload } from "../common/payload.ts";
import { FRESH, QUESTION, THINKING, TOOL_APPROVAL } from "../common/signals.ts";
import * as z from "zod";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import type { Reading, StateFileRequest } from "../../core/ports/agentAdapter.ts";

const MAX_BYTES = 64 * 1024;
/** Process start times have a resolution of one second on some systems; the file is written up to some seconds later. */
const START_TOLERANCE_MS = 2_500;
/** A number above this is epoch milliseconds (2001), below it a count of clock ticks that says nothing here. */
const EPOCH_MS_FLOOR = 1e12;

const sessionFileSchema = z.object({
  pid: z.number().int(),
  startedAt: z.number(),
  procStart: z.union([z.number(), z.string()]).optional(),
  updatedAt: z.number().optional(),
  version: z.string().optional(),
  kind: z.string().optional(),
  tmux: z.string().optional(),
  status: z.enum(["idle", "busy", "waiting"]),
  waitingFor: z.string().optional(),
});
type SessionFile = z.infer<typeof sessionFileSchema>;

/** A file left by a killed process whose pid was given out again starts before the process that bears the pid now. */
const isOfProcess = (file: SessionFile, process: ProcessInfo): boolean => {
  if (file.pid !== process.pid) return false;
  if (file.startedAt < process.startedAt - START_TOLERANCE_MS) return false;
  if (file.updatedAt !== undefined && file.updatedAt < process.startedAt - START_TOLERANCE_MS) return false;
  const procStart = Number(file.procStart);
  return !(procStart > EPOCH_MS_FLOOR) || Math.abs(procStart - process.startedAt) <= START_TOLERANCE_MS;
};

/** `tmux` is `<session>:@<window>.%<pane>` in 2.1.329 and absent in 2.1.197; a form that we do not know proves nothing. */
const isOfPane = (file: SessionFile, paneId: string): boolean => {
  const named = file.tmux === undefined ? null : /\.(%\d+)$/.exec(file.tmux);
  return named === null || named[1] === paneId;
};

const FIRST_WITH_KINDS = [2, 1, 329] as const;

const namesKindOfWait = (version: string): boolean => {
  const parts = version.split(".").map(Number);
  const differing = FIRST_WITH_KINDS.findIndex((part, index) => parts[index] !== part);
  return differing < 0 || (parts[differing] ?? 0) > (FIRST_WITH_KINDS[differing] ?? 0);
};

const readingOf = (file: SessionFile): Reading | null => {
  const base = { confidence: "medium", request: null } as const;
  switch (file.status) {
    case "idle":
      return { ...base, status: FRESH, matched: "session file: idle", isSteady: false };
    case "busy":
      return { ...base, status: THINKING, matched: "session file: busy", isSteady: true };
    case "waiting": {
      if (!namesKindOfWait(file.version ?? "")) return null;
      const matched = `session file: waiting, ${oneLine(file.waitingFor ?? "", 100)}`;
      if (file.waitingFor === "permission prompt")
        return {
          ...base,
          status: TOOL_APPROVAL,
          matched,
          isSteady: true,
        };
      if (file.waitingFor === "input needed")
        return {
          ...base,
          status: QUESTION,
          matched,
          isSteady: true,
        };
      return null;
    }
  }
};

/** Null for no file, one that is not this process's or pane's, and words that were never recorded. */
export const readClaudeStateFile = async ({
  files,
  homeDir,
  process,
  pane,
}: StateFileRequest): Promise<Reading | null> => {
  const text = await files.readText(`${homeDir}/.claude/sessions/${process.pid}.json`, MAX_BYTES);
  const file = text === null ? null : (sessionFileSchema.safeParse(parsePayload(text)).data ?? null);
  if (file === null || (file.kind !== undefined && file.kind !== "interactive")) return null;
  return isOfProcess(file, process) && isOfPane(file, pane.paneId) ? readingOf(file) : null;
};
