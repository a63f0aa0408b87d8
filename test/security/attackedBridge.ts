// `agtmux ui` as other pages and other users meet it. Requests are written byte by byte: no client tidies them up.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRouter } from "../../core/api/router.ts";
import { SILENT_LOGGER, type Logger } from "../../core/ports/logger.ts";
import { startWebBridge, type WebBridge, createRouterHandler } from "../../core/rpc/webBridge.ts";
import { makePane } from "../factories/view.ts";
import { FakeDaemon } from "../fakes/fakeDaemon.ts";

export const OUTSIDE = "outside-of-the-renderer";

export interface RawConnection {
  readonly socket: Socket;
  /** What came so far. */
  readonly read: () => string;
  readonly closed: Promise<void>;
}

export interface AttackedBridge {
  readonly daemon: FakeDaemon;
  readonly bridge: WebBridge;
  /** Of the session of the person. */
  readonly cookie: string;
  /** The folder that the cookie holds for, without its last slash. */
  readonly base: string;
  readonly logged: readonly string[];
  /** Its own host and port. */
  readonly own: string;
  open(port?: number): RawConnection;
  /** Sends the lines as they are, but for the folder of the popover that the path is in, and gives the whole answer. */
  raw(lines: readonly string[], body?: string): Promise<{ status: number; text: string }>;
  /** With the cookie. */
  get(path: string, ...headers: string[]): Promise<{ status: number; text: string }>;
  dismiss(headers: readonly string[], method?: string): Promise<{ status: number; text: string }>;
  /** Another one of the same daemon and page; whoever opens it closes it. */
  openOther(): Promise<WebBridge>;
  close(): Promise<void>;
}

export const openAttackedBridge = async (): Promise<AttackedBridge> => {
  const folder = mkdtempSync(join(tmpdir(), "agtmux-sec-"));
  const rendererDir = join(folder, "renderer");
  mkdirSync(join(rendererDir, "assets"), { recursive: true });
  writeFileSync(join(rendererDir, "index.html"), "<!doctype html><title>agtmux</title>");
  writeFileSync(join(rendererDir, "assets", "app.js"), "export {};");
  writeFileSync(join(folder, "secret.html"), OUTSIDE);
  const logged: string[] = [];
  const recorder: Logger = {
    ...SILENT_LOGGER,
    warn: (fields, message) => void logged.push(JSON.stringify([fields, message])),
    error: (fields, message) => void logged.push(JSON.stringify([fields, message])),
  };
  const daemon = new FakeDaemon();
  daemon.put(makePane());
  const start = (): Promise<WebBridge> =>
    startWebBridge({
      rpc: createRouterHandler(createRouter(daemon), recorder),
      rendererDir,
      logger: recorder,
    });
  const bridge = await start();
  const own = `127.0.0.1:${bridge.port}`;
  let base = "";
  const open: AttackedBridge["open"] = (port = bridge.port) => {
    const socket = connect({ host: "127.0.0.1", port });
    let text = "";
    socket.setEncoding("latin1").on("data", (part: string) => (text += part));
    socket.on("error", () => {
      // A connection that is cut off is what some of these tests wait for.
    });
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    return { socket, read: () => text, closed };
  };
  const raw: AttackedBridge["raw"] = async (given, body = "") => {
    const lines = given.with(0, (given[0] ?? "").replace(/^(\w+) \/(?!open\?)/, `$1 ${base}/`));
    const { socket, read, closed } = open();
    socket.write([...lines, "Connection: close", "", body].join("\r\n"));
    await closed;
    return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(read())?.[1] ?? 0), text: read() };
  };
  const token = /token=([0-9a-f]+)$/.exec(bridge.url)?.[1] ?? "";
  const opened = await raw([`GET /open?token=${token} HTTP/1.1`, `Host: ${own}`]);
  const [, cookie = "", path = ""] = /set-cookie: ([^;]+).*Path=(.*)\/\r/i.exec(opened.text) ?? [];
  base = path;
  return {
    daemon,
    bridge,
    cookie,
    base,
    logged,
    own,
    open,
    raw,
    get: (address, ...headers) =>
      raw([`GET ${address} HTTP/1.1`, `Host: ${own}`, `Cookie: ${cookie}`, ...headers]),
    dismiss: (headers, method = "POST") => {
      const body = JSON.stringify({ ref: makePane().identity.pane_ref, surface: "popover" });
      const length = `Content-Length: ${Buffer.byteLength(body)}`;
      return raw([`${method} /trpc/dismiss HTTP/1.1`, `Host: ${own}`, length, ...headers], body);
    },
    openOther: start,
    close: async () => {
      await bridge.close();
      rmSync(folder, { recursive: true });
    },
  };
};
