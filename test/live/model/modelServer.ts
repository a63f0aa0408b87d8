// A model server for driving real agents without an account: it speaks the four protocols they use, streamed and whole, and does
// what the prompt says (directive.ts). It listens on loopback alone and knows nothing of agtmux.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { anthropic } from "./anthropic.ts";
import { chat } from "./chat.ts";
import { nextId, openStream, type Dialect } from "./dialect.ts";
import { gemini } from "./gemini.ts";
import type { LogEntry } from "./modelLog.ts";
import { chooseReply, type Reply } from "./reply.ts";
import type { ModelRequest } from "./request.ts";
import { responses } from "./responses.ts";

const MODELS = ["claude-sonnet-4-5", "gpt-5", "gpt-5-codex", "fake-model"];
const PROMPT_CHARS = 300;
/** What one agent hands over to another is longer than what a person types. */
const HANDED_OVER = /^# Work handed over/m;
const HANDED_OVER_CHARS = 12_000;

type Log = (entry: LogEntry) => void;

const answerJson = (
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): void => {
  response.writeHead(status, { "content-type": "application/json", "request-id": nextId("req"), ...headers });
  response.end(JSON.stringify(body));
};

const doesOf = (reply: Reply): string => {
  switch (reply.kind) {
    case "tool":
      return `tool ${reply.name}`;
    case "fail":
      return `fail ${reply.status}`;
    case "text":
    case "cut":
      return reply.kind;
  }
};

/** What is no turn: counting of tokens, the list of models, and paths that nobody knows. */
const answerOther = (response: ServerResponse, method: string, path: string): void => {
  if (path.endsWith("count_tokens")) return answerJson(response, { input_tokens: 42 });
  if (path.endsWith(":countTokens")) return answerJson(response, { totalTokens: 42 });
  if (path.endsWith("/models")) {
    const data = MODELS.map((id) => ({
      id,
      type: "model",
      object: "model",
      display_name: id,
      owned_by: "live",
    }));
    return answerJson(response, { object: "list", has_more: false, data });
  }
  const isProbe = method === "HEAD" || (method === "GET" && path === "/");
  answerJson(
    response,
    { error: { type: "not_found_error", message: `no ${path} here` } },
    isProbe ? 200 : 404,
  );
};

/** One protocol with the type of its bodies inside. */
interface Speaker {
  speaks(path: string): boolean;
  answer(body: unknown, path: string, response: ServerResponse, heard: Heard): Promise<void>;
}
/** Told before the reply is written, which waits for it. */
type Heard = (dialect: string, request: ModelRequest, reply: Reply) => Promise<void>;

const speakerOf = <Body>(dialect: Dialect<Body>): Speaker => ({
  speaks: (path) => dialect.speaks(path),
  answer: async (raw, path, response, heard) => {
    const body = dialect.parse(raw);
    const request = dialect.read(body);
    const reply = chooseReply(request);
    await heard(dialect.name, request, reply);
    if (reply.kind === "fail") {
      const message = `live failure ${reply.status}`;
      const limit = reply.resetsAt === null ? undefined : dialect.limit?.(reply.resetsAt, message);
      if (limit !== undefined) return answerJson(response, limit.body, reply.status, limit.headers);
      return answerJson(response, dialect.failure(reply.status, message), reply.status);
    }
    if (!dialect.isStreamed(body, path))
      return answerJson(response, await dialect.whole(body, reply, request));
    await dialect.stream(openStream(response), body, reply, request);
    response.end();
  },
});
const SPEAKERS = [speakerOf(anthropic), speakerOf(responses), speakerOf(chat), speakerOf(gemini)];

const createHandler = (log: Log, thinkMs: number) => {
  let count = 0;
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [method, path] = [request.method ?? "GET", new URL(request.url ?? "/", "http://model").pathname];
    const speaker = method === "POST" ? SPEAKERS.find((one) => one.speaks(path)) : undefined;
    if (speaker === undefined) {
      request.resume();
      log({ kind: "other", at: Date.now(), method, path });
      return answerOther(response, method, path);
    }
    count += 1;
    const id = count;
    response.once("close", () => {
      log({ kind: "ended", at: Date.now(), id, how: response.writableFinished ? "finished" : "left" });
    });
    await speaker.answer(await json(request), path, response, async (dialect, asked, reply) => {
      log({
        kind: "asked",
        at: Date.now(),
        id,
        dialect,
        hasTools: asked.tools.length > 0,
        prompt: asked.lastUser.slice(-(HANDED_OVER.test(asked.lastUser) ? HANDED_OVER_CHARS : PROMPT_CHARS)),
        toolResult: asked.toolResult?.slice(0, PROMPT_CHARS) ?? null,
        does: doesOf(reply),
      });
      await wait(thinkMs);
    });
  };
};

/** Listens on `port` of loopback (0: any free one) and resolves when it does. */
export const startModelServer = async (options: {
  port: number;
  log: Log;
  /** Before every answer: no real model answers at once. */
  thinkMs: number;
}): Promise<Server> => {
  const handle = createHandler(options.log, options.thinkMs);
  const server = createServer((request, response) => {
    // A body that no protocol has is an error of the agent or of ours: the reason goes back, where the agent shows it.
    handle(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else answerJson(response, { error: { message: String(error) } }, 400);
    });
  });
  // Agents that try a WebSocket first are told that there is none.
  server.on("upgrade", (_request, socket) =>
    socket.end("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"),
  );
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, "127.0.0.1", () => resolve(server));
  });
};
