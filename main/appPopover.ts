// The popover with what belongs to it: its shortcut, its menu, the calls of its page, and the message when its page crashes.
import { app, Menu, globalShortcut } from "electron";
import { createDesktopRouter } from "../core/api/desktopRouter.ts";
import type { DesktopViewName } from "../core/model/desktop.ts";
import type { Logger } from "../core/ports/logger.ts";
import { createRouterCaller, type ProcedureCaller } from "../core/rpc/messageBridge.ts";
import type { CommandLineService } from "./commandLine.ts";
import type { DesktopEvents } from "./desktopEvents.ts";
import { createDesktopService } from "./desktopService.ts";
import type { FocusReturn } from "./focusReturn.ts";
import { createLaunchAtLogin } from "./launchAtLogin.ts";
import type { NotificationPresenter } from "./notificationPresenter.ts";
import { createPageCaller } from "./pageCaller.ts";
import { servePagePort } from "./pageProtocol.ts";
import { createPopover } from "./popover.ts";
import type { PrefsFile } from "./prefs.ts";
import { createShortcut } from "./shortcut.ts";
import type { TerminalService } from "./terminals/terminalService.ts";
import type { TrayIcon } from "./trayIcon.ts";

// The small menu of a right click on the tray.
/** `open` brings the popover up with that view. */
const createContextMenu = (open: (view: DesktopViewName) => void): Menu =>
  Menu.buildFromTemplate([
    { id: "open", label: "Open agtmux", click: () => open("list") },
    { type: "separator" },
    { id: "settings", label: "Settings…", click: () => open("settings") },
    { id: "integrations", label: "Integrations…", click: () => open("integrations") },
    { type: "separator" },
    { id: "quit", label: "Quit agtmux", click: () => app.quit() },
  ]);

export interface AppPopoverDeps {
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
}

export interface AppPopover {
  open(): void;
  /** Releases the shortcut; the window ends with the app. */
  close(): void;
}

const CRASHED = {
  title: "The agtmux popover crashed twice",
  body: "Agents are still watched. Click to open it again.",
};

/** Call once the app is ready. */
export const createAppPopover = (deps: AppPopoverDeps): AppPopover => {
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
