// The popover with what belongs to it: its window, the tray icon, its menu, its shortcut, the calls of its page, and the message
// when its page crashes. What the tray icon says is decided in trayState.ts.
import { app, screen, Menu, Tray, type WebContents, globalShortcut } from "electron";
import { menubar, type Menubar } from "electron-menubar";
import type { FocusReturn } from "./focusReturn.ts";
import { createPageCaller, PAGE_URL } from "./pageAnswer.ts";
import { type PrefsFile, createDesktopService } from "./desktopService.ts";
import { MAX_POPOVER_HEIGHT, MIN_POPOVER_HEIGHT } from "./readPrefs.ts";
import { join } from "node:path";
import type { Urgency, TrayState } from "./trayState.ts";
import { createDesktopRouter } from "../core/api/router.ts";
import type { DesktopViewName } from "../core/model/desktop.ts";
import type { Logger } from "../core/ports/logger.ts";
import { createRouterCaller, type ProcedureCaller } from "../core/rpc/messageBridge.ts";
import type { CommandLineService } from "./commandLine.ts";
import type { DesktopEvents } from "./desktopEvents.ts";
import { createLaunchAtLogin, createShortcut } from "./desktopSettings.ts";
import type { NotificationPresenter } from "./notifications.ts";
import { servePagePort } from "./pageProtocol.ts";
import type { TerminalService } from "./terminals/terminalService.ts";

type TrayPicture = TrayState["picture"];

/** Points. */
const POPOVER_WIDTH = 420;

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

/**
 * The menu-bar window: one frameless, sandboxed popover below the tray icon, as high as the person left it. It is loaded at once
 * and stays hidden until somebody asks for it. Call once the app is ready.
 */
export const createPopover = (options: {
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
}): Menubar => {
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

export const iconPath = (iconsDir: string, urgency: Urgency): string =>
  join(iconsDir, `${urgency}Template.png`);

interface TrayIcon {
  readonly tray: Tray;
  show(picture: TrayPicture): void;
}

/**
 * Shows the shape of the most urgent state in the menu bar, and how many panes wait for a person. macOS tints the images (they are
 * templates by their name). Systems without a title beside the icon show the number in the tooltip. Only changed parts of the tray
 * are updated. Call once the app is ready.
 */
export const createTrayIcon = (iconsDir: string): TrayIcon => {
  const tray = new Tray(iconPath(iconsDir, "none"));
  let shown: TrayPicture = { urgency: "none", waiting: 0, tooltip: "" };
  return {
    tray,
    show: (picture) => {
      if (picture.urgency !== shown.urgency) tray.setImage(iconPath(iconsDir, picture.urgency));
      if (picture.waiting !== shown.waiting) {
        tray.setTitle(picture.waiting === 0 ? "" : `${picture.waiting}`);
        // An app without a dock icon has no badge on macOS; Linux launchers that support badges show it.
        if (process.platform === "linux") app.setBadgeCount(picture.waiting);
      }
      if (picture.tooltip !== shown.tooltip) tray.setToolTip(picture.tooltip);
      shown = picture;
    },
  };
};

/** The small menu of a right click on the tray. `open` brings the popover up with that view. */
const createContextMenu = (open: (view: DesktopViewName) => void): Menu =>
  Menu.buildFromTemplate([
    { id: "open", label: "Open agtmux", click: () => open("list") },
    { type: "separator" },
    { id: "settings", label: "Settings…", click: () => open("settings") },
    { id: "integrations", label: "Integrations…", click: () => open("integrations") },
    { type: "separator" },
    { id: "quit", label: "Quit agtmux", click: () => app.quit() },
  ]);

interface AppPopover {
  open(): void;
  /** Releases the shortcut; the window ends with the app. */
  close(): void;
}

const CRASHED = {
  title: "The agtmux popover crashed twice",
  body: "Agents are still watched. Click to open it again.",
};

/** Call once the app is ready. */
export const createAppPopover = (deps: {
  readonly icon: TrayIcon;
  readonly iconPath: string;
  readonly preload: string;
  readonly logPath: string;
  readonly prefs: PrefsFile;
  readonly terminals: TerminalService;
  readonly presenter: NotificationPresenter;
  readonly commandLine: CommandLineService;
  readonly events: DesktopEvents;
  readonly focus: FocusReturn;
  /** Answers the page's calls to the daemon. */
  readonly daemon: ProcedureCaller;
  readonly logger: Logger;
}): AppPopover => {
  const { icon, prefs, events, presenter, logger, focus } = deps;
  const open = (): void => {
    bar
      .showWindow(icon.tray.getBounds())
      .catch((error: unknown) => logger.error({ error }, "the popover did not open"));
  };
  const hide = (): void => {
    focus.ask();
    bar.hideWindow();
  };
  const shortcut = createShortcut(
    {
      registry: globalShortcut,
      onPress: () => (events.isPageVisible ? hide() : open()),
      remember: (accelerator) => prefs.write({ shortcut: accelerator }),
    },
    prefs.read().shortcut,
  );
  const desktop = createDesktopService({
    ...deps,
    shortcut,
    hide,
    launchAtLogin: createLaunchAtLogin(app, process.platform),
  });
  const caller = createPageCaller({
    desktop: createRouterCaller(createDesktopRouter(desktop)),
    daemon: deps.daemon,
  });
  // Must run before the popover's own listener, which hides it.
  icon.tray.on("click", () => focus.ask());
  const bar = createPopover({
    tray: icon.tray,
    icon: deps.iconPath,
    menu: createContextMenu((view) => {
      events.go(view);
      open();
    }),
    preload: deps.preload,
    focus,
    prefs,
    onContents: (contents) => servePagePort(contents, caller),
    onVisible: (isVisible) => events.setVisible(isVisible),
    onCrashed: (reason, isGivenUp) => {
      logger.error({ reason, isGivenUp }, "the popover crashed");
      if (isGivenUp) presenter.announce("popover-crashed", CRASHED, open);
    },
  });
  return { open, close: () => shortcut.close() };
};
