// Raw bytes at the daemon's socket and at the browser's port, and a client whose daemon is not one.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer as createNetServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRouter } from "../../../core/api/router.ts";
import { AgtmuxError } from "../../../core/model/errors.ts";
import { SILENT_LOGGER } from "../../../core/ports/logger.ts";
import { ensureHome, runtimePaths } from "../../../core/rpc/paths.ts";
import { queryDocument } from "../../../core/rpc/queryDocument.ts";
import { connectSocket } from "../../../core/rpc/socketClient.ts";
import { startWebBridge, createRouterHandler } from "../../../core/rpc/webBridge.ts";
import { FakeDaemon } from "../../fakes/fakeDaemon.ts";
import { makePane } from "../../factories/view.ts";
import { hold, holdLine } from "../expectations.ts";
import { ask, type SharedDaemon } from "../openDaemon.ts";
import { defineTarget, type FuzzTarget } from "../fuzzTarget.ts";
import { mutatedBytes, mutatedText } from "../mutateText.ts";

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

export const doorTargets = (shared: SharedDaemon): FuzzTarget[] => [
  rawSocketTarget(shared),
  webTarget,
  hostileDaemonTarget,
];
