// The menu-bar window: one frameless, sandboxed popover below the tray icon, as high as the person left it.
import { app, screen, type Menu, type Tray, type WebContents } from "electron";
import { menubar, type Menubar } from "electron-menubar";
import type { FocusReturn } from "./focusReturn.ts";
import { PAGE_URL } from "./pageAnswer.ts";
import type { PrefsFile } from "./prefs.ts";
import { MAX_POPOVER_HEIGHT, MIN_POPOVER_HEIGHT } from "./readPrefs.ts";

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
  readonly onVisible: (isVisible: boolean) => void;
  readonly focus: FocusReturn;
  /** `isGivenUp`: the page crashed again right after a reload, and comes back only when somebody opens it. */
  readonly onCrashed: (reason: string, isGivenUp: boolean) => void;
}

/** A page that crashes again within this time after a reload (in milliseconds) is not reloaded again. */
const CRASH_AGAIN_MS = 60_000;

/** For when displays were added, removed or changed: an open popover moves to where the icon is now. */
const followDisplays = (bar: Menubar, tray: Tray): void => {
  const place = (): void => {
    if (bar.window?.isVisible() === true) void bar.showWindow(tray.getBounds());
  };
  screen.on("display-added", place);
  screen.on("display-removed", place);
  screen.on("display-metrics-changed", place);
};

/** Call once the app is ready. The window is loaded at once and stays hidden until somebody asks for it. */
export const createPopover = (options: PopoverOptions): Menubar => {
  const { prefs, focus } = options;
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
  let crashedAt: number | null = null;
  bar.on("before-load", () => {
    const window = bar.window;
    if (window === undefined) return;
    const { webContents } = window;
    options.onContents(webContents);
    webContents.on("render-process-gone", (_event, { reason }) => {
      if (reason === "clean-exit") return;
      const now = performance.now();
      const isGivenUp = crashedAt !== null && now - crashedAt < CRASH_AGAIN_MS;
      crashedAt = now;
      options.onCrashed(reason, isGivenUp);
      // The next click opens a new one.
      if (isGivenUp) window.destroy();
      else webContents.reload();
    });
    // Escape closes the window, which hides instead.
    window.on("close", () => focus.ask());
    // A program that came to the front meanwhile is behind the popover again.
    window.on("focus", () => focus.shown());
    // A destroyed window does not say that it was hidden.
    window.on("closed", () => options.onVisible(false));
  });
  bar.on("after-show", () => options.onVisible(true));
  bar.on("after-hide", () => options.onVisible(false));
  bar.on("after-show", () => focus.shown());
  bar.on("after-hide", () => focus.hidden());
  followDisplays(bar, options.tray);
  bar.on("after-hide", () => {
    const height = bar.window?.getSize()[1];
    if (height !== undefined && height !== prefs.read().popoverHeight) prefs.write({ popoverHeight: height });
  });
  return bar;
};
