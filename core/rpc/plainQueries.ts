// The short way for what is asked most: one query, one JSON answer. tRPC's own handler sends every answer through web
// streams, which for a thousand rows costs more than making them. Everything else, errors too, stays with that handler.
import type { IncomingMessage, ServerResponse } from "node:http";
import { callTRPCProcedure } from "@trpc/server";
import type { AppRouter } from "../api/router.ts";
import { createDocumentWriter } from "./documentText.ts";

interface PlainQuery {
  path: string;
  input: unknown;
}

/** Null unless the request is one query without a stream or a batch. */
const plainQueryOf = ({ method, url = "", headers }: IncomingMessage): PlainQuery | null => {
  if (method !== "GET" || headers.accept === "text/event-stream" || headers["trpc-accept"] !== undefined)
    return null;
  const [, path, query] = /^\/([A-Za-z]+)(?:\?input=([^&]*))?$/.exec(url) ?? [];
  if (path === undefined) return null;
  try {
    return { path, input: query === undefined ? undefined : JSON.parse(decodeURIComponent(query)) };
  } catch {
    // Not ours to say what is wrong with it.
    return null;
  }
};

/**
 * Answers a request and says true, or false where it is for tRPC's handler. `otherwise` takes a query that failed: it is
 * asked once more there, which a query allows, and its error comes out as every other.
 */
export const createPlainQueries = (router: AppRouter) => {
  const write = createDocumentWriter();
  const isQuery = (path: string): boolean =>
    Object.entries(router._def.procedures).some(
      ([name, procedure]) => name === path && procedure._def.type === "query",
    );
  const answer = async ({ path, input }: PlainQuery, response: ServerResponse): Promise<void> => {
    const data: unknown = await callTRPCProcedure({
      router,
      path,
      type: "query",
      ctx: {},
      getRawInput: () => Promise.resolve(input),
      signal: undefined,
      batchIndex: 0,
    });
    const body = Buffer.from(`{"result":${data === undefined ? "{}" : `{"data":${write(data)}}`}}`);
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
    response.end(body);
  };
  return (request: IncomingMessage, response: ServerResponse, otherwise: () => void): boolean => {
    const query = plainQueryOf(request);
    if (query === null || !isQuery(query.path)) return false;
    answer(query, response).catch(() => {
      if (response.headersSent) response.destroy();
      else otherwise();
    });
    return true;
  };
};
