// The popover in a browser: serves the built renderer and the router on 127.0.0.1, a random port, to whoever opens the one-time
// address, and to nobody else. In this file: the bound on connections, the guard, the files, where calls go, and the server with
// its session. It is the only part of agtmux that listens on TCP.
import {
  type Server,
  request as startRequest,
  type IncomingMessage,
  type ServerResponse,
  createServer,
} from "node:http";
import type { Socket } from "node:net";
import { timingSafeEqual, randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { createHTTPHandler } from "@trpc/server/adapters/standalone";
import type { AppRouter } from "../api/router.ts";
import type { CallContext } from "../ports/feature.ts";
import type { Logger } from "../ports/logger.ts";

// Connections: any local user can open as many as they like. So only a few may lack the session, and these are closed first: a
// client with the session always gets one.

/** How many connections without a session may stay. A page shows its session with its first request. */
const MAX_STRANGERS = 64;
/**
 * A request follows its connection at once: within this time, in milliseconds, a connection without a session may still turn
 * out to be the person's.
 */
const GRACE_MS = 250;
/**
 * The most connections at once, however young. It is about twice what the system queues for us, so that each new connection is
 * read before it can be closed.
 */
const MAX_AT_ONCE = 1_024;

interface WebConnections {
  /** The connection has shown the session. */
  admit(socket: Socket): void;
  /** Ends all connections, except one that is still being answered. */
  endAll(except?: Socket): void;
}

/** Watches the connections of `server` until it closes. */
const watchConnections = (server: Server): WebConnections => {
  /** Connections by the time at which they came, oldest first. */
  const strangers = new Map<Socket, number>();
  const admitted = new Set<Socket>();
  let timer: NodeJS.Timeout | null = null;

  /** Closes the oldest until `most` are left, but only those that came before `before`. */
  const trim = (most: number, before: number): void => {
    for (const [socket, cameAt] of strangers) {
      if (strangers.size <= most || cameAt > before) return;
      strangers.delete(socket);
      socket.destroy();
    }
  };
  const trimLater = (): void => {
    if (timer !== null || strangers.size <= MAX_STRANGERS) return;
    timer = setTimeout(() => {
      timer = null;
      trim(MAX_STRANGERS, performance.now() - GRACE_MS);
      trimLater();
    }, GRACE_MS);
  };
  server.on("connection", (socket: Socket) => {
    strangers.set(socket, performance.now());
    socket.once("close", () => {
      strangers.delete(socket);
      admitted.delete(socket);
    });
    trim(MAX_AT_ONCE, Number.POSITIVE_INFINITY);
    trimLater();
  });
  server.on("close", () => {
    if (timer !== null) clearTimeout(timer);
  });
  return {
    admit: (socket) => {
      if (strangers.delete(socket)) admitted.add(socket);
    },
    endAll: (except) => {
      for (const socket of [...strangers.keys(), ...admitted]) if (socket !== except) socket.destroy();
    },
  };
};

// Guard: decides on the headers alone, so that every refusal can be tested without a socket. It stops DNS rebinding (host), foreign
// pages (origin, fetch metadata) and other local users (cookie).

interface RequestFacts {
  method: string;
  /** Path and query, as they were sent. */
  url: string;
  host: string | undefined;
  origin: string | undefined;
  fetchSite: string | undefined;
  cookie: string | undefined;
  contentType: string | undefined;
}

type Refusal = "wrong_host" | "foreign_origin" | "no_session";

/** Names by which a browser on this machine (or behind `ssh -L`, on any port) reaches the loopback interface. */
const LOOPBACK_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/;

/** True when two secrets are equal; takes the same time whatever differs. */
const isSameSecret = (given: string, expected: string): boolean => {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
};

const cookieValue = (header: string | undefined, name: string): string | null => {
  for (const part of (header ?? "").split(";")) {
    const [key, value] = part.trim().split("=", 2);
    if (key === name && value !== undefined) return value;
  }
  return null;
};

const cookieIs = (header: string | undefined, name: string, value: string): boolean => {
  const given = cookieValue(header, name);
  return given !== null && isSameSecret(given, value);
};

/** A request whose host is not loopback comes from a name that somebody pointed at us. */
const refuseHost = (facts: RequestFacts): Refusal | null =>
  facts.host !== undefined && LOOPBACK_HOST.test(facts.host) ? null : "wrong_host";

/** Null when the request may be served. `session` is the cookie for which the token was exchanged, with its path. */
const refuseRequest = (
  facts: RequestFacts,
  session: { name: string; value: string; folder: string },
): Refusal | null => {
  const refusedHost = refuseHost(facts);
  if (refusedHost !== null) return refusedHost;
  const isForeign =
    facts.origin !== undefined ? facts.origin !== `http://${facts.host}` : facts.method !== "GET";
  // Browsers send the origin with every write; a write without one is not from our page.
  if (isForeign) return "foreign_origin";
  // Without asking first, a foreign form can send only text/plain or a form's encoding.
  if (facts.method === "POST" && facts.contentType?.toLowerCase().split(";", 1)[0] !== "application/json")
    return "foreign_origin";
  if (facts.fetchSite !== undefined && facts.fetchSite !== "same-origin" && facts.fetchSite !== "none")
    return "foreign_origin";
  const isInFolder = isSameSecret(facts.url.slice(0, session.folder.length), session.folder);
  return isInFolder && cookieIs(facts.cookie, session.name, session.value) ? null : "no_session";
};

// Files: listed once at start, so that a request can only ever name one of them. A path that is not in the list does not exist,
// however it is encoded.

export interface WebFile {
  contentType: string;
  body: Buffer;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

/**
 * Reads the built renderer. Keys are URL paths with a leading slash; `/` is `index.html`. Files of unknown kinds and links
 * are left out. Throws when the folder or its index is missing.
 */
export const readWebFiles = (folder: string): ReadonlyMap<string, WebFile> => {
  const files = new Map<string, WebFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const contentType = CONTENT_TYPES[extname(entry.name)];
    if (!entry.isFile() || contentType === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const url = `/${relative(folder, path).split(sep).join("/")}`;
    files.set(url, { contentType, body: readFileSync(path) });
  }
  const index = files.get("/index.html");
  if (index === undefined) throw new Error(`the built popover is missing in ${folder}`);
  files.set("/", index);
  return files;
};

// Calls: they go to a router of this process, or over the Unix socket to the daemon that runs. Both use tRPC over HTTP, so the
// second only passes requests on.

export const RPC_PREFIX = "/trpc/";
const MAX_BODY_BYTES = 64 * 1024;

/** Answers a request whose path starts with `/trpc/` and that the guard has let through. */
export type RpcHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Serves a router of this process. */
export const createRouterHandler = (router: AppRouter, logger: Logger): RpcHandler =>
  createHTTPHandler({
    router,
    basePath: RPC_PREFIX,
    // A browser's page does not show which process asks.
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

/** Passes calls on to the daemon's socket: method, path and body, none of the browser's headers or cookies. 502 when it is gone. */
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

// Server and session.

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cache-control": "no-store",
};

/** Any local user can connect, so connections and requests are bounded. */
const LIMITS = { headersTimeout: 5_000, requestTimeout: 15_000, connectionsCheckingInterval: 2_000 };

const REFUSAL_TEXT: Readonly<Record<Refusal, string>> = {
  wrong_host: "Open agtmux by its loopback address.",
  foreign_origin: "Another page asked for this; agtmux serves its own page only.",
  no_session: "This address was already used or is incomplete. Run 'agtmux ui' again.",
};

const REUSED_TEXT =
  "This address was used before, by another browser or program. If that was not you, somebody else saw what the popover shows. " +
  "Its session has ended. Run 'agtmux ui' again.";

export interface WebBridge {
  /** The address to open, with the token that works once. */
  readonly url: string;
  readonly port: number;
  /** A new one-time address; the earlier one stops working. */
  renewUrl(): string;
  /** Ends all connections; idempotent. */
  close(): Promise<void>;
}

const OPEN_PATH = "/open";
const REOPEN_PATH = "/reopen.js";
/** Under this name the page keeps its folder in the browser's storage for this address and port, which no other port can read. */
const FOLDER_KEY = "agtmux.folder";
/** Leads the browser with the session back to it; holds no secret. Others have stored nothing; unusable storage counts as empty. */
const REOPEN_SCRIPT = `let folder = null;
try { folder = JSON.parse(localStorage.getItem(${JSON.stringify(FOLDER_KEY)})); } catch {}
if (typeof folder === "string" && /^\\/[0-9a-f]{64}\\/$/.test(folder)) location.replace(folder);
`;

/** What the token is exchanged for. */
interface Session {
  /**
   * The name of its cookie. It is different for each popover, because cookies do not distinguish ports and two popovers may be
   * open at once.
   */
  name: string;
  value: string;
  /**
   * The path of the cookie. A browser sends a cookie to every port of a host; this secret folder keeps ours from pages of other
   * users.
   */
  folder: string;
  /** The name of the cookie that only says who opened the address. */
  opened: string;
}

/** 256 bits, as hex. */
const makeSecret = (): string => randomBytes(32).toString("hex");

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port, exclusive: true }, () => {
      const address = server.address();
      if (typeof address === "object" && address !== null) resolve(address.port);
      else reject(new Error("the browser bridge has no port"));
    });
  });

const factsOf = (request: IncomingMessage): RequestFacts => {
  const site = request.headers["sec-fetch-site"];
  return {
    method: request.method ?? "",
    url: request.url ?? "",
    // With two such headers, a proxy might believe the other one.
    host: request.headersDistinct["host"]?.length === 1 ? request.headers.host : undefined,
    origin: request.headers.origin,
    fetchSite: typeof site === "string" ? site : undefined,
    cookie: request.headers.cookie,
    contentType: request.headers["content-type"],
  };
};

const answerText = (response: ServerResponse, status: number, text: string) => {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" });
  response.end(`${text}\n`);
};

const answerFile = (response: ServerResponse, file: WebFile, isHead: boolean) => {
  response.writeHead(200, { "content-type": file.contentType, "content-length": file.body.length });
  response.end(isHead ? undefined : file.body);
};

/**
 * A page of ours leads on to the popover. A redirect would not: if the address was clicked on a page of another site, the
 * strict cookie would be dropped, and the token would stay in the address bar.
 */
const answerExchange = (response: ServerResponse, session: Session) => {
  const { name, value, folder } = session;
  response.writeHead(200, {
    "content-type": "text/html; charset=utf-8",
    "set-cookie": [
      `${name}=${value}; HttpOnly; SameSite=Strict; Path=${folder}`,
      // Identifies this browser when the address is opened once more; it gives no access.
      `${name}_opened=${session.opened}; HttpOnly; SameSite=Lax; Path=${OPEN_PATH}`,
    ],
  });
  response.end(
    `<!doctype html><html lang="en"><meta http-equiv="refresh" content="0;url=${folder}"><link rel="icon" href="data:,"><title>agtmux</title></html>`,
  );
};

/** The address was used before, by this very browser: it opens nothing, but the browser may know its folder. */
const answerReopen = (response: ServerResponse) => {
  response.writeHead(403, { "content-type": "text/html; charset=utf-8" });
  response.end(
    `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>agtmux</title><script src="${REOPEN_PATH}"></script><p>${REFUSAL_TEXT.no_session}</p></html>`,
  );
};

/** Starts listening. Throws when the renderer is not built or the port is taken. */
export const startWebBridge = async (options: {
  /** Where calls go: `createRouterHandler` or `createSocketHandler`. */
  readonly rpc: RpcHandler;
  /** Folder of the built renderer (`dist/renderer`). */
  readonly rendererDir: string;
  readonly logger: Logger;
  /** A port to listen on; 0 takes a free one. */
  readonly port?: number;
  /**
   * Called when somebody without the session used an address again. The session has ended; only `renewUrl` opens another one.
   */
  readonly onReuse?: () => void;
}): Promise<WebBridge> => {
  const files = readWebFiles(options.rendererDir);
  const { logger } = options;
  let token: string | null = null;
  const used = new Set<string>();
  const makeSession = (name: string): Session => ({
    name,
    value: makeSecret(),
    folder: `/${makeSecret()}/`,
    opened: makeSecret(),
  });
  let session = makeSession("");

  const refuse = (response: ServerResponse, refusal: Refusal) => {
    logger.warn({ refusal }, "browser bridge refused a request");
    // A refused client keeps no connection, and its body is not read.
    response.setHeader("connection", "close");
    answerText(response, 403, REFUSAL_TEXT[refusal]);
  };
  /** One of the two clients was not the person, and nobody knows which. */
  const endSession = (response: ServerResponse) => {
    logger.warn({}, "the browser popover's address was used again: its session has ended");
    session = makeSession(session.name);
    token = null;
    connections.endAll(response.socket ?? undefined);
    response.setHeader("connection", "close");
    answerText(response, 403, REUSED_TEXT);
    options.onReuse?.();
  };
  const exchange = (response: ServerResponse, given: string, cookie: string | undefined) => {
    if (token !== null && isSameSecret(given, token)) {
      used.add(token);
      token = null;
      if (response.socket !== null) connections.admit(response.socket);
      return answerExchange(response, session);
    }
    if (!used.has(given)) return refuse(response, "no_session");
    if (!cookieIs(cookie, `${session.name}_opened`, session.opened)) return endSession(response);
    logger.warn({}, "the browser that has the session opened its address again");
    answerReopen(response);
  };
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    const facts = factsOf(request);
    const given = /^\/open\?token=([0-9a-f]{64})$/.exec(request.url ?? "")?.[1];
    if (given !== undefined && facts.method === "GET") {
      const refusedHost = refuseHost(facts);
      return refusedHost === null ? exchange(response, given, facts.cookie) : refuse(response, refusedHost);
    }
    if (request.url === REOPEN_PATH && facts.method === "GET" && refuseHost(facts) === null) {
      response.writeHead(200, { "content-type": "text/javascript; charset=utf-8" });
      response.end(REOPEN_SCRIPT);
      return;
    }
    const refusal = refuseRequest(facts, session);
    if (refusal !== null) return refuse(response, refusal);
    connections.admit(request.socket);
    request.url = (request.url ?? "").slice(session.folder.length - 1);
    const path = request.url.split("?", 1)[0] ?? "";
    if (path.startsWith(RPC_PREFIX) && (facts.method === "GET" || facts.method === "POST")) {
      options.rpc(request, response);
      return;
    }
    const file = facts.method === "GET" || facts.method === "HEAD" ? files.get(path) : undefined;
    if (file === undefined) answerText(response, 404, "Not here.");
    else answerFile(response, file, facts.method === "HEAD");
  };

  const server = createServer(LIMITS, handle);
  const connections = watchConnections(server);
  const port = await listen(server, options.port ?? 0);
  session = makeSession(`agtmux_${port}`);
  const renewUrl = () => {
    token = makeSecret();
    return `http://127.0.0.1:${port}/open?token=${token}`;
  };
  let closing: Promise<void> | undefined;
  return {
    url: renewUrl(),
    port,
    renewUrl,
    close: () =>
      (closing ??= new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      })),
  };
};
