// The typed client of the router over the Unix socket, and when a running daemon is outdated. It speaks tRPC over node:http without
// tRPC's own client, whose start-up costs more than the whole command; subscriptions are async iterables that pull, so a slow
// reader costs no memory.
import { type Hello, PROTOCOL_VERSION } from "../api/protocol.ts";
import type { NotificationEvent } from "../model/notifications.ts";
import { Agent, request, type IncomingMessage } from "node:http";
import { dirname } from "node:path";
import type { TRPCClient } from "@trpc/client";
import type { AnyRouter } from "@trpc/server";
import type { FeedOptions } from "../api/calls.ts";
import type { AppRouter } from "../api/router.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { FeedEntry } from "../model/view.ts";
import {
  PROOF_HEADER,
  PROOF_NEEDED_HEADER,
  readEventStream,
  fromConnectionError,
  fromErrorShape,
  isRecord,
} from "./wire.ts";
import { checkHome, checkSocket, type RuntimePaths } from "./paths.ts";

// Outdated daemons: after an upgrade the old daemon, with its bugs, would run on as long as agents do. A command started it, so a
// command may end it.

const numbersOf = (version: string): number[] =>
  /^(\d+)\.(\d+)\.(\d+)(?![\d.])/.exec(version)?.slice(1).map(Number) ?? [];

/** Compares only the three numbers; false where one of the texts is not a version. */
const isOlder = (one: string, other: string): boolean => {
  const [mine, theirs] = [numbersOf(one), numbersOf(other)];
  const index = mine.findIndex((number, at) => number !== theirs[at]);
  return (mine[index] ?? 0) < (theirs[index] ?? 0);
};

/**
 * True for a daemon of an older version that a command started. A newer one is never replaced, so that two installations do not
 * replace each other in turns. Neither is one in the app, or one that a person or a service manager runs.
 */
export const isOutdated = ({ host, isOnDemand, version }: Hello, ownVersion: string): boolean =>
  host === "headless" && isOnDemand && isOlder(version, ownVersion);

// Client.

/** The procedures that are calls; the subscriptions are methods of the client. */
export type CallApi<Router extends AnyRouter> = Omit<TRPCClient<Router>, "feed" | "notices">;

/** A connection to one daemon. Everything rejects with AgtmuxError only. */
export interface DaemonClient<Router extends AnyRouter = AppRouter> {
  readonly hello: Hello;
  /** Calls procedures: `client.call((api) => api.panes.query({}))`. */
  call<T>(run: (api: CallApi<Router>) => Promise<T>): Promise<T>;
  /** The same by name, `<feature>.<name>` for those of features: for code that passes calls on. */
  forward(name: string, kind: "query" | "mutation", input: unknown): Promise<unknown>;
  /** Ends quietly when `signal` aborts; rejects with E_DAEMON_UNAVAILABLE when the daemon goes. */
  feed(options: FeedOptions, signal: AbortSignal): AsyncIterable<FeedEntry>;
  notices(signal: AbortSignal): AsyncIterable<NotificationEvent>;
  /** Drops all connections; idempotent. */
  close(): void;
}

interface Call {
  path: string;
  input: unknown;
  type: "query" | "mutation" | "subscription";
  signal: AbortSignal | undefined;
  /** Proves who calls. */
  proof?: string;
}

/** An empty server name keeps node:http from asking whether the host is an IP address: 4 ms of a 70 ms command. */
const NO_NAME = { servername: "" };

const send = (socketPath: string, agent: Agent, call: Call): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const input = call.input === undefined ? undefined : JSON.stringify(call.input);
    const isMutation = call.type === "mutation";
    const query = isMutation || input === undefined ? "" : `?input=${encodeURIComponent(input)}`;
    const outgoing = request({
      ...NO_NAME,
      socketPath,
      // An action never goes over a connection that may be dying: it could not be repeated safely.
      agent: isMutation ? false : agent,
      method: isMutation ? "POST" : "GET",
      path: `/${call.path}${query}`,
      headers: {
        host: "agtmux",
        ...(isMutation ? { "content-type": "application/json" } : {}),
        ...(call.type === "subscription" ? { accept: "text/event-stream" } : {}),
        ...(call.proof === undefined ? {} : { [PROOF_HEADER]: call.proof }),
      },
      ...(call.signal === undefined ? {} : { signal: call.signal }),
    });
    outgoing.once("response", resolve);
    outgoing.once("error", (error) => {
      // The server may close an idle connection at the moment when it is used again; a read can be repeated.
      const isStale =
        outgoing.reusedSocket && "code" in error && ["ECONNRESET", "EPIPE"].includes(String(error.code));
      if (isStale) resolve(send(socketPath, agent, call));
      else reject(error);
    });
    outgoing.end(isMutation ? input : undefined);
  });

const readJson = async (response: IncomingMessage): Promise<unknown> => {
  response.setEncoding("utf8");
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return JSON.parse(text);
};

/** The result of a query or mutation, or the daemon's error. */
const callOnce = async (socketPath: string, agent: Agent, call: Call): Promise<unknown> => {
  const response = await send(socketPath, agent, call);
  const answer = await readJson(response);
  if (response.headers[PROOF_NEEDED_HEADER] !== undefined && call.proof === undefined) {
    // The daemon asks for the proof before it does anything, so the call can be repeated. Loaded late: hardly any command needs it.
    const { openCallerProof } = await import("./callerProof.ts");
    const proof = await openCallerProof(dirname(socketPath));
    try {
      return await callOnce(socketPath, agent, { ...call, proof: proof.header });
    } finally {
      proof.close();
    }
  }
  if (!isRecord(answer)) throw new AgtmuxError("E_INTERNAL", "the daemon's answer cannot be read");
  if ("error" in answer) throw fromErrorShape(answer["error"]);
  const result = answer["result"];
  return isRecord(result) ? result["data"] : undefined;
};

/** Both ends of the socket are built from one router, as hello has confirmed, so its types are trusted. */
const parseTrusted = JSON.parse;

async function* subscribe<T>(socketPath: string, agent: Agent, call: Call): AsyncGenerator<T> {
  try {
    const response = await send(socketPath, agent, call);
    if (!String(response.headers["content-type"]).startsWith("text/event-stream")) {
      const answer = await readJson(response);
      throw fromErrorShape(isRecord(answer) ? answer["error"] : undefined);
    }
    try {
      for await (const event of readEventStream<T>(response, parseTrusted)) {
        if (event.kind === "data") yield event.value;
        else if (event.kind === "error") throw fromErrorShape(event.shape);
        else return;
      }
    } finally {
      response.destroy();
    }
    // The body ended without the closing event: the daemon went away in the middle.
    throw new AgtmuxError("E_DAEMON_UNAVAILABLE", "the daemon closed the connection");
  } catch (error) {
    if (call.signal?.aborted === true) return;
    throw fromConnectionError(error);
  }
}

/** An API whose `api.a.b.query(input, { signal })` performs the call `a.b`: tRPC's own proxy without its links and observables. */
const createApi = <Router extends AnyRouter>(perform: (call: Call) => Promise<unknown>): CallApi<Router> => {
  const at = (path: string): unknown =>
    new Proxy(
      {},
      {
        get: (_target, name) => {
          if (typeof name !== "string") return undefined;
          if (name !== "query" && name !== "mutate") return at(path === "" ? name : `${path}.${name}`);
          const type = name === "query" ? "query" : "mutation";
          return (input: unknown, options?: { signal?: AbortSignal }) =>
            perform({ path, input, type, signal: options?.signal });
        },
      },
    );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the proxy answers is the router's to say
  return at("") as CallApi<Router>;
};

/** Fails with E_DAEMON_VERSION unless both speak the same protocol. */
export const checkProtocol = (hello: Hello, ownVersion: string): void => {
  if (hello.protocol === PROTOCOL_VERSION) return;
  throw new AgtmuxError(
    "E_DAEMON_VERSION",
    `this is agtmux ${ownVersion} (protocol ${PROTOCOL_VERSION}), but the running daemon is ${hello.version} (protocol ${hello.protocol})`,
  );
};

const noneAnswers = (error: unknown): null => {
  if (error instanceof AgtmuxError && error.code === "E_DAEMON_UNAVAILABLE") return null;
  throw error;
};

interface SocketClientOptions {
  readonly paths: RuntimePaths;
  readonly version: string;
  /** False for `daemon status` and `daemon stop`, which work across versions. */
  readonly checkVersion: boolean;
  /** How long hello may take, in milliseconds. */
  readonly helloTimeoutMs: number;
}

/**
 * Connects and says hello. Before connecting it checks that the home and the socket are ours, so that nobody else can
 * pose as the daemon. Fails with E_SOCKET_UNSAFE, E_DAEMON_UNAVAILABLE or E_DAEMON_VERSION.
 */
export const connectSocket = async <Router extends AnyRouter = AppRouter>(
  options: SocketClientOptions,
): Promise<DaemonClient<Router>> => {
  const { paths } = options;
  if (!checkHome(paths.home) || !checkSocket(paths.socket))
    throw new AgtmuxError("E_DAEMON_UNAVAILABLE", "the daemon is not running");
  const agent = new Agent({ keepAlive: true });
  const perform = (one: Call): Promise<unknown> => callOnce(paths.socket, agent, one);
  const explain = (error: unknown): never => {
    throw fromConnectionError(error);
  };
  const api = createApi<Router>(perform);
  const timeout = AbortSignal.timeout(options.helloTimeoutMs);
  try {
    const hello = await createApi<AppRouter>(perform)
      .hello.query(undefined, { signal: timeout })
      .catch(explain);
    if (options.checkVersion) checkProtocol(hello, options.version);
    return {
      hello,
      call: (run) => run(api).catch(explain),
      forward: (name, kind, input) =>
        perform({ path: name, input, type: kind, signal: undefined }).catch(explain),
      feed: (input, signal) =>
        subscribe(paths.socket, agent, {
          path: "feed",
          input,
          type: "subscription",
          signal,
        }),
      notices: (signal) =>
        subscribe(paths.socket, agent, {
          path: "notices",
          input: undefined,
          type: "subscription",
          signal,
        }),
      close: () => agent.destroy(),
    };
  } catch (error) {
    agent.destroy();
    if (timeout.aborted)
      throw new AgtmuxError("E_DAEMON_UNAVAILABLE", "the daemon does not answer in time", { cause: error });
    throw error;
  }
};

/**
 * The same for callers that can start a daemon: null where none answers, or an outdated one, which has to end whatever protocol it
 * speaks. Fails with E_SOCKET_UNSAFE or E_DAEMON_VERSION.
 */
export const connectCurrent = async <Router extends AnyRouter = AppRouter>(
  options: Omit<SocketClientOptions, "checkVersion">,
): Promise<DaemonClient<Router> | null> => {
  const client = await connectSocket<Router>({ ...options, checkVersion: false }).catch(noneAnswers);
  if (client === null || isOutdated(client.hello, options.version)) {
    client?.close();
    return null;
  }
  try {
    checkProtocol(client.hello, options.version);
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
};
