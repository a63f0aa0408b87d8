// Claude Code's own session file, `~/.claude/sessions/<pid>.json`: rewritten on every change, also where no hook fires
// (denied, interrupted), and deleted on exit. Undocumented, so nothing counts before it is tied to the running process. It
// never distinguishes a fresh prompt from a finished turn: its `idle` gets the least specific reason and medium confidence. Its
// words for waits are recorded with 2.1.329; 2.1.197 calls a question a permission prompt too, which proves neither.
import { parsePayload, FRESH, QUESTION, THINKING, TOOL_APPROVAL } from "../common/events.ts";
import { shows } from "../common/screenText.ts";
import type { Status } from "../../core/model/state.ts";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import type { Reading, StateFileRequest } from "../../core/ports/agentAdapter.ts";
import * as z from "zod";

const MAX_BYTES = 64 * 1024;
/** Process start times have a resolution of one second on some systems; the file is written up to some seconds later. */
const START_TOLERANCE_MS = 2_500;
/** A number above this is epoch milliseconds (2001), below it a count of clock ticks that says nothing here. */
const EPOCH_MS_FLOOR = 1e12;

/** Most fields may be missing: what counts is checked where it is used. */
const sessionFileSchema = z.object({
  pid: z.number().int(),
  startedAt: z.number(),
  procStart: z.union([z.number(), z.string()]).optional(),
  updatedAt: z.number().optional(),
  version: z.string().optional(),
  kind: z.string().optional(),
  tmux: z.string().optional(),
  status: z.string().optional(),
  waitingFor: z.string().optional(),
  sessionId: z.string().optional(),
  cwd: z.string().optional(),
});
type SessionFile = z.infer<typeof sessionFileSchema>;

/** Where a pid is reused, the file that a killed process left behind is older than the process that has the pid now. */
const isOfProcess = (file: SessionFile, process: ProcessInfo): boolean => {
  if (file.pid !== process.pid) return false;
  if (file.startedAt < process.startedAt - START_TOLERANCE_MS) return false;
  if (file.updatedAt !== undefined && file.updatedAt < process.startedAt - START_TOLERANCE_MS) return false;
  const procStart = Number(file.procStart);
  return !(procStart > EPOCH_MS_FLOOR) || Math.abs(procStart - process.startedAt) <= START_TOLERANCE_MS;
};

/** `tmux` is `<session>:@<window>.%<pane>` in 2.1.329 and absent in 2.1.197; an unknown form proves nothing. */
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

/** By the file's `waitingFor`. */
const WAITS: ReadonlyMap<string | undefined, Status> = new Map([
  ["permission prompt", TOOL_APPROVAL],
  ["input needed", QUESTION],
]);

const readingOf = ({ status, waitingFor, version }: SessionFile): Reading | null => {
  if (status === "idle") return shows(FRESH, "medium", "session file: idle");
  if (status === "busy") return shows(THINKING, "medium", "session file: busy", true);
  const wait = WAITS.get(waitingFor);
  return status === "waiting" && wait !== undefined && namesKindOfWait(version ?? "")
    ? shows(wait, "medium", `session file: waiting, ${waitingFor}`, true)
    : null;
};

/** The file of this process; null for no file and one that another process left. */
export const readSessionFile = async ({
  files,
  homeDir,
  process,
}: StateFileRequest): Promise<SessionFile | null> => {
  const text = await files.readText(`${homeDir}/.claude/sessions/${process.pid}.json`, MAX_BYTES);
  const { data = null } = sessionFileSchema.safeParse(parsePayload(text ?? ""));
  return data !== null && isOfProcess(data, process) ? data : null;
};

/** Null for no file, one of another process or pane, and words that were never recorded. */
export const readClaudeStateFile = async (request: StateFileRequest): Promise<Reading | null> => {
  const file = await readSessionFile(request);
  if (file === null || (file.kind !== undefined && file.kind !== "interactive")) return null;
  return isOfPane(file, request.pane.paneId) ? readingOf(file) : null;
};
