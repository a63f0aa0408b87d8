// OpenAI's Chat Completions protocol: opencode, Copilot, pi and oh-my-pi.
import * as z from "zod";
import { CUT_TEXT, errorType, nextId, type Answer, type Dialect, type EventStream } from "./dialect.ts";
import { wholeText, wordsOf } from "./reply.ts";
import { findFolder, flatten, toTool, type ModelRequest } from "./request.ts";

const bodySchema = z.looseObject({
  model: z.string().default("model"),
  stream: z.boolean().default(false),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown().optional() })).default([]),
  tools: z
    .array(
      z.looseObject({
        name: z.string().optional(),
        parameters: z.unknown().optional(),
        function: z.looseObject({ name: z.string(), parameters: z.unknown().optional() }).optional(),
      }),
    )
    .default([]),
});
type Body = z.infer<typeof bodySchema>;

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

const read = ({ messages, tools }: Body): ModelRequest => {
  // Reminders of the agent may come after the last message.
  const last = messages.findLast(({ role }) => role !== "system" && role !== "developer");
  return {
    lastUser: last?.role === "user" ? flatten(last.content) : "",
    toolResult: last?.role === "tool" ? flatten(last.content) : null,
    tools: tools.flatMap((tool) => {
      const name = tool.function?.name ?? tool.name;
      return name === undefined ? [] : [toTool(name, tool.function?.parameters ?? tool.parameters)];
    }),
    cwd: findFolder(JSON.stringify(messages)),
  };
};

const callsOf = (answer: Answer): object[] | null =>
  answer.kind === "tool"
    ? [
        {
          index: 0,
          id: nextId("call"),
          type: "function",
          function: {
            name: answer.name,
            arguments: JSON.stringify(answer.freeform === null ? answer.input : { input: answer.freeform }),
          },
        },
      ]
    : null;

const headOf = ({ model }: Body, object: string): object => ({
  id: nextId("chatcmpl"),
  object,
  created: Math.floor(Date.now() / 1_000),
  model,
});

const whole = async (body: Body, answer: Answer): Promise<unknown> => {
  const calls = callsOf(answer);
  const message =
    calls === null
      ? { role: "assistant", content: await wholeText(answer) }
      : { role: "assistant", content: null, tool_calls: calls };
  const choice = { index: 0, finish_reason: calls === null ? "stop" : "tool_calls", message };
  return { ...headOf(body, "chat.completion"), choices: [choice], usage: USAGE };
};

const stream = async (out: EventStream, body: Body, answer: Answer): Promise<void> => {
  const head = headOf(body, "chat.completion.chunk");
  const chunk = (delta: object, finish_reason: string | null = null): void =>
    out.send({ ...head, choices: [{ index: 0, delta, finish_reason }] });
  const calls = callsOf(answer);
  chunk({ role: "assistant", content: calls === null ? "" : null });
  if (calls !== null) chunk({ tool_calls: calls });
  else if (answer.kind === "cut") {
    chunk({ content: CUT_TEXT });
    return out.cut();
  } else if (answer.kind === "text")
    for await (const word of wordsOf(answer)) {
      if (out.isGone()) return;
      chunk({ content: word });
    }
  chunk({}, calls === null ? "stop" : "tool_calls");
  out.send({ ...head, choices: [], usage: USAGE });
  out.send("[DONE]");
};

export const openAiFailure = (status: number, message: string): unknown => ({
  error: { message, type: errorType(status), code: null, param: null },
});

export const chat: Dialect<Body> = {
  name: "chat",
  speaks: (path) => path.endsWith("/chat/completions"),
  parse: (body) => bodySchema.parse(body),
  read,
  failure: openAiFailure,
  isStreamed: ({ stream: isStreamed }) => isStreamed,
  whole,
  stream,
};
