// Stands in for windows: each BrowserWindow is a page of the test's browser. Addresses of registered schemes are answered
// by the app's own handler, messages go through `ipcMain`, and navigation asks the app first.
import { EventEmitter } from "node:events";
import type * as Electron from "electron";
import { app, StandInEvent } from "./app.ts";
import { onTest, tellTest } from "./channel.ts";

export const ipcMain = new EventEmitter();

type SchemeHandler = (request: Request) => Response | Promise<Response>;
const handlers = new Map<string, SchemeHandler>();
export const protocol = {
  registerSchemesAsPrivileged: () => {
    if (app.isReady()) throw new Error("protocol.registerSchemesAsPrivileged must precede readiness");
  },
  handle: (scheme: string, handler: SchemeHandler) => {
    if (!app.isReady()) throw new Error("protocol.handle needs the app to be ready");
    handlers.set(scheme, handler);
  },
};

type Decide = (isAllowed: boolean) => void;
type RequestHandler = (contents: unknown, permission: string, decide: Decide) => void;
type CheckHandler = (contents: unknown, permission: string) => boolean;
/** Without a handler Electron allows. */
let decideRequest: RequestHandler = (_contents, _permission, decide) => decide(true);
let decideCheck: CheckHandler = () => true;
let decideDevice: () => boolean = () => true;
/** Remembers the app's handlers, and calls them when the test asks; the browser decides the page's real permissions. */
export const session = {
  defaultSession: {
    setPermissionRequestHandler: (handler: RequestHandler) => (decideRequest = handler),
    setPermissionCheckHandler: (handler: CheckHandler) => (decideCheck = handler),
    setDevicePermissionHandler: (handler: () => boolean) => (decideDevice = handler),
  },
};

const windows = new Map<number, BrowserWindow>();
const loads = new Map<number, PromiseWithResolvers<void>>();
let lastWindowId = 0;
let lastLoadId = 0;

class WebContents extends EventEmitter {
  readonly id: number;
  /** One object for the life of the contents, so that senders can be compared. */
  readonly mainFrame = { url: "about:blank" };
  private isGone = false;

  constructor(id: number) {
    super();
    this.id = id;
  }

  send(channel: string, ...args: unknown[]): void {
    tellTest({ kind: "ipc", windowId: this.id, channel, args });
  }

  isDestroyed(): boolean {
    return this.isGone;
  }

  isDevToolsOpened(): boolean {
    return false;
  }

  /** Without a handler Electron opens the window. */
  mayOpen: (details: { url: string }) => { action: string } = () => ({ action: "allow" });
  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }): void {
    this.mayOpen = handler;
  }

  reload(): void {
    tellTest({ kind: "window_reload", windowId: this.id });
  }

  destroy(): void {
    this.isGone = true;
    this.emit("destroyed");
  }
}

export class BrowserWindow
  extends EventEmitter
  implements Pick<Electron.BrowserWindow, "show" | "hide" | "isVisible" | "isDestroyed" | "loadURL">
{
  readonly webContents: WebContents;
  private readonly id: number;
  private size: [number, number];
  private position: [number, number] = [0, 0];
  private visible = false;
  private destroyed = false;

  constructor(options: Electron.BrowserWindowConstructorOptions = {}) {
    super();
    lastWindowId += 1;
    this.id = lastWindowId;
    this.size = [options.width ?? 800, options.height ?? 600];
    this.webContents = new WebContents(this.id);
    windows.set(this.id, this);
    const { sandbox, contextIsolation, nodeIntegration, preload = "" } = options.webPreferences ?? {};
    // The stand-in cannot isolate anything, so at least it refuses windows that Electron would not isolate.
    if (sandbox !== true || contextIsolation !== true || nodeIntegration !== false)
      throw new Error("the stand-in only opens hardened windows");
    const [width, height] = this.size;
    tellTest({ kind: "window_create", windowId: this.id, preload, width, height });
    app.emit("web-contents-created", {}, this.webContents);
  }

  static getAllWindows(): BrowserWindow[] {
    return [...windows.values()];
  }

  loadURL(url: string): Promise<void> {
    lastLoadId += 1;
    const load = Promise.withResolvers<void>();
    loads.set(lastLoadId, load);
    tellTest({ kind: "window_load", windowId: this.id, loadId: lastLoadId, url });
    return load.promise;
  }

  show(): void {
    this.setVisible(true);
  }

  hide(): void {
    this.setVisible(false);
  }

  isVisible(): boolean {
    return this.visible;
  }

  isDestroyed(): boolean {
    return this.destroyed;
  }

  close(): void {
    const event = new StandInEvent();
    this.emit("close", event);
    if (!event.defaultPrevented) this.destroy();
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    windows.delete(this.id);
    tellTest({ kind: "window_destroy", windowId: this.id });
    this.webContents.destroy();
    this.emit("closed");
    if (windows.size === 0) app.emit("window-all-closed");
  }

  getSize(): number[] {
    return [...this.size];
  }

  resize(width: number, height: number): void {
    this.size = [width, height];
    this.emit("resize");
  }

  getPosition(): number[] {
    return [...this.position];
  }

  setPosition(x: number, y: number): void {
    this.position = [x, y];
    tellTest({ kind: "window_place", windowId: this.id });
  }

  setAlwaysOnTop(): void {}
  setVisibleOnAllWorkspaces(): void {}

  private setVisible(isVisible: boolean): void {
    this.visible = isVisible;
    tellTest({ kind: "window_visible", windowId: this.id, isVisible });
  }
}

onTest("window_loaded", ({ loadId, problem }) => {
  const load = loads.get(loadId);
  loads.delete(loadId);
  if (problem === null) load?.resolve();
  else load?.reject(new Error(problem));
});
onTest("window_close", ({ windowId }) => windows.get(windowId)?.close());
onTest("window_blur", ({ windowId }) => windows.get(windowId)?.emit("blur"));
onTest("window_resize", ({ windowId, width, height }) => windows.get(windowId)?.resize(width, height));
onTest("navigation", ({ windowId, url }) => {
  const contents = windows.get(windowId)?.webContents;
  if (contents === undefined) return;
  contents.mainFrame.url = url;
  contents.emit("did-start-navigation", { url, isMainFrame: true, isSameDocument: false });
});
onTest("ipc", ({ windowId, url, isMainFrame, channel, args }) => {
  const sender = windows.get(windowId)?.webContents;
  if (sender === undefined) return;
  const senderFrame = isMainFrame ? sender.mainFrame : { url };
  ipcMain.emit(channel, { sender, senderFrame }, ...args);
});

const answerRequest = async (url: string): Promise<Response | null> =>
  (await handlers.get(new URL(url).protocol.slice(0, -1))?.(new Request(url))) ?? null;

onTest("page_request", ({ requestId, windowId, url, isPageNavigation }) => {
  const event = new StandInEvent();
  if (isPageNavigation) windows.get(windowId)?.webContents.emit("will-navigate", event, url);
  const answer = async () => {
    const response = event.defaultPrevented ? null : await answerRequest(url);
    tellTest({
      kind: "page_answer",
      requestId,
      answer:
        response === null
          ? null
          : {
              status: response.status,
              headers: Object.fromEntries(response.headers),
              body: new Uint8Array(await response.arrayBuffer()),
            },
    });
  };
  answer().catch(() => tellTest({ kind: "page_answer", requestId, answer: null }));
});

onTest("crash", ({ windowId, reason }) =>
  windows.get(windowId)?.webContents.emit("render-process-gone", {}, { reason, exitCode: 1 }),
);
onTest("may", ({ windowId, what, value }) => {
  const contents = windows.get(windowId)?.webContents;
  if (contents === undefined) return;
  const answer = (isAllowed: boolean): void => tellTest({ kind: "verdict", isAllowed });
  switch (what) {
    case "permission":
      decideRequest(contents, value, answer);
      return;
    case "check":
      answer(decideCheck(contents, value));
      return;
    case "device":
      answer(decideDevice());
      return;
    case "window":
      answer(contents.mayOpen({ url: value }).action === "allow");
      return;
  }
});
