// The rollout, Codex's log of a thread, whose path the hooks name, why a turn failed, and threads that go on without a terminal. For a
// pane only the end of a turn is read from the rollout: it alone (beside the screen) reports API errors. An open turn says nothing,
// because a waiting dialog writes no line (0.169.0).
import { type ErrorStatus, failureBy, fails } from "../common/progress.ts";
import { wordsOf } from "../common/commandLine.ts";
import { backgroundIdOf } from "../../core/model/shortRef.ts";
import type { Status } from "../../core/model/state.ts";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import type { BackgroundSessions, Reading, StateFileRequest } from "../../core/ports/agentAdapter.ts";
import type { FileStat, TargetFiles } from "../../core/ports/targetExecutor.ts";
import { shows } from "../common/screenText.ts";
import { COMPLETED, INTERRUPTED, parsePayload, THINKING } from "../common/events.ts";
import { codexHistory, findRollout, readFacts } from "./history.ts";
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

/** The newest line that says how the turn stands; null: there is none in this end of the rollout. */
const lastTurnLine = (tail: string): Line | null => {
  const lines = tail.split("\n");
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const line = parseLine(lines[index] ?? "");
    if (line !== null) return line;
  }
  return null;
};

/**
 * How the last turn of this session ended. Null for a rollout that is not this session's, and for a turn that ended before this
 * process began (a resumed session). Null while one is open, too, unless no pane shows the session.
 */
export const readCodexStateFile = async (request: StateFileRequest): Promise<Reading | null> => {
  const { files, process, pane } = request;
  const [path] = findRollout(request);
  const tail = path === undefined ? null : await files.readTail(path, TAIL_BYTES);
  if (tail === null) return null;
  const line = lastTurnLine(tail);
  const isOpen = line === null || line.payload.type === "task_started";
  if (isOpen) return backgroundIdOf(pane.paneId) === null ? null : readOpenTurn(tail);
  return Date.parse(line.timestamp) >= process.startedAt - START_TOLERANCE_MS ? readingOfEnd(line) : null;
};

// Threads without a terminal (recorded with 0.169.0). One server for each CODEX_HOME runs those of all its terminals. It holds a lock
// for each that it has loaded: from the start of a terminal on, until the thread rests and none has shown it for a minute. A thread that
// works, or waits, stays. No file says which one a terminal shows.

const LOCK = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.lock$/;
const MAX_SERVER_BYTES = 16 * 1024;
const MAX_LOCKS_BYTES = 256 * 1024;
const DAY_MS = 86_400_000;
/** Threads whose rollout is remembered. */
const MAX_KNOWN = 500;

const CALL = /"type"\s*:\s*"(?:function_call|custom_tool_call|local_shell_call)(?:_output)?"/;
const callSchema = z.object({
  type: z.literal("response_item"),
  payload: z.object({
    type: z.enum([
      "function_call",
      "custom_tool_call",
      "local_shell_call",
      "function_call_output",
      "custom_tool_call_output",
    ]),
    call_id: z.string(),
  }),
});

const NO_SIGNAL: Status = { state: "unknown", reasonCode: "no_signal" };

/** A call without a result runs, or waits for a person: nothing in the rollout tells which. Without one the turn goes on. */
const readOpenTurn = (tail: string): Reading | null => {
  const open = new Set<string>();
  for (const line of tail.split("\n")) {
    if (!CALL.test(line)) continue;
    const { data } = callSchema.safeParse(parsePayload(line));
    if (data === undefined) continue;
    if (data.payload.type.endsWith("_output")) open.delete(data.payload.call_id);
    else open.add(data.payload.call_id);
  }
  return open.size > 0
    ? {
        ...shows(NO_SIGNAL, "low", "rollout: a call is open"),
        progress: "runs a tool, or waits for an answer",
      }
    : shows(THINKING, "medium", "rollout: a turn goes on", true);
};

/** Where a thread's rollout may be: by the day on which it began, of which its id says the time but not the zone. */
const foldersOf = (id: string): string[] => {
  const beganAt = Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
  return [0, -DAY_MS, DAY_MS].map((shift) => {
    const day = new Date(beganAt + shift).toISOString().slice(0, 10).replaceAll("-", "/");
    return `sessions/${day}`;
  });
};

const EXEC = /"source"\s*:\s*"exec"/;
/** The program's instructions, which follow, may hold any text. */
const EXEC_BYTES = 800;

interface Thread {
  path: string;
  cwd: string | null;
  title: string;
}

/** Null: nobody has asked it anything, or another agent or a program (`codex exec`) began it. */
const readThread = async (files: TargetFiles, configDir: string, id: string): Promise<Thread | null> => {
  for (const folder of foldersOf(id)) {
    const names = await files.list(`${configDir}/${folder}`);
    const name = names.find((one) => one.endsWith(`-${id}.jsonl`));
    if (name === undefined) continue;
    const path = `${configDir}/${folder}/${name}`;
    const head = (await files.readText(path, codexHistory.headBytes)) ?? "";
    if (EXEC.test(head.slice(0, EXEC_BYTES))) return null;
    const facts = readFacts({ path: `${folder.slice("sessions/".length)}/${name}`, head, tail: "" });
    return facts === null ? null : { path, cwd: facts.cwd, title: facts.firstPrompt ?? "" };
  }
  return null;
};

/** The server's own note of its process. It is written right after its start: what is older is of a process before it. */
const readServer = async (
  files: TargetFiles,
  configDir: string,
): Promise<{ pid: number; isOf: (process: ProcessInfo) => boolean } | null> => {
  const path = `${configDir}/app-server-daemon/daemon.pid`;
  const [text, stat] = await Promise.all([files.readText(path, MAX_SERVER_BYTES), files.stat(path)]);
  const { data } = z.object({ pid: z.number().int().positive() }).safeParse(parsePayload(text ?? ""));
  if (data === undefined || stat === null) return null;
  const { pid } = data;
  return {
    pid,
    isOf: (process) =>
      process.pid === pid &&
      / app-server /.test(`${process.args} `) &&
      process.startedAt <= stat.mtimeMs + START_TOLERANCE_MS,
  };
};

/**
 * Whether another process than the server has the thread: a terminal with a server of its own, which leaves its lock behind where it
 * is killed. Linux tells who holds a lock. @throws Error where nobody does, as between the two steps in which one is taken.
 */
const isOfAnother = async (
  files: TargetFiles,
  { pid }: { pid: number },
  { inode }: FileStat,
): Promise<boolean> => {
  const locks = inode === undefined ? null : await files.readText("/proc/locks", MAX_LOCKS_BYTES);
  if (locks === null) return false;
  // Inodes of other disks may have the same number.
  const lines = locks.matchAll(new RegExp(` (\\d+) [0-9a-f]+:[0-9a-f]+:${inode} `, "g"));
  const holders = Array.from(lines, ([, holder]) => Number(holder));
  if (holders.length === 0) throw new Error("nobody holds the lock of this thread");
  return !holders.includes(pid);
};

/** With its own memory of where the rollouts are, and how their turns stand. */
export const createCodexBackground = (): BackgroundSessions => {
  const threads = new Map<string, Thread>();
  const turns = new Map<string, { mtimeMs: number; isOpen: boolean }>();
  const remember = <T>(map: Map<string, T>, key: string, value: T): T => {
    map.delete(key);
    map.set(key, value);
    for (const old of [...map.keys()].slice(0, -MAX_KNOWN)) map.delete(old);
    return value;
  };
  const isTurnOpen = async (files: TargetFiles, path: string, mtimeMs: number): Promise<boolean> => {
    const known = turns.get(path);
    if (known?.mtimeMs === mtimeMs) return known.isOpen;
    const line = lastTurnLine((await files.readTail(path, TAIL_BYTES)) ?? "");
    const isOpen = line === null || line.payload.type === "task_started";
    return remember(turns, path, { mtimeMs, isOpen }).isOpen;
  };
  return {
    startsInTerminals: true,
    folders: (configDir) => ({ sessions: `${configDir}/thread-writer-locks` }),
    read: async ({ files, configDir, name }) => {
      const id = LOCK.exec(name)?.[1];
      if (id === undefined) return null;
      const key = `${configDir} ${id}`;
      const known = threads.get(key) ?? (await readThread(files, configDir, id));
      if (known === null) return null;
      // Its first words may not be written yet.
      const thread = known.title === "" ? ((await readThread(files, configDir, id)) ?? known) : known;
      remember(threads, key, thread);
      const [server, lock, rollout] = await Promise.all([
        readServer(files, configDir),
        files.stat(`${configDir}/thread-writer-locks/${name}`),
        files.stat(thread.path),
      ]);
      if (server === null || lock === null || rollout === null) return null;
      if (await isOfAnother(files, server, lock)) return null;
      return {
        ...server,
        id,
        sessionId: id,
        title: thread.title,
        cwd: thread.cwd,
        logPath: thread.path,
        isAtWork: await isTurnOpen(files, thread.path, rollout.mtimeMs),
        beganAt: lock.mtimeMs,
        changedAt: rollout.mtimeMs,
      };
    },
    shownBy: ({ args }) => {
      const words = wordsOf(args);
      const id = words.at(-1) ?? "";
      return words.at(-2) === "resume" && LOCK.test(`${id}.lock`) ? id : null;
    },
    attach: ({ id }) => Promise.resolve(["codex", "resume", id]),
  };
};
