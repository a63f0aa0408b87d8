// Serves the router over HTTP on the home's Unix socket. It binds safely, counts its clients, and closes within a time limit;
// the service performs the procedures.
import { createServer, type ServerResponse } from "node:http";
import { unlinkSync } from "node:fs";
import { createHTTPHandler } from "@trpc/server/adapters/standalone";
import type { AppRouter } from "../api/router.ts";
import { PROTOCOL_VERSION } from "../api/service.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { Logger } from "../ports/logger.ts";
import type { CallContext } from "../ports/caller.ts";
import { PROOF_HEADER, PROOF_NEEDED_HEADER, PROTOCOL_HEADER, VERSION_HEADER } from "./answerHeaders.ts";
import { findCallers } from "./callerProof.ts";
import type { Owner } from "./ownership.ts";
import { checkSocket, type RuntimePaths } from "./paths.ts";
import { createPlainQueries } from "./plainQueries.ts";

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

/** `owner` proves that this process may replace a dead socket. */
export interface SocketServerOptions {
  readonly paths: RuntimePaths;
  readonly owner: Owner;
  readonly router: AppRouter;
  /** The daemon's version, sent with every answer. */
  readonly version: string;
  readonly logger: Logger;
}

/** Only the owner of the home may call this: any socket that is there is dead. */
const removeDeadSocket = (path: string): void => {
  if (checkSocket(path)) unlinkSync(path);
};

const isEventStream = (response: ServerResponse): boolean =>
  String(response.getHeader("content-type") ?? "").startsWith("text/event-stream");

/** Binds `<home>/agtmuxd.sock` with mode 0600 and serves until closed. Fails with E_SOCKET_UNSAFE or E_DAEMON_UNAVAILABLE. */
export const startSocketServer = async (options: SocketServerOptions): Promise<SocketServer> => {
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
