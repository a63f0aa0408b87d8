// Serves the router over HTTP on the home's Unix socket: the cached JSON of list documents, the fast path for single queries, and
// the server, which binds safely, counts its clients and closes within a time limit. The service performs the procedures.
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { callTRPCProcedure } from "@trpc/server";
import type { AppRouter } from "../api/router.ts";
import { unlinkSync } from "node:fs";
import { createHTTPHandler } from "@trpc/server/adapters/standalone";
import { PROTOCOL_VERSION } from "../api/protocol.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { Logger } from "../ports/logger.ts";
import type { CallContext } from "../ports/feature.ts";
import { PROOF_HEADER, PROOF_NEEDED_HEADER, PROTOCOL_HEADER, VERSION_HEADER } from "./wire.ts";
import { findCallers } from "./callerProof.ts";
import type { Owner } from "./ownership.ts";
import { checkSocket, type RuntimePaths } from "./paths.ts";

// List documents: their JSON is cached by row and by block of rows. Rows are replaced, never changed, so a row's text is made once,
// and a block of unchanged rows is sent again as it was. An unchanged row costs only the comparison of its reference.

/** Rows per block. With more, an answer has fewer pieces, but one changed row makes a larger block be joined again. */
const BLOCK = 100;

interface Block {
  items: readonly unknown[];
  bytes: Buffer;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** JSON of an array's element: `null` for a value that JSON cannot hold. */
const elementText = (item: unknown): string => JSON.stringify([item]).slice(1, -1);

const isSameBlock = (block: Block | undefined, items: readonly unknown[], from: number): block is Block => {
  if (block === undefined || block.items.length !== Math.min(BLOCK, items.length - from)) return false;
  for (let at = 0; at < block.items.length; at += 1) if (block.items[at] !== items[from + at]) return false;
  return true;
};

/** The pieces of a document's UTF-8 text, together exactly that of JSON.stringify. */
type DocumentWriter = (document: unknown) => readonly Buffer[];

/**
 * Makes the writer of one list, which keeps the blocks of the latest document. A row must not be changed after it was written
 * once.
 */
export const createDocumentWriter = (): DocumentWriter => {
  const texts = new WeakMap<object, string>();
  let latest: readonly Block[] = [];
  const itemText = (item: unknown): string => {
    if (!isObject(item)) return elementText(item);
    const known = texts.get(item);
    if (known !== undefined) return known;
    const text = elementText(item);
    texts.set(item, text);
    return text;
  };
  const blockOf = (all: readonly unknown[], from: number): Block => {
    const items = all.slice(from, from + BLOCK);
    return { items, bytes: Buffer.from(`${from === 0 ? "" : ","}${items.map(itemText).join(",")}`) };
  };
  const blocksOf = (items: readonly unknown[]): readonly Block[] => {
    const blocks: Block[] = [];
    for (let from = 0; from < items.length; from += BLOCK) {
      const known = latest[blocks.length];
      blocks.push(isSameBlock(known, items, from) ? known : blockOf(items, from));
    }
    return blocks;
  };
  return (document) => {
    if (!isObject(document) || !("items" in document) || Object.keys(document).at(-1) !== "items")
      return [Buffer.from(JSON.stringify(document))];
    const { items, ...frame } = document;
    if (!Array.isArray(items)) return [Buffer.from(JSON.stringify(document))];
    latest = blocksOf(items);
    const head = JSON.stringify(frame).slice(0, -1);
    return [
      Buffer.from(`${head === "{" ? head : `${head},`}"items":[`),
      ...latest.map(({ bytes }) => bytes),
      Buffer.from("]}"),
    ];
  };
};

// Fast path: for the most common request, one query with one JSON answer. tRPC's own handler sends every answer through web
// streams, which for a thousand rows costs more than making them. That handler still serves everything else, errors too.

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

// Server.

/** The largest request that is read; references and filters are small. */
const MAX_BODY_BYTES = 1024 * 1024;
/** How long answers under way may take when the server closes. */
const CLOSE_GRACE_MS = 1_000;

export interface SocketServer {
  readonly path: string;
  /** Open client connections. */
  clients(): number;
  /** Called with the number of connections whenever it changes. */
  onClients(listener: (count: number) => void): void;
  /** Ends subscriptions at once, lets short answers finish within a second, and removes the socket. Idempotent. */
  close(): Promise<void>;
}

/** Only the owner of the home may call this: any socket that is there is dead. */
const removeDeadSocket = (path: string): void => {
  if (checkSocket(path)) unlinkSync(path);
};

const isEventStream = (response: ServerResponse): boolean =>
  String(response.getHeader("content-type") ?? "").startsWith("text/event-stream");

/** Binds `<home>/agtmuxd.sock` with mode 0600 and serves until closed. Fails with E_SOCKET_UNSAFE or E_DAEMON_UNAVAILABLE. */
export const startSocketServer = async (options: {
  readonly paths: RuntimePaths;
  readonly owner: Owner;
  readonly router: AppRouter;
  /** The daemon's version, sent with every answer. */
  readonly version: string;
  readonly logger: Logger;
}): Promise<SocketServer> => {
  const { paths, owner, router, version, logger } = options;
  if (owner.home !== paths.home)
    throw new AgtmuxError("E_INTERNAL", `the lock of ${owner.home} does not cover ${paths.home}`);
  removeDeadSocket(paths.socket);

  const open = new Set<ServerResponse>();
  const listeners: ((count: number) => void)[] = [];
  let connections = 0;
  const handle = createHTTPHandler({
    router,
    maxBodySize: MAX_BODY_BYTES,
    createContext: ({ req, res }): CallContext => ({
      caller: {
        kind: "program",
        findPids: () => {
          const proof = req.headers[PROOF_HEADER];
          if (proof === undefined) res.setHeader(PROOF_NEEDED_HEADER, "1");
          return findCallers(paths.home, proof);
        },
      },
    }),
    onError: ({ error, path }) => {
      if (error.code === "INTERNAL_SERVER_ERROR")
        logger.error({ error: error.cause ?? error, path }, "request failed");
    },
  });
  const answerPlainly = createPlainQueries(router);
  const server = createServer((request, response) => {
    response.setHeader(PROTOCOL_HEADER, String(PROTOCOL_VERSION));
    response.setHeader(VERSION_HEADER, version);
    open.add(response);
    response.once("close", () => open.delete(response));
    const askInFull = () => handle(request, response);
    if (!answerPlainly(request, response, askInFull)) askInFull();
  });
  const countConnection = (change: 1 | -1) => {
    connections += change;
    for (const listener of listeners) listener(connections);
  };
  server.on("connection", (socket) => {
    countConnection(1);
    socket.once("close", () => countConnection(-1));
  });

  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) =>
      reject(new AgtmuxError("E_DAEMON_UNAVAILABLE", `cannot listen on ${paths.socket}`, { cause: error })),
    );
    server.once("listening", resolve);
    // Node binds inside listen(), so the mask holds exactly while the socket is created: it never exists wider than 0600.
    const previous = process.umask(0o177);
    try {
      server.listen(paths.socket);
    } finally {
      process.umask(previous);
    }
  });

  const close = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
      server.close(() => {
        clearTimeout(timer);
        resolve();
      });
      server.closeIdleConnections();
      for (const response of open) {
        if (isEventStream(response)) response.destroy();
        else response.once("close", () => server.closeIdleConnections());
      }
    });
  let closing: Promise<void> | undefined;
  return {
    path: paths.socket,
    clients: () => connections,
    onClients: (listener) => listeners.push(listener),
    close: () => (closing ??= close()),
  };
};
