// What the desktop app promises of its windows, asked of the code that sets it, with Electron's part written down instead of
// run: which preferences a window gets, what its contents may do, who may talk to the app, and what its own scheme serves.
import { EventEmitter } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

type Handler = (...args: never[]) => unknown;
const electron = vi.hoisted(() => ({
  created: [] as Handler[],
  session: {} as Record<string, Handler>,
  schemes: [] as { scheme: string; privileges: Record<string, boolean> }[],
  served: {} as Record<string, (request: Request) => Response>,
  menubar: null as { browserWindow: { webPreferences: Record<string, unknown> }; index: string } | null,
}));

vi.mock("electron", () => ({
  app: {
    isPackaged: true,
    getAppPath: () => "/app",
    on: (event: string, handler: Handler) => {
      if (event === "web-contents-created") electron.created.push(handler);
    },
  },
  screen: { on: () => {} },
  session: {
    defaultSession: {
      setPermissionRequestHandler: (handler: Handler) => (electron.session["request"] = handler),
      setPermissionCheckHandler: (handler: Handler) => (electron.session["check"] = handler),
      setDevicePermissionHandler: (handler: Handler) => (electron.session["device"] = handler),
    },
  },
  protocol: {
    registerSchemesAsPrivileged: (schemes: typeof electron.schemes) => electron.schemes.push(...schemes),
    handle: (scheme: string, handler: (request: Request) => Response) => (electron.served[scheme] = handler),
  },
}));
vi.mock("electron-menubar", () => ({
  menubar: (options: NonNullable<typeof electron.menubar>) => {
    electron.menubar = options;
    return new EventEmitter();
  },
}));

vi.mock("electron-store", () => ({ default: vi.fn() }));

const { denyPermissions, hardenAllContents, registerPageScheme, servePage } =
  await import("../../main/pageProtocol.ts");
const { PAGE_URL } = await import("../../main/pageAnswer.ts");
const { createPopover } = await import("../../main/appPopover.ts");

/** Contents as they are made; tells what was prevented. */
const makeContents = () => {
  hardenAllContents();
  const contents = Object.assign(new EventEmitter(), {
    opened: null as (() => { action: string }) | null,
    setWindowOpenHandler(handler: () => { action: string }) {
      contents.opened = handler;
    },
  });
  for (const handler of electron.created.splice(0)) handler(...([{}, contents] as never[]));
  const isPrevented = (event: string): boolean => {
    let isIt = false;
    contents.emit(event, { preventDefault: () => (isIt = true) });
    return isIt;
  };
  return { contents, isPrevented };
};

describe("every contents of the app", () => {
  it.each(["will-navigate", "will-redirect", "will-attach-webview"])("has %s prevented", (event) => {
    expect(makeContents().isPrevented(event)).toBe(true);
  });

  it("opens no window", () => {
    expect(makeContents().contents.opened?.()).toEqual({ action: "deny" });
  });

  it("gets no permission but to put text on the clipboard", () => {
    denyPermissions();
    const asked = [
      "media",
      "geolocation",
      "notifications",
      "openExternal",
      "clipboard-read",
      "hid",
      "serial",
      "usb",
    ].concat([
      "fullscreen",
      "pointerLock",
      "midi",
      "display-capture",
      "fileSystem",
      "clipboard-sanitized-write",
    ]);
    const granted = asked.filter((permission) => {
      let isGranted = false;
      const decide = (answer: boolean) => (isGranted = answer);
      electron.session["request"]?.(...([{}, permission, decide] as never[]));
      expect(electron.session["check"]?.(...([{}, permission] as never[]))).toBe(isGranted);
      return isGranted;
    });
    expect([granted, electron.session["device"]?.()]).toEqual([["clipboard-sanitized-write"], false]);
  });
});

it("the popover's window is sandboxed, isolated and without Node, and shows the app's own page", () => {
  const prefs = { read: () => ({ popoverHeight: 500 }), write: () => {} };
  const tray = { getBounds: () => ({ x: 0, y: 0, width: 1, height: 1 }) };
  const nothing = () => {};
  createPopover({
    tray,
    icon: "icon",
    menu: {},
    preload: "/app/preload.cjs",
    prefs,
    onContents: nothing,
    onVisible: nothing,
    onCrashed: nothing,
  } as never);
  expect(electron.menubar?.index).toBe(PAGE_URL);
  expect(electron.menubar?.browserWindow.webPreferences).toMatchObject({
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webviewTag: false,
    webSecurity: true,
    devTools: false,
  });
  const dangerous = ["allowRunningInsecureContent", "experimentalFeatures", "enableBlinkFeatures"];
  expect(
    Object.keys(electron.menubar?.browserWindow.webPreferences ?? {}).filter((key) =>
      dangerous.includes(key),
    ),
  ).toEqual([]);
});

describe("the app's own scheme", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "agtmux-scheme-"));
    const renderer = join(folder, "renderer");
    mkdirSync(renderer);
    writeFileSync(join(renderer, "index.html"), "<!doctype html>");
    writeFileSync(join(renderer, "app.js"), "export {}");
    writeFileSync(join(folder, "secret.html"), "outside");
    symlinkSync(join(folder, "secret.html"), join(renderer, "link.html"));
    registerPageScheme();
    servePage(renderer);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const answer = (url: string, init: RequestInit = {}): Response => {
    const served = electron.served["agtmux"];
    if (served === undefined) throw new Error("nothing serves agtmux:");
    return served(new Request(url, init));
  };

  it("bypasses no policy of the page, and keeps its own origin", () => {
    const { privileges } = electron.schemes.at(-1) ?? {};
    expect(privileges).toEqual({ standard: true, secure: true, supportFetchAPI: true, corsEnabled: true });
    expect(privileges).not.toHaveProperty("bypassCSP");
  });

  it("answers with a policy that lets nothing in, refused or not", () => {
    for (const url of [PAGE_URL, `${PAGE_URL}app.js`, `${PAGE_URL}none`]) {
      const policy = answer(url).headers.get("content-security-policy") ?? "";
      expect(policy.split("; ")).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "script-src 'self'",
          "base-uri 'none'",
          "form-action 'none'",
        ]),
      );
      expect(policy).not.toMatch(/unsafe|\*|http:|https:/);
      expect(answer(url).headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  it.each([
    "../secret.html",
    "%2e%2e/secret.html",
    "..%2fsecret.html",
    "..%5csecret.html",
    "link.html",
    "app.js%00",
    "//secret.html",
  ])("has nothing at %s", async (path) => {
    const found = answer(`${PAGE_URL}${path}`);
    expect([found.status, (await found.text()).includes("outside")]).toEqual([404, false]);
  });

  it("serves its page to no other host of the scheme, and takes no write", () => {
    expect(answer("agtmux://evil/").status).toBe(404);
    expect(answer(PAGE_URL, { method: "POST", body: "x" }).status).toBe(404);
  });
});
