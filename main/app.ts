// Connects the parts of the desktop app: daemon, tray, popover, notifications. It decides nothing about agents.
import { app, dialog, Menu, Notification } from "electron";
import type { Menubar } from "electron-menubar";
import type { Notice } from "../core/api/service.ts";
import { openLogFile } from "../core/daemon/logFile.ts";
import { AgtmuxError } from "../core/model/errors.ts";
import { actionGuardsSchema } from "../core/model/snapshot.ts";
import { ensureHome, type RuntimePaths } from "../core/rpc/paths.ts";
import { hostDaemon, joinDaemon } from "./compose.ts";
import { DaemonSession } from "./daemonSession.ts";
import { denyPermissions } from "./hardenContents.ts";
import type { Installation } from "./installation.ts";
import { NoticePresenter } from "./noticePresenter.ts";
import { openTerminal, terminalCommand } from "./openTerminal.ts";
import { servePage } from "./pageProtocol.ts";
import { servePagePort } from "./pagePort.ts";
import { PaneBoard } from "./paneBoard.ts";
import { createPopover } from "./popover.ts";
import { openPrefs } from "./prefs.ts";
import { quitBounded } from "./quit.ts";
import { reachDaemon } from "./reachDaemon.ts";
import { createTrayIcon, iconPath } from "./trayIcon.ts";

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

const createMenu = (open: () => void): Menu =>
  Menu.buildFromTemplate([
    { id: "open", label: "Open agtmux", click: open },
    { type: "separator" },
    { id: "quit", label: "Quit agtmux", click: () => app.quit() },
  ]);

/** Runs until the app quits. Call once Electron is ready; fails where the home or the popover cannot be used. */
export const runApp = async ({ installation, paths, env }: AppOptions): Promise<void> => {
  ensureHome(paths);
  const log = await openLogFile({
    path: paths.log,
    level: env["AGTMUX_LOG_LEVEL"] ?? "info",
    maxBytes: MAX_LOG_BYTES,
  });
  const { logger } = log;
  denyPermissions();
  servePage(installation.rendererDir);

  const board = new PaneBoard();
  const icon = createTrayIcon(installation.iconsDir);
  const openInTerminal = (argv: readonly string[]): Promise<void> =>
    openTerminal(argv, { platform: process.platform, env });
  const presenter = new NoticePresenter({
    create: ({ id, title, body }) => new Notification({ id, title, body }),
    onClick: (notice) => void attach(notice),
    onFailed: (error) => logger.warn({ reason: error }, "a notification was not shown"),
  });
  const session = new DaemonSession({
    reach: (signal) =>
      reachDaemon({
        paths,
        version: installation.version,
        signal,
        host: (owner) =>
          hostDaemon({
            owner,
            paths,
            version: installation.version,
            eventScript: installation.eventScript,
            env,
            logger,
            openTerminal: openInTerminal,
            findTerminal: () => terminalCommand([], { platform: process.platform, env })[0] ?? "",
            // The answer to the request goes out first.
            onShutdownRequest: () => void setImmediate(() => app.quit()),
          }),
        join: (client) => joinDaemon(client, openInTerminal),
      }),
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
  quitBounded(async () => {
    presenter.clear();
    await session.close();
    log.flush();
  });

  // The menu opens the popover and the popover carries the menu.
  let bar: Menubar | null = null;
  const open = (): void => {
    bar?.showWindow().catch((error: unknown) => logger.error({ error }, "the popover did not open"));
  };
  const attach = async ({ pane }: Notice): Promise<void> => {
    const { runtime_id: runtimeId, pane_ref: paneRef } = pane.identity;
    const ref = runtimeId === null ? paneRef : `runtime:${runtimeId}`;
    try {
      const service = await session.service();
      await service.openAttach({ ref, guards: actionGuardsSchema.parse({}), surface: "notification" });
    } catch (error) {
      // The popover shows what became of the pane.
      logger.warn({ error }, "attaching from a notification failed");
      open();
    }
  };
  bar = createPopover({
    tray: icon.tray,
    icon: iconPath(installation.iconsDir, "none"),
    menu: createMenu(open),
    preload: installation.preload,
    prefs: openPrefs(),
    onContents: (contents) => servePagePort(contents, session),
    onCrashed: (reason) => logger.error({ reason }, "the popover crashed"),
  });
  app.on("second-instance", open);
  // Without a listener, closing the popover would end the app.
  app.on("window-all-closed", () => {});
  session.start();
};
