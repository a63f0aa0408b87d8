// `agtmux ui` against other pages and other users: DNS rebinding, forged requests, stolen and planted cookies, and path tricks.
import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makePane } from "../factories/view.ts";
import { openAttackedBridge, OUTSIDE, type AttackedBridge } from "./attackedBridge.ts";

let page: AttackedBridge;
beforeAll(async () => {
  page = await openAttackedBridge();
});
afterAll(() => page.close());

it("answers its own page, so that what follows is refused for its own sake", async () => {
  expect([(await page.get("/")).status, (await page.get("/trpc/targets")).status]).toEqual([200, 200]);
  const origin = `Origin: http://${page.own}`;
  const answer = await page.dismiss([`Cookie: ${page.cookie}`, origin, "Content-Type: application/json"]);
  expect([answer.status, page.daemon.asked.length]).toEqual([200, 1]);
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
    const lines = hosts.map((line) => line.replace("PORT", String(page.bridge.port)));
    for (const path of ["/", "/trpc/targets", "/trpc/feed?input=%7B%7D"])
      expect((await page.raw([`GET ${path} HTTP/1.1`, ...lines, `Cookie: ${page.cookie}`])).status).toBe(403);
  });

  it("is refused without a host, and for a target that is a whole address", async () => {
    expect((await page.raw(["GET / HTTP/1.1", `Cookie: ${page.cookie}`])).status).toBe(400);
    expect((await page.raw(["GET / HTTP/1.0", `Cookie: ${page.cookie}`])).status).toBe(403);
    expect((await page.get("http://evil.com/")).status).toBe(403);
  });

  it("does not use up the token, nor open the session", async () => {
    const path = new URL(page.bridge.renewUrl()).pathname + new URL(page.bridge.renewUrl()).search;
    const foreign = await page.raw([`GET ${path} HTTP/1.1`, "Host: evil.com"]);
    expect([foreign.status, /set-cookie/i.test(foreign.text)]).toEqual([403, false]);
    expect((await page.raw([`GET ${path} HTTP/1.1`, `Host: ${page.own}`])).status).toBe(200);
  });

  it("has no chance by IPv6: nothing listens there", async () => {
    const socket = connect({ host: "::1", port: page.bridge.port });
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
    const before = page.daemon.asked.length;
    const line = `Origin: ${origin.replace("PORT", String(page.bridge.port))}`;
    expect((await page.dismiss([`Cookie: ${page.cookie}`, line, json])).status).toBe(403);
    expect((await page.get("/trpc/targets", line)).status).toBe(403);
    expect(page.daemon.asked).toHaveLength(before);
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""])(
    "of the type %j, which needs no leave, does nothing even with our origin",
    async (type) => {
      const before = page.daemon.asked.length;
      const types = type === "" ? [] : [`Content-Type: ${type}`];
      const answer = await page.dismiss([`Cookie: ${page.cookie}`, `Origin: http://${page.own}`, ...types]);
      expect([answer.status, page.daemon.asked.length]).toEqual([403, before]);
    },
  );

  it.each(["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"])(
    "by %s does nothing",
    async (method) => {
      const before = page.daemon.asked.length;
      const headers = [`Cookie: ${page.cookie}`, `Origin: http://${page.own}`, json];
      expect((await page.dismiss(headers, method)).status).toBeGreaterThanOrEqual(400);
      expect(page.daemon.asked).toHaveLength(before);
    },
  );

  it("cannot act by GET, be it an image of another page or a link that was clicked", async () => {
    const before = page.daemon.asked.length;
    const input = encodeURIComponent(JSON.stringify({ ref: makePane().identity.pane_ref, surface: "x" }));
    const site = ["cross-site", "same-site"].map((from) => `Sec-Fetch-Site: ${from}`);
    for (const header of site)
      expect((await page.get(`/trpc/dismiss?input=${input}`, header)).status).toBe(403);
    expect((await page.get(`/trpc/dismiss?input=${input}`)).status).toBe(405);
    expect(page.daemon.asked).toHaveLength(before);
  });

  it("gets no leave to read an answer, nor to ask with a header of its own", async () => {
    const asked = await page.raw([
      "OPTIONS /trpc/targets HTTP/1.1",
      `Host: ${page.own}`,
      "Origin: https://evil.com",
      "Access-Control-Request-Method: POST",
      "Access-Control-Request-Private-Network: true",
    ]);
    expect(asked.status).toBe(403);
    for (const answer of [asked, await page.get("/"), await page.get("/trpc/targets")])
      expect(answer.text).not.toMatch(/access-control-/i);
  });

  it("cannot become a websocket or a tunnel", async () => {
    const upgrade = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"];
    const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
    const answer = await page.raw([`GET /trpc/feed HTTP/1.1`, `Host: ${page.own}`, ...upgrade, key]);
    expect(answer.status).not.toBe(101);
    expect((await page.raw(["CONNECT evil.com:443 HTTP/1.1", "Host: evil.com:443"])).status).not.toBe(200);
  });

  it("cannot be smuggled behind another one", async () => {
    const body = "0\r\n\r\nGET /trpc/targets HTTP/1.1\r\nHost: x\r\n\r\n";
    const lines = [
      `POST / HTTP/1.1`,
      `Host: ${page.own}`,
      `Cookie: ${page.cookie}`,
      `Origin: http://${page.own}`,
    ];
    const both = await page.raw(
      [...lines, json, `Content-Length: ${body.length}`, "Transfer-Encoding: chunked"],
      body,
    );
    expect(both.status).toBe(400);
  });
});

describe("the session", () => {
  it("has a cookie that no script, no other site and no other path sees, with 256 bits", async () => {
    const path = new URL(page.bridge.renewUrl());
    const { text } = await page.raw([`GET ${path.pathname}${path.search} HTTP/1.1`, `Host: ${page.own}`]);
    const [, set = ""] = /set-cookie: (.*)\r/i.exec(text) ?? [];
    expect(set).toMatch(
      new RegExp(`^agtmux_${page.bridge.port}=[0-9a-f]{64}; HttpOnly; SameSite=Strict; Path=/[0-9a-f]{64}/$`),
    );
  });

  it("is opened by a token once, and not by part of it, another one, or more of it", async () => {
    const path = new URL(page.bridge.renewUrl());
    const fresh = path.searchParams.get("token") ?? "";
    for (const wrong of [fresh.slice(1), `${fresh}0`, "0".repeat(64), `${fresh}&token=${fresh}`, "", "%00"]) {
      const refused = await page.raw([`GET /open?token=${wrong} HTTP/1.1`, `Host: ${page.own}`]);
      expect([refused.status, /set-cookie/i.test(refused.text)]).toEqual([403, false]);
    }
    expect((await page.raw([`GET /open?token=${fresh} HTTP/1.1`, `Host: ${page.own}`])).status).toBe(200);
    expect((await page.get("/")).status).toBe(200);
  });

  it("that several open at once is had by one of them at most, and by none once it is known", async () => {
    const other = await page.openOther();
    const { pathname, search } = new URL(other.url);
    const requestOf = (lines: readonly string[]): Promise<string> => {
      const { socket, read, closed } = page.open(other.port);
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
    const name = `agtmux_${page.bridge.port}`;
    const value = page.cookie.split("=")[1] ?? "";
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
      const answer = await page.raw(["GET / HTTP/1.1", `Host: ${page.own}`, `Cookie: ${given}`]);
      expect([given.slice(0, 24), answer.status]).toEqual([given.slice(0, 24), 403]);
    }
    const path = new URL(page.bridge.renewUrl());
    const opened = await page.raw([
      `GET ${path.pathname}${path.search} HTTP/1.1`,
      `Host: ${page.own}`,
      `Cookie: ${name}=${"a".repeat(64)}`,
    ]);
    expect(opened.text).not.toContain("a".repeat(64));
  });

  it("ends with the bridge: another one on any port knows nothing of it", async () => {
    const other = await page.openOther();
    const { socket, read, closed } = page.open(other.port);
    const value = page.cookie.split("=")[1] ?? "";
    socket.write(
      `GET / HTTP/1.1\r\nHost: 127.0.0.1:${other.port}\r\nCookie: agtmux_${other.port}=${value}\r\nConnection: close\r\n\r\n`,
    );
    await closed;
    await other.close();
    expect([read().slice(0, 12), other.port === page.bridge.port]).toEqual(["HTTP/1.1 403", false]);
  });

  it("leaves its token in no log, no referrer, no cache, no answer and no address bar", async () => {
    const path = new URL(page.bridge.renewUrl());
    const fresh = path.searchParams.get("token") ?? "";
    const request = [`GET ${path.pathname}${path.search} HTTP/1.1`, `Host: ${page.own}`];
    // Of the browser that opened it: from anybody else the second one would end the session.
    const sign = (text: string) => /set-cookie: ([^;]+_opened=[^;]+)/i.exec(text)?.[1] ?? "";
    const first = await page.raw(request);
    const answers = [first, await page.raw([...request, `Cookie: ${sign(first.text)}`])];
    for (const { text } of answers) {
      expect(text).not.toContain(fresh);
      expect(text).toMatch(/referrer-policy: no-referrer/i);
      expect(text).toMatch(/cache-control: no-store/i);
    }
    expect(answers[0]?.text).toContain(`content="0;url=${page.base}/"`);
    expect(page.logged.length).toBeGreaterThan(0);
    expect(page.logged.join()).not.toContain(fresh);
    expect(page.logged.join()).not.toContain(page.cookie.split("=")[1]);
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
    const answer = await page.get(path);
    expect([answer.status, answer.text.includes(OUTSIDE)]).toEqual([404, false]);
  });

  it("with raw control characters is refused as a request", async () => {
    for (const path of ["/\u0000", "/a\u0001b", "/ x"]) expect((await page.get(path)).status).toBe(400);
  });

  it("that the page asks for gets every header of the policy, refused or not", async () => {
    for (const answer of [
      await page.get("/"),
      await page.get("/none"),
      await page.raw(["GET / HTTP/1.1", "Host: evil.com"]),
    ]) {
      expect(answer.text).toMatch(/content-security-policy: default-src 'none'; script-src 'self'/i);
      expect(answer.text).toMatch(/x-content-type-options: nosniff/i);
      expect(answer.text).toMatch(/x-frame-options: deny/i);
      expect(answer.text).toMatch(/frame-ancestors 'none'/i);
      expect(answer.text).toMatch(/cross-origin-resource-policy: same-origin/i);
    }
  });
});

it.runIf(existsSync("/proc/net/tcp"))("listens on the loopback interface and nowhere else", () => {
  const port = page.bridge.port.toString(16).toUpperCase().padStart(4, "0");
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
