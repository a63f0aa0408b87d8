// Serves the built popover to its window under its own scheme, which loads nothing else, and holds the two-way message channel
// to it over Electron IPC. It accepts messages only from the main frame of that window at the popover's own address.
import { ipcMain, protocol, type IpcMainEvent, type WebContents } from "electron";
import { serveMessages, type MessageBridge, type ProcedureCaller } from "../core/rpc/messageBridge.ts";
import type { MessagePortPair } from "../core/rpc/messages.ts";
import { readWebFiles } from "../core/rpc/webFiles.ts";
import { answerPage, isFromPage, SCHEME } from "./pageAnswer.ts";

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
