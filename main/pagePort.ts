// The two-way message channel to the popover's page over Electron IPC. Only the main frame of that very window, at the
// popover's own address, is heard.
import { ipcMain, type IpcMainEvent, type WebContents } from "electron";
import { serveMessages, type MessageBridge, type ProcedureCaller } from "../core/rpc/messageBridge.ts";
import type { MessagePortPair } from "../core/rpc/messages.ts";
import { isFromPage } from "./pageSender.ts";

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

/** Serves whatever page the window shows, from its first navigation until it is destroyed; a reload starts afresh. */
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
