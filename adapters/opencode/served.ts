// Sessions of `opencode serve` and `opencode web`, which go on without a terminal. opencode keeps no file that says which there are:
// our plugin, which runs in that server, writes a note for each (`integration.ts`). Seen with 1.18.33: a session works and waits
// after `opencode attach` was closed, and a terminal that attaches again does not draw a dialog that is open.
import * as z from "zod";
import { backgroundIdOf } from "../../core/model/shortRef.ts";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import type {
  BackgroundSessions,
  IntegrationChange,
  IntegrationRequest,
  Reading,
  StateFileRequest,
} from "../../core/ports/agentAdapter.ts";
import type { TargetFiles } from "../../core/ports/targetExecutor.ts";
import { baseName, wordsOf } from "../common/commandLine.ts";
import { parsePayload, QUESTION, THINKING, TOOL_APPROVAL } from "../common/events.ts";
import { shows } from "../common/screenText.ts";

const MAX_BYTES = 16 * 1024;
const MAX_NOTES = 1_000;
/** A note is written in its process: what is older is of a process before it. Start times may have a resolution of a second. */
const START_TOLERANCE_MS = 1_500;
/** After this at rest nobody looks for it any more. */
const RESTED_MS = 3_600_000;

const ID = /^[A-Za-z0-9_]{1,60}$/;
const NOTE = /^([A-Za-z0-9_]{1,60})\.json$/;

const noteSchema = z.object({
  sessionID: z.string().regex(ID),
  pid: z.number().int().positive(),
  port: z.number().int().min(1).max(65_535),
  directory: z.string(),
  title: z.string(),
  isBusy: z.boolean(),
  asks: z.enum(["permission", "question"]).nullable(),
  beganAt: z.number(),
});
type Note = z.infer<typeof noteSchema>;

const folderOf = (configDir: string): string => `${configDir}/agtmux/sessions`;
const pathOf = (configDir: string, id: string): string => `${folderOf(configDir)}/${id}.json`;

/** Null where there is none. @throws ZodError for one that is not as our plugin writes it. */
const readNote = async (files: TargetFiles, configDir: string, id: string): Promise<Note | null> => {
  const text = await files.readText(pathOf(configDir, id), MAX_BYTES);
  if (text === null) return null;
  const note = noteSchema.parse(parsePayload(text));
  return note.sessionID === id ? note : null;
};

/** The words after the program's name: of opencode itself, or behind what runs it. */
const operandsOf = ({ args }: ProcessInfo): string[] => {
  const words = wordsOf(args);
  const at = words.findIndex((word) => /^\.?opencode(\.exe)?$/.test(baseName(word)));
  return at === -1 ? [] : words.slice(at + 1);
};

const commandOf = (process: ProcessInfo): string =>
  operandsOf(process).find((word) => !word.startsWith("-")) ?? "";

export const opencodeBackground: BackgroundSessions = {
  startsInTerminals: true,
  folders: (configDir) => ({ sessions: folderOf(configDir) }),
  read: async ({ files, configDir, name }) => {
    const id = NOTE.exec(name)?.[1];
    if (id === undefined) return null;
    const [note, stat] = await Promise.all([
      readNote(files, configDir, id),
      files.stat(pathOf(configDir, id)),
    ]);
    if (note === null || stat === null) return null;
    const isAtWork = note.isBusy || note.asks !== null;
    if (!isAtWork && Date.now() - stat.mtimeMs > RESTED_MS) return null;
    return {
      id,
      pid: note.pid,
      isOf: (process) =>
        process.pid === note.pid &&
        /^(serve|web)$/.test(commandOf(process)) &&
        process.startedAt <= stat.mtimeMs + START_TOLERANCE_MS,
      sessionId: id,
      title: note.title,
      cwd: note.directory,
      isAtWork,
      beganAt: note.beganAt,
      changedAt: stat.mtimeMs,
    };
  },
  // `opencode attach <url> -s <id>`; without an id its first prompt tells.
  shownBy: (process) => {
    const words = operandsOf(process);
    const at = words.findIndex((word) => /^(-s|--session)$/.test(word));
    const id = words[at + 1] ?? "";
    return commandOf(process) === "attach" && at !== -1 && ID.test(id) ? id : null;
  },
  hidesOpenDialogs: true,
  isApart: (process) => commandOf(process) !== "attach",
  attach: async ({ id, files, configDir }) => {
    // A note that cannot be read says nothing, and the caller says so.
    const note = configDir === null ? null : await readNote(files, configDir, id).catch(() => null);
    return note === null ? null : ["opencode", "attach", `http://127.0.0.1:${note.port}`, "-s", id];
  },
};

/** What a note says of a session that no pane shows, where its events did not come here; how its turn ended it does not say. */
export const readOpencodeNote = async (request: StateFileRequest): Promise<Reading | null> => {
  const { files, configDir, pane, process } = request;
  const id = backgroundIdOf(pane.paneId);
  // One that cannot be read is no evidence: the events are.
  const note = id === null ? null : await readNote(files, configDir, id).catch(() => null);
  if (note === null || note.pid !== process.pid) return null;
  if (note.asks !== null)
    return shows(
      note.asks === "question" ? QUESTION : TOOL_APPROVAL,
      "medium",
      `note: it asks a ${note.asks}`,
    );
  return note.isBusy ? shows(THINKING, "medium", "note: a turn goes on", true) : null;
};

/** The notes go with the plugin, but for those of sessions at work: they change at any moment, and our plugin removes them. */
export const planNotesRemoval = async ({
  files,
  configDir,
}: IntegrationRequest): Promise<IntegrationChange[]> => {
  const names = (await files.list(folderOf(configDir))).filter((name) => NOTE.test(name));
  const changes = names.slice(0, MAX_NOTES).map(async (name) => {
    const path = `${folderOf(configDir)}/${name}`;
    const before = await files.readText(path, MAX_BYTES);
    const { data } = noteSchema.safeParse(parsePayload(before ?? ""));
    const isAtWork = data !== undefined && (data.isBusy || data.asks !== null);
    return before === null || isAtWork ? [] : [{ path, before, after: null, isOwn: true }];
  });
  return (await Promise.all(changes)).flat();
};
