// Asking an agent without a pane for a document: the prompt, the person's config.toml (which command, and what git may run), and
// running that command, which reads the prompt and prints an answer.
import { spawn } from "node:child_process";
import { parse } from "smol-toml";
import * as z from "zod";
import { AgtmuxError } from "../../../core/model/errors.ts";
import type { PrintAnswer, PrintMode, PrintQuestion } from "../../../core/ports/agentAdapter.ts";

const INSTRUCTIONS =
  "You answer in a Markdown document that a person is editing. Answer what the person wrote last. Write Markdown and nothing around it; do not repeat the document, and do not edit its file.";

const TEMPLATE_INSTRUCTIONS =
  "Put what belongs into a component between <!-- patch:NAME --> and <!-- /patch:NAME -->; text outside of blocks goes to the conversation.";

interface PromptInput {
  readonly document: string;
  /** Null the first time. */
  readonly diff: string | null;
  readonly format: "inline" | "template";
}

const inTag = (tag: string, text: string): string => `<${tag}>\n${text.replace(/\n$/, "")}\n</${tag}>`;

export const buildPrompt = ({ document, diff, format }: PromptInput): string => {
  const rules = format === "template" ? `${INSTRUCTIONS} ${TEMPLATE_INSTRUCTIONS}` : INSTRUCTIONS;
  const parts =
    diff === null
      ? ["A person begins a conversation in this document.", inTag("document", document)]
      : [
          "The person changed the document. What changed, each line with its sign:",
          inTag("diff", diff),
          "The document now:",
          inTag("document", document),
        ];
  return `${[...parts, rules].join("\n\n")}\n`;
};

const backendSchema = z.object({
  command: z.string().min(1).optional(),
  args: z.array(z.string()).optional(),
  result_path: z.string().optional(),
  session_path: z.string().optional(),
});

const configSchema = z.object({
  default_agent: z.string().min(1).optional(),
  /** What the next diff begins from: what the agent knows, or the whole file as it was after the answer. */
  snapshot: z.enum(["agent", "file"]).default("agent"),
  agents: z.record(z.string(), backendSchema).default({}),
  /** Top folders of repositories whose hooks, filters and signatures git may run for a document. */
  git_programs: z.array(z.string().min(1)).default([]),
});

export type DocumentConfig = z.infer<typeof configSchema>;

/** @throws AgtmuxError E_CONFIG_INVALID. `path` is only named. */
export const parseDocumentConfig = (text: string, path: string): DocumentConfig => {
  try {
    return configSchema.parse(parse(text));
  } catch (error) {
    const message =
      error instanceof z.ZodError
        ? `${error.issues[0]?.path.join(".")}: ${error.issues[0]?.message}`
        : (error instanceof Error ? error.message : String(error)).split("\n")[0];
    throw new AgtmuxError("E_CONFIG_INVALID", `${path}: ${message}`, { cause: error, remedy: "Correct it." });
  }
};

const MAX_OUTPUT = 64 * 1024 * 1024;

const answerSchema = z.object({
  result: z.string(),
  session_id: z.string().nullish(),
  is_error: z.boolean().nullish(),
});

/** What a command of the person's own prints: a JSON object with the answer in it, else the text as it is. */
export const readAnswer = (stdout: string): PrintAnswer => {
  let value: unknown = null;
  try {
    value = JSON.parse(stdout);
  } catch {
    // Plain text is an answer, too.
  }
  const { data } = answerSchema.safeParse(value);
  if (data?.is_error === true) throw new Error(data.result);
  return { text: data?.result ?? stdout, session: data?.session_id ?? null };
};

const parseAnswer = ({ command, parse }: PrintMode, stdout: string): PrintAnswer => {
  const remedy = "Run it once by hand in this folder; the document was not changed.";
  let answer: PrintAnswer;
  try {
    answer = parse(stdout);
  } catch (error) {
    const isTold =
      error instanceof Error && !(error instanceof SyntaxError) && !(error instanceof z.ZodError);
    const why = isTold ? error.message.slice(0, 200) : "can't read what it printed";
    throw new AgtmuxError("E_UNSUPPORTED", `${command} gave no answer: ${why}`, { cause: error, remedy });
  }
  const text = answer.text.trim();
  if (text === "") throw new AgtmuxError("E_UNSUPPORTED", `${command} gave no answer`, { remedy });
  return { ...answer, text };
};

/** Runs the command with the prompt on its standard input. @throws AgtmuxError E_UNSUPPORTED where it does not answer. */
export const askBackend = (
  backend: PrintMode,
  question: PrintQuestion,
  options: { cwd: string; env: Readonly<Record<string, string | undefined>>; signal: AbortSignal },
): Promise<PrintAnswer> =>
  new Promise((resolve, reject) => {
    const { command, withoutEnv } = backend;
    const env = Object.fromEntries(
      Object.entries(options.env).filter(([name]) => !withoutEnv.includes(name)),
    );
    const child = spawn(command, backend.argv(question), {
      cwd: options.cwd,
      env,
      signal: options.signal,
      stdio: ["pipe", "pipe", "pipe"],
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      if (stdout.length > MAX_OUTPUT) child.kill();
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr = (stderr + text).slice(-2_000)));
    // A command that does not read all of it may have ended.
    child.stdin.on("error", () => {});
    child.stdin.end(question.prompt);
    child.once("error", (cause) =>
      reject(
        new AgtmuxError("E_UNSUPPORTED", `${command} cannot be run`, {
          cause,
          remedy: "Install it, or name another agent with --agent; the document was not changed.",
        }),
      ),
    );
    child.once("close", (code) => {
      if (code !== 0) {
        const reason = stderr.trim().split("\n").at(-1) ?? "";
        reject(
          new AgtmuxError(
            "E_UNSUPPORTED",
            `${command} ended with status ${code}${reason === "" ? "" : `: ${reason}`}`,
            {
              remedy: "Run it once by hand in this folder; the document was not changed.",
            },
          ),
        );
        return;
      }
      try {
        resolve(parseAnswer(backend, stdout));
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  });
