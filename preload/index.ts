// The whole of what the popover's page gets from Electron: two functions that carry messages of core/rpc to and from the
// main process. No Electron object and no channel name is reachable from the page.
import { contextBridge, ipcRenderer } from "electron";

contextBridge.exposeInMainWorld("agtmux", {
  send: (message: unknown): void => ipcRenderer.send("agtmux", message),
  onMessage: (listener: (message: unknown) => void): (() => void) => {
    const handle = (_event: unknown, message: unknown): void => listener(message);
    ipcRenderer.on("agtmux", handle);
    return () => void ipcRenderer.removeListener("agtmux", handle);
  },
});
