// The `electron` module as main/, electron-menubar and electron-store see it when they run on the stand-in. It proves the
// app's own logic; it does not prove context isolation, native focus or the look of anything outside a window.
import { app } from "./app.ts";
import {
  dialog,
  globalShortcut,
  Menu,
  Notification,
  powerMonitor,
  powerSaveBlocker,
  screen,
  shell,
  Tray,
} from "./desktop.ts";
import { autoUpdater } from "./squirrel.ts";
import { BrowserWindow, ipcMain, protocol, session } from "./windows.ts";

export {
  app,
  autoUpdater,
  BrowserWindow,
  dialog,
  globalShortcut,
  ipcMain,
  Menu,
  Notification,
  powerMonitor,
  powerSaveBlocker,
  protocol,
  screen,
  session,
  shell,
  Tray,
};
export default {
  app,
  autoUpdater,
  BrowserWindow,
  dialog,
  globalShortcut,
  ipcMain,
  Menu,
  Notification,
  powerMonitor,
  powerSaveBlocker,
  protocol,
  screen,
  session,
  shell,
  Tray,
};
