// Connects the parts of the desktop app: daemon, tray, popover, notifications. It decides nothing about agents.
import { homedir } from "node:os";
import { powerMonitor, app, dialog } from "electron";
import { openLogFile } from "../core/daemon/logFile.ts";
import { createSystemClock } from "../core/daemon/systemClock.ts";
import { endsWithin } from "../core/model/endsWithin.ts";
import { AgtmuxError } from "../core/model/errors.ts";
import type { Logger } from "../core/ports/logger.ts";
import { ensureHome, type RuntimePaths } from "../core/rpc/paths.ts";
import { createAppNotifications } from "./appNotifications.ts";
import { createAppPopover } from "./appPopover.ts";
import { createCommandLineService } from "./commandLine.ts";
import { hostDaemon, joinDaemon } from "./compose.ts";
import { createLaunchAtLogin } from "./launchAtLogin.ts";
import { DaemonSession, type DaemonSessionDeps } from "./daemonSession.ts";
import { DesktopEvents } from "./desktopEvents.ts";
import { FocusReturn } from "./focusReturn.ts";
import { denyPermissions } from "./hardenContents.ts";
import type { Installation } from "./installation.ts";
import { servePage } from "./pageProtocol.ts";
import { openPrefs } from "./prefs.ts";
import { reachDaemon } from "./reachDaemon.ts";
import { bundleFolders } from "./terminals/findTerminals.ts";
import { runLauncher } from "./terminals/runLauncher.ts";
import { createTerminalService, type TerminalService } from "./terminals/terminalService.ts";
import { createTrayIcon, iconPath } from "./trayIcon.ts";
import { TrayState } from "./trayState.ts";

// When the machine woke up or somebody is back, the daemon is asked to look at everything at once. It decides how often it
// does.
/** Once the app is ready. */
const onPowerEvent = (handle: () => void): void => {
  powerMonitor.on("resume", handle);
  powerMonitor.on("unlock-screen", handle);
};

export interface AppOptions {
  readonly installation: Installation;
  readonly paths: RuntimePaths;
  readonly env: NodeJS.ProcessEnv;
}

const MAX_LOG_BYTES = 5 * 1024 * 1024;

/** Shows the error's message and ends. */
export const fail = (error: unknown): void => {
  const { message, remedy } =
    error instanceof AgtmuxError ? error : new AgtmuxError("E_INTERNAL", String(error), { cause: error });
  dialog.showErrorBox("agtmux cannot run", `${message}.\n${remedy}`);
  app.exit(1);
};

/** Closing may take this long, in milliseconds; what hangs longer is left to the kernel, which frees the home's lock. */
const QUIT_LIMIT_MS = 3_000;

/** Closes once, however often and from wherever the app is asked to quit, and exits with 0. */
const quitBounded = (close: () => Promise<void>): void => {
  let isClosing = false;
  app.on("before-quit", (event) => {
    event.preventDefault();
    if (isClosing) return;
    isClosing = true;
    void endsWithin(close(), QUIT_LIMIT_MS, createSystemClock())
      .catch(() => false)
      .then(() => app.exit(0));
  });
};

/** How the session gets a daemon: it hosts one here, or joins the one that runs. */
const createReach =
  (
    { installation: { version, eventScript }, paths, env }: AppOptions,
    logger: Logger,
    terminals: TerminalService,
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
          loginItem: createLaunchAtLogin(app, process.platform),
          // The answer to the request is sent first.
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
  const trayState = new TrayState();
  const icon = createTrayIcon(installation.iconsDir);
  const focus = new FocusReturn(() => {
    if (process.platform === "darwin") app.hide();
  });
  const terminals = createTerminalService({
    places: { platform: process.platform, env, bundleFolders: bundleFolders(homedir()) },
    choice: () => prefs.read().terminal,
    run: (launcher) => focus.goElsewhere(() => runLauncher(launcher)),
  });
  const presenter = createAppNotifications({
    service: () => session.service(),
    openPopover: () => popover.open(),
    isPopoverOpen: () => events.isPageVisible,
    prefs,
    logger,
  });
  const session = new DaemonSession({
    reach: createReach(options, logger, terminals),
    onReached: ({ role }) => logger.info({ role, version: installation.version }, "the app runs"),
    onEntry: (entry) => {
      trayState.apply(entry);
      icon.show(trayState.picture);
    },
    onNotice: (event) => presenter.handle(event),
    onLost: (error) => {
      logger.warn({ error }, "the daemon went away");
      presenter.clear();
      trayState.clear();
      icon.show(trayState.picture);
    },
    onFailed: fail,
  });
  const popover = createAppPopover({
    icon,
    iconPath: iconPath(installation.iconsDir, "none"),
    preload: installation.preload,
    logPath: paths.log,
    prefs,
    terminals,
    presenter,
    commandLine: createCommandLineService({
      platform: process.platform,
      env,
      homeDir: homedir(),
      commands: installation.commands,
    }),
    events,
    focus,
    daemon: session,
    logger,
  });
  quitBounded(async () => {
    popover.close();
    presenter.clear();
    await session.close();
    log.flush();
  });
  onPowerEvent(() => {
    logger.info({}, "the machine woke up");
    session
      .service()
      .then((service) => service.lookNow())
      .catch((error: unknown) => logger.warn({ error }, "looking at everything after waking up failed"));
  });
  app.on("second-instance", () => popover.open());
  // Without a listener, closing the popover would end the app.
  app.on("window-all-closed", () => {});
  session.start();
};
