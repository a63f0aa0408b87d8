// Cline CLI's own files of a session: how its last turn ended, which the screen does not show, and the conversation. A session names
// the process that runs it, which may be a server that several terminals share. So it is a pane's only where the pane's title, which
// is the newest prompt, is this session's, and no other's that may be meant. Recorded with 3.0.65; undocumented.
import * as z from "zod";
import type { Reading, StateFileRequest } from "../../core/ports/agentAdapter.ts";
import type { TranscriptEntry } from "../../core/ports/agentFiles.ts";
import type { TargetFiles } from "../../core/ports/targetExecutor.ts";
import { COMPLETED, INTERRUPTED, THINKING } from "../common/events.ts";
import { failureOfText, fails } from "../common/progress.ts";
import { shows } from "../common/screenText.ts";
import { callOf, entryOf, SESSION_ID } from "../common/sessionLog.ts";

const sessionSchema = z.object({ pid: z.number(), status: z.string(), cwd: z.string() });
const optionalText = z.string().optional();
const blockSchema = z.object({
  type: z.string(),
  text: optionalText,
  name: optionalText,
  input: z.unknown().optional(),
});
const messageSchema = z.object({
  role: z.enum(["user", "assistant"]),
  content: z.array(blockSchema),
  ts: z.number().nullable().default(null),
  metadata: z.object({ displayRole: optionalText }).optional(),
});
type Message = z.infer<typeof messageSchema>;
const messagesSchema = z.object({ messages: z.array(messageSchema) });

/** A file is one document, so a part of it says nothing. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Process start times have a resolution of one second on some systems. */
const START_TOLERANCE_MS = 2_500;

/** Null: absent, or caught in the middle of a rewrite. */
const readJson = async <T>(files: TargetFiles, path: string, schema: z.ZodType<T>): Promise<T | null> => {
  const json = await files.readText(path, MAX_BYTES);
  try {
    return json === null ? null : (schema.safeParse(JSON.parse(json)).data ?? null);
  } catch {
    return null;
  }
};

const textIn = ({ content }: Message): string =>
  content.flatMap(({ type, text }) => (type === "text" && text !== undefined ? [text] : [])).join("\n");

/** What the person typed; null for what the program put in, such as a tool's result. */
const promptIn = (message: Message): string | null =>
  message.role === "user"
    ? (/^<user_input\b[^>]*>([\s\S]*)<\/user_input>$/.exec(textIn(message).trim())?.[1] ?? null)
    : null;

/** The title of a pane whose newest prompt this is. */
export const titleOfPrompt = (prompt: string): string => {
  // oxlint-disable-next-line no-control-regex -- as Cline does it
  const line = (prompt.trim().split("\n")[0] ?? "").replaceAll(/[\u0000-\u001f\u007f-\u009f\s]+/g, " ");
  const title = `> ${line.trim()}`;
  return title.length <= 80 ? title : `${title.slice(0, 77).trimEnd()}...`;
};

const resumedBy = (args: string): string | null => /(?:^| )--id[ =](\S+)/.exec(args)?.[1] ?? null;

const readSession = async (request: StateFileRequest, id: string) => {
  const { files, configDir, process, pane, cwd } = request;
  const base = `${configDir}/data/sessions/${id}/${id}`;
  const session = await readJson(files, `${base}.json`, sessionSchema);
  if (session === null || !/^(?:idle|pending|running)$/.test(session.status)) return null;
  if (session.pid !== process.pid && session.cwd !== cwd && resumedBy(process.args) !== id) return null;
  const stat = await files.stat(`${base}.messages.json`);
  if (stat === null || stat.mtimeMs < process.startedAt - START_TOLERANCE_MS) return null;
  const read = await readJson(files, `${base}.messages.json`, messagesSchema);
  const prompt = read?.messages.findLast((message) => promptIn(message) !== null);
  if (read === null || prompt === undefined) return null;
  if (titleOfPrompt(promptIn(prompt) ?? "") !== pane.title.trim()) return null;
  return { status: session.status, messages: read.messages };
};

/** The pane's session; null where none or several may be it. Their names begin with the time at which they began. */
const ownSession = async (request: StateFileRequest) => {
  const names = await request.files.list(`${request.configDir}/data/sessions`);
  const ids = names.filter((id) => SESSION_ID.test(id)).toSorted();
  const resumed = resumedBy(request.process.args);
  const looked = [...new Set([...ids.filter((id) => id === resumed), ...ids.slice(-24)])];
  const read = await Promise.all(looked.map((id) => readSession(request, id)));
  const found = read.filter((session) => session !== null);
  return found.length === 1 ? (found[0] ?? null) : null;
};

const endOf = (message: Message): Reading | null => {
  const text = textIn(message);
  if (message.metadata?.displayRole === "error") return fails(failureOfText(text), text || "error");
  if (message.role === "user") return shows(INTERRUPTED, "high", "session: no answer to the last message");
  return message.content.some(({ type }) => type === "tool_use")
    ? null
    : shows(COMPLETED, "medium", "session: the last message is an answer");
};

/** Whether a turn goes on, or how the last one ended; null while it waits, and for no session that is provably this pane's. */
export const readClineStateFiles = async (request: StateFileRequest): Promise<Reading | null> => {
  const session = await ownSession(request);
  const last = session?.messages.at(-1);
  const asks =
    last?.content.some(({ name }) => name === "ask_question") === true && last.role === "assistant";
  if (session?.status === "running") return asks ? null : shows(THINKING, "medium", "session: running");
  return session?.status === "idle" && last !== undefined ? endOf(last) : null;
};

const entriesOf = (message: Message): TranscriptEntry[] => {
  const { role, ts } = message;
  if (role === "user") return entryOf("user", promptIn(message), ts);
  if (message.metadata?.displayRole === "error") return entryOf("note", textIn(message), ts);
  return message.content.flatMap(({ type, text, name, input }) =>
    type === "tool_use" ? callOf(name ?? null, input, ts) : entryOf("agent", text ?? null, ts),
  );
};

/** Null for no session that is provably this pane's. */
export const readClineTranscript = async (
  request: StateFileRequest,
): Promise<readonly TranscriptEntry[] | null> => {
  const session = await ownSession(request);
  return session?.messages.slice(-400).flatMap(entriesOf) ?? null;
};
