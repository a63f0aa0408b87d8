// The popover's page against what it shows and against other pages, in a real Chromium: hostile names make no element, the
// policy stops injected content, the session stays with the page, and no other page can use or frame it.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRouter } from "../core/api/router.ts";
import { SILENT_LOGGER } from "../core/ports/logger.ts";
import { startWebBridge, type WebBridge, createRouterHandler } from "../core/rpc/webBridge.ts";
import { openAddress } from "../scripts/openAddress.ts";
import { FakeDaemon } from "../test/fakes/fakeDaemon.ts";
import { makePane } from "../test/factories/view.ts";
import { launchBrowserPopover, RENDERER_DIR, type BrowserPopover } from "./launchers/browser.ts";
import { takeChromium } from "./launchers/workerBrowser.ts";
import { until } from "../test/setup/realClock.ts";

const MARKUP = [
  "<img src=x onerror=window.__owned=1>",
  "<script>window.__owned=1</script>",
  "<svg onload=window.__owned=1>",
  '"><iframe src=javascript:window.__owned=1></iframe>',
  "<a href=javascript:window.__owned=1>x</a>",
  "<style>*{display:none}</style>",
  "{{constructor.constructor('window.__owned=1')()}}",
  "\u202eowned\u2066",
].join(" ");

let browser: Browser;
let launched: BrowserPopover;
let daemon: FakeDaemon;
let evil: Server;
let evilOrigin: string;
/** What reached the other site. */
let received: string[];

takeChromium((given) => (browser = given));
beforeEach(async () => {
  received = [];
  evil = createServer((request, response) => {
    received.push(
      `${request.method} ${request.url} ${request.headers.referer ?? ""}${request.headers.cookie ?? ""}`,
    );
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><title>evil</title>");
  });
  await new Promise<void>((resolve) => evil.listen(0, "127.0.0.1", resolve));
  // Another port of the same machine is another origin, but the same site: the closest that a foreign page can be.
  evilOrigin = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`;
  daemon = new FakeDaemon();
  daemon.put(
    makePane({
      session: MARKUP,
      windowName: MARKUP,
      title: MARKUP,
      agentName: MARKUP,
      state: "waiting_approval",
      fingerprint: "f1",
      request: {
        kind: "tool",
        title: MARKUP,
        body: MARKUP,
        options: [{ label: MARKUP, keys: ["1"], role: "approve" }],
        tool_name: MARKUP,
        expires_at: null,
      } as never,
    }),
  );
  launched = await launchBrowserPopover({ browser, daemon });
});
afterEach(async () => {
  await launched.close();
  evil.closeAllConnections();
  await new Promise((resolve) => evil.close(resolve));
});

const isOwned = (page: Page): Promise<boolean> => page.evaluate(() => Reflect.has(window, "__owned"));

it("shows hostile names, titles and prompts as text: no element and no script comes of them", async () => {
  const { page, popover } = launched;
  await popover.paneRows.first().waitFor();
  await popover.paneRows.first().focus();
  await popover.press("Space");
  await popover.detail.waitFor();
  expect(await page.locator("body").textContent()).toContain("<img src=x onerror=");
  const foreign = await page.evaluate(() =>
    [...document.querySelectorAll("img, iframe, object, embed, a[href], style, script, svg[onload], *")]
      .filter((element) => {
        const handlers = element.getAttributeNames().some((name) => name.startsWith("on"));
        const isOwnScript = element.matches("script[src^='/assets/'], script[src^='./assets/']");
        return (
          handlers ||
          (element.matches("img[src='x'], iframe, object, embed, a[href^='javascript:'], script") &&
            !isOwnScript)
        );
      })
      .map(({ outerHTML }) => outerHTML.slice(0, 100)),
  );
  expect([foreign, await isOwned(page)]).toEqual([[], false]);
  // Characters that reorder text are shown as marks.
  expect(await page.locator("body").textContent()).not.toMatch(/[\u202e\u2066]/);
});

describe("the policy of the page", () => {
  it("runs no inline script, no handler and no text as code", async () => {
    const { page } = launched;
    const refused = await page.evaluate(async () => {
      const violations: string[] = [];
      document.addEventListener("securitypolicyviolation", (event) =>
        violations.push(event.effectiveDirective),
      );
      const script = document.createElement("script");
      script.textContent = "window.__owned = 1";
      document.body.append(script);
      const holder = document.createElement("div");
      holder.innerHTML = "<button onclick='window.__owned = 1'>x</button>";
      document.body.append(holder);
      holder.querySelector("button")?.click();
      const thrown: string[] = [];
      // Runs in a separate turn, because code that the driver itself runs may use eval despite the page's policy.
      const inOwnTurn = (work: () => void) =>
        new Promise<void>((done) =>
          setTimeout(() => {
            try {
              work();
            } catch (error) {
              thrown.push((error as Error).name);
            }
            done();
          }),
        );
      await inOwnTurn(() => Reflect.get(window, "eval")("window.__owned = 1"));
      await inOwnTurn(() => Reflect.construct(Function, ["window.__owned = 1"])());
      await inOwnTurn(() => Reflect.get(window, "setTimeout")("window.__owned = 1"));
      await new Promise((resolve) => setTimeout(resolve, 50));
      return { violations, thrown };
    });
    expect(refused.thrown).toEqual(["EvalError", "EvalError"]);
    expect(refused.violations.length).toBeGreaterThanOrEqual(3);
    expect(await isOwned(page)).toBe(false);
  });

  it("loads no image, frame, font, worker or data from anywhere else, and sends nothing there", async () => {
    const { page } = launched;
    const outcomes = await page.evaluate(async (origin) => {
      const settled = (element: HTMLImageElement | HTMLScriptElement | HTMLLinkElement) =>
        new Promise<string>((resolve) => {
          element.addEventListener("load", () => resolve("loaded"));
          element.addEventListener("error", () => resolve("refused"));
          document.body.append(element);
        });
      const image = Object.assign(new Image(), { src: `${origin}/image` });
      const script = Object.assign(document.createElement("script"), { src: `${origin}/script` });
      const style = Object.assign(document.createElement("link"), {
        rel: "stylesheet",
        href: `${origin}/style`,
      });
      const frame = document.createElement("iframe");
      frame.src = `${origin}/frame`;
      document.body.append(frame);
      const fetched = await fetch(`${origin}/fetch`).then(
        () => "loaded",
        () => "refused",
      );
      const beacon = navigator.sendBeacon(`${origin}/beacon`, "x") ? "queued" : "refused";
      const worker = (() => {
        try {
          return typeof new Worker(URL.createObjectURL(new Blob(["1"])));
        } catch {
          return "refused";
        }
      })();
      const form = document.createElement("form");
      Object.assign(form, { action: `${origin}/form`, method: "post" });
      document.body.append(form);
      form.submit();
      const all = [await settled(image), await settled(script), await settled(style), fetched];
      await new Promise((resolve) => setTimeout(resolve, 200));
      return { all, beacon, worker };
    }, evilOrigin);
    expect(outcomes.all).toEqual(["refused", "refused", "refused", "refused"]);
    expect(received).toEqual([]);
    expect(new URL(page.url()).origin).not.toBe(evilOrigin);
  });

  it("lets no other page frame it", async () => {
    const { page, context } = launched;
    const other = await context.newPage();
    await other.goto(evilOrigin);
    const own = new URL(page.url()).origin;
    await other.evaluate((src) => {
      const frame = document.createElement("iframe");
      frame.src = src;
      document.body.append(frame);
      return new Promise((resolve) => frame.addEventListener("load", resolve));
    }, own);
    const inner = other.frames().find((frame) => frame !== other.mainFrame());
    expect(
      await inner
        ?.locator("[data-row=pane]")
        .count()
        .catch(() => 0),
    ).toBe(0);
  });
});

describe("another page of this browser, on another port of this machine", () => {
  it("cannot read from the popover, nor act through it, not even where it lies, and is not sent its cookie", async () => {
    const { page, context } = launched;
    const own = page.url().replace(/\/$/, "");
    const other = await context.newPage();
    await other.goto(evilOrigin);
    const results = await other.evaluate(async (origin) => {
      const body = JSON.stringify({ ref: "pane:host/work/@1/%1", surface: "popover" });
      const attempts: [string, RequestInit][] = [
        ["/trpc/panes", { credentials: "include" }],
        ["/trpc/dismiss", { method: "POST", body, credentials: "include", mode: "no-cors" }],
        [
          "/trpc/dismiss",
          { method: "POST", body, credentials: "include", headers: { "content-type": "application/json" } },
        ],
      ];
      const read: string[] = [];
      for (const [path, init] of attempts)
        read.push(
          await fetch(origin + path, init).then(
            (answer) => answer.text(),
            () => "refused",
          ),
        );
      const events = await new Promise<string>((resolve) => {
        const source = new EventSource(`${origin}/trpc/feed?input=%7B%7D`, { withCredentials: true });
        source.addEventListener("message", () => resolve("told"));
        source.addEventListener("error", () => resolve("refused"));
      });
      return { read, events };
    }, own);
    expect(results).toEqual({ read: ["refused", "refused", "refused"], events: "refused" });
    expect(daemon.asked).toEqual([]);
    expect(received.join()).not.toContain("agtmux_");
  });

  it("learns no address of it, and a form of it changes nothing", async () => {
    const { page, context } = launched;
    const own = page.url().replace(/\/$/, "");
    const other = await context.newPage();
    await other.goto(evilOrigin);
    const navigation = other.waitForResponse((response) => response.url().startsWith(own));
    await other.evaluate((action) => {
      const form = Object.assign(document.createElement("form"), {
        method: "post",
        enctype: "text/plain",
        action,
      });
      form.append(
        Object.assign(document.createElement("input"), {
          name: '{"ref":"pane:host/work/@1/%1","x":"',
          value: '"}',
        }),
      );
      document.body.append(form);
      form.submit();
    }, `${own}/trpc/dismiss`);
    expect((await navigation).status()).toBe(403);
    expect([daemon.asked, received.filter((line) => line.includes(own))]).toEqual([[], []]);
  });
});

it("keeps the session from scripts and the token from the address, the history and the storage", async () => {
  const { page, context } = launched;
  const kept = await page.evaluate(() => ({
    cookie: document.cookie,
    address: location.href,
    referrer: document.referrer,
    storage: JSON.stringify([localStorage, sessionStorage].flatMap((one) => Object.values(one))),
  }));
  const cookies = await context.cookies();
  // The other cookie only says who opened the address; it gives no access.
  expect(cookies.map(({ httpOnly }) => httpOnly)).toEqual([true, true]);
  const cookie = cookies.find(({ path }) => path !== "/open");
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
  expect(kept.cookie).toBe("");
  const { address, ...elsewhere } = kept;
  // The address holds its folder, which opens nothing without the cookie; it is kept for the address that is opened again.
  const folder = cookie?.path ?? "";
  for (const text of Object.values(elsewhere))
    expect(text.replaceAll(folder, "")).not.toMatch(/[0-9a-f]{64}/);
  expect(address).toBe(`http://${cookie?.domain}:${new URL(address).port}${cookie?.path}`);
  expect(address).not.toContain(cookie?.value);
  await page.goBack().catch(() => null);
  expect(page.url()).not.toContain("token=");
});

describe("the one-time address", () => {
  let folder: string;
  let bridge: WebBridge;
  let reuses: number;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "agtmux-address-"));
    reuses = 0;
    bridge = await startWebBridge({
      rpc: createRouterHandler(createRouter(daemon), SILENT_LOGGER),
      rendererDir: RENDERER_DIR,
      logger: SILENT_LOGGER,
      onReuse: () => void (reuses += 1),
    });
  });
  afterEach(async () => {
    await bridge.close();
    rmSync(folder, { recursive: true });
  });

  /** The page that the opener was given. */
  const handOver = async (): Promise<string> => {
    const opener = join(folder, "opener");
    writeFileSync(
      opener,
      `#!/bin/sh\nprintf %s "$1" >'${folder}/part'; mv '${folder}/part' '${folder}/given'\n`,
    );
    chmodSync(opener, 0o755);
    expect(openAddress({ address: bridge.url, folder, opener })).toBe(true);
    await until(() => existsSync(join(folder, "given")), "the opener ran");
    return readFileSync(join(folder, "given"), "utf8");
  };

  it("leads from a page in a file to the popover, and the same browser may open that page again", async () => {
    const path = await handOver();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`file://${path}`);
    await page.waitForURL(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{64}\/$/);
    await page.getByRole("listbox").or(page.getByRole("list")).first().waitFor();
    expect(await page.evaluate(() => document.referrer)).not.toContain("token");
    const again = await context.newPage();
    await again.goto(`file://${path}`);
    // The address itself opens nothing any more; the browser knows its folder.
    await again.waitForURL(page.url());
    await again.getByRole("list").first().waitFor();
    await page.reload();
    await page.waitForURL(/\/[0-9a-f]{64}\/$/);
    expect(reuses).toBe(0);
    await context.close();
  });

  it("that another browser opens as well ends the session of the first", async () => {
    const path = await handOver();
    const [mine, other] = [await browser.newContext(), await browser.newContext()];
    const page = await mine.newPage();
    await page.goto(`file://${path}`);
    await page.waitForURL(/\/[0-9a-f]{64}\/$/);
    const theirs = await other.newPage();
    await theirs.goto(`file://${path}`);
    await theirs.getByText("Its session has ended").waitFor();
    expect([reuses, (await other.cookies()).length]).toEqual([1, 0]);
    expect((await page.reload())?.status()).toBe(403);
    await mine.close();
    await other.close();
  });
});
