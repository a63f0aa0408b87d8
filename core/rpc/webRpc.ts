// Where the browser bridge's calls go: to a router of this process, or over the Unix socket to the daemon that runs. Both use
// tRPC over HTTP, so the second only passes requests on.
import { request as startRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { createHTTPHandler } from "@trpc/server/adapters/standalone";
import type { AppRouter } from "../api/router.ts";
import type { CallContext } from "../ports/caller.ts";
import type { Logger } from "../ports/logger.ts";

export const RPC_PREFIX = "/trpc/";
const MAX_BODY_BYTES = 64 * 1024;

/** Answers a request whose path starts with `/trpc/` and that the guard has let through. */
export type RpcHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Serves a router of this process. */
export const createRouterHandler = (router: AppRouter, logger: Logger): RpcHandler =>
  createHTTPHandler({
    router,
    basePath: RPC_PREFIX,
    // Of a page nobody knows which process asks.
    createContext: (): CallContext => ({}),
    maxBodySize: MAX_BODY_BYTES,
    onError: ({ error, path }) => {
      if (error.code === "INTERNAL_SERVER_ERROR")
        logger.error({ error: error.cause ?? error, path }, "request of the browser popover failed");
    },
  });

const answerStatus = (response: ServerResponse, status: number) => {
  if (response.headersSent) response.destroy();
  else response.writeHead(status).end();
};

/** Reads a body of at most 64 KiB; null when it is longer. */
const readBody = async (request: IncomingMessage): Promise<Buffer | null> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const part: Buffer = chunk;
    size += part.length;
    if (size > MAX_BODY_BYTES) return null;
    chunks.push(part);
  }
  return Buffer.concat(chunks);
};

/** Passes calls on to the daemon's socket: method, path and body only, none of the browser's headers or cookies. 502 when it is gone. */
export const createSocketHandler = (socketPath: string): RpcHandler => {
  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(request);
    if (body === null) return answerStatus(response, 413);
    const isStream = request.headers.accept === "text/event-stream";
    const outgoing = startRequest({
      socketPath,
      method: request.method,
      path: (request.url ?? "").slice(RPC_PREFIX.length - 1),
      headers: {
        host: "agtmux",
        "content-length": body.length,
        ...(request.method === "POST" ? { "content-type": "application/json" } : {}),
        ...(isStream ? { accept: "text/event-stream" } : {}),
      },
    });
    response.once("close", () => outgoing.destroy());
    outgoing.once("error", () => answerStatus(response, 502));
    outgoing.once("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, {
        "content-type": answer.headers["content-type"] ?? "application/json",
      });
      // An answer that breaks off in the middle must break off for the page too, or it would wait forever.
      answer.once("error", () => response.destroy());
      answer.pipe(response);
    });
    outgoing.end(body);
  };
  return (request, response) => {
    forward(request, response).catch(() => answerStatus(response, 400));
  };
};
