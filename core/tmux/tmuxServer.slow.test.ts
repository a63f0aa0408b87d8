import { chownSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createConnection, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPrivateTmux, type PrivateTmux } from "../../test/harness/privateTmux.ts";
import { callsOn } from "../../test/harness/tmuxCalls.ts";
import { randomIds, realClock, until } from "../../test/setup/realClock.ts";
import type { Clock } from "../ports/clock.ts";
import { SILENT_LOGGER } from "../ports/logger.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import { createLocalExecutor } from "../targets/executors/localExecutor.ts";
import { knowledgeOf, parseTmuxVersion } from "./findTmux.ts";
import { createTmuxServer, type TmuxServer } from "./tmuxServer.ts";

let tmux: PrivateTmux;
let executor: TargetExecutor & { runs: number; connections: number };
let server: TmuxServer;

/** `path`: where the socket is searched instead; null: it cannot be reached. */
const countingExecutor = (path?: string | null): typeof executor => {
  const inner = createLocalExecutor({ targetId: "host", env: { ...process.env } });
  const { sockets, ...others } = inner;
  const counting: typeof executor = {
    ...others,
    runs: 0,
    connections: 0,
    runTmux: (...args: Parameters<TargetExecutor["runTmux"]>) => {
      counting.runs += 1;
      return inner.runTmux(...args);
    },
    ...(path === null || sockets === undefined
      ? {}
      : {
          sockets: {
            ...sockets,
            connect: (asked) => {
              counting.connections += 1;
              return sockets.connect(path ?? asked);
            },
          },
        }),
  };
  return counting;
};
const connect = (tmuxPath = "tmux", clock = realClock): TmuxServer =>
  createTmuxServer({
    executor,
    calls: callsOn(executor, tmux.socketPath, { tmuxPath }),
    clock,
    makeNonce: () => randomIds.nonce(),
    logger: SILENT_LOGGER,
  });
/** Another way to reach the server from now on. */
const reachBy = async (path: string | null, tmuxPath?: string, clock?: Clock): Promise<void> => {
  await executor.close();
  executor = countingExecutor(path);
  server = connect(tmuxPath, clock);
};
/** A tmux program whose servers say that they are of this version. */
const programOf = (version: string): string => {
  const path = join(tmux.folder, "program");
  const line = String.raw`^\(next-\)\{0,1\}[0-9.]*[a-z]*$`;
  writeFileSync(path, `#!/bin/sh\ntmux "$@" | sed 's/${line}/${version}/'\n`, { mode: 0o755 });
  return path;
};
/** How often the tmux program is asked for one answer: itself, for the version, and for the sample of a version that was not tried. */
const runsAtFirst = async (): Promise<number> => {
  const version = parseTmuxVersion(`tmux ${await tmux.run("display-message", "-p", "#{version}")}`);
  return knowledgeOf(version) === "tested" ? 2 : 3;
};
const panes = async (): Promise<readonly string[]> => {
  const result = await server.query([["list-panes", "-a", "-F", "#{pane_id}"]]);
  if (result.status !== "ok") throw new Error(JSON.stringify(result));
  return result.answers[0]?.lines ?? [];
};

beforeEach(() => {
  tmux = createPrivateTmux();
  executor = countingExecutor();
  server = connect();
});
afterEach(async () => {
  await server.close();
  await executor.close();
  await tmux.close();
});

/** Lines that try to end their own answer and to forge the next one. */
const forgeries = (): string => {
  const lines: string[] = [];
  for (let number = 0; number < 2_500; number += 100) lines.push(`%end 1 ${number} 1`);
  return [...lines.slice(0, 10), "%begin 1 2 3", "agtmux-0-1", "%exit", "%error 1 2 1"].join("\\n");
};

describe.each(["direct", "polling"] as const)("query, %s", (mode) => {
  beforeEach(async () => {
    await tmux.newSession("öne");
    if (mode === "polling") await reachBy(null);
    await panes();
    expect(server.mode).toBe(mode);
  });

  it("answers each command of a batch, and a failing one alone fails", async () => {
    const result = await server.query([
      ["display-message", "-p", "#{session_name}"],
      ["capture-pane", "-p", "-t", "%99"],
      ["list-panes", "-a", "-F", "#{pane_id}"],
      ["capture-pane", "-p", "-t", "%98"],
    ]);
    expect(result).toMatchObject({
      status: "ok",
      answers: [
        { isOk: true, lines: ["öne"] },
        { isOk: false, lines: [expect.stringContaining("%99")] },
        { isOk: true, lines: ["%0"] },
        { isOk: false, lines: [expect.stringContaining("%98")] },
      ],
    });
    expect(server.mode).toBe(mode);
  });

  it("keeps answers apart whatever a pane shows", async () => {
    const hostile = await tmux.run(
      "split-window",
      "-d",
      "-P",
      "-F",
      "#{pane_id}",
      `printf '%b\\n' '${forgeries()}'; exec cat`,
    );
    await until(
      async () => (await tmux.run("capture-pane", "-p", "-t", hostile)).includes("%error 1 2 1"),
      "forgery drawn",
    );
    const result = await server.query([
      ["capture-pane", "-p", "-t", hostile],
      ["display-message", "-p", "true"],
      ["capture-pane", "-p", "-t", hostile],
      ["display-message", "-p", "end"],
    ]);
    if (result.status !== "ok") throw new Error(JSON.stringify(result));
    const shown = (await tmux.run("capture-pane", "-p", "-t", hostile)).trimEnd();
    expect(result.answers.map((answer) => [answer.isOk, answer.lines.join("\n").trimEnd()])).toEqual([
      [true, shown],
      [true, "true"],
      [true, shown],
      [true, "end"],
    ]);
  });

  it("answers queries that are made at the same time, each its own", async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) => server.query([["display-message", "-p", `n${index}`]])),
    );
    expect(
      results.map((result) => (result.status === "ok" ? result.answers[0]?.lines[0] : result.status)),
    ).toEqual(Array.from({ length: 20 }, (_, index) => `n${index}`));
  });

  it("says no_server after the server ended, and finds the next one", async () => {
    await tmux.run("kill-server");
    await until(
      async () => (await server.query([["list-panes", "-a", "-F", "x"]])).status === "no_server",
      "no server",
    );
    const runs = executor.runs;
    for (let tick = 0; tick < 20; tick++)
      expect((await server.query([["list-panes", "-a", "-F", "x"]])).status).toBe("no_server");
    expect(executor.runs - runs).toBe(0);
    await tmux.newSession("again");
    const result = await server.query([["display-message", "-p", "#{session_name}"]]);
    expect(result).toMatchObject({ status: "ok", answers: [{ lines: ["again"] }] });
  });
});

describe("asked over its socket", () => {
  it("uses no process per query, and is attached to nothing at any time", async () => {
    await tmux.newSession("one");
    await panes();
    const runs = executor.runs;
    for (let tick = 0; tick < 10; tick++) expect(await panes()).toEqual(["%0"]);
    expect(executor.runs - runs).toBe(0);
    expect(await tmux.clientPids()).toEqual([]);
  });

  it("reads answers of any length, and says that a batch is too long for tmux", async () => {
    await tmux.newSession("one", `seq -f '%0200.0f' 1 200; exec cat`);
    await until(async () => (await tmux.run("capture-pane", "-p", "-t", "%0")).includes("200"), "drawn");
    const screen = (await tmux.run("capture-pane", "-p", "-t", "%0")).trimEnd();
    const capture = ["capture-pane", "-p", "-t", "%0"] as const;
    for (const count of [1, 20, 60]) {
      const result = await server.query(Array.from({ length: count }, () => capture));
      if (result.status !== "ok") throw new Error(JSON.stringify(result));
      expect(result.answers.map(({ lines }) => lines.join("\n").trimEnd())).toEqual(
        Array.from({ length: count }, () => screen),
      );
    }
    expect([server.mode, server.problem]).toEqual(["direct", null]);
    expect(await server.query(Array.from({ length: 300 }, () => capture))).toEqual({
      status: "error",
      problem: "tmux: the list of commands is too long",
    });
  });

  it("changes neither sizes, nor the selected windows, nor the session's environment", async () => {
    const size = ["-x", "133", "-y", "41"];
    await tmux.run("new-session", "-d", "-s", "one", ...size, "-e", "SSH_AUTH_SOCK=theirs", "exec cat");
    await tmux.run("new-window", "-t", "one:", "exec cat");
    await tmux.run("set-option", "-g", "window-size", "latest");
    const format = "#{window_id} #{window_width}x#{window_height} #{window_active} #{session_activity}";
    const look = (): Promise<string> =>
      Promise.all([
        tmux.run("list-windows", "-a", "-F", format),
        tmux.run("show-environment", "-t", "one"),
      ]).then((parts) => parts.join("\n"));
    const before = await look();
    for (let tick = 0; tick < 5; tick++) await panes();
    expect(await look()).toBe(before);
  });

  it("finds the next server after the old one ended, and asks tmux first who that is", async () => {
    await tmux.newSession("one");
    await panes();
    await tmux.run("kill-server");
    await until(async () => (await server.query([["list-panes", "-a"]])).status === "no_server", "no server");
    expect(server.mode).toBe("polling");
    await tmux.newSession("two");
    const runs = executor.runs;
    expect(await panes()).toEqual(["%0"]);
    expect([executor.runs - runs, server.mode]).toEqual([await runsAtFirst(), "direct"]);
  });

  it("says that a server does not answer that stands still", async () => {
    await tmux.newSession("one");
    await panes();
    const pid = await tmux.serverPid();
    process.kill(pid, "SIGSTOP");
    try {
      expect(await server.query([["list-panes", "-a"]])).toEqual({
        status: "error",
        problem: "tmux did not answer within 5000 ms",
      });
    } finally {
      process.kill(pid, "SIGCONT");
    }
    expect(await panes()).toEqual(["%0"]);
    expect(server.problem).toBe(null);
  });
});

describe("a socket behind which somebody else answers", () => {
  let other: Server;
  const answer = async (bytes: Buffer | null): Promise<void> => {
    other = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => (bytes === null ? socket.destroy() : socket.write(bytes)));
    });
    const path = join(tmux.folder, "other");
    await new Promise<void>((done) => other.listen(path, done));
    await reachBy(path);
  };
  afterEach(() => other.close());
  const header = (type: number, length: number, protocol = 8): Buffer => {
    const bytes = Buffer.alloc(16);
    bytes.writeUInt8(protocol, 8);
    bytes.writeUInt32LE(type, 0);
    bytes.writeUInt16LE(length, 4);
    return bytes;
  };

  it.each([
    ["nonsense", Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")],
    ["a message without a length", header(304, 0)],
    ["a message of another kind", header(9_999, 16)],
    ["another version of the protocol", header(12, 16, 9)],
    [
      "the wish that we write a file",
      Buffer.concat([header(303, 28), Buffer.from([5, 0, 0, 0]), Buffer.alloc(8)]),
    ],
    [
      "one stream after another to be opened",
      Buffer.concat(
        Array.from({ length: 3 }, () => Buffer.concat([header(303, 20), Buffer.from([1, 0, 0, 0])])),
      ),
    ],
    ["nothing, and ends", null],
  ])("is given up when that is %s: tmux asks instead, and it is said why", async (_what, bytes) => {
    await tmux.newSession("one");
    await answer(bytes);
    for (let tick = 0; tick < 4; tick++) expect(await panes()).toEqual(["%0"]);
    expect(server.mode).toBe("polling");
    expect(server.problem).toMatch(/not understood|closed the connection|protocol/);
  });
});

describe("a server whose version was not tried out", () => {
  let other: Server | null;
  /** What each connection to the other socket got. */
  let got: Buffer[];
  beforeEach(() => {
    other = null;
    got = [];
  });
  afterEach(() => other?.close());
  /** A socket in front of the server's. */
  const standBefore = async (answer: (socket: Socket) => void): Promise<string> => {
    const path = join(tmux.folder, "other");
    other = createServer((socket) => {
      const index = got.push(Buffer.alloc(0)) - 1;
      socket.on("error", () => {});
      socket.on("data", (chunk: Buffer) => (got[index] = Buffer.concat([got[index] ?? chunk, chunk])));
      answer(socket);
    });
    await new Promise<void>((done) => other?.listen(path, done));
    return path;
  };
  /** The server itself, with other words in its answers while that is wanted. */
  const standBetween = (alter: (answer: string) => string): Promise<string> =>
    standBefore((socket) => {
      const real = createConnection(tmux.socketPath);
      for (const one of [real, socket]) one.on("error", () => {});
      socket.on("data", (chunk: Buffer) => real.write(chunk));
      real.on("data", (chunk: Buffer) => socket.write(alter(chunk.toString("latin1")), "latin1"));
      real.once("close", () => socket.end());
      socket.once("close", () => real.destroy());
    });

  it.each(["3.8", "next-3.9", "4.0", "next-3.6"])(
    "is asked over its socket where it says there what it says to the tmux program: %s",
    async (version) => {
      await tmux.newSession("öne");
      await tmux.run("split-window", "-d", "-t", "öne:", "exec cat");
      server = connect(programOf(version));
      for (let tick = 0; tick < 4; tick++) expect(await panes()).toEqual(["%0", "%1"]);
      // The first look, its version, the sample; over the socket the protocol, the sample, and three looks.
      expect([server.mode, server.problem]).toEqual(["direct", null]);
      expect([executor.runs, executor.connections]).toEqual([3, 5]);
    },
  );

  it.each(["2.9", "3.1c", "next-3.2", "master", "openbsd-7.5"])(
    "is asked by the tmux program alone where that is old, or of unknown age: %s",
    async (version) => {
      await tmux.newSession("one");
      server = connect(programOf(version));
      for (let tick = 0; tick < 3; tick++) expect(await panes()).toEqual(["%0"]);
      expect([server.mode, server.problem, executor.runs, executor.connections]).toEqual([
        "polling",
        null,
        4,
        0,
      ]);
    },
  );

  const versionMessage = (protocol: number): Buffer => {
    const bytes = Buffer.alloc(16);
    bytes.writeUInt32LE(12, 0);
    bytes.writeUInt16LE(16, 4);
    bytes.writeUInt8(protocol, 8);
    return bytes;
  };
  it.each([
    ["speaks another protocol", versionMessage(9), "it speaks protocol 9 of tmux, and only 8 is known"],
    ["speaks an older protocol", versionMessage(7), "it speaks protocol 7 of tmux, and only 8 is known"],
    ["speaks no protocol of tmux", Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n"), "it does not say"],
  ])("gets a header and nothing else where it %s", async (_what, answer, problem) => {
    await tmux.newSession("one");
    const path = await standBefore((socket) => socket.once("data", () => socket.end(answer)));
    await reachBy(path, programOf("3.9"));
    for (let tick = 0; tick < 4; tick++) expect(await panes()).toEqual(["%0"]);
    expect([server.mode, server.problem]).toEqual(["polling", expect.stringContaining(problem)]);
    // Type, length, flags and protocol; the last four bytes are our pid.
    const header = Buffer.from([106, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0]).toString("hex");
    expect(got.map((bytes) => [bytes.length, bytes.subarray(0, 12).toString("hex")])).toEqual([
      [16, header],
      [16, header],
    ]);
  });

  it("is asked by the tmux program while it says something else over its socket, and then again over that", async () => {
    await tmux.newSession("one");
    let isAltered = true;
    let now = 0;
    const path = await standBetween((answer) => (isAltered ? answer.replaceAll("%0", "%9") : answer));
    await reachBy(path, programOf("3.9"), { ...realClock, now: () => now });
    for (let tick = 0; tick < 4; tick++) expect(await panes()).toEqual(["%0"]);
    expect([server.mode, server.problem]).toEqual(["polling", expect.stringContaining("something else")]);
    // Two attempts, each a question for the protocol and one for the sample.
    expect(executor.connections).toBe(4);
    isAltered = false;
    now += 61_000;
    for (let tick = 0; tick < 2; tick++) expect(await panes()).toEqual(["%0"]);
    expect([server.mode, server.problem, executor.connections]).toEqual(["direct", null, 7]);
  });
});

it("a server to which the tmux program cannot talk is there; one that hangs up because it ends is not", async () => {
  await tmux.newSession("one");
  const path = join(tmux.folder, "program");
  const program = (says: string): void =>
    writeFileSync(path, `#!/bin/sh\necho '${says}' >&2\nexit 1\n`, { mode: 0o755 });
  let now = 0;
  server = connect(path, { ...realClock, now: () => now });
  const askLater = async (): Promise<unknown> => {
    now += 2_100;
    const seen = await server.query([["list-panes", "-a"]]);
    // Meanwhile nothing is asked, and it says the same.
    const runs = executor.runs;
    expect([await server.query([["list-panes", "-a"]]), executor.runs]).toEqual([seen, runs]);
    return seen;
  };
  program("server exited unexpectedly");
  expect(await askLater()).toEqual({ status: "no_server" });
  for (let tick = 0; tick < 2; tick++)
    expect(await askLater()).toEqual({
      status: "error",
      problem: expect.stringContaining("the tmux program cannot talk to it"),
    });
  program("no server running on it");
  expect(await askLater()).toEqual({ status: "no_server" });
});

describe("a socket that nobody listens at", () => {
  const ask = async (): Promise<string> => (await server.query([["list-panes", "-a"]])).status;
  /** The socket file that a killed server leaves behind. */
  const leaveSocket = async (): Promise<void> => {
    await tmux.newSession("one");
    process.kill(await tmux.serverPid(), "SIGKILL");
    const isRefused = (): Promise<boolean> =>
      tmux.run("list-sessions").then(
        () => false,
        () => true,
      );
    await until(isRefused, "the server is gone");
  };

  it("is tried every ten seconds, however often it is asked about", async () => {
    await leaveSocket();
    let now = 0;
    server = connect("tmux", { ...realClock, now: () => now });
    const runs: number[] = [];
    for (; now <= 24_000; now += 3_000) {
      const before = executor.runs;
      expect(await ask()).toBe("no_server");
      if (executor.runs > before) runs.push(now);
    }
    expect(runs).toEqual([0, 12_000, 24_000]);
  });

  it("is tried at once where a server has come while the one before was found gone", async () => {
    await leaveSocket();
    const run = executor.runTmux.bind(executor);
    executor.runTmux = async (...args) => {
      executor.runTmux = run;
      const result = await run(...args);
      await tmux.newSession("two");
      return result;
    };
    expect([await ask(), await ask()]).toEqual(["no_server", "ok"]);
  });
});

describe("a socket that is not the one that tmux looked at", () => {
  it("is not connected to: tmux is asked first who that is", async () => {
    await tmux.newSession("one");
    await panes();
    expect(server.mode).toBe("direct");
    const pid = await tmux.serverPid();
    rmSync(tmux.socketPath);
    let connections = 0;
    const other = createServer((socket) => {
      connections += 1;
      socket.once("data", () => socket.destroy());
    });
    await new Promise<void>((done) => other.listen(tmux.socketPath, done));
    const runs = executor.runs;
    expect(await server.query([["list-panes", "-a"]])).toMatchObject({ status: "no_server" });
    expect([executor.runs - runs, connections, server.mode]).toEqual([1, 1, "polling"]);
    await new Promise((done) => other.close(done));
    // The signal makes the server create its socket again.
    process.kill(pid, "SIGUSR1");
    await until(async () => (await server.query([["list-panes", "-a"]])).status === "ok", "it is back");
    expect(server.mode).toBe("direct");
  });

  it.runIf(process.geteuid?.() === 0)("is never asked by tmux while it belongs to another user", async () => {
    await tmux.newSession("one");
    await panes();
    const runs = executor.runs;
    chownSync(tmux.socketPath, 65_534, 65_534);
    for (let tick = 0; tick < 3; tick++) expect(await panes()).toEqual(["%0"]);
    expect([server.mode, server.problem, executor.runs - runs]).toEqual(["direct", null, 0]);
  });
});

describe("hooks of the person", () => {
  const ran = (): string => {
    try {
      return readFileSync(join(tmux.folder, "ran"), "utf8");
    } catch {
      return "";
    }
  };

  it.each(["direct", "polling"])("do not run with a look, in one session only neither: %s", async (mode) => {
    await tmux.newSession("one");
    await tmux.newSession("two");
    if (mode === "polling") await reachBy(null);
    await panes();
    for (const hook of ["after-display-message", "after-list-panes", "after-capture-pane"]) {
      await tmux.run("set-hook", "-t", "two", hook, `run-shell 'echo ${hook} >>${tmux.folder}/ran'`);
      expect(await server.query([["capture-pane", "-p", "-t", "%1"]])).toEqual({
        status: "error",
        problem: expect.stringContaining(hook),
      });
      await tmux.run("set-hook", "-ut", "two", hook);
      expect(await panes()).toEqual(["%0", "%1"]);
    }
    await tmux.run("set-hook", "-t", "two", "after-list-clients", `run-shell 'echo >>${tmux.folder}/ran'`);
    const clients = ["list-clients", "-F", "#{client_tty}"];
    expect(await server.query([clients])).toMatchObject({ status: "error" });
    expect(await panes()).toEqual(["%0", "%1"]);
    expect(ran()).toBe("");
  });
});

describe("without a server", () => {
  it("starts no process while there is no socket", async () => {
    expect(await server.query([["list-panes", "-a"]])).toEqual({ status: "no_server" });
    expect(executor.runs).toBe(0);
  });

  it("talks to a server that has no session", async () => {
    await tmux.newSession("one");
    await tmux.run("set-option", "-s", "exit-empty", "off");
    await tmux.run("kill-session", "-t", "one");
    const query = () =>
      server.query([
        ["display-message", "-p", "#{pid}"],
        ["list-panes", "-a"],
      ]);
    for (let tick = 0; tick < 3; tick++)
      expect(await query()).toMatchObject({
        status: "ok",
        answers: [
          { isOk: true, lines: [expect.stringMatching(/^\d+$/)] },
          { isOk: true, lines: [] },
        ],
      });
    expect(server.problem).toBe(null);
    await tmux.newSession("two");
    expect(await panes()).toEqual(["%1"]);
  });

  it("refuses anything but the read-only commands before sending", async () => {
    await expect(server.query([["kill-server"]])).rejects.toThrow(/refused/);
  });
});
