// Connects the parts of the desktop app (daemon, tray, popover, notifications, waking up) and bounds its end; also where the app's
// own files lie. It decides nothing about agents.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { errorCodeOf, AgtmuxError } from "../core/model/errors.ts";
import { parseManifest } from "../core/model/manifest.ts";
import { app, autoUpdater, dialog, Notification, powerMonitor, powerSaveBlocker } from "electron";
import type { ReachableService } from "../core/api/calls.ts";
import type { Logger } from "../core/ports/logger.ts";
import {
  toNativeOptions,
  NotificationActions,
  NotificationPresenter,
  NotificationTurns,
} from "./notifications.ts";
import { type PrefsFile, openPrefs } from "./desktopService.ts";
import { homedir } from "node:os";
import { openLogFile } from "../core/daemon/logFile.ts";
import { createSystemClock } from "../core/daemon/systemClock.ts";
import { endsWithin } from "../core/model/endsWithin.ts";
import { ensureHome, type RuntimePaths } from "../core/rpc/paths.ts";
import { createAppPopover, createTrayIcon, iconPath } from "./appPopover.ts";
import { AppUpdate, askAboutUpdate, isReplaceable } from "./appUpdate.ts";
import { createCommandLineService } from "./commandLine.ts";
import { hostDaemon, joinDaemon } from "./compose.ts";
import { createLaunchAtLogin, createSleepBlocker } from "./desktopSettings.ts";
import { DaemonSession, reachDaemon } from "./daemonSession.ts";
import { DesktopEvents } from "./desktopEvents.ts";
import { FocusReturn } from "./focusReturn.ts";
import { denyPermissions, servePage } from "./pageProtocol.ts";
import {
  bundleFolders,
  runLauncher,
  createTerminalService,
  type TerminalService,
} from "./terminals/terminalService.ts";
import { TrayState } from "./trayState.ts";

/** Where the app's own files lie, from source (`main/`) as well as built (`dist/main/`, also inside an asar archive). */
interface Installation {
  readonly version: string;
  /** Where its releases are; null: its manifest names nothing. */
  readonly releases: string | null;
  /** Folder of the built popover. */
  readonly rendererDir: string;
  readonly preload: string;
  readonly iconsDir: string;
  /** Where the command line may be: in a clone, or beside the archive of a packaged app. */
  readonly commands: readonly string[];
  /** The event script as shipped. */
  readonly eventScript: string;
}

/** The nearest folder above this file whose package.json is ours. Throws where there is none. */
export const findInstallation = (): Installation => {
  for (let root = dirname(fileURLToPath(import.meta.url)); root !== dirname(root); root = dirname(root)) {
    try {
      const manifest = parseManifest(readFileSync(join(root, "package.json"), "utf8"));
      if (manifest === null) continue;
      return {
        version: manifest.version,
        releases: manifest.releases,
        rendererDir: join(root, "dist", "renderer"),
        preload: join(root, "dist", "preload", "index.cjs"),
        iconsDir: join(root, "resources", "icons"),
        commands: [join(root, "bin", "agtmux"), join(dirname(root), "cli", "bin", "agtmux")],
        eventScript: join(root, "resources", "hooks", "agtmux-event"),
      };
    } catch (error) {
      if (errorCodeOf(error) !== "ENOENT") throw error;
    }
  }
  throw new Error("the installation of agtmux is incomplete: no package.json");
};

const EXPLANATION = {
  type: "info",
  message: "agtmux tells you when an agent needs you",
  detail:
    "macOS asks next whether it may show notifications. Allow them, and choose Alerts in System Settings, Notifications, so that one stays until you answer it. A build that is not signed by a developer may not show any.",
  buttons: ["Continue"],
} as const;

/** Only macOS asks the person, and only once, at the first notification. */
const explainOnce = (prefs: PrefsFile, logger: Logger): (() => Promise<void>) | null =>
  process.platform !== "darwin" || prefs.read().areNoticesExplained
    ? null
    : async () => {
        try {
          await dialog.showMessageBox({ ...EXPLANATION, buttons: [...EXPLANATION.buttons] });
        } catch (error) {
          logger.warn({ error }, "what notifications are for was not said");
        }
      };

/** Shows the daemon's notifications, and does what a person chooses in them. Call once the app is ready. */
const createAppNotifications = (deps: {
  readonly service: () => Promise<ReachableService>;
  readonly openPopover: () => void;
  readonly isPopoverOpen: () => boolean;
  readonly prefs: PrefsFile;
  readonly logger: Logger;
}): NotificationPresenter => {
  const { service, openPopover, isPopoverOpen, logger } = deps;
  const clock = createSystemClock();
  const setTimer = (delayMs: number, callback: () => void) => clock.setTimer(delayMs, callback);
  const explain = explainOnce(deps.prefs, logger);
  // Removes notifications that an earlier run left because it did not end cleanly: nobody would handle their buttons.
  if (process.platform === "darwin" && explain === null) Notification.removeAll();
  const presenter: NotificationPresenter = new NotificationPresenter({
    create: (native) => new Notification(native),
    toOptions: (notice) => toNativeOptions(notice, process.platform),
    onChoice: (notice, choice) => void actions.perform(notice, choice),
    onFailed: (error) => logger.warn({ reason: error }, "a notification was not shown"),
    isPopoverOpen,
    setTimer,
    turns: new NotificationTurns({
      explain,
      onExplained: () => deps.prefs.write({ areNoticesExplained: true }),
      setTimer,
    }),
  });
  const actions = new NotificationActions({
    service,
    say: (notice, title, body) => presenter.say(notice, title, body),
    openPopover,
    onError: (error) => logger.warn({ error }, "what was chosen in a notification failed"),
  });
  return presenter;
};

/** Null where something else replaces this app. Call once the app is ready. */
const createAppUpdate = (deps: {
  readonly installation: Installation;
  readonly service: () => Promise<ReachableService>;
  readonly isPopoverOpen: () => boolean;
  readonly say: (sentence: string) => void;
  readonly prefs: PrefsFile;
  readonly logger: Logger;
}): AppUpdate | null => {
  const { service, isPopoverOpen, say, prefs, logger } = deps;
  const { version, releases } = deps.installation;
  if (!isReplaceable({ platform: process.platform, isPackaged: app.isPackaged })) return null;
  const clock = createSystemClock();
  return new AppUpdate({
    version,
    native: autoUpdater,
    prefs,
    address: async () => (await (await service()).configGet()).values["releases.address"] ?? releases,
    // Drafts outlive the app; what is being typed needs an open popover.
    isQuiet: async () => !isPopoverOpen() && (await (await service()).underWay()).actions === 0,
    ask: askAboutUpdate(dialog, version),
    say,
    now: () => clock.now(),
    logger,
  });
};

/** Called when the machine woke up or somebody is back, which several events may report at once. Call once the app is ready. */
const onPowerEvent = (handle: () => void): void => {
  powerMonitor.on("resume", handle);
  powerMonitor.on("unlock-screen", handle);
};

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
    { installation: { version, releases, eventScript }, paths, env }: Parameters<typeof runApp>[0],
    logger: Logger,
    terminals: TerminalService,
  ): ConstructorParameters<typeof DaemonSession>[0]["reach"] =>
  (signal) =>
    reachDaemon({
      paths,
      version,
      signal,
      host: (owner) =>
        hostDaemon({
          owner,
          paths,
          installed: { version, releases },
          eventScript,
          env,
          logger,
          terminals,
          loginItem: createLaunchAtLogin(app, process.platform),
          sleepBlocker: createSleepBlocker(powerSaveBlocker, powerMonitor),
          // The answer to the request is sent first.
          onShutdownRequest: () => void setImmediate(() => app.quit()),
        }),
      join: (client) => joinDaemon(client, terminals),
    });

/** Runs until the app quits. Call once Electron is ready; fails where the home or the popover cannot be used. */
export const runApp = async (options: {
  readonly installation: Installation;
  readonly paths: RuntimePaths;
  readonly env: NodeJS.ProcessEnv;
}): Promise<void> => {
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
  const update = createAppUpdate({
    installation,
    service: () => session.service(),
    isPopoverOpen: () => events.isPageVisible,
    say: (sentence) => {
      trayState.problem = sentence;
      icon.show(trayState.picture);
      presenter.announce("update-failed", { title: "agtmux", body: sentence }, () => popover.open());
    },
    prefs,
    logger,
  });
  const session = new DaemonSession({
    reach: createReach(options, logger, terminals),
    onReached: ({ role }) => logger.info({ role, version: installation.version }, "the app runs"),
    onEntry: (entry) => {
      trayState.apply(entry);
      icon.show(trayState.picture);
      update?.consider(trayState.newerRelease);
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
    update?.close();
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
