// The names that oh-my-pi and pi give their sessions: in the title of the pane, where without one the folder's name stands, and in
// the session file. Source: titles and lines recorded with omp 18.2.3, and what pi 0.87.1 writes for a session with a name.
import type { StateFileRequest } from "../../core/ports/agentAdapter.ts";
import { folderName, SPINNER } from "../common/paneTitle.ts";
import { parsePayload, textOf } from "../common/payload.ts";
import { parseLog, TRANSCRIPT_BYTES } from "../common/transcript.ts";
import { findSessionFile } from "./sessionFile.ts";

const OMP_TITLE = new RegExp(`^π(?:: | (?:[>!:]|${SPINNER}) )(\\S.*)$`, "u");

/** Null where the folder is not known: a name could not be told from it. */
export const titleOfOmpSession = (title: string, folder: string | null): string | null => {
  const text = OMP_TITLE.exec(title.trim())?.[1] ?? "";
  return text === "" || folder === null || text === folderName(folder) ? null : text;
};

export const titleOfPiSession = (title: string, folder: string | null): string | null => {
  const end = ` - ${folderName(folder)}`;
  const text = title.trim();
  if (folder === null || !text.startsWith("π - ") || !text.endsWith(end)) return null;
  return text.slice("π - ".length, -end.length).trim() || null;
};

/** omp keeps the name as it is now in a line of its own above the session's first entry. */
const readHead = async ({ files }: StateFileRequest, path: string): Promise<string | null> => {
  const [first = ""] = ((await files.readText(path, 8 * 1024)) ?? "").split("\n", 1);
  const line = parsePayload(first);
  return line !== null && textOf(line, "type") === "title" ? textOf(line, "title") : null;
};

/** `folder` as `.omp`. Null for a session without a name; an empty name takes the one before back. */
export const createSessionTitleReader =
  (folder: string) =>
  async (request: StateFileRequest): Promise<string | null> => {
    const session = await findSessionFile(request, folder);
    if (session === null) return null;
    const head = await readHead(request, session.path);
    if (head !== null) return head || null;
    const tail = (await request.files.readTail(session.path, TRANSCRIPT_BYTES)) ?? "";
    const named = parseLog(tail).findLast((line) => textOf(line, "type") === "session_info");
    return (named === undefined ? textOf(session.header, "title") : textOf(named, "name")) || null;
  };
