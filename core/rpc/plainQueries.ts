// The fast path for the most common request: one query, one JSON answer. tRPC's own handler sends every answer through web
// streams, which for a thousand rows costs more than making them. That handler still serves everything else, errors too.
import type { IncomingMessage, ServerResponse } from "node:http";
import { callTRPCProcedure } from "@trpc/server";
import type { AppRouter } from "../api/router.ts";
import { createDocumentWriter, type DocumentWriter } from "./documentText.ts";

interface PlainQuery {
  path: string;
  input: unknown;
}

const NO_RESULT = Buffer.from('{"result":{}}');
const BEFORE_RESULT = Buffer.from('{"result":{"data":');
const AFTER_RESULT = Buffer.from("}}");

/** Null unless the request is a single query without stream or batch. */
const plainQueryOf = ({ method, url = "", headers }: IncomingMessage): PlainQuery | null => {
  if (method !== "GET" || headers.accept === "text/event-stream" || headers["trpc-accept"] !== undefined)
    return null;
  const [, path, query] = /^\/([A-Za-z]+)(?:\?input=([^&]*))?$/.exec(url) ?? [];
  if (path === undefined) return null;
  try {
    return { path, input: query === undefined ? undefined : JSON.parse(decodeURIComponent(query)) };
  } catch {
    // tRPC's handler will say what is wrong with it.
    return null;
  }
};

/**
 * Answers a request and returns true; returns false where tRPC's handler has to answer. A query that failed goes to
 * `otherwise`, which asks it once more (harmless for a query) and reports its error as any other.
 */
export const createPlainQueries = (router: AppRouter) => {
  // One writer for each query, because each list has its own rows.
  const writers = new Map(
    Object.entries(router._def.procedures)
      .filter(([, procedure]) => procedure._def.type === "query")
      .map(([name]) => [name, createDocumentWriter()]),
  );
  const answer = async (
    { path, input }: PlainQuery,
    write: DocumentWriter,
    response: ServerResponse,
  ): Promise<void> => {
    const data: unknown = await callTRPCProcedure({
      router,
      path,
      type: "query",
      ctx: {},
      getRawInput: () => Promise.resolve(input),
      signal: undefined,
      batchIndex: 0,
    });
    const pieces = data === undefined ? [NO_RESULT] : [BEFORE_RESULT, ...write(data), AFTER_RESULT];
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    response.writeHead(200, { "content-type": "application/json", "content-length": length });
    // Many pieces in one write: joining them would copy them first.
    response.cork();
    for (const piece of pieces) response.write(piece);
    response.end();
  };
  return (request: IncomingMessage, response: ServerResponse, otherwise: () => void): boolean => {
    const query = plainQueryOf(request);
    const write = query === null ? undefined : writers.get(query.path);
    if (query === null || write === undefined) return false;
    answer(query, write, response).catch(() => {
      if (response.headersSent) response.destroy();
      else otherwise();
    });
    return true;
  };
};
