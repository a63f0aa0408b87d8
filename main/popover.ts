// The menu-bar window: one frameless, sandboxed popover below the tray icon, as high as the person left it.
import { app, type Menu, type Tray, type WebContents } from "electron";
import { menubar, type Menubar } from "electron-menubar";
import { PAGE_URL } from "./pageAnswer.ts";
import { MAX_POPOVER_HEIGHT, MIN_POPOVER_HEIGHT, type PrefsFile } from "./prefs.ts";

/** Points. */
const POPOVER_WIDTH = 420;

export interface PopoverOptions {
  readonly tray: Tray;
  readonly icon: string;
  readonly menu: Menu;
  readonly preload: string;
  readonly prefs: PrefsFile;
  /** Called for every window before its page is loaded; a window that crashed is replaced by another. */
  readonly onContents: (contents: WebContents) => void;
  readonly onCrashed: (reason: string) => void;
}

/** Call once the app is ready. The window is loaded at once and stays hidden until somebody asks for it. */
export const createPopover = (options: PopoverOptions): Menubar => {
  const { prefs } = options;
  const bar = menubar({
    tray: options.tray,
    icon: options.icon,
    contextMenu: options.menu,
    dir: app.getAppPath(),
    index: PAGE_URL,
    preloadWindow: true,
    hideOnClose: true,
    showDockIcon: false,
    showOnAllWorkspaces: true,
    browserWindow: {
      title: "agtmux",
      width: POPOVER_WIDTH,
      minWidth: POPOVER_WIDTH,
      maxWidth: POPOVER_WIDTH,
      height: prefs.read().popoverHeight,
      minHeight: MIN_POPOVER_HEIGHT,
      maxHeight: MAX_POPOVER_HEIGHT,
      fullscreenable: false,
      minimizable: false,
      maximizable: false,
      skipTaskbar: true,
      webPreferences: {
        preload: options.preload,
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        nodeIntegrationInWorker: false,
        nodeIntegrationInSubFrames: false,
        webviewTag: false,
        webSecurity: true,
        spellcheck: false,
        devTools: !app.isPackaged,
      },
    },
  });
  bar.on("before-load", () => {
    const window = bar.window;
    if (window === undefined) return;
    options.onContents(window.webContents);
    window.webContents.on("render-process-gone", (_event, { reason }) => {
      options.onCrashed(reason);
      // The next click opens a fresh one.
      window.destroy();
    });
  });
  bar.on("after-hide", () => {
    const height = bar.window?.getSize()[1];
    if (height !== undefined && height !== prefs.read().popoverHeight) prefs.write({ popoverHeight: height });
  });
  return bar;
};
