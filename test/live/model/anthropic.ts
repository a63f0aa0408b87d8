// Anthropic's Messages protocol: Claude Code.
import * as z from "zod";
import { CUT_TEXT, errorType, nextId, type Answer, type Dialect, type EventStream } from "./dialect.ts";
import { personsText, readDirective } from "./directive.ts";
import { wholeText, wordsOf } from "./reply.ts";
import { findFolder, flatten, toTool, type ModelRequest } from "./request.ts";

const blockSchema = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  content: z.unknown().optional(),
});
const bodySchema = z.looseObject({
  model: z.string().default("model"),
  stream: z.boolean().default(false),
  system: z.unknown().optional(),
  messages: z
    .array(z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(blockSchema)]) }))
    .default([]),
  tools: z
    .array(z.looseObject({ name: z.string().optional(), input_schema: z.unknown().optional() }))
    .default([]),
});
type Body = z.infer<typeof bodySchema>;

const USAGE = {
  input_tokens: 10,
  output_tokens: 5,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

/** The last message of the person: reminders of the agent may come after it in another role. */
const read = ({ system, messages, tools }: Body): ModelRequest => {
  const content = messages.findLast(({ role }) => role === "user")?.content ?? "";
  const blocks =
    typeof content === "string" ? [{ type: "text", text: content, content: undefined }] : content;
  const texts = blocks.flatMap(({ type, text }) => (type === "text" && text ? [personsText(text)] : []));
  const result = blocks.findLast(({ type }) => type === "tool_result");
  // What a person wrote while a tool ran stands beside its result, and goes first.
  const isFresh = texts.some((text) => readDirective(text) !== null);
  return {
    lastUser: texts.join("\n"),
    toolResult: result === undefined || isFresh ? null : flatten(result.content),
    tools: tools.flatMap(({ name, input_schema }) =>
      name === undefined ? [] : [toTool(name, input_schema)],
    ),
    cwd: findFolder(`${flatten(system)}\n${JSON.stringify(messages)}`),
  };
};

const whole = async (body: Body, answer: Answer): Promise<unknown> => {
  const isTool = answer.kind === "tool";
  const content = isTool
    ? { type: "tool_use", id: nextId("toolu"), name: answer.name, input: answer.input }
    : { type: "text", text: await wholeText(answer) };
  return {
    id: nextId("msg"),
    type: "message",
    role: "assistant",
    model: body.model,
    content: [content],
    stop_reason: isTool ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: USAGE,
  };
};

const streamText = async (
  out: EventStream,
  send: (type: string, data: object) => void,
  answer: Exclude<Answer, { kind: "tool" }>,
): Promise<boolean> => {
  const delta = (text: string): void =>
    send("content_block_delta", { index: 0, delta: { type: "text_delta", text } });
  send("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
  if (answer.kind === "cut") {
    delta(CUT_TEXT);
    await out.cut();
    return false;
  }
  for await (const word of wordsOf(answer)) {
    if (out.isGone()) return false;
    delta(word);
  }
  return true;
};

const stream = async (out: EventStream, { model }: Body, answer: Answer): Promise<void> => {
  const send = (type: string, data: object): void => out.send({ type, ...data }, type);
  const message = { id: nextId("msg"), type: "message", role: "assistant", model, content: [] };
  send("message_start", { message: { ...message, stop_reason: null, stop_sequence: null, usage: USAGE } });
  if (answer.kind === "tool") {
    const block = { type: "tool_use", id: nextId("toolu"), name: answer.name, input: {} };
    send("content_block_start", { index: 0, content_block: block });
    const partial = JSON.stringify(answer.input);
    send("content_block_delta", { index: 0, delta: { type: "input_json_delta", partial_json: partial } });
  } else if (!(await streamText(out, send, answer))) return;
  send("content_block_stop", { index: 0 });
  const reason = answer.kind === "tool" ? "tool_use" : "end_turn";
  send("message_delta", { delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 5 } });
  send("message_stop", {});
};

export const anthropic: Dialect<Body> = {
  name: "anthropic",
  speaks: (path) => path.endsWith("/messages"),
  parse: (body) => bodySchema.parse(body),
  read,
  failure: (status, message) => ({
    type: "error",
    error: { type: errorType(status), message },
    request_id: nextId("req"),
  }),
  limit: (resetsAt, message) => ({
    body: {
      type: "error",
      error: { type: errorType(429), message },
      request_id: nextId("req"),
    },
    headers: {
      "anthropic-ratelimit-unified-status": "rejected",
      "anthropic-ratelimit-unified-representative-claim": "five_hour",
      "anthropic-ratelimit-unified-reset": String(resetsAt),
      "anthropic-ratelimit-unified-5h-reset": String(resetsAt),
      "anthropic-ratelimit-unified-5h-utilization": "1.0",
      "anthropic-ratelimit-unified-overage-status": "rejected",
    },
  }),
  isStreamed: ({ stream: isStreamed }) => isStreamed,
  whole,
  stream,
};
