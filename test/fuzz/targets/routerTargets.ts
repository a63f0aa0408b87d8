// Every procedure with any input, over the Unix socket. The daemon is a real one in a temporary home without a tmux server;
// what would start programs or wait for other machines is answered by a fake.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer as createNetServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import {
  createDesktopRouter,
  createRouter,
  type DesktopService,
  type AppRouter,
} from "../../../core/api/router.ts";
import { AgtmuxError, ERROR_CODES } from "../../../core/model/errors.ts";
import { SILENT_LOGGER } from "../../../core/ports/logger.ts";
import { createRouterCaller } from "../../../core/rpc/messageBridge.ts";
import { ensureHome, runtimePaths } from "../../../core/rpc/paths.ts";
import { queryDocument } from "../../../core/rpc/queryDocument.ts";
import { connectSocket } from "../../../core/rpc/socketClient.ts";
import { createRouterHandler, startWebBridge } from "../../../core/rpc/webBridge.ts";
import { makePane } from "../../factories/view.ts";
import { FakeDaemon } from "../../fakes/fakeDaemon.ts";
import { hold, holdLine } from "../expectations.ts";
import { defineTarget, type FuzzTarget } from "../fuzzTarget.ts";
import { mutatedJson, mutatedValue } from "../mutateJson.ts";
import { hostileText, mutatedBytes, mutatedText } from "../mutateText.ts";
import { type Answer, ask, createSharedDaemon, MAX_ANSWER, type SharedDaemon } from "../openDaemon.ts";

// Raw bytes at the daemon's socket and at the browser's port, and a client whose daemon is not one.

/** Sends bytes as they are and gives what comes back until the other side is quiet or closes. */
const sendRaw = (
  to: { path: string } | { host: string; port: number },
  bytes: Buffer,
  quietMs = 300,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(to);
    const done = (): void => {
      socket.destroy();
      resolve(Buffer.concat(chunks).toString("latin1"));
    };
    socket.setTimeout(quietMs, done);
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
const rawSocketTarget = (shared: SharedDaemon): FuzzTarget =>
  defineTarget({
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

/** A machine that is busy with others may take so long for an answer that has to come. */
const STILL_MS = 15_000;

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
          hold(!answer.startsWith("HTTP/1.1 200"), "an answer to a foreign host");
        if (/^HTTP\/1\.1 (200|403|404)/.test(answer))
          hold(/content-security-policy: default-src 'none'/i.test(answer), "an answer without its policy");
        // The connection of a bridge that still serves.
        const still = await sendRaw(
          to,
          Buffer.from(`GET /none HTTP/1.1\r\n${host}connection: close\r\n\r\n`),
          STILL_MS,
        );
        hold(still.startsWith("HTTP/1.1 403"), "the bridge does not answer any more");
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
        await queryDocument({ paths, path: "panes", input: {}, version: null, timeoutMs: 500 });
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

const doorTargets = (shared: SharedDaemon): FuzzTarget[] => [
  rawSocketTarget(shared),
  webTarget,
  hostileDaemonTarget,
];

const REF = "pane:host/work/@1/%1";
const ACTION = { ref: REF, guards: { ifRuntime: "rt1", ifUpdatedWithinMs: 500 }, surface: "cli" };
const FILTERS = { target: "host", state: ["idle", "error"], agent: ["claude"], needsAction: true, all: true };
/** A valid input of each procedure; undefined where it takes none. A new procedure has to be added here. */
const INPUTS: Readonly<Record<string, unknown>> = {
  hello: undefined,
  shutdown: undefined,
  panes: FILTERS,
  windows: FILTERS,
  sessions: { ...FILTERS, groupBy: "session-name" },
  targets: undefined,
  targetAdd: { name: "box", sshTarget: "dev@box", transport: "auto", tmuxPath: "/usr/bin/tmux" },
  sshAliases: undefined,
  targetChange: { name: "box", enabled: false, transport: "ssh2", tmuxPath: null },
  targetConnect: { name: "box" },
  targetRemove: { name: "box", isConfirmed: true },
  feed: { since: 1, sinceTime: null, all: true },
  notices: undefined,
  lookNow: undefined,
  resolve: { ref: "work:1.0", insideTmux: "/tmp/tmux-1000/default,1,0", tmuxPane: "%1" },
  explain: { ref: REF },
  prepareAttach: { ...ACTION, insideTmux: "/tmp/tmux-1000/default,1,0", mayFocus: true },
  openAttach: ACTION,
  dismiss: ACTION,
  mute: { ...ACTION, forMs: 3_600_000 },
  rename: { ...ACTION, name: "refunds" },
  markSeen: { ref: REF, until: "2026-01-01T00:00:00.000Z" },
  viewOutput: { ...ACTION, lines: 20, ansi: true, source: "screen", isPreview: true },
  send: { ...ACTION, text: "hi", pressEnter: true, toShell: false, idempotencyKey: "k" },
  answer: { ...ACTION, choice: { kind: "option", number: 1 }, idempotencyKey: null },
  interrupt: ACTION,
  kill: { ...ACTION, signal: "TERM", isConfirmed: true },
  underWay: undefined,
  audit: { limit: 5 },
  adapters: undefined,
  adapterCheck: { name: "x.json", text: '{"agent_type":"x"}' },
  adapterSwitch: { agent: "pi", enabled: false },
  packs: undefined,
  packLook: { hash: "0".repeat(64) },
  packTake: { hash: "0".repeat(64), approvesAnswers: true },
  packRollBack: { agent: "pi" },
  adapterTry: { ref: REF, file: { name: "x.json", text: "{}" } },
  configGet: undefined,
  configSet: { key: "timing.contest_ms", value: 500 },
  integrationList: { target: "host" },
  integrationChange: { agent: "claude", target: "host", action: "install", dryRun: true },
  integrationNotifier: { agent: "claude", target: "host", who: "both", dryRun: true },
  integrationVerify: { agent: "claude", target: "host" },
  integrationRemoveAll: { target: "host", dryRun: true },
  loginItemOff: { dryRun: true },
  setupLook: { target: "host" },
  doctor: { target: "host" },
};
const DESKTOP_INPUTS: Readonly<Record<string, unknown>> = {
  "desktop.state": undefined,
  "desktop.setTerminal": { kind: "command", argv: ["xterm", "-e", "{}"] },
  "desktop.setShortcut": { accelerator: "Control+Alt+A" },
  "desktop.setLaunchAtLogin": { isOn: true },
  "desktop.testNotification": undefined,
  "desktop.openLogs": undefined,
  "desktop.openPage": { page: "https://github.com/acme/shop/pull/12" },
  "desktop.commandLine": undefined,
  "desktop.installCommandLine": undefined,
  "desktop.hide": undefined,
  "desktop.events": undefined,
};

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
const isMutation = (router: AppRouter, name: string): boolean =>
  Object.entries(router._def.procedures).some(
    ([known, procedure]) => known === name && procedure._def.type === "mutation",
  );

const procedureTarget = (shared: SharedDaemon, name: string, input: unknown): FuzzTarget =>
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
    openPage: () => Promise.resolve(),
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

export const routerTargets = (): FuzzTarget[] => {
  const shared = createSharedDaemon();
  return [
    ...Object.entries(INPUTS).map(([name, input]) => procedureTarget(shared, name, input)),
    ...Object.entries(DESKTOP_INPUTS).map(([name, input]) => desktopTarget(name, input)),
    ...doorTargets(shared),
  ];
};
