// How agents answer without a pane: their arguments, and what they print. Each was recorded from the agent itself against a scripted
// model (`npm run live:print`); the recordings are in test/fixtures/print. Where an agent takes it, the question goes in on
// standard input, because every user of the machine can read arguments.
import * as z from "zod";
import type { PrintAnswer, PrintMode, PrintQuestion } from "../core/ports/agentAdapter.ts";

/** An option with its value, where there is one. */
const option = (name: string, value: string | null): string[] => (value === null ? [] : [name, value]);

const textSchema = z.object({ text: z.string() });

/** The records of a stream of JSON; other lines are messages for a person. */
const readRecords = <T>(stdout: string, schema: z.ZodType<T>): T[] =>
  stdout.split("\n").flatMap((line) => {
    try {
      const { data } = schema.safeParse(JSON.parse(line));
      return data === undefined ? [] : [data];
    } catch {
      // It is no record.
      return [];
    }
  });

/** The answer is what was said last: what stands before it says what the agent is about to do. */
const lastOf = (texts: readonly string[]): string => texts.at(-1) ?? "";

const codexSchema = z.union([
  z.object({ type: z.literal("thread.started"), thread_id: z.string() }),
  z.object({
    type: z.literal("item.completed"),
    item: z.object({ type: z.literal("agent_message"), text: z.string() }),
  }),
]);

const readCodex = (stdout: string): PrintAnswer => {
  const records = readRecords(stdout, codexSchema);
  return {
    text: lastOf(records.flatMap((one) => (one.type === "item.completed" ? [one.item.text] : []))),
    session: records.flatMap((one) => (one.type === "thread.started" ? [one.thread_id] : [])).at(-1) ?? null,
  };
};

const geminiSchema = z.object({ response: z.string(), session_id: z.string().nullish() });

const readGemini = (stdout: string): PrintAnswer => {
  // It says what it does in lines before the object.
  const { response, session_id: session } = geminiSchema.parse(JSON.parse(stdout.slice(stdout.indexOf("{"))));
  return { text: response, session: session ?? null };
};

const opencodeSchema = z.object({
  type: z.literal("text"),
  sessionID: z.string(),
  part: textSchema,
});

const readOpencode = (stdout: string): PrintAnswer => {
  const records = readRecords(stdout, opencodeSchema);
  return { text: lastOf(records.map(({ part }) => part.text)), session: records.at(-1)?.sessionID ?? null };
};

const copilotSchema = z.union([
  z.object({ type: z.literal("assistant.message"), data: z.object({ content: z.string() }) }),
  z.object({ type: z.literal("result"), sessionId: z.string() }),
]);

const readCopilot = (stdout: string): PrintAnswer => {
  const records = readRecords(stdout, copilotSchema);
  return {
    text: lastOf(records.flatMap((one) => (one.type === "assistant.message" ? [one.data.content] : []))),
    session: records.flatMap((one) => (one.type === "result" ? [one.sessionId] : [])).at(-1) ?? null,
  };
};

const piSchema = z.union([
  z.object({ type: z.literal("session"), id: z.string() }),
  z.object({
    type: z.literal("message_end"),
    message: z.object({
      role: z.literal("assistant"),
      content: z.array(
        z.union([textSchema.extend({ type: z.literal("text") }), z.object({ type: z.string() })]),
      ),
    }),
  }),
]);

const readPi = (stdout: string): PrintAnswer => {
  const records = readRecords(stdout, piSchema);
  const texts = records.flatMap((one) =>
    one.type === "message_end"
      ? [one.message.content.flatMap((part) => ("text" in part ? [part.text] : [])).join("")]
      : [],
  );
  return {
    text: lastOf(texts),
    session: records.flatMap((one) => (one.type === "session" ? [one.id] : [])).at(-1) ?? null,
  };
};

/** What the prompt says as well, where it weighs more. */
const MANNERS =
  "You answer in a Markdown document that a person is editing. Write Markdown and nothing around it; do not repeat the document, and do not edit its file.";

const claudeSchema = z.object({
  result: z.string(),
  session_id: z.string().nullish(),
  is_error: z.boolean().nullish(),
});

const readClaude = (stdout: string): PrintAnswer => {
  const { result, session_id: session, is_error: isError } = claudeSchema.parse(JSON.parse(stdout));
  if (isError === true) throw new Error(result);
  return { text: result, session: session ?? null };
};

const claudeArgs = ({ session, isFork, model, acceptsEdits }: PrintQuestion): string[] => [
  "-p",
  "--output-format",
  "json",
  "--permission-mode",
  acceptsEdits ? "acceptEdits" : "default",
  ...(isFork && session === null ? ["--continue"] : option("--resume", session)),
  ...(isFork ? ["--fork-session"] : []),
  ...option("--model", model),
  "--append-system-prompt",
  MANNERS,
];

/** A session around us would make it refuse to start. */
const ALONE = ["CLAUDECODE"];

/** By the name that adapters have. */
export const PRINT_MODES: Readonly<Record<string, PrintMode>> = {
  claude: {
    command: "claude",
    forks: "last too",
    argv: claudeArgs,
    withoutEnv: ALONE,
    parse: readClaude,
  },
  codex: {
    command: "codex",
    forks: "named",
    argv: ({ session, isFork, model }) => [
      "exec",
      ...(session === null ? [] : [isFork ? "fork" : "resume"]),
      "--json",
      "--skip-git-repo-check",
      ...option("--model", model),
      ...(session === null ? ["-"] : [session, "-"]),
    ],
    withoutEnv: [],
    parse: readCodex,
  },
  gemini: {
    command: "gemini",
    forks: "none",
    argv: ({ session, model, acceptsEdits }) => [
      "--output-format",
      "json",
      "--approval-mode",
      acceptsEdits ? "auto_edit" : "default",
      ...option("--resume", session),
      ...option("--model", model),
    ],
    withoutEnv: [],
    parse: readGemini,
  },
  opencode: {
    command: "opencode",
    forks: "last too",
    argv: ({ session, isFork, model }) => [
      "run",
      "--format",
      "json",
      ...(isFork && session === null ? ["--continue"] : option("--session", session)),
      ...(isFork ? ["--fork"] : []),
      ...option("--model", model),
    ],
    withoutEnv: [],
    parse: readOpencode,
  },
  copilot: {
    command: "copilot",
    forks: "none",
    argv: ({ session, model }) => [
      "--output-format",
      "json",
      ...(session === null ? [] : [`--resume=${session}`]),
      ...option("--model", model),
    ],
    withoutEnv: [],
    parse: readCopilot,
  },
  pi: {
    command: "pi",
    forks: "named",
    argv: ({ session, isFork, model }) => [
      "--mode",
      "json",
      // It asks for nothing, so it gets no tool that changes something.
      "--tools",
      "read,grep,find,ls",
      ...option(isFork ? "--fork" : "--session", session),
      ...option("--model", model),
    ],
    withoutEnv: [],
    parse: readPi,
  },
};
