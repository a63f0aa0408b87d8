// Server and client together, on real sockets in temporary homes.
import { chownSync, mkdtempSync, statSync, writeFileSync } from "node:fs";
import { connect as connectNet } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { makePane } from "../../test/factories/view.ts";
import { AnsweringDaemon } from "../../test/fakes/answeringDaemon.ts";
import { createRouter } from "../api/router.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { FeedEntry } from "../model/view.ts";
import { SILENT_LOGGER } from "../ports/logger.ts";
import { tryOwn } from "./ownership.ts";
import { ensureHome, runtimePaths, type RuntimePaths } from "./paths.ts";
import { connectSocket, type DaemonClient } from "./socketClient.ts";
import { startSocketServer, type SocketServer } from "./socketServer.ts";

const closers: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const close of closers.splice(0).toReversed()) await close();
});

const makePaths = (): RuntimePaths => {
  const paths = runtimePaths(mkdtempSync(join(tmpdir(), "agtmux-rpc-")));
  ensureHome(paths);
  return paths;
};
const serve = async (paths: RuntimePaths, daemon: AnsweringDaemon): Promise<SocketServer> => {
  const owner = tryOwn(paths.home);
  if (owner === null) throw new Error("the home is taken");
  const server = await startSocketServer({
    paths,
    owner,
    router: createRouter(daemon),
    version: "test",
    logger: SILENT_LOGGER,
  });
  closers.push(async () => {
    await server.close();
    owner.release();
  });
  return server;
};
const connect = async (paths: RuntimePaths): Promise<DaemonClient> => {
  const client = await connectSocket({ paths, version: "9.9.9", checkVersion: true, helloTimeoutMs: 5_000 });
  closers.push(() => client.close());
  return client;
};
const failureOf = async (work: Promise<unknown>): Promise<AgtmuxError> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof AgtmuxError) return error;
    throw error;
  }
  throw new Error("it did not fail");
};

describe("the socket", () => {
  test("is 0600 from its first moment, under any umask", async () => {
    const paths = makePaths();
    const previous = process.umask(0);
    try {
      await serve(paths, new AnsweringDaemon());
      expect(process.umask()).toBe(0);
    } finally {
      process.umask(previous);
    }
    expect(statSync(paths.socket).mode & 0o777).toBe(0o600);
  });

  test("of a dead daemon is replaced by the next owner, and goes with its server", async () => {
    const paths = makePaths();
    const script = `require("node:net").createServer().listen(${JSON.stringify(paths.socket)}, () => process.kill(process.pid, "SIGKILL"))`;
    const { spawnSync } = await import("node:child_process");
    spawnSync("node", ["-e", script]);
    expect(statSync(paths.socket).isSocket()).toBe(true);
    expect((await failureOf(connect(paths))).code).toBe("E_DAEMON_UNAVAILABLE");
    const server = await serve(paths, new AnsweringDaemon());
    expect((await connect(paths)).hello.name).toBe("agtmux");
    await server.close();
    expect(() => statSync(paths.socket)).toThrow("ENOENT");
  });

  test("is not served where something else lies in its place", async () => {
    const paths = makePaths();
    writeFileSync(paths.socket, "mine");
    expect((await failureOf(serve(paths, new AnsweringDaemon()))).code).toBe("E_SOCKET_UNSAFE");
    expect((await failureOf(connect(paths))).code).toBe("E_SOCKET_UNSAFE");
  });

  test.runIf(process.geteuid?.() === 0)("of another user is never spoken to", async () => {
    const paths = makePaths();
    const daemon = new AnsweringDaemon();
    const hello = vi.spyOn(daemon, "hello");
    await serve(paths, daemon);
    chownSync(paths.socket, 65_534, 65_534);
    expect((await failureOf(connect(paths))).code).toBe("E_SOCKET_UNSAFE");
    chownSync(paths.socket, 0, 0);
    chownSync(paths.home, 65_534, 65_534);
    expect((await failureOf(connect(paths))).code).toBe("E_SOCKET_UNSAFE");
    chownSync(paths.home, 0, 0);
    expect(hello).not.toHaveBeenCalled();
  });
});

describe("calls", () => {
  test("are answered, with input in both directions", async () => {
    const paths = makePaths();
    const daemon = new AnsweringDaemon([makePane({ session: "ünïcode & co/%" })]);
    await serve(paths, daemon);
    const client = await connect(paths);
    const list = await client.call((api) => api.panes.query({ session: "ünïcode & co/%" }));
    expect(list.items).toHaveLength(1);
    const guards = { forceStale: true };
    await client.call((api) => api.dismiss.mutate({ ref: "runtime:rt1", guards, surface: "cli" }));
    expect(daemon.asked).toMatchObject([{ action: "dismiss", input: { surface: "cli", guards } }]);
  });

  test("fail with the daemon's code, remedy and details", async () => {
    const paths = makePaths();
    const daemon = new AnsweringDaemon();
    daemon.explain = () => {
      throw new AgtmuxError("E_REF_AMBIGUOUS", "two panes match", { details: ["pane:a", "pane:b"] });
    };
    await serve(paths, daemon);
    const client = await connect(paths);
    const failure = await failureOf(client.call((api) => api.explain.query({ ref: "pane:x" })));
    expect([failure.code, failure.message, failure.details]).toEqual([
      "E_REF_AMBIGUOUS",
      "two panes match",
      ["pane:a", "pane:b"],
    ]);
  });

  test("with input that the router refuses fail with one readable sentence", async () => {
    const paths = makePaths();
    await serve(paths, new AnsweringDaemon());
    const client = await connect(paths);
    const failure = await failureOf(client.call((api) => api.explain.query({ ref: "" })));
    expect(failure.code).toBe("E_USAGE");
    expect(failure.message).toMatch(/^ref: /);
  });

  test("share one connection, and go on after the daemon was replaced", async () => {
    const paths = makePaths();
    const server = await serve(paths, new AnsweringDaemon());
    const client = await connect(paths);
    await client.call((api) => api.targets.query());
    await client.call((api) => api.targets.query());
    expect(server.clients()).toBe(1);
    await closers.splice(0, 1)[0]?.();
    await serve(paths, new AnsweringDaemon([makePane({ state: "running" })]));
    expect((await client.call((api) => api.panes.query({}))).items).toHaveLength(1);
  });

  test("to a daemon of another protocol fail naming both versions", async () => {
    const paths = makePaths();
    const daemon = new AnsweringDaemon();
    daemon.greeting = { ...daemon.greeting, version: "7.0.0", protocol: 7 };
    await serve(paths, daemon);
    const failure = await failureOf(connect(paths));
    expect(failure.code).toBe("E_DAEMON_VERSION");
    expect(failure.message).toContain("9.9.9");
    expect(failure.message).toContain("7.0.0");
    const unchecked = await connectSocket({
      paths,
      version: "9.9.9",
      checkVersion: false,
      helloTimeoutMs: 5_000,
    });
    expect(unchecked.hello.protocol).toBe(7);
    unchecked.close();
  });

  test("to something that accepts but never answers end in time", async () => {
    const paths = makePaths();
    const { createServer } = await import("node:net");
    const mute = createServer(() => {}).listen(paths.socket);
    closers.push(() => void mute.close());
    const attempt = connectSocket({ paths, version: "1", checkVersion: true, helloTimeoutMs: 50 });
    const failure = await failureOf(attempt);
    expect([failure.code, failure.message]).toEqual([
      "E_DAEMON_UNAVAILABLE",
      "the daemon does not answer in time",
    ]);
  });
});

describe("subscriptions", () => {
  test("deliver, and close the daemon's generator when the client leaves", async () => {
    const paths = makePaths();
    const daemon = new AnsweringDaemon([makePane({ state: "running" })]);
    await serve(paths, daemon);
    const client = await connect(paths);
    const aborter = new AbortController();
    const seen: FeedEntry[] = [];
    for await (const entry of client.feed({ since: null, sinceTime: null, all: false }, aborter.signal)) {
      seen.push(entry);
      if (seen.length === 1) daemon.put(makePane({ state: "completed" }));
      else break;
    }
    expect(seen.map((entry) => entry.kind)).toEqual(["snapshot", "state"]);
    await vi.waitFor(() => expect(daemon.feedClients).toBe(0));
  });

  test("end quietly on abort, also while nothing happens", async () => {
    const paths = makePaths();
    const daemon = new AnsweringDaemon();
    await serve(paths, daemon);
    const client = await connect(paths);
    const aborter = new AbortController();
    const kinds = [];
    for await (const entry of client.feed({ since: null, sinceTime: null, all: false }, aborter.signal)) {
      kinds.push(entry.kind);
      setImmediate(() => aborter.abort());
    }
    expect(kinds).toEqual(["snapshot"]);
    await vi.waitFor(() => expect(daemon.feedClients).toBe(0));
  });

  test("of a daemon that goes away fail with E_DAEMON_UNAVAILABLE, and do not hold its close up", async () => {
    const paths = makePaths();
    const server = await serve(paths, new AnsweringDaemon());
    const client = await connect(paths);
    const read = async () => {
      for await (const entry of client.feed(
        { since: null, sinceTime: null, all: false },
        new AbortController().signal,
      ))
        if (entry.kind === "snapshot") void server.close();
    };
    // Nobody's time runs out: what is under way has to end by itself.
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    expect((await failureOf(read())).code).toBe("E_DAEMON_UNAVAILABLE");
    await server.close();
  });
});

test("the number of clients is known, for leaving when nobody is there", async () => {
  const paths = makePaths();
  const server = await serve(paths, new AnsweringDaemon());
  const counts: number[] = [];
  server.onClients((count) => counts.push(count));
  const client = await connect(paths);
  expect(server.clients()).toBe(1);
  client.close();
  await vi.waitFor(() => expect(server.clients()).toBe(0));
  expect(counts).toEqual([1, 0]);
});

test("close is bounded when a client sends half a request", async () => {
  const paths = makePaths();
  const server = await serve(paths, new AnsweringDaemon());
  const socket = connectNet(paths.socket);
  closers.push(() => void socket.destroy());
  await new Promise<void>((resolve) => {
    socket.write("POST /shutdown HTTP/1.1\r\nhost: agtmux\r\ncontent-length: 10\r\n\r\n", () => resolve());
  });
  await vi.waitFor(() => expect(server.clients()).toBe(1));
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const closed = server.close();
  vi.advanceTimersByTime(3_000);
  await closed;
});
