// OpenAI's Responses protocol: Codex.
import * as z from "zod";
import { openAiFailure } from "./chat.ts";
import { CUT_TEXT, nextId, type Answer, type Dialect, type EventStream } from "./dialect.ts";
import { wholeText, wordsOf } from "./reply.ts";
import { findFolder, flatten, toTool, type ModelRequest, type Tool } from "./request.ts";

const toolSchema = z.looseObject({
  type: z.string().optional(),
  name: z.string().optional(),
  parameters: z.unknown().optional(),
});
const itemSchema = z.looseObject({
  type: z.string().optional(),
  role: z.string().optional(),
  content: z.unknown().optional(),
  output: z.unknown().optional(),
});
const bodySchema = z.looseObject({
  model: z.string().default("model"),
  stream: z.boolean().default(false),
  input: z.union([z.string(), z.array(itemSchema)]).default([]),
  tools: z.array(toolSchema.extend({ tools: z.array(toolSchema).optional() })).default([]),
});
type Body = z.infer<typeof bodySchema>;

const USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 15,
};
/** Messages in the person's name that the agent wrote. */
const ADDED =
  /^\s*(<(environment_context|user_instructions|permissions|skills_instructions|apps_instructions|collaboration_mode|turn_aborted|plugins_instructions|multi_agent_mode|INSTRUCTIONS|recommended_plugins)|# AGENTS\.md)/;

const toTools = ({ tools }: Body): Tool[] =>
  tools.flatMap((tool) => {
    const members = tool.type === "namespace" ? (tool.tools ?? []) : [tool];
    return members.map((one) => ({
      ...toTool(one.name ?? one.type ?? "", one.parameters),
      isFreeform: one.type === "custom",
      namespace: tool.type === "namespace" ? (tool.name ?? null) : null,
    }));
  });

const read = (body: Body): ModelRequest => {
  const items = typeof body.input === "string" ? [{ role: "user", content: body.input }] : body.input;
  const isResult = (item: (typeof items)[number]): boolean =>
    "type" in item && item.type?.endsWith("_output") === true;
  const last = items.findLast(
    (item) => isResult(item) || (item.role === "user" && !ADDED.test(flatten(item.content))),
  );
  const isTool = last !== undefined && isResult(last);
  return {
    lastUser: last === undefined || isTool ? "" : flatten(last.content),
    toolResult: isTool ? flatten("output" in last ? last.output : "") : null,
    tools: toTools(body),
    cwd: findFolder(JSON.stringify(body.input)),
  };
};

const messageOf = (text: string): object => ({
  id: nextId("m"),
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }],
});

/** The item of a tool call, and how its argument is called in it and in the events. */
const callOf = (answer: Answer & { kind: "tool" }, { tools }: ModelRequest) => {
  const namespace = tools.find(({ name }) => name === answer.name)?.namespace ?? null;
  const head = { status: "completed", call_id: nextId("call"), name: answer.name };
  if (answer.freeform !== null)
    return {
      item: { id: nextId("ctc"), type: "custom_tool_call", ...head, input: answer.freeform },
      key: "input",
      value: answer.freeform,
      event: "response.custom_tool_call_input",
    };
  const value = JSON.stringify(answer.input);
  const group = namespace === null ? {} : { namespace };
  return {
    item: { id: nextId("fc"), type: "function_call", ...head, ...group, arguments: value },
    key: "arguments",
    value,
    event: "response.function_call_arguments",
  };
};

const baseOf = ({ model }: Body): object => ({
  id: nextId("resp"),
  object: "response",
  created_at: Math.floor(Date.now() / 1_000),
  model,
});

const whole = async (body: Body, answer: Answer, request: ModelRequest): Promise<unknown> => {
  const item = answer.kind === "tool" ? callOf(answer, request).item : messageOf(await wholeText(answer));
  return { ...baseOf(body), status: "completed", output: [item], usage: USAGE };
};

type Emit = (type: string, data: object) => void;

const streamCall = (emit: Emit, answer: Answer & { kind: "tool" }, request: ModelRequest): object => {
  const { item, key, value, event } = callOf(answer, request);
  emit("response.output_item.added", {
    output_index: 0,
    item: { ...item, status: "in_progress", [key]: "" },
  });
  emit(`${event}.delta`, { item_id: item.id, output_index: 0, delta: value });
  emit(`${event}.done`, { item_id: item.id, output_index: 0, [key]: value });
  emit("response.output_item.done", { output_index: 0, item });
  return item;
};

/** null: the answer was cut, or nobody is there any more. */
const streamText = async (
  out: EventStream,
  emit: Emit,
  answer: Exclude<Answer, { kind: "tool" }>,
): Promise<object | null> => {
  const id = nextId("m");
  const at = { item_id: id, output_index: 0, content_index: 0 };
  const started = { id, type: "message", role: "assistant", status: "in_progress", content: [] };
  emit("response.output_item.added", { output_index: 0, item: started });
  emit("response.content_part.added", { ...at, part: { type: "output_text", text: "", annotations: [] } });
  if (answer.kind === "cut") {
    emit("response.output_text.delta", { ...at, delta: CUT_TEXT });
    await out.cut();
    return null;
  }
  let text = "";
  for await (const word of wordsOf(answer)) {
    if (out.isGone()) return null;
    text += word;
    emit("response.output_text.delta", { ...at, delta: word });
  }
  const item = { ...messageOf(text), id };
  emit("response.output_text.done", { ...at, text });
  emit("response.content_part.done", { ...at, part: { type: "output_text", text, annotations: [] } });
  emit("response.output_item.done", { output_index: 0, item });
  return item;
};

const stream = async (out: EventStream, body: Body, answer: Answer, request: ModelRequest): Promise<void> => {
  let count = 0;
  const emit: Emit = (type, data) => out.send({ type, sequence_number: count++, ...data }, type);
  const base = baseOf(body);
  emit("response.created", { response: { ...base, status: "in_progress", output: [], usage: null } });
  emit("response.in_progress", { response: { ...base, status: "in_progress", output: [], usage: null } });
  const item =
    answer.kind === "tool" ? streamCall(emit, answer, request) : await streamText(out, emit, answer);
  if (item !== null)
    emit("response.completed", { response: { ...base, status: "completed", output: [item], usage: USAGE } });
};

export const responses: Dialect<Body> = {
  name: "responses",
  speaks: (path) => path.endsWith("/responses"),
  parse: (body) => bodySchema.parse(body),
  read,
  failure: openAiFailure,
  limit: (resetsAt, message) => ({
    body: {
      error: { type: "usage_limit_reached", message, plan_type: "plus", resets_at: resetsAt },
    },
    headers: {},
  }),
  isStreamed: ({ stream: isStreamed }) => isStreamed,
  whole,
  stream,
};
