// Connects the parts of the desktop app: daemon, tray, popover, notifications. It decides nothing about agents.
import { homedir } from "node:os";
import { app, dialog, globalShortcut, Notification } from "electron";
import type { Menubar } from "electron-menubar";
import { createDesktopRouter } from "../core/api/desktopRouter.ts";
import { openLogFile } from "../core/daemon/logFile.ts";
import { AgtmuxError } from "../core/model/errors.ts";
import { createRouterCaller } from "../core/rpc/messageBridge.ts";
import type { Logger } from "../core/ports/logger.ts";
import { ensureHome, type RuntimePaths } from "../core/rpc/paths.ts";
import { hostDaemon, joinDaemon } from "./compose.ts";
import { createContextMenu } from "./contextMenu.ts";
import { DaemonSession, type DaemonSessionDeps } from "./daemonSession.ts";
import { DesktopEvents } from "./desktopEvents.ts";
import { createDesktopService } from "./desktopService.ts";
import { denyPermissions } from "./hardenContents.ts";
import type { Installation } from "./installation.ts";
import { toNativeOptions } from "./nativeNotice.ts";
import { NoticeHands } from "./noticeHands.ts";
import { NoticePresenter } from "./noticePresenter.ts";
import { createPageCaller } from "./pageCaller.ts";
import { servePage } from "./pageProtocol.ts";
import { servePagePort } from "./pagePort.ts";
import { PaneBoard } from "./paneBoard.ts";
import { createPopover } from "./popover.ts";
import { openPrefs } from "./prefs.ts";
import { quitBounded } from "./quit.ts";
import { reachDaemon } from "./reachDaemon.ts";
import { createShortcut } from "./shortcut.ts";
import { bundleFolders } from "./terminals/findTerminals.ts";
import { createTerminalDesk, type TerminalDesk } from "./terminals/terminalDesk.ts";
import { createTrayIcon, iconPath } from "./trayIcon.ts";
import { onWakeUp } from "./wakeUps.ts";

export interface AppOptions {
  readonly installation: Installation;
  readonly paths: RuntimePaths;
  readonly env: NodeJS.ProcessEnv;
}

const MAX_LOG_BYTES = 5 * 1024 * 1024;

/** Says what is wrong in the words of the error and ends. */
export const fail = (error: unknown): void => {
  const { message, remedy } =
    error instanceof AgtmuxError ? error : new AgtmuxError("E_INTERNAL", String(error), { cause: error });
  dialog.showErrorBox("agtmux cannot run", `${message}.\n${remedy}`);
  app.exit(1);
};

/** How the session comes to a daemon: hosts one here, or joins the one that runs. */
const createReach =
  (
    { installation: { version, eventScript }, paths, env }: AppOptions,
    logger: Logger,
    terminals: TerminalDesk,
  ): DaemonSessionDeps["reach"] =>
  (signal) =>
    reachDaemon({
      paths,
      version,
      signal,
      host: (owner) =>
        hostDaemon({
          owner,
          paths,
          version,
          eventScript,
          env,
          logger,
          terminals,
          // The answer to the request goes out first.
          onShutdownRequest: () => void setImmediate(() => app.quit()),
        }),
      join: (client) => joinDaemon(client, terminals),
    });

/** Runs until the app quits. Call once Electron is ready; fails where the home or the popover cannot be used. */
export const runApp = async (options: AppOptions): Promise<void> => {
  const { installation, paths, env } = options;
  ensureHome(paths);
  const log = await openLogFile({
    path: paths.log,
    level: env["AGTMUX_LOG_LEVEL"] ?? "info",
    maxBytes: MAX_LOG_BYTES,
  });
  const { logger } = log;
  denyPermissions();
  servePage(installation.rendererDir);

  const prefs = openPrefs();
  const events = new DesktopEvents();
  const board = new PaneBoard();
  const icon = createTrayIcon(installation.iconsDir);
  const terminals = createTerminalDesk({
    places: { platform: process.platform, env, bundleFolders: bundleFolders(homedir()) },
    choice: () => prefs.read().terminal,
  });
  const presenter = new NoticePresenter({
    create: (native) => new Notification(native),
    toOptions: (notice) => toNativeOptions(notice, process.platform),
    onChoice: (notice, choice) => void hands.perform(notice, choice),
    onFailed: (error) => logger.warn({ reason: error }, "a notification was not shown"),
    isPopoverOpen: () => events.isPageVisible,
    setTimer: (delayMs, callback) => {
      const timer = setTimeout(callback, delayMs);
      return () => clearTimeout(timer);
    },
  });
  const hands = new NoticeHands({
    service: () => session.service(),
    say: (notice, title, body) => presenter.say(notice, title, body),
    openPopover: () => open(),
    onError: (error) => logger.warn({ error }, "what was chosen in a notification failed"),
  });
  const session = new DaemonSession({
    reach: createReach(options, logger, terminals),
    onReached: ({ role }) => logger.info({ role, version: installation.version }, "the app runs"),
    onEntry: (entry) => {
      board.apply(entry);
      icon.show(board.picture);
    },
    onNotice: (event) => presenter.handle(event),
    onLost: (error) => {
      logger.warn({ error }, "the daemon went away");
      presenter.clear();
      board.clear();
      icon.show(board.picture);
    },
    onFailed: fail,
  });

  // The menu opens the popover and the popover carries the menu.
  let bar: Menubar | null = null;
  const open = (): void => {
    bar
      ?.showWindow(icon.tray.getBounds())
      .catch((error: unknown) => logger.error({ error }, "the popover did not open"));
  };
  const toggle = (): void => (events.isPageVisible ? bar?.hideWindow() : open());
  const shortcut = createShortcut(
    {
      registry: globalShortcut,
      onPress: toggle,
      remember: (accelerator) => prefs.write({ shortcut: accelerator }),
    },
    prefs.read().shortcut,
  );
  quitBounded(async () => {
    shortcut.close();
    presenter.clear();
    await session.close();
    log.flush();
  });
  const desktop = createDesktopService({
    prefs,
    terminals,
    shortcut,
    presenter,
    events,
    logPath: paths.log,
    hide: () => bar?.hideWindow(),
  });
  const caller = createPageCaller({
    desktop: createRouterCaller(createDesktopRouter(desktop)),
    daemon: session,
  });
  bar = createPopover({
    tray: icon.tray,
    icon: iconPath(installation.iconsDir, "none"),
    menu: createContextMenu((view) => {
      events.go(view);
      open();
    }),
    preload: installation.preload,
    prefs,
    onContents: (contents) => servePagePort(contents, caller),
    onVisible: (isVisible) => events.setVisible(isVisible),
    onCrashed: (reason, isGivenUp) => {
      logger.error({ reason, isGivenUp }, "the popover crashed");
      if (isGivenUp)
        presenter.announce(
          "popover-crashed",
          {
            title: "The agtmux popover crashed twice",
            body: "Agents are still watched. Click to open it anew.",
          },
          open,
        );
    },
  });
  onWakeUp(() => {
    logger.info({}, "the machine woke up");
    session
      .service()
      .then((service) => service.lookNow())
      .catch((error: unknown) => logger.warn({ error }, "looking at everything after waking up failed"));
  });
  app.on("second-instance", open);
  // Without a listener, closing the popover would end the app.
  app.on("window-all-closed", () => {});
  session.start();
};
