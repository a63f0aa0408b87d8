// Which session file belongs to a pane's agent, and what it says. The agents of the family that write a breadcrumb per
// terminal (`terminal-sessions/<tty>`: folder, then session file) can be followed without any event. Everything is
// validated against the process: breadcrumbs outlive their agents, and terminals are given out again.
import type { Reading, StateFileRequest } from "../../core/ports/agentAdapter.ts";
import type { TargetFiles } from "../../core/ports/targetExecutor.ts";
import { oneLine, parsePayload, type Payload, textOf } from "../common/payload.ts";
import { readSessionLog } from "./sessionLog.ts";

const TAIL_BYTES = 512 * 1024;
const HEADER_BYTES = 8 * 1024;
const BREADCRUMB_BYTES = 8 * 1024;
/** Start times have a resolution of a second on some systems. */
const START_TOLERANCE_MS = 2_500;

/** `/dev/pts/3` → `pts-3`; null for what is no terminal. */
export const terminalId = (tty: string): string | null =>
  /^\/dev\/[A-Za-z0-9/]+$/.test(tty) ? tty.slice("/dev/".length).replaceAll("/", "-") : null;

/** The entry that names the session: the first, but for the title, which omp keeps above it (recorded with 18.2.3). */
const headerOf = async (files: TargetFiles, path: string): Promise<Payload | null> => {
  const text = (await files.readText(path, HEADER_BYTES)) ?? "";
  const [first = null, second = null] = text.split("\n", 3).slice(0, -1).map(parsePayload);
  return first !== null && textOf(first, "type") === "title" ? second : first;
};

/** Behind `script`, or in an editor's terminal, the agent has another terminal than its pane. A Mac does not say which one. */
const terminalOf = async ({ files, process, pane }: StateFileRequest): Promise<string> => {
  const input = await files.readLink(`/proc/${process.pid}/fd/0`);
  return input?.startsWith("/dev/pts/") === true ? input : pane.tty;
};

/** The session file that the breadcrumb of the agent's terminal names, if it was written in this process's life. */
const fromBreadcrumb = async (request: StateFileRequest, folder: string): Promise<string | null> => {
  const { files, homeDir, process } = request;
  const id = terminalId(await terminalOf(request));
  if (id === null) return null;
  const path = `${homeDir}/${folder}/agent/terminal-sessions/${id}`;
  const stat = await files.stat(path);
  if (stat === null || !stat.isFile || stat.mtimeMs < process.startedAt - START_TOLERANCE_MS) return null;
  const [cwd = "", file = ""] = ((await files.readText(path, BREADCRUMB_BYTES)) ?? "").split(/\r?\n/);
  const actual = await files.readLink(`/proc/${process.pid}/cwd`);
  return actual !== null && actual !== cwd ? null : file;
};

const isSessionPath = (path: string, homeDir: string, folder: string): boolean =>
  path.startsWith(`${homeDir}/${folder}/agent/sessions/`) &&
  path.endsWith(".jsonl") &&
  !path.includes("/../");

/** The session file that is provably this process's, with its first entry; null for none. `folder` as `.omp`. */
export const findSessionFile = async (
  request: StateFileRequest,
  folder: string,
): Promise<{ path: string; header: Payload } | null> => {
  const path = request.transcriptPath ?? (await fromBreadcrumb(request, folder));
  if (path === null || !isSessionPath(path, request.homeDir, folder)) return null;
  const header = await headerOf(request.files, path);
  return header === null || textOf(header, "type") !== "session" ? null : { path, header };
};

/**
 * Reads the state from the agent's session file; `folder` as `.omp`. A file that the agent's own events named goes before
 * the breadcrumb. Null where no file is provably this process's, and where the file proves nothing.
 */
export const createSessionFileReader =
  (folder: string) =>
  async (request: StateFileRequest): Promise<Reading | null> => {
    const { files, process } = request;
    const session = await findSessionFile(request, folder);
    const tail = session === null ? null : await files.readTail(session.path, TAIL_BYTES);
    if (tail === null) return null;
    const state = readSessionLog(tail, process.startedAt - START_TOLERANCE_MS);
    return state === null
      ? null
      : {
          status: state.status,
          confidence: "medium",
          matched: oneLine(state.matched),
          request: state.request,
          isSteady: state.status.state !== "running",
        };
  };
