// What pages of this app may not do; the scheme under which the built popover is served to its window, which loads nothing else;
// and the two-way message channel to it over Electron IPC. That accepts messages only from the main frame of the window at the
// popover's own address.
import { app, session, type WebContents, ipcMain, protocol, type IpcMainEvent } from "electron";
import { serveMessages, type MessageBridge, type ProcedureCaller } from "../core/rpc/messageBridge.ts";
import type { MessagePortPair } from "../core/rpc/messageLink.ts";
import { readWebFiles } from "../core/rpc/webBridge.ts";
import { answerPage, isFromPage, SCHEME } from "./pageAnswer.ts";

/** The only permission that a page may get is to copy text (the attach command). */
const isPermitted = (permission: string): boolean => permission === "clipboard-sanitized-write";

/** No page of this app may go to another address, open windows or embed others. */
const hardenContents = (contents: WebContents): void => {
  contents.on("will-navigate", (event) => event.preventDefault());
  contents.on("will-redirect", (event) => event.preventDefault());
  contents.on("will-attach-webview", (event) => event.preventDefault());
  contents.setWindowOpenHandler(() => ({ action: "deny" }));
};

/** Applies to all web contents that the app ever makes. */
export const hardenAllContents = (): void => {
  app.on("web-contents-created", (_event, contents) => hardenContents(contents));
};

/** Refuses devices and all permissions but one. Call once the app is ready. */
export const denyPermissions = (): void => {
  const { defaultSession } = session;
  defaultSession.setPermissionRequestHandler((_contents, permission, decide) =>
    decide(isPermitted(permission)),
  );
  defaultSession.setPermissionCheckHandler((_contents, permission) => isPermitted(permission));
  defaultSession.setDevicePermissionHandler(() => false);
};

/** Call it before the app is ready, as Electron demands. Module scripts are loaded in CORS mode, even from their own origin. */
export const registerPageScheme = (): void =>
  protocol.registerSchemesAsPrivileged([
    {
      scheme: SCHEME,
      privileges: { standard: true, secure: true, supportFetchAPI: true, corsEnabled: true },
    },
  ]);

/** Reads the popover once. Throws when it is not built. */
export const servePage = (rendererDir: string): void => {
  const files = readWebFiles(rendererDir);
  protocol.handle(SCHEME, (request) => answerPage(files, request));
};

const CHANNEL = "agtmux";

const createPort = (contents: WebContents): MessagePortPair => ({
  send: (message) => {
    if (!contents.isDestroyed()) contents.send(CHANNEL, message);
  },
  onMessage: (listener) => {
    const handle = (event: IpcMainEvent, message: unknown): void => {
      if (isFromPage(event, contents)) listener(message);
    };
    ipcMain.on(CHANNEL, handle);
    return () => void ipcMain.off(CHANNEL, handle);
  },
});

/** Serves the page that the window shows, from its first navigation until it is destroyed; a reload starts again. */
export const servePagePort = (contents: WebContents, caller: ProcedureCaller): void => {
  let bridge: MessageBridge | null = null;
  const stop = (): void => {
    bridge?.close();
    bridge = null;
  };
  contents.on("did-start-navigation", ({ isMainFrame, isSameDocument }) => {
    if (!isMainFrame || isSameDocument) return;
    stop();
    bridge = serveMessages({ caller, port: createPort(contents) });
  });
  contents.on("render-process-gone", stop);
  contents.on("destroyed", stop);
};
