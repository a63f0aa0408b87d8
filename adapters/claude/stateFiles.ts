// Claude Code's own session file, `sessions/<pid>.json`: rewritten on every change, also where no hook fires
// (denied, interrupted), and deleted on exit. Undocumented, so nothing counts before it is tied to the running process. It
// never distinguishes a fresh prompt from a finished turn: its `idle` gets the least specific reason and medium confidence. Its
// words for waits are recorded with 2.1.329; 2.1.197 calls a question a permission prompt too, which proves neither.
import { baseName, wordsOf } from "../common/commandLine.ts";
import {
  parsePayload,
  textOf,
  COMPLETED,
  FRESH,
  QUESTION,
  THINKING,
  TOOL_APPROVAL,
} from "../common/events.ts";
import { promptRequest, type RequestFields } from "../common/promptRequest.ts";
import { shows } from "../common/screenText.ts";
import { backgroundIdOf } from "../../core/model/shortRef.ts";
import { errorStatusOfText } from "./normalize.ts";
import type { Status } from "../../core/model/state.ts";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import type { BackgroundSessions, Reading, StateFileRequest } from "../../core/ports/agentAdapter.ts";
import type { TargetFiles } from "../../core/ports/targetExecutor.ts";
import * as z from "zod";

const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9-]{7,99}$/;
const MAX_BYTES = 64 * 1024;
const LAST_LINE_BYTES = 1_024;
const MOVED_MS = 6_000;
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
  name: z.string().optional(),
  /** Of a background session. */
  jobId: z.string().optional(),
  /** The supervisor keeps it for the next one: nobody asked it anything. */
  spare: z.boolean().optional(),
  /** A terminal's session goes on as this job (`←`, 2.1.329); the process shows sessions from then on, and its file says no more. */
  parkedJobId: z.string().optional(),
});
type SessionFile = z.infer<typeof sessionFileSchema>;

const sessionPath = (configDir: string, pid: number): string => `${configDir}/sessions/${pid}.json`;

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
  configDir,
  process,
}: Pick<StateFileRequest, "files" | "configDir" | "process">): Promise<SessionFile | null> => {
  const text = await files.readText(sessionPath(configDir, process.pid), MAX_BYTES);
  const { data = null } = sessionFileSchema.safeParse(parsePayload(text ?? ""));
  return data !== null && isOfProcess(data, process) ? data : null;
};

/** Where the log of this file's session may be. Slashes were recorded as dashes; other readers replace other characters as well. */
export const logsOf = (
  configDir: string,
  { cwd, sessionId = "" }: Pick<SessionFile, "cwd" | "sessionId">,
): string[] => {
  if (cwd?.startsWith("/") !== true || !SESSION_ID.test(sessionId)) return [];
  const folders = new Set([cwd.replaceAll("/", "-"), cwd.replaceAll(/[^A-Za-z0-9]/g, "-")]);
  return [...folders].map((folder) => `${configDir}/projects/${folder}/${sessionId}.jsonl`);
};

/**
 * When a person moved the session to the background (`←`, recorded with 2.1.329), epoch ms: another process goes on with it under
 * another id. The file of this one is not written any more, and says for ever what the session did then; the end of its log says
 * where it went. Null: it is still here.
 */
const movedAt = async ({ files, configDir }: StateFileRequest, file: SessionFile): Promise<number | null> => {
  if (file.status === "idle") return null;
  for (const path of logsOf(configDir, file)) {
    const last = ((await files.readTail(path, LAST_LINE_BYTES)) ?? "").trimEnd().split("\n").at(-1) ?? "";
    if (textOf(parsePayload(last) ?? {}, "type") === "continued-in")
      return (await files.stat(path))?.mtimeMs ?? 0;
  }
  return null;
};

/** Null for no file, one of another process or pane or of a session that moved, and words that were never recorded. */
export const readClaudeStateFile = async (request: StateFileRequest): Promise<Reading | null> => {
  const file = await readSessionFile(request);
  if (file === null) return null;
  const id = backgroundIdOf(request.pane.paneId);
  if (id !== null) return file.kind === "bg" && file.jobId === id ? readJob(request, id, file) : null;
  if (file.kind !== undefined && file.kind !== "interactive") return null;
  if (!isOfPane(file, request.pane.paneId) || file.parkedJobId !== undefined) return null;
  const moved = await movedAt(request, file);
  if (moved === null) return readingOf(file);
  // No hook tells that its turn is over here. Later the pane may show it again, which the screen alone tells.
  return Date.now() - moved < MOVED_MS ? shows(FRESH, "medium", "log: the session goes on elsewhere") : null;
};

// Background sessions (`claude --bg`, recorded with 2.1.329). A supervisor runs each in a process of its own, without a pane. What
// it asks and how its turn ended is in `jobs/<id>/state.json`; whether it works or waits, in its session file.

/** As `claude attach`, `stop` and `logs` take it. */
const JOB_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,59}$/;
const SESSION_FILE = /^(\d{1,10})\.json$/;

const jobSchema = z.object({
  state: z.string(),
  tempo: z.string(),
  needs: z.string().nullish(),
  detail: z.string().nullish(),
  intent: z.string().nullish(),
  name: z.string().nullish(),
});
type Job = z.infer<typeof jobSchema>;

const SEND_PROMPT = "send a prompt to start";

const jobPath = (configDir: string, id: string): string => `${configDir}/jobs/${id}/state.json`;

const jobOf = async (files: TargetFiles, configDir: string, id: string): Promise<Job | null> => {
  const text = await files.readText(jobPath(configDir, id), MAX_BYTES);
  return jobSchema.safeParse(parsePayload(text ?? "")).data ?? null;
};

/** `approve Bash: touch a.txt`, `answer: Which colour? (Red · Blue)`: one line, perhaps cut, so nothing of it is whole. */
const askOf = (needs: string): RequestFields => {
  const [, toolName, body] = /^approve ([A-Za-z][\w.-]*): (.+)$/s.exec(needs) ?? [];
  if (toolName !== undefined && body !== undefined)
    return { kind: toolName === "Bash" ? "command" : "tool", title: toolName, toolName, body };
  const question = /^answer: (.+)$/s.exec(needs)?.[1];
  return question === undefined ? { kind: "other", title: needs } : { kind: "question", title: question };
};

const readJob = async (
  { files, configDir }: StateFileRequest,
  id: string,
  file: SessionFile,
): Promise<Reading | null> => {
  const reading = readingOf(file);
  if (reading === null) return null;
  const job = await jobOf(files, configDir, id);
  if (reading.status.state === "running" || job === null) return reading;
  if (reading.status.state !== "idle")
    return job.tempo === "blocked" && typeof job.needs === "string" && job.needs !== ""
      ? { ...reading, request: promptRequest(askOf(job.needs)) }
      : reading;
  // Where a session begins again: one that never said anything, or whose old process asked for something (2.1.329).
  if (job.tempo === "blocked" && ["", SEND_PROMPT].includes(job.needs ?? ""))
    return shows(FRESH, "medium", "job: it waits for a prompt");
  // The two files are not written at once: where they differ, the next reading tells.
  if (job.tempo !== "idle") return null;
  const said = job.detail ?? "";
  return job.state === "failed"
    ? shows(errorStatusOfText(said), "medium", `job failed: ${said}`)
    : job.state === "working" || job.state === "done"
      ? shows(COMPLETED, "medium", "job: idle after its turn")
      : null;
};

export const claudeBackground: BackgroundSessions = {
  folders: (configDir) => ({ sessions: `${configDir}/sessions`, jobs: `${configDir}/jobs` }),
  read: async ({ files, configDir, name }) => {
    const pid = Number(SESSION_FILE.exec(name)?.[1] ?? "0");
    if (pid === 0) return null;
    const path = sessionPath(configDir, pid);
    const [text, stat] = await Promise.all([files.readText(path, MAX_BYTES), files.stat(path)]);
    if (text === null) return null;
    const payload = parsePayload(text);
    // What other versions write of a session in a terminal need not be understood here.
    if (payload !== null && payload["kind"] !== "bg") return null;
    const data = sessionFileSchema.parse(payload);
    if (data.kind !== "bg" || data.pid !== pid || !JOB_ID.test(data.jobId ?? "")) return null;
    if (data.spare === true) return null;
    const id = data.jobId ?? "";
    const [job, jobStat] = await Promise.all([
      jobOf(files, configDir, id),
      files.stat(jobPath(configDir, id)),
    ]);
    return {
      id,
      pid,
      isOf: (process) => isOfProcess(data, process),
      sessionId: data.sessionId ?? null,
      title: job?.name ?? job?.intent ?? data.name ?? "",
      isAtWork: job?.tempo === "active" || (job?.tempo === "blocked" && job.needs !== SEND_PROMPT),
      beganAt: data.startedAt,
      changedAt: Math.max(stat?.mtimeMs ?? 0, jobStat?.mtimeMs ?? 0),
    };
  },
  // `claude attach <id>`, also by the launcher; a prompt may be the same, so that the id counts only where it is known.
  shownBy: ({ args }) => {
    const [program = "", ...words] = wordsOf(args);
    const operands = /^(node|bun)$/.test(baseName(program)) ? words.slice(1) : words;
    const [command, id = ""] = operands;
    return operands.length === 2 && command === "attach" && JOB_ID.test(id) ? id : null;
  },
  // The title of its list, and of a session that is opened from it: its own is "current session", another one has its name.
  // Recorded with 2.1.329; a session without a name has the program's, which says nothing.
  roams: {
    title: /^(?:\d+ [a-z ]+ · )*claude agents$/,
    gaveAway: async (request) => {
      const { kind, parkedJobId = "" } = (await readSessionFile(request)) ?? {};
      return kind === "interactive" && JOB_ID.test(parkedJobId) ? parkedJobId : null;
    },
    shown: (title, gaveAway, sessions) => {
      const named = sessions.filter((session) => session.title === title);
      if (title === "current session") return named.length === 0 ? gaveAway : null;
      const [only, ...more] = named;
      return only === undefined || more.length > 0 ? null : only.id;
    },
  },
  attach: ({ id }) => Promise.resolve(["claude", "attach", id]),
  stop: (id) => ["claude", "stop", id],
  start: { words: ["claude", "--bg"], printed: /^backgrounded · ([\w-]+)/mu },
};
