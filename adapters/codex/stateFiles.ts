// The rollout, Codex's log of a thread, whose path the hooks name, and why a turn failed. Only the end of a turn is read from it:
// it alone (beside the screen) reports API errors. An open turn says nothing, because a waiting dialog writes no line (0.169.0).
import { type ErrorStatus, failureBy, fails } from "../common/progress.ts";
import type { Reading, StateFileRequest } from "../../core/ports/agentAdapter.ts";
import { shows } from "../common/screenText.ts";
import { COMPLETED, INTERRUPTED } from "../common/events.ts";
import * as z from "zod";

// Why a turn failed: from the text that Codex shows and writes into its rollout. One place, because screen and rollout
// must name the same failure alike. Recorded with 0.169.0: 400, 401, 429, 500; limits and capacity from the vendor's texts.

const USAGE_TEXT = /usage limit|out of credits|quota exceeded|plan does not include|upgrade to (plus|pro)/i;
const AUTH_TEXT =
  /\b40[13] (Unauthorized|Forbidden)\b|log ?in again|sign in again|refresh token|not logged in|invalid api key|missing environment variable/i;
const RATE_TEXT = /\b429\b|rate.?limit|too many requests/i;

export const errorStatusOf = (text: string): ErrorStatus =>
  failureBy(text, [
    [USAGE_TEXT, "usage_limit"],
    [AUTH_TEXT, "auth_failed"],
    [RATE_TEXT, "rate_limited"],
  ]);

/** How the text of a failed turn begins behind its `■ `. Other `■` lines answer a command that a person typed. */
export const FAILED_TURN =
  /^(\{"?(error|detail|message)|exceeded retry limit|unexpected status \d|stream disconnected before completion|stream error|We[’']re currently experiencing high demand|You[’']ve hit your usage limit|Selected model is at capacity|Quota exceeded|Your access token could not be refreshed|error sending request|request timed out|timeout waiting for|Codex ran out of room in the model's context window|Internal server error|Missing environment variable|no last agent message)/i;

const TAIL_BYTES = 256 * 1024;
/** Start times have a resolution of one second on some systems. */
const START_TOLERANCE_MS = 1_500;

const errorSchema = z.union([z.string(), z.object({ message: z.string() })]);
const lineSchema = z.object({
  timestamp: z.string(),
  type: z.literal("event_msg"),
  payload: z.discriminatedUnion("type", [
    z.object({ type: z.literal("task_started") }),
    z.object({ type: z.literal("task_complete"), error: errorSchema.nullish() }),
    z.object({ type: z.literal("turn_aborted"), reason: z.string().nullish() }),
  ]),
});
type Line = z.infer<typeof lineSchema>;

/** Cheap test before parsing: most lines are long and none of these types. */
const TURN_MARK = /"type"\s*:\s*"(task_started|task_complete|turn_aborted)"/;

const parseLine = (line: string): Line | null => {
  if (!TURN_MARK.test(line)) return null;
  try {
    const parsed = lineSchema.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : null;
  } catch {
    // The first line of the tail is cut, the last may be in the middle of being written.
    return null;
  }
};

const readingOfEnd = ({ payload }: Line): Reading | null => {
  switch (payload.type) {
    case "task_started":
      return null;
    case "turn_aborted":
      return payload.reason === "interrupted"
        ? shows(INTERRUPTED, "high", "rollout: turn_aborted, interrupted")
        : null;
    case "task_complete": {
      if (payload.error === undefined || payload.error === null)
        return shows(COMPLETED, "high", "rollout: task_complete");
      const message = typeof payload.error === "string" ? payload.error : payload.error.message;
      return fails(errorStatusOf(message), message, `rollout: task_complete with error: ${message}`);
    }
  }
};

/** The rollout that the events named, if it is this session's; else none. */
export const findRollout = ({ agentSessionId, transcriptPath }: StateFileRequest): string[] =>
  agentSessionId !== null && transcriptPath?.endsWith(`${agentSessionId}.jsonl`) === true
    ? [transcriptPath]
    : [];

/**
 * How the last turn of this session ended; null while one is open, for a rollout that is not this session's, and for a turn
 * that ended before this process began (a resumed session).
 */
export const readCodexStateFile = async (request: StateFileRequest): Promise<Reading | null> => {
  const { files, process } = request;
  const [path] = findRollout(request);
  const tail = path === undefined ? null : await files.readTail(path, TAIL_BYTES);
  if (tail === null) return null;
  const lines = tail.split("\n");
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const line = parseLine(lines[index] ?? "");
    if (line === null) continue;
    const at = Date.parse(line.timestamp);
    return Number.isFinite(at) && at >= process.startedAt - START_TOLERANCE_MS ? readingOfEnd(line) : null;
  }
  return null;
};
