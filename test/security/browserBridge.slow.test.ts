// `agtmux ui` against other pages and other users: DNS rebinding, forged requests, stolen and planted cookies, path
// tricks, and clients that only want to take up room. Requests are written byte by byte: no client tidies them up.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRouter } from "../../core/api/router.ts";
import type { Logger } from "../../core/ports/logger.ts";
import { startWebBridge, type WebBridge } from "../../core/rpc/webBridge.ts";
import { createRouterHandler } from "../../core/rpc/webRpc.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { FakeDaemon } from "../fakes/fakeDaemon.ts";
import { makePane } from "../factories/view.ts";
import { until } from "../setup/realClock.ts";
import { isRoot, NOBODY } from "./otherUser.ts";

const OUTSIDE = "outside-of-the-renderer";
/** Another user, who opens so many connections and each again as soon as it is gone. */
const CROWD = `
  const net = require("node:net");
  const [port, count, user] = process.argv.slice(1);
  if (user !== "") { process.setgroups([]); process.setgid(Number(user)); process.setuid(Number(user)); }
  let opened = 0;
  const open = () => {
    const socket = net.connect({ host: "127.0.0.1", port: Number(port) });
    socket.on("connect", () => { opened += 1; });
    socket.on("error", () => {});
    socket.on("close", () => setImmediate(open));
  };
  for (let index = 0; index < Number(count); index += 1) open();
  setInterval(() => console.log(opened), 20);
  process.stdin.on("end", () => process.exit()).resume();`;

const startCrowd = async (
  port: number,
  count: number,
): Promise<{ opened: () => number; stop: () => Promise<number> }> => {
  const user = isRoot ? String(NOBODY) : "";
  const child = spawn(process.execPath, ["-e", CROWD, "--", String(port), String(count), user], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let opened = 0;
  child.stdout
    .setEncoding("utf8")
    .on("data", (text: string) => (opened = Number(text.trim().split("\n").at(-1))));
  await until(() => opened >= Math.min(count, 64), "the crowd is there", 20_000);
  return {
    opened: () => opened,
    stop: async () => {
      child.stdin.end();
      await once(child, "close");
      return opened;
    },
  };
};

let folder: string;
let daemon: FakeDaemon;
let bridge: WebBridge;
let cookie: string;
/** The folder that the cookie holds for, without its last slash. */
let base = "";
let token: string;
let logged: string[];

const open = (port = bridge.port): { socket: Socket; read: () => string; closed: Promise<void> } => {
  const socket = connect({ host: "127.0.0.1", port });
  let text = "";
  socket.setEncoding("latin1").on("data", (part: string) => (text += part));
  socket.on("error", () => {
    // A connection that is cut off is what some of these tests wait for.
  });
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  return { socket, read: () => text, closed };
};

/** Sends the lines as they are, but for the folder of the popover that the path is in, and gives the whole answer. */
const raw = async (given: readonly string[], body = ""): Promise<{ status: number; text: string }> => {
  const lines = given.with(0, (given[0] ?? "").replace(/^(\w+) \/(?!open\?)/, `$1 ${base}/`));
  const { socket, read, closed } = open();
  socket.write([...lines, "Connection: close", "", body].join("\r\n"));
  await closed;
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(read())?.[1] ?? 0), text: read() };
};
const own = () => `127.0.0.1:${bridge.port}`;
const get = (path: string, ...headers: string[]) =>
  raw([`GET ${path} HTTP/1.1`, `Host: ${own()}`, `Cookie: ${cookie}`, ...headers]);
const dismiss = (headers: readonly string[], method = "POST") => {
  const body = JSON.stringify({ ref: makePane().identity.pane_ref, surface: "popover" });
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  return raw([`${method} /trpc/dismiss HTTP/1.1`, `Host: ${own()}`, length, ...headers], body);
};

const recorder: Logger = {
  ...SILENT_LOGGER,
  warn: (fields, message) => void logged.push(JSON.stringify([fields, message])),
  error: (fields, message) => void logged.push(JSON.stringify([fields, message])),
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-sec-"));
  const rendererDir = join(folder, "renderer");
  mkdirSync(join(rendererDir, "assets"), { recursive: true });
  writeFileSync(join(rendererDir, "index.html"), "<!doctype html><title>agtmux</title>");
  writeFileSync(join(rendererDir, "assets", "app.js"), "export {};");
  writeFileSync(join(folder, "secret.html"), OUTSIDE);
  logged = [];
  daemon = new FakeDaemon();
  daemon.put(makePane());
  bridge = await startWebBridge({
    rpc: createRouterHandler(createRouter(daemon), recorder),
    rendererDir,
    logger: recorder,
  });
  token = /token=([0-9a-f]+)$/.exec(bridge.url)?.[1] ?? "";
  const opened = await raw([`GET /open?token=${token} HTTP/1.1`, `Host: ${own()}`]);
  [, cookie = "", base = ""] = /set-cookie: ([^;]+).*Path=(.*)\/\r/i.exec(opened.text) ?? [];
});
afterAll(async () => {
  await bridge.close();
  rmSync(folder, { recursive: true });
});

it("answers its own page, so that what follows is refused for its own sake", async () => {
  expect([(await get("/")).status, (await get("/trpc/targets")).status]).toEqual([200, 200]);
  const origin = `Origin: http://${own()}`;
  const answer = await dismiss([`Cookie: ${cookie}`, origin, "Content-Type: application/json"]);
  expect([answer.status, daemon.asked.length]).toEqual([200, 1]);
});

describe("DNS rebinding", () => {
  const HOSTS: [string, string[]][] = [
    ["another name", ["Host: evil.com"]],
    ["another name with our port", ["Host: evil.com:PORT"]],
    ["a name that resolves to us", ["Host: 127.0.0.1.nip.io:PORT"]],
    ["a name that starts like us", ["Host: localhost.evil.com:PORT"]],
    ["a name that ends like us", ["Host: evil.localhost:PORT"]],
    ["a user before us", ["Host: evil.com@127.0.0.1:PORT"]],
    ["a number for the address", ["Host: 2130706433:PORT"]],
    ["an octal address", ["Host: 0177.0.0.1:PORT"]],
    ["another loopback address", ["Host: 127.0.0.2:PORT"]],
    ["all addresses", ["Host: 0.0.0.0:PORT"]],
    ["a mapped address", ["Host: [::ffff:127.0.0.1]:PORT"]],
    ["a trailing dot", ["Host: localhost.:PORT"]],
    ["a path", ["Host: 127.0.0.1:PORT/evil"]],
    ["a list", ["Host: 127.0.0.1:PORT, evil.com"]],
    ["nothing", ["Host: "]],
    ["ours and another", ["Host: 127.0.0.1:PORT", "Host: evil.com"]],
    ["another and ours", ["Host: evil.com", "Host: 127.0.0.1:PORT"]],
  ];
  it.each(HOSTS)("is refused for %s", async (_what, hosts) => {
    const lines = hosts.map((line) => line.replace("PORT", String(bridge.port)));
    for (const path of ["/", "/trpc/targets", "/trpc/feed?input=%7B%7D"])
      expect((await raw([`GET ${path} HTTP/1.1`, ...lines, `Cookie: ${cookie}`])).status).toBe(403);
  });

  it("is refused without a host, and for a target that is a whole address", async () => {
    expect((await raw(["GET / HTTP/1.1", `Cookie: ${cookie}`])).status).toBe(400);
    expect((await raw(["GET / HTTP/1.0", `Cookie: ${cookie}`])).status).toBe(403);
    expect((await get("http://evil.com/")).status).toBe(403);
  });

  it("does not use up the token, nor open the session", async () => {
    const path = new URL(bridge.renewUrl()).pathname + new URL(bridge.renewUrl()).search;
    const foreign = await raw([`GET ${path} HTTP/1.1`, "Host: evil.com"]);
    expect([foreign.status, /set-cookie/i.test(foreign.text)]).toEqual([403, false]);
    expect((await raw([`GET ${path} HTTP/1.1`, `Host: ${own()}`])).status).toBe(200);
  });

  it("has no chance by IPv6: nothing listens there", async () => {
    const socket = connect({ host: "::1", port: bridge.port });
    const error = await new Promise<NodeJS.ErrnoException>((resolve) => socket.once("error", resolve));
    expect(error.code).toMatch(/ECONNREFUSED|EADDRNOTAVAIL|EAFNOSUPPORT/);
  });
});

describe("a forged request", () => {
  const json = "Content-Type: application/json";
  it.each([
    ["null", "null"],
    ["another site", "https://evil.com"],
    ["another port of this machine", "http://127.0.0.1:1"],
    ["another name of this machine", "http://localhost:PORT"],
    ["another scheme", "https://127.0.0.1:PORT"],
    ["a file", "file://"],
    ["an extension", "chrome-extension://abcdefghijklmnop"],
    ["two at once", "http://127.0.0.1:PORT https://evil.com"],
    ["an empty one", ""],
  ])("from %s is refused with the right cookie, and does nothing", async (_what, origin) => {
    const before = daemon.asked.length;
    const line = `Origin: ${origin.replace("PORT", String(bridge.port))}`;
    expect((await dismiss([`Cookie: ${cookie}`, line, json])).status).toBe(403);
    expect((await get("/trpc/targets", line)).status).toBe(403);
    expect(daemon.asked).toHaveLength(before);
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""])(
    "of the type %j, which needs no leave, does nothing even with our origin",
    async (type) => {
      const before = daemon.asked.length;
      const types = type === "" ? [] : [`Content-Type: ${type}`];
      const answer = await dismiss([`Cookie: ${cookie}`, `Origin: http://${own()}`, ...types]);
      expect([answer.status, daemon.asked.length]).toEqual([403, before]);
    },
  );

  it.each(["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"])(
    "by %s does nothing",
    async (method) => {
      const before = daemon.asked.length;
      const headers = [`Cookie: ${cookie}`, `Origin: http://${own()}`, json];
      expect((await dismiss(headers, method)).status).toBeGreaterThanOrEqual(400);
      expect(daemon.asked).toHaveLength(before);
    },
  );

  it("cannot act by GET, be it an image of another page or a link that was clicked", async () => {
    const before = daemon.asked.length;
    const input = encodeURIComponent(JSON.stringify({ ref: makePane().identity.pane_ref, surface: "x" }));
    const site = ["cross-site", "same-site"].map((from) => `Sec-Fetch-Site: ${from}`);
    for (const header of site) expect((await get(`/trpc/dismiss?input=${input}`, header)).status).toBe(403);
    expect((await get(`/trpc/dismiss?input=${input}`)).status).toBe(405);
    expect(daemon.asked).toHaveLength(before);
  });

  it("gets no leave to read an answer, nor to ask with a header of its own", async () => {
    const asked = await raw([
      "OPTIONS /trpc/targets HTTP/1.1",
      `Host: ${own()}`,
      "Origin: https://evil.com",
      "Access-Control-Request-Method: POST",
      "Access-Control-Request-Private-Network: true",
    ]);
    expect(asked.status).toBe(403);
    for (const answer of [asked, await get("/"), await get("/trpc/targets")])
      expect(answer.text).not.toMatch(/access-control-/i);
  });

  it("cannot become a websocket or a tunnel", async () => {
    const upgrade = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"];
    const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
    const answer = await raw([`GET /trpc/feed HTTP/1.1`, `Host: ${own()}`, ...upgrade, key]);
    expect(answer.status).not.toBe(101);
    expect((await raw(["CONNECT evil.com:443 HTTP/1.1", "Host: evil.com:443"])).status).not.toBe(200);
  });

  it("cannot be smuggled behind another one", async () => {
    const body = "0\r\n\r\nGET /trpc/targets HTTP/1.1\r\nHost: x\r\n\r\n";
    const lines = [`POST / HTTP/1.1`, `Host: ${own()}`, `Cookie: ${cookie}`, `Origin: http://${own()}`];
    const both = await raw(
      [...lines, json, `Content-Length: ${body.length}`, "Transfer-Encoding: chunked"],
      body,
    );
    expect(both.status).toBe(400);
  });
});

describe("the session", () => {
  it("has a cookie that no script, no other site and no other path sees, with 256 bits", async () => {
    const path = new URL(bridge.renewUrl());
    const { text } = await raw([`GET ${path.pathname}${path.search} HTTP/1.1`, `Host: ${own()}`]);
    const [, set = ""] = /set-cookie: (.*)\r/i.exec(text) ?? [];
    expect(set).toMatch(
      new RegExp(`^agtmux_${bridge.port}=[0-9a-f]{64}; HttpOnly; SameSite=Strict; Path=/[0-9a-f]{64}/$`),
    );
  });

  it("is opened by a token once, and not by part of it, another one, or more of it", async () => {
    const path = new URL(bridge.renewUrl());
    const fresh = path.searchParams.get("token") ?? "";
    for (const wrong of [fresh.slice(1), `${fresh}0`, "0".repeat(64), `${fresh}&token=${fresh}`, "", "%00"]) {
      const refused = await raw([`GET /open?token=${wrong} HTTP/1.1`, `Host: ${own()}`]);
      expect([refused.status, /set-cookie/i.test(refused.text)]).toEqual([403, false]);
    }
    expect((await raw([`GET /open?token=${fresh} HTTP/1.1`, `Host: ${own()}`])).status).toBe(200);
    expect((await get("/")).status).toBe(200);
  });

  it("that several open at once is had by one of them at most, and by none once it is known", async () => {
    const other = await startWebBridge({
      rpc: createRouterHandler(createRouter(daemon), recorder),
      rendererDir: join(folder, "renderer"),
      logger: recorder,
    });
    const { pathname, search } = new URL(other.url);
    const requestOf = (lines: readonly string[]): Promise<string> => {
      const { socket, read, closed } = open(other.port);
      socket.write([...lines, `Host: 127.0.0.1:${other.port}`, "Connection: close", "", ""].join("\r\n"));
      return closed.then(read);
    };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => requestOf([`GET ${pathname}${search} HTTP/1.1`])),
    );
    const opened = answers.filter((text) => /set-cookie/i.test(text));
    expect(opened.length).toBeLessThanOrEqual(1);
    const [, value, path] = /set-cookie: ([^;]+).*Path=(\S+)/i.exec(opened[0] ?? "") ?? [];
    expect(await requestOf([`GET ${path ?? "/"} HTTP/1.1`, `Cookie: ${value}`])).toMatch(/^HTTP\/1\.1 403/);
    await other.close();
  });

  it("cannot be fixed: a cookie that somebody planted opens nothing and is not taken over", async () => {
    const name = `agtmux_${bridge.port}`;
    const value = cookie.split("=")[1] ?? "";
    const planted = [
      `${name}=${"a".repeat(64)}`,
      `${name}=${value.slice(0, 63)}`,
      `${name}=${value}0`,
      `${name}=`,
      name,
      `${name.toUpperCase()}=${value}`,
      `agtmux_1=${value}`,
      `other=${name}=${value}`,
      `${name}="${value}"`,
      `${name}=${"a".repeat(64)}; ${name}=${value}`,
    ];
    for (const given of planted) {
      const answer = await raw(["GET / HTTP/1.1", `Host: ${own()}`, `Cookie: ${given}`]);
      expect([given.slice(0, 24), answer.status]).toEqual([given.slice(0, 24), 403]);
    }
    const path = new URL(bridge.renewUrl());
    const opened = await raw([
      `GET ${path.pathname}${path.search} HTTP/1.1`,
      `Host: ${own()}`,
      `Cookie: ${name}=${"a".repeat(64)}`,
    ]);
    expect(opened.text).not.toContain("a".repeat(64));
  });

  it("ends with the bridge: another one on any port knows nothing of it", async () => {
    const other = await startWebBridge({
      rpc: createRouterHandler(createRouter(daemon), recorder),
      rendererDir: join(folder, "renderer"),
      logger: recorder,
    });
    const { socket, read, closed } = open(other.port);
    const value = cookie.split("=")[1] ?? "";
    socket.write(
      `GET / HTTP/1.1\r\nHost: 127.0.0.1:${other.port}\r\nCookie: agtmux_${other.port}=${value}\r\nConnection: close\r\n\r\n`,
    );
    await closed;
    await other.close();
    expect([read().slice(0, 12), other.port === bridge.port]).toEqual(["HTTP/1.1 403", false]);
  });

  it("leaves its token in no log, no referrer, no cache, no answer and no address bar", async () => {
    const path = new URL(bridge.renewUrl());
    const fresh = path.searchParams.get("token") ?? "";
    const request = [`GET ${path.pathname}${path.search} HTTP/1.1`, `Host: ${own()}`];
    // Of the browser that opened it: from anybody else the second one would end the session.
    const sign = (text: string) => /set-cookie: ([^;]+_opened=[^;]+)/i.exec(text)?.[1] ?? "";
    const first = await raw(request);
    const answers = [first, await raw([...request, `Cookie: ${sign(first.text)}`])];
    for (const { text } of answers) {
      expect(text).not.toContain(fresh);
      expect(text).toMatch(/referrer-policy: no-referrer/i);
      expect(text).toMatch(/cache-control: no-store/i);
    }
    expect(answers[0]?.text).toContain(`content="0;url=${base}/"`);
    expect(logged.length).toBeGreaterThan(0);
    expect(logged.join()).not.toContain(fresh);
    expect(logged.join()).not.toContain(cookie.split("=")[1]);
  });
});

describe("an address", () => {
  it.each([
    "/../secret.html",
    "/%2e%2e/secret.html",
    "/%2e%2e%2fsecret.html",
    "/..%5csecret.html",
    "/..\\secret.html",
    "/assets/..;/..;/secret.html",
    "/assets/%252e%252e/secret.html",
    "/assets/..%c0%afsecret.html",
    "/secret.html%00.js",
    "/assets/app.js%00",
    "/assets//app.js",
    "/ASSETS/APP.JS",
    "//evil.com/",
    "/.git/config",
    "/__proto__",
    "/constructor",
  ])("%s leads nowhere", async (path) => {
    const answer = await get(path);
    expect([answer.status, answer.text.includes(OUTSIDE)]).toEqual([404, false]);
  });

  it("with raw control characters is refused as a request", async () => {
    for (const path of ["/\u0000", "/a\u0001b", "/ x"]) expect((await get(path)).status).toBe(400);
  });

  it("that the page asks for gets every header of the policy, refused or not", async () => {
    for (const answer of [
      await get("/"),
      await get("/none"),
      await raw(["GET / HTTP/1.1", "Host: evil.com"]),
    ]) {
      expect(answer.text).toMatch(/content-security-policy: default-src 'none'; script-src 'self'/i);
      expect(answer.text).toMatch(/x-content-type-options: nosniff/i);
      expect(answer.text).toMatch(/x-frame-options: deny/i);
      expect(answer.text).toMatch(/frame-ancestors 'none'/i);
      expect(answer.text).toMatch(/cross-origin-resource-policy: same-origin/i);
    }
  });
});

describe("a client that only takes up room", () => {
  it("and never ends its headers is cut off", async () => {
    const slow = open();
    slow.socket.write(`GET / HTTP/1.1\r\nHost: ${own()}\r\n`);
    const drip = setInterval(() => slow.socket.write("X-A: b\r\n"), 200);
    await slow.closed;
    clearInterval(drip);
    expect(slow.read()).toMatch(/^(HTTP\/1\.1 408|$)/);
  });

  it("and sends headers or a body without end is refused before they are read", async () => {
    const headers = await get("/", `X-Long: ${"x".repeat(100_000)}`);
    expect([0, 431]).toContain(headers.status);
    const before = daemon.asked.length;
    const endless = open();
    endless.socket.write(
      `POST ${base}/trpc/dismiss HTTP/1.1\r\nHost: ${own()}\r\nCookie: ${cookie}\r\nOrigin: http://${own()}\r\n` +
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    const chunk = `10000\r\n${"x".repeat(0x1_00_00)}\r\n`;
    const push = setInterval(() => endless.socket.write(chunk), 5);
    await until(() => endless.read() !== "" || endless.socket.destroyed, "an end of the body", 20_000);
    clearInterval(push);
    endless.socket.destroy();
    expect([/^$|^HTTP\/1\.1 4/.test(endless.read()), daemon.asked.length]).toEqual([true, before]);
  });

  it("and opens hundreds of connections leaves the others to the person", async () => {
    const crowd = Array.from({ length: 300 }, () => open());
    await until(() => crowd.some(({ socket }) => socket.destroyed), "the surplus is refused");
    const left = crowd.filter(({ socket }) => !socket.destroyed);
    await until(() => left.filter(({ socket }) => !socket.destroyed).length <= 64, "no more than the bound");
    for (const { socket } of crowd) socket.destroy();
    await until(async () => (await get("/")).status === 200, "the page again");
  });

  it.each([130, 1_000])(
    "and opens %i again whenever one goes starves nobody who has the session",
    async (count) => {
      const crowd = await startCrowd(bridge.port, count);
      const statuses: number[] = [];
      for (let asked = 0; asked < 8; asked += 1) {
        const enough = count + asked * 16;
        await until(() => crowd.opened() > enough, "more were opened");
        statuses.push((await get("/trpc/targets")).status);
      }
      await crowd.stop();
      expect(statuses).toEqual(Array.from({ length: 8 }, () => 200));
    },
  );

  it("and opens hundreds does not end what the person has open", async () => {
    const held = open();
    const line = `GET ${base}/trpc/targets HTTP/1.1\r\nHost: ${own()}\r\nCookie: ${cookie}\r\n\r\n`;
    held.socket.write(line);
    await until(() => held.read().includes("200 OK"), "the first answer");
    const crowd = await startCrowd(bridge.port, 300);
    await until(() => crowd.opened() > 600, "more than there is room for");
    held.socket.write(line);
    await until(() => held.read().split("200 OK").length === 3, "an answer on the same connection");
    held.socket.destroy();
    await crowd.stop();
  });
});

it.runIf(existsSync("/proc/net/tcp"))("listens on the loopback interface and nowhere else", () => {
  const port = bridge.port.toString(16).toUpperCase().padStart(4, "0");
  const LISTENING = "0A";
  const listeners = ["tcp", "tcp6"]
    .flatMap((kind) =>
      existsSync(`/proc/net/${kind}`) ? readFileSync(`/proc/net/${kind}`, "utf8").split("\n") : [],
    )
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => state === LISTENING && local?.endsWith(`:${port}`) === true)
    .map(([, local]) => local);
  expect(listeners).toEqual([`0100007F:${port}`]);
});
