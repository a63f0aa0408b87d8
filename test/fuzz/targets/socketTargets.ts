// The daemon's doors: every procedure with any input over the Unix socket, raw bytes on the socket and on the browser's
// port, and a client whose daemon is not one. The daemon is a real one in a temporary home without a tmux server; what would
// start programs or wait for other machines is answered by a fake.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect, createServer as createNetServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { createDesktopRouter, type DesktopService } from "../../../core/api/desktopRouter.ts";
import { createRouter } from "../../../core/api/router.ts";
import type { ReachableService } from "../../../core/api/service.ts";
import { AgtmuxError, ERROR_CODES } from "../../../core/model/errors.ts";
import { SILENT_LOGGER } from "../../../core/ports/logger.ts";
import { createRouterCaller } from "../../../core/rpc/messageBridge.ts";
import { tryOwn } from "../../../core/rpc/ownership.ts";
import { ensureHome, runtimePaths } from "../../../core/rpc/paths.ts";
import { queryDocument } from "../../../core/rpc/queryDocument.ts";
import { connectSocket } from "../../../core/rpc/socketClient.ts";
import { startSocketServer } from "../../../core/rpc/socketServer.ts";
import { startWebBridge } from "../../../core/rpc/webBridge.ts";
import { createRouterHandler } from "../../../core/rpc/webRpc.ts";
import { FakeDaemon } from "../../fakes/fakeDaemon.ts";
import { makePane } from "../../factories/view.ts";
import { startTestDaemon } from "../../harness/daemon.ts";
import { hold, holdLine } from "../expectations.ts";
import { defineTarget, type FuzzTarget } from "../fuzzTarget.ts";
import { mutatedJson, mutatedValue } from "../mutateJson.ts";
import { hostileText, mutatedBytes, mutatedText } from "../mutateText.ts";

/** They start programs, wait for other machines, or end the daemon. */
const FAKED = new Set<string | symbol>([
  "shutdown",
  "targetAdd",
  "targetChange",
  "targetConnect",
  "targetRemove",
  "doctor",
  "integrationVerify",
  "openAttach",
]);

const REF = "pane:host/work/@1/%1";
const ACTION = { ref: REF, guards: { ifRuntime: "rt1", ifUpdatedWithinMs: 500 }, surface: "cli" };
const FILTERS = { target: "host", state: ["idle", "error"], agent: ["claude"], needsAction: true, all: true };
/** A valid input of each procedure; undefined where it takes none. A new procedure has to be added here. */
export const INPUTS: Readonly<Record<string, unknown>> = {
  hello: undefined,
  shutdown: undefined,
  panes: FILTERS,
  windows: FILTERS,
  sessions: { ...FILTERS, groupBy: "session-name" },
  targets: undefined,
  targetAdd: { name: "box", ssh_target: "dev@box", transport: "auto", tmux_path: "/usr/bin/tmux" },
  sshAliases: undefined,
  targetChange: { name: "box", enabled: false, transport: "ssh2", tmuxPath: null },
  targetConnect: { name: "box" },
  targetRemove: { name: "box", isConfirmed: true },
  feed: { since: 1, sinceTime: null, all: true },
  notices: undefined,
  lookNow: undefined,
  explain: { ref: REF },
  prepareAttach: { ...ACTION, insideTmux: "/tmp/tmux-1000/default,1,0", mayFocus: true },
  openAttach: ACTION,
  dismiss: ACTION,
  viewOutput: { ...ACTION, lines: 20, ansi: true, source: "screen" },
  send: { ...ACTION, text: "hi", pressEnter: true, toShell: false, idempotencyKey: "k" },
  answer: { ...ACTION, choice: { kind: "option", number: 1 }, idempotencyKey: null },
  interrupt: ACTION,
  kill: { ...ACTION, signal: "TERM", isConfirmed: true },
  audit: { limit: 5 },
  adapters: undefined,
  adapterCheck: { name: "x.json", text: '{"agent_type":"x"}' },
  adapterSwitch: { agent: "pi", enabled: false },
  adapterTry: { ref: REF, file: { name: "x.json", text: "{}" } },
  configGet: undefined,
  configSet: { key: "timing.contest_ms", value: 500 },
  integrationList: { target: "host" },
  integrationChange: { agent: "claude", target: "host", action: "install", dryRun: true },
  integrationVerify: { agent: "claude", target: "host" },
  doctor: { target: "host" },
};
export const DESKTOP_INPUTS: Readonly<Record<string, unknown>> = {
  "desktop.state": undefined,
  "desktop.setTerminal": { kind: "command", argv: ["xterm", "-e", "{}"] },
  "desktop.setShortcut": { accelerator: "Control+Alt+A" },
  "desktop.setLaunchAtLogin": { isOn: true },
  "desktop.testNotification": undefined,
  "desktop.openLogs": undefined,
  "desktop.commandLine": undefined,
  "desktop.installCommandLine": undefined,
  "desktop.hide": undefined,
  "desktop.events": undefined,
};

const MAX_ANSWER = 4 * 1024 * 1024;

interface OpenDaemon {
  agent: Agent;
  service: ReachableService;
  socketPath: string;
  close: () => Promise<void>;
}

/** The daemon's own service behind a socket of its own; the fake takes what must not run. */
const openDaemon = async (): Promise<OpenDaemon> => {
  const test = await startTestDaemon({ sockets: [] });
  const fake = new FakeDaemon([makePane()]);
  const service = new Proxy<ReachableService>(test.daemon.service, {
    get: (real, name) => {
      const owner: object = FAKED.has(name) ? fake : real;
      const member: unknown = Reflect.get(owner, name);
      return typeof member === "function" ? member.bind(owner) : member;
    },
  });
  // Connections are used again, as clients do; without that they would be most of the cost.
  const agent = new Agent({ keepAlive: true });
  const root = mkdtempSync(join(tmpdir(), "agtmux-fuzz-"));
  const paths = runtimePaths(join(root, "a"));
  ensureHome(paths);
  const owner = tryOwn(paths.home);
  if (owner === null) throw new Error("the home of a fuzz target is taken");
  const server = await startSocketServer({
    paths,
    owner,
    router: createRouter(service),
    logger: SILENT_LOGGER,
  });
  return {
    agent,
    service,
    socketPath: paths.socket,
    close: async () => {
      agent.destroy();
      await server.close();
      owner.release();
      await test.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
};

/** One daemon serves all targets of a thread, until the last of them closes. */
const shared = (() => {
  let daemon: Promise<OpenDaemon> | null = null;
  let users = 0;
  return {
    open: (): Promise<OpenDaemon> => {
      users += 1;
      return (daemon ??= openDaemon());
    },
    close: async (): Promise<void> => {
      users -= 1;
      if (users > 0 || daemon === null) return;
      const last = daemon;
      daemon = null;
      await (await last).close();
    },
  };
})();

interface Answer {
  status: number;
  body: string;
}
const ask = (
  { socketPath, agent }: OpenDaemon,
  method: string,
  path: string,
  body: string | null,
  accept?: string,
) =>
  new Promise<Answer>((resolve, reject) => {
    const outgoing = request({
      socketPath,
      method,
      path,
      agent: accept === undefined ? agent : false,
      headers: {
        host: "agtmux",
        ...(accept === undefined ? {} : { accept }),
        ...(body === null ? {} : { "content-type": "application/json" }),
      },
    });
    outgoing.once("error", reject);
    outgoing.once("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
        // A stream does not end by itself.
        if (accept !== undefined || text.length > MAX_ANSWER) {
          response.destroy();
          resolve({ status: response.statusCode ?? 0, body: text });
        }
      });
      response.once("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
      response.once("error", reject);
    });
    outgoing.end(body ?? undefined);
  });

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** An error as a client has to be able to show it. */
const checkErrorShape = (shape: unknown): void => {
  hold(isRecord(shape) && typeof shape["message"] === "string", "an error without a message");
  if (!isRecord(shape)) return;
  const data = shape["data"];
  hold(isRecord(data) && !("stack" in data), "an error without data, or with a stack");
  if (!isRecord(data)) return;
  hold(Object.hasOwn(ERROR_CODES, String(data["agtmuxCode"])), `the code ${String(data["agtmuxCode"])}`);
  hold(typeof data["remedy"] === "string" && data["remedy"] !== "", "an error without a remedy");
  hold(
    data["agtmuxCode"] !== "E_INTERNAL",
    `an error that nobody foresaw: ${String(shape["message"]).slice(0, 300)}`,
  );
};

const checkAnswer = ({ status, body }: Answer): void => {
  hold(body.length <= MAX_ANSWER, "an answer without bound");
  // Node itself refuses what is no request, and lines that are too long.
  if ([400, 404, 405, 412, 413, 415, 431].includes(status) && !body.startsWith("{")) return;
  const answer: unknown = JSON.parse(body);
  hold(isRecord(answer) && ("result" in answer || "error" in answer), "neither result nor error");
  if (isRecord(answer) && "error" in answer) checkErrorShape(answer["error"]);
  hold(
    (status === 200) === (isRecord(answer) && "result" in answer),
    `the status ${status} with another answer`,
  );
};

const SUBSCRIPTIONS = new Set(["feed", "notices"]);
const isMutation = (router: ReturnType<typeof createRouter>, name: string): boolean =>
  Object.entries(router._def.procedures).some(
    ([known, procedure]) => known === name && procedure._def.type === "mutation",
  );

const procedureTarget = (name: string, input: unknown): FuzzTarget =>
  defineTarget({
    name: `router/${name}`,
    weight: input === undefined ? 0.05 : 0.15,
    covers: [name],
    open: async () => {
      const daemon = await shared.open();
      const isPost = isMutation(createRouter(new FakeDaemon()), name);
      return {
        arbitrary: fc.tuple(
          fc.oneof(
            { weight: 6, arbitrary: mutatedJson([input ?? {}], 4) },
            { weight: 1, arbitrary: mutatedText([JSON.stringify(input ?? {})], 3) },
            { weight: 1, arbitrary: hostileText },
          ),
          fc.nat(19).map((number) => number === 0),
        ),
        check: async ([text, isOtherMethod]) => {
          // Longer lines are refused by Node before anything of ours sees them.
          const query = encodeURIComponent(text.toWellFormed()).slice(0, 12_000);
          const accept = SUBSCRIPTIONS.has(name) ? "text/event-stream" : undefined;
          const answer =
            isPost === isOtherMethod
              ? await ask(daemon, "GET", `/${name}?input=${query}`, null, accept)
              : await ask(daemon, "POST", `/${name}`, text, accept);
          if (accept === undefined || answer.status !== 200) checkAnswer(answer);
          else hold(answer.body.startsWith("event: connected"), "a stream that does not begin");
        },
        close: shared.close,
      };
    },
  });

const fakeDesktop = (): DesktopService => {
  const state = { platform: "linux" } as ReturnType<DesktopService["state"]>;
  return {
    state: () => state,
    setTerminal: () => state,
    setShortcut: () => state,
    setLaunchAtLogin: () => state,
    testNotification: () => Promise.resolve({ problem: null }),
    commandLine: () => Promise.resolve({ kind: "none" as const, reason: "a fake" }),
    installCommandLine: () => Promise.resolve({ kind: "none" as const, reason: "a fake" }),
    openLogs: () => Promise.resolve(),
    hide: () => {},
    // oxlint-disable-next-line require-yield -- nothing ever happens there
    events: async function* () {},
  };
};

const desktopTarget = (name: string, input: unknown): FuzzTarget =>
  defineTarget({
    name: `router/${name}`,
    weight: input === undefined ? 0.05 : 0.15,
    covers: [name],
    open: () => {
      const caller = createRouterCaller(createDesktopRouter(fakeDesktop()));
      return {
        arbitrary: fc.tuple(
          fc.oneof(mutatedValue([input ?? {}], 4), hostileText),
          fc.constantFrom("query" as const, "mutation" as const, "subscription" as const),
        ),
        check: async ([value, type]) => {
          const call = { type, path: name, input: value, signal: new AbortController().signal };
          try {
            await caller.call(call);
          } catch (error) {
            checkErrorShape(caller.toErrorShape(error, call));
          }
        },
      };
    },
  });

/** Sends bytes as they are and gives what comes back until the other side is quiet or closes. */
const sendRaw = (to: { path: string } | { host: string; port: number }, bytes: Buffer): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(to);
    const done = (): void => {
      socket.destroy();
      resolve(Buffer.concat(chunks).toString("latin1"));
    };
    socket.setTimeout(300, done);
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.once("close", done);
    socket.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNRESET" || error.code === "EPIPE") done();
      else reject(error);
    });
    socket.end(bytes);
  });

const REQUESTS = [
  "GET /hello HTTP/1.1\r\nhost: agtmux\r\n\r\n",
  "GET /panes?input=%7B%7D HTTP/1.0\r\nhost: agtmux\r\n\r\n",
  'POST /dismiss HTTP/1.1\r\nhost: agtmux\r\ncontent-type: application/json\r\ncontent-length: 27\r\n\r\n{"ref":"x","surface":"cli"}}',
  "POST /lookNow HTTP/1.1\r\nhost: agtmux\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
  "GET /panes,targets?batch=1&input=%7B%220%22%3A%7B%7D%7D HTTP/1.1\r\nhost: agtmux\r\nconnection: close\r\n\r\n",
  "GET /feed?input=%7B%7D HTTP/1.1\r\nhost: agtmux\r\naccept: text/event-stream\r\n\r\n",
];
const rawSocketTarget = defineTarget({
  name: "socket/raw bytes",
  weight: 0.05,
  open: async () => {
    const daemon = await shared.open();
    return {
      arbitrary: mutatedBytes(mutatedText(REQUESTS, 4)),
      check: async (bytes) => {
        await sendRaw({ path: daemon.socketPath }, bytes);
        const { status } = await ask(daemon, "GET", "/hello", null);
        hold(status === 200, "the daemon does not answer any more");
      },
      close: shared.close,
    };
  },
});

const PAGE = "the-page-itself";
const OUTSIDE = "outside-of-the-page";
const webTarget = defineTarget({
  name: "browser/raw bytes",
  weight: 0.05,
  open: async () => {
    const root = mkdtempSync(join(tmpdir(), "agtmux-fuzz-web-"));
    mkdirSync(join(root, "renderer", "assets"), { recursive: true });
    writeFileSync(join(root, "renderer", "index.html"), PAGE);
    writeFileSync(join(root, "renderer", "assets", "a.js"), PAGE);
    writeFileSync(join(root, "outside.txt"), OUTSIDE);
    const bridge = await startWebBridge({
      rpc: createRouterHandler(createRouter(new FakeDaemon([makePane()])), SILENT_LOGGER),
      rendererDir: join(root, "renderer"),
      logger: SILENT_LOGGER,
    });
    const to = { host: "127.0.0.1", port: bridge.port };
    const host = `host: 127.0.0.1:${bridge.port}\r\n`;
    const opened = await sendRaw(
      to,
      Buffer.from(
        `GET ${new URL(bridge.url).pathname}${new URL(bridge.url).search} HTTP/1.1\r\n${host}connection: close\r\n\r\n`,
      ),
    );
    const cookie = /set-cookie: ([^;]+);/i.exec(opened)?.[1] ?? "";
    hold(cookie !== "", "the token gave no cookie");
    const secret = cookie.slice(cookie.indexOf("=") + 1);
    const requests = [
      `GET / HTTP/1.1\r\n${host}\r\n`,
      `GET /assets/a.js HTTP/1.1\r\n${host}cookie: ${cookie}\r\n\r\n`,
      `GET /../outside.txt HTTP/1.1\r\n${host}cookie: ${cookie}\r\n\r\n`,
      `GET /open?token=${"0".repeat(64)} HTTP/1.1\r\n${host}\r\n`,
      `POST /trpc/lookNow HTTP/1.1\r\n${host}origin: http://127.0.0.1:${bridge.port}\r\ncookie: ${cookie}\r\ncontent-length: 0\r\n\r\n`,
      `GET /trpc/panes?input=%7B%7D HTTP/1.1\r\nhost: evil.example\r\ncookie: ${cookie}\r\n\r\n`,
      `GET /trpc/panes HTTP/1.1\r\n${host}\r\n`,
    ];
    return {
      arbitrary: mutatedBytes(mutatedText(requests, 4)),
      check: async (bytes) => {
        const answer = await sendRaw(to, bytes);
        hold(!answer.includes(OUTSIDE), "a file outside of the page");
        const asked = bytes.toString("latin1");
        if (!asked.includes(secret)) hold(!answer.includes(PAGE), "the page without its cookie");
        if (!asked.includes("127.0.0.1") && !/localhost|\[::1\]/.test(asked))
          hold(!/^HTTP\/1\.1 200/.test(answer), "an answer to a foreign host");
        if (/^HTTP\/1\.1 (200|403|404)/.test(answer))
          hold(/content-security-policy: default-src 'none'/i.test(answer), "an answer without its policy");
        // The connection of a bridge that still serves.
        const still = await sendRaw(
          to,
          Buffer.from(`GET /none HTTP/1.1\r\n${host}connection: close\r\n\r\n`),
        );
        hold(/^HTTP\/1\.1 403/.test(still), "the bridge does not answer any more");
      },
      close: async () => {
        await bridge.close();
        rmSync(root, { recursive: true, force: true });
      },
    };
  },
});

const HELLO = JSON.stringify({
  result: { data: { version: "1", protocol: 1, pid: 1, startedAt: 0, host: "h" } },
});
const ANSWERS = [
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-agtmux-protocol: 1\r\ncontent-length: ${HELLO.length}\r\nconnection: close\r\n\r\n${HELLO}`,
  `HTTP/1.1 500 no\r\nconnection: close\r\n\r\n{"error":{"message":"x","data":{"agtmuxCode":"E_USAGE","remedy":"y","details":[]}}}`,
  `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\nevent: connected\ndata: {}\n\ndata: {"kind":"gap"}\n\n`,
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"res\r\n0\r\n\r\n',
];
const hostileDaemonTarget = defineTarget({
  name: "socket/a daemon that is none",
  weight: 0.05,
  open: async () => {
    const root = mkdtempSync(join(tmpdir(), "agtmux-fuzz-client-"));
    const paths = runtimePaths(join(root, "a"));
    ensureHome(paths);
    let answer: Buffer = Buffer.alloc(0);
    const server = createNetServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end(answer));
    });
    const previous = process.platform === "win32" ? 0 : 0o177;
    hold(previous === 0o177, "a platform with Unix sockets");
    await new Promise<void>((resolve) => {
      server.listen({ path: paths.socket, readableAll: false, writableAll: false }, resolve);
    });
    return {
      arbitrary: mutatedBytes(mutatedText(ANSWERS, 4)),
      check: async (bytes) => {
        answer = bytes;
        try {
          const client = await connectSocket({
            paths,
            version: "1",
            checkVersion: false,
            helloTimeoutMs: 500,
          });
          try {
            await client.call((api) => api.panes.query({}));
            for await (const entry of client.feed(
              { since: null, sinceTime: null, all: true },
              AbortSignal.timeout(500),
            ))
              hold(entry !== undefined, "an entry that is none");
          } finally {
            client.close();
          }
        } catch (error) {
          hold(error instanceof AgtmuxError, `another error: ${String(error)}`);
          if (error instanceof AgtmuxError) holdLine(error.code, 40, "the code");
        }
        await queryDocument({ paths, path: "panes", input: {}, timeoutMs: 500 });
      },
      close: async () => {
        await new Promise<void>((resolve) => {
          server.close(() => resolve());
        });
        rmSync(root, { recursive: true, force: true });
      },
    };
  },
});

export const socketTargets = (): FuzzTarget[] => [
  ...Object.entries(INPUTS).map(([name, input]) => procedureTarget(name, input)),
  ...Object.entries(DESKTOP_INPUTS).map(([name, input]) => desktopTarget(name, input)),
  rawSocketTarget,
  webTarget,
  hostileDaemonTarget,
];
