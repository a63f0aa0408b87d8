// Google's generateContent protocol: Gemini CLI.
import * as z from "zod";
import { CUT_TEXT, nextId, type Answer, type Dialect, type EventStream } from "./dialect.ts";
import { wholeText, wordsOf } from "./reply.ts";
import { findFolder, toTool, type ModelRequest } from "./request.ts";

const partSchema = z.looseObject({
  text: z.string().optional(),
  functionResponse: z.looseObject({ response: z.unknown() }).optional(),
});
const bodySchema = z.looseObject({
  contents: z.array(z.looseObject({ parts: z.array(partSchema).default([]) })).default([]),
  tools: z
    .array(
      z.looseObject({
        functionDeclarations: z
          .array(
            z.looseObject({
              name: z.string(),
              parameters: z.unknown().optional(),
              parametersJsonSchema: z.unknown().optional(),
            }),
          )
          .default([]),
      }),
    )
    .default([]),
  generationConfig: z
    .looseObject({ responseMimeType: z.string().optional(), responseJsonSchema: z.unknown().optional() })
    .default({}),
});
type Body = z.infer<typeof bodySchema>;

const USAGE = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
/** What its own routers ask the model for, all at once: each takes the fields it knows. */
const JSON_ANSWER = {
  reasoning: "live",
  next_speaker: "user",
  model_choice: "pro",
  complexity_score: 50,
  complexity_reasoning: "live",
};
const STATUS_NAMES: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  429: "RESOURCE_EXHAUSTED",
};

const read = (body: Body): ModelRequest => {
  const parts = body.contents.at(-1)?.parts ?? [];
  const result = parts.find(({ functionResponse }) => functionResponse !== undefined)?.functionResponse;
  return {
    lastUser: parts.map(({ text }) => text ?? "").join("\n"),
    toolResult: result === undefined ? null : JSON.stringify(result.response),
    tools: body.tools.flatMap(({ functionDeclarations }) =>
      functionDeclarations.map((one) => toTool(one.name, one.parametersJsonSchema ?? one.parameters)),
    ),
    cwd: findFolder(JSON.stringify(body)),
  };
};

const candidate = (parts: readonly object[], isLast: boolean): object => ({
  candidates: [{ index: 0, content: { role: "model", parts }, ...(isLast ? { finishReason: "STOP" } : {}) }],
  usageMetadata: USAGE,
  modelVersion: "scripted",
});

const isForJson = ({ generationConfig: { responseMimeType, responseJsonSchema } }: Body): boolean =>
  responseMimeType === "application/json" || responseJsonSchema !== undefined;

const whole = async (body: Body, answer: Answer): Promise<unknown> => {
  if (answer.kind === "tool")
    return candidate([{ functionCall: { name: answer.name, args: answer.input } }], true);
  const text = isForJson(body) ? JSON.stringify(JSON_ANSWER) : await wholeText(answer);
  return candidate([{ text }], true);
};

const stream = async (out: EventStream, _body: Body, answer: Answer): Promise<void> => {
  switch (answer.kind) {
    case "tool": {
      const functionCall = { id: nextId("call"), name: answer.name, args: answer.input };
      return out.send(candidate([{ functionCall, thoughtSignature: "bGl2ZQ==" }], true));
    }
    case "cut":
      out.send(candidate([{ text: CUT_TEXT }], false));
      return out.cut();
    case "text":
      for await (const text of wordsOf(answer)) {
        if (out.isGone()) return;
        out.send(candidate([{ text }], false));
      }
      out.send(candidate([{ text: "" }], true));
  }
};

export const gemini: Dialect<Body> = {
  name: "gemini",
  speaks: (path) => /:(stream)?[gG]enerateContent$/.test(path),
  parse: (body) => bodySchema.parse(body),
  read,
  failure: (status, message) => ({
    error: { code: status, message, status: STATUS_NAMES[status] ?? "INTERNAL" },
  }),
  isStreamed: (_body, path) => path.includes(":stream"),
  whole,
  stream,
};
