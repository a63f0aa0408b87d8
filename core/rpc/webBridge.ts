// The popover in a browser: serves the built renderer and the router on 127.0.0.1, a random port, to whoever opens the
// one-time address, and to nobody else. It is the only thing of agtmux that listens on TCP.
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Logger } from "../ports/logger.ts";
import { readWebFiles, type WebFile } from "./webFiles.ts";
import { RPC_PREFIX, type RpcHandler } from "./webRpc.ts";
import { watchConnections } from "./webConnections.ts";
import {
  cookieIs,
  isSameSecret,
  refuseHost,
  refuseRequest,
  type Refusal,
  type RequestFacts,
} from "./webGuard.ts";

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

export interface WebBridgeOptions {
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
}

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
export const FOLDER_KEY = "agtmux.folder";
/** Holds no secret. Storage that is blocked or damaged is as an empty one. It leads the browser that has the session back to it; in any other one nothing is stored. */
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
export const startWebBridge = async (options: WebBridgeOptions): Promise<WebBridge> => {
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
