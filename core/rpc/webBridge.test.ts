import { mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, request, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createHTTPHandler } from "@trpc/server/adapters/standalone";
import { createRouter } from "../api/router.ts";
import { SILENT_LOGGER } from "../ports/logger.ts";
import { FakeDaemon } from "../../test/fakes/fakeDaemon.ts";
import { makePane } from "../../test/factories/view.ts";
import { createRouterHandler, createSocketHandler, startWebBridge, type WebBridge } from "./webBridge.ts";

const SECRET = "outside-the-renderer";
let folder: string;
let daemon: FakeDaemon;
let bridge: WebBridge;
let reuses: number;
/** The folder of the popover without its last slash; known to who exchanged the token. */
let base: string;

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A request whose path is sent as given: fetch would tidy up dots and set the host itself. */
const ask = (
  path: string,
  options: { headers?: Record<string, string>; method?: string; body?: string } = {},
) =>
  new Promise<Answer>((resolve, reject) => {
    const outgoing = request(
      {
        host: "127.0.0.1",
        port: bridge.port,
        path: path.startsWith("/open?") ? path : base + path,
        method: options.method ?? "GET",
        headers: { host: `127.0.0.1:${bridge.port}`, ...options.headers },
      },
      (response) => {
        let body = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (body += chunk));
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        );
      },
    );
    outgoing.once("error", reject);
    outgoing.end(options.body);
  });

const pathOf = (url: string) => url.slice(url.indexOf("/", "http://".length));
const takeCookie = ({ headers }: Answer): string => {
  const [cookie = "", , , path = ""] = String(headers["set-cookie"]?.[0]).split("; ");
  base = path.slice("Path=".length, -1);
  return cookie;
};
const signIn = async () => {
  const answer = await ask(pathOf(bridge.url));
  return takeCookie(answer);
};

/** Puts the daemon behind a Unix socket, and the bridge in front of that. */
const startUpstream = async () => {
  const server = createServer(createHTTPHandler({ router: createRouter(daemon) }));
  const path = join(folder, "d.sock");
  server.listen(path);
  await once(server, "listening");
  const proxy = await startWebBridge({
    rpc: createSocketHandler(path),
    rendererDir: join(folder, "renderer"),
    logger: SILENT_LOGGER,
  });
  await bridge.close();
  bridge = proxy;
  return server;
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-web-"));
  mkdirSync(join(folder, "renderer", "assets"), { recursive: true });
  writeFileSync(join(folder, "renderer", "index.html"), "<!doctype html><title>popover</title>");
  writeFileSync(join(folder, "renderer", "assets", "app.js"), "export {};");
  writeFileSync(join(folder, "renderer", "notes.txt"), SECRET);
  writeFileSync(join(folder, "secret.html"), SECRET);
  symlinkSync(join(folder, "secret.html"), join(folder, "renderer", "link.html"));
  daemon = new FakeDaemon([makePane()]);
  base = "";
  reuses = 0;
  bridge = await startWebBridge({
    rpc: createRouterHandler(createRouter(daemon), SILENT_LOGGER),
    rendererDir: join(folder, "renderer"),
    logger: SILENT_LOGGER,
    onReuse: () => void (reuses += 1),
  });
});
afterEach(async () => {
  await bridge.close();
  rmSync(folder, { recursive: true });
});

describe("browser bridge", () => {
  it("exchanges the token for a strict, HTTP-only cookie and then serves the popover and the router", async () => {
    const exchange = await ask(pathOf(bridge.url));
    expect(exchange.status).toBe(200);
    expect(exchange.headers["set-cookie"]?.[0]).toMatch(
      new RegExp(`^agtmux_${bridge.port}=[0-9a-f]{64}; HttpOnly; SameSite=Strict; Path=/[0-9a-f]{64}/$`),
    );
    const cookie = takeCookie(exchange);
    expect(await ask("/", { headers: { cookie } })).toMatchObject({
      status: 200,
      body: "<!doctype html><title>popover</title>",
    });
    expect((await ask("/assets/app.js", { headers: { cookie } })).headers["content-type"]).toContain(
      "javascript",
    );
    const panes = await ask(`/trpc/panes?input=${encodeURIComponent("{}")}`, { headers: { cookie } });
    expect(panes.status).toBe(200);
    expect(JSON.parse(panes.body)).toMatchObject({ result: { data: { items: [{ agent: "claude" }] } } });
  });

  it("sends a strict policy and no CORS header with every answer", async () => {
    const cookie = await signIn();
    for (const path of ["/", "/nothing", `/trpc/targets`]) {
      const { headers } = await ask(path, { headers: { cookie, origin: `http://127.0.0.1:${bridge.port}` } });
      expect(headers["content-security-policy"]).toContain("default-src 'none'");
      expect(headers["content-security-policy"]).not.toContain("unsafe");
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  });

  it.each([
    "evil.example",
    "evil.example:80",
    "127.0.0.1.evil.example",
    "localhost.evil.example:1",
    "169.254.1.1",
  ])("refuses the host %j, also with a valid cookie or token", async (host) => {
    const cookie = await signIn();
    expect((await ask("/", { headers: { cookie, host } })).status).toBe(403);
    const token = pathOf(bridge.renewUrl());
    expect((await ask(token, { headers: { host } })).status).toBe(403);
    // The refused try must not have used the token up.
    expect((await ask(token)).status).toBe(200);
  });

  it("serves localhost on any port, as behind ssh -L", async () => {
    const cookie = await signIn();
    expect((await ask("/", { headers: { cookie, host: "localhost:9999" } })).status).toBe(200);
  });

  it.each(["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1"])(
    "refuses the origin %j",
    async (origin) => {
      const cookie = await signIn();
      expect((await ask("/trpc/targets", { headers: { cookie, origin } })).status).toBe(403);
    },
  );

  it("refuses a page of another site that fetches without an origin", async () => {
    const cookie = await signIn();
    const headers = { cookie, "sec-fetch-site": "cross-site" };
    expect((await ask("/trpc/targets", { headers })).status).toBe(403);
  });

  it("refuses a write without an origin and does nothing", async () => {
    const cookie = await signIn();
    const body = JSON.stringify({ ref: makePane().identity.pane_ref, surface: "popover" });
    const headers = { cookie, "content-type": "application/json" };
    const post = { method: "POST", body };
    expect((await ask("/trpc/dismiss", { ...post, headers })).status).toBe(403);
    expect(daemon.asked).toEqual([]);
    const own = { ...headers, origin: `http://127.0.0.1:${bridge.port}` };
    expect((await ask("/trpc/dismiss", { ...post, headers: own })).status).toBe(200);
    expect(daemon.asked).toHaveLength(1);
  });

  it.each(["/", "/index.html", "/assets/app.js", "/trpc/hello", "/trpc/feed?input=%7B%7D"])(
    "refuses %s without a cookie, or with a wrong one",
    async (path) => {
      await signIn();
      expect((await ask(path)).status).toBe(403);
      const wrong = `agtmux_${bridge.port}=${"0".repeat(64)}`;
      expect((await ask(path, { headers: { cookie: wrong } })).status).toBe(403);
    },
  );

  it("refuses the right cookie outside of its folder: on other ports it is sent there too", async () => {
    const cookie = await signIn();
    expect((await ask("/trpc/targets", { headers: { cookie } })).status).toBe(200);
    for (const folder of ["", "/", `/${"0".repeat(64)}`, base.slice(0, -1), base.toUpperCase()]) {
      base = folder;
      expect((await ask("/trpc/targets", { headers: { cookie } })).status).toBe(403);
    }
  });

  const browserOf = (answer: Answer): string =>
    (answer.headers["set-cookie"] ?? []).map((cookie) => cookie.split("; ")[0]).join("; ");

  it("takes a token once: the browser that has the session is only refused when it opens the address again", async () => {
    const path = pathOf(bridge.url);
    const first = await ask(path);
    const cookie = takeCookie(first);
    expect(first.headers["set-cookie"]?.[1]).toMatch(
      new RegExp(`^agtmux_${bridge.port}_opened=[0-9a-f]{64}; HttpOnly; SameSite=Lax; Path=/open$`),
    );
    const again = await ask(path, { headers: { cookie: browserOf(first) } });
    expect([again.status, again.headers["set-cookie"]]).toEqual([403, undefined]);
    expect((await ask("/", { headers: { cookie } })).status).toBe(200);
  });

  it("ends the session, with every connection of it, when somebody without it uses the address again", async () => {
    const path = pathOf(bridge.url);
    const cookie = takeCookie(await ask(path));
    const stream = request({
      host: "127.0.0.1",
      port: bridge.port,
      path: `${base}/trpc/feed?input=%7B%7D`,
      headers: { cookie, accept: "text/event-stream" },
    });
    const ended = new Promise((resolve) => {
      stream.on("error", resolve).on("response", (response) => response.on("error", resolve).resume());
    });
    stream.end();
    await vi.waitFor(() => expect(daemon.feedClients).toBe(1));
    const again = await ask(path);
    expect([again.status, again.headers["set-cookie"], again.body]).toEqual([
      403,
      undefined,
      expect.stringContaining("Its session has ended"),
    ]);
    expect(reuses).toBe(1);
    await ended;
    await vi.waitFor(() => expect(daemon.feedClients).toBe(0));
    expect((await ask("/", { headers: { cookie } })).status).toBe(403);
    expect((await ask(pathOf(bridge.renewUrl()))).status).toBe(200);
  });

  it.each(["", "0".repeat(64)])(
    "does not take %j for the sign of the browser that has the session",
    async (sign) => {
      const path = pathOf(bridge.url);
      const first = await ask(path);
      await ask(path, { headers: { cookie: `agtmux_${bridge.port}_opened=${sign}` } });
      expect(reuses).toBe(1);
      expect((await ask("/", { headers: { cookie: takeCookie(first) } })).status).toBe(403);
    },
  );

  it("makes the older address useless when it gives a new one", async () => {
    const older = pathOf(bridge.url);
    const newer = pathOf(bridge.renewUrl());
    expect((await ask(older)).status).toBe(403);
    expect((await ask(newer)).status).toBe(200);
  });

  it.each([
    "/../secret.html",
    "/assets/../../secret.html",
    "/%2e%2e/secret.html",
    "/..%2fsecret.html",
    "/assets/..%5c..%5csecret.html",
    "//secret.html",
    "/link.html",
    "/notes.txt",
    "/assets",
  ])("serves nothing for %s", async (path) => {
    const cookie = await signIn();
    const answer = await ask(path, { headers: { cookie } });
    expect(answer.status).toBe(404);
    expect(answer.body).not.toContain(SECRET);
  });

  it("streams a subscription and ends the generator when the page goes", async () => {
    const cookie = await signIn();
    const outgoing = request({
      host: "127.0.0.1",
      port: bridge.port,
      path: `${base}/trpc/feed?input=%7B%7D`,
      headers: { cookie, accept: "text/event-stream" },
    });
    outgoing.on("error", () => {});
    let body = "";
    outgoing.on("response", (response) => response.on("data", (chunk: Buffer) => (body += String(chunk))));
    outgoing.end();
    await vi.waitFor(() => expect(body).toContain('"kind":"snapshot"'));
    daemon.put(makePane({ pane: 7, state: "running" }));
    await vi.waitFor(() => expect(body).toContain('"kind":"state"'));
    outgoing.destroy();
    await vi.waitFor(() => expect(daemon.feedClients).toBe(0));
  });

  it("listens on the loopback interface only", async () => {
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((address) => address !== undefined && !address.internal && address.family === "IPv4");
    if (outside === undefined) return;
    const socket = connect({ host: outside.address, port: bridge.port });
    const [error]: unknown[] = await once(socket, "error");
    expect(error).toMatchObject({ code: "ECONNREFUSED" });
  });

  describe("on a daemon behind its socket", () => {
    it("passes calls and streams on, and ends the stream when the page goes", async () => {
      const server = await startUpstream();
      const cookie = await signIn();
      const panes = await ask(`/trpc/panes?input=${encodeURIComponent("{}")}`, { headers: { cookie } });
      expect(JSON.parse(panes.body)).toMatchObject({ result: { data: { items: [{ agent: "claude" }] } } });
      const outgoing = request({
        host: "127.0.0.1",
        port: bridge.port,
        path: `${base}/trpc/feed?input=%7B%7D`,
        headers: { cookie, accept: "text/event-stream" },
      });
      outgoing.on("error", () => {});
      let body = "";
      outgoing.on("response", (response) => response.on("data", (chunk: Buffer) => (body += String(chunk))));
      outgoing.end();
      await vi.waitFor(() => expect(body).toContain('"kind":"snapshot"'));
      outgoing.destroy();
      await vi.waitFor(() => expect(daemon.feedClients).toBe(0));
      server.closeAllConnections();
      server.close();
    });

    it("says 502 when the daemon is gone", async () => {
      const server = await startUpstream();
      const cookie = await signIn();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      expect((await ask("/trpc/targets", { headers: { cookie } })).status).toBe(502);
    });
  });
});
