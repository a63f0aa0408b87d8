// What the popover's page may ask of the app (settings of the window, a test notification, the command line, the logs), and the
// file in which the window's settings are kept. Everything that the daemon obeys is in config.json instead.
import type { DesktopService } from "../core/api/router.ts";
import Store from "electron-store";
import { prefsSchema, readPrefs, type Prefs } from "./readPrefs.ts";
import { dirname } from "node:path";
import { shell } from "electron";
import type { DesktopState } from "../core/model/desktop.ts";
import { AgtmuxError } from "../core/model/errors.ts";
import type { CommandLineService } from "./commandLine.ts";
import type { DesktopEvents } from "./desktopEvents.ts";
import type { LaunchAtLogin, Shortcut } from "./desktopSettings.ts";
import type { NotificationPresenter } from "./notifications.ts";
import type { TerminalService } from "./terminals/terminalService.ts";

/** What the window remembers between starts, in `<userData>/window.json`. */
export const openPrefs = () => {
  const store = new Store<Record<string, unknown>>({ name: "window", clearInvalidConfig: true });
  return {
    read: (): Prefs => readPrefs(store.store, process.platform),
    /** A value that is left out or out of range does not change. */
    write: (change: Partial<Prefs>): void => {
      const parsed = prefsSchema.partial().safeParse(change);
      if (parsed.success) store.set(parsed.data);
    },
  };
};

export type PrefsFile = ReturnType<typeof openPrefs>;

const TEST_WORDS = {
  title: "agtmux can show notifications",
  body: "This is how an agent that waits for you comes up.",
};

const terminalState = (prefs: PrefsFile, terminals: TerminalService): DesktopState["terminal"] => {
  const common = {
    choice: prefs.read().terminal,
    found: terminals.found().map(({ id, name }) => ({ id, name })),
  };
  try {
    return { ...common, inUse: terminals.inUse(), problem: null };
  } catch (error) {
    if (!(error instanceof AgtmuxError)) throw error;
    return { ...common, inUse: null, problem: `${error.message}. ${error.remedy}` };
  }
};

export const createDesktopService = (deps: {
  readonly prefs: PrefsFile;
  readonly terminals: TerminalService;
  readonly shortcut: Shortcut;
  readonly presenter: NotificationPresenter;
  readonly events: DesktopEvents;
  readonly commandLine: CommandLineService;
  readonly launchAtLogin: LaunchAtLogin;
  readonly logPath: string;
  readonly hide: () => void;
}): DesktopService => {
  const { prefs, terminals, shortcut, presenter } = deps;
  const state = (): DesktopState => ({
    platform: process.platform,
    terminal: terminalState(prefs, terminals),
    shortcut: shortcut.state,
    launchAtLogin: deps.launchAtLogin.state,
    // Does not ask the system whether it has notifications, because that question alone makes macOS ask the person.
    notifications: { problem: presenter.problem },
  });
  return {
    state,
    setTerminal: (choice) => {
      if (choice.kind === "known" && !terminals.found().some(({ id }) => id === choice.id))
        throw new AgtmuxError("E_UNSUPPORTED", `${choice.id} is not installed`, {
          remedy: "Choose one of the listed terminals.",
        });
      prefs.write({ terminal: choice });
      return state();
    },
    setShortcut: (accelerator) => {
      shortcut.set(accelerator);
      return state();
    },
    setLaunchAtLogin: (isOn) => {
      deps.launchAtLogin.set(isOn);
      return state();
    },
    testNotification: async () => ({ problem: await presenter.test(TEST_WORDS) }),
    commandLine: () => deps.commandLine.state(),
    installCommandLine: () => deps.commandLine.install(),
    openLogs: async () => {
      const problem = await shell.openPath(dirname(deps.logPath));
      if (problem !== "")
        throw new AgtmuxError("E_UNSUPPORTED", "the folder of the logs could not be opened", {
          remedy: `It is ${dirname(deps.logPath)}.`,
        });
    },
    openPage: async (page) => {
      try {
        await shell.openExternal(page);
      } catch (error) {
        throw new AgtmuxError("E_UNSUPPORTED", "the page could not be opened", {
          remedy: `It is ${page}.`,
          cause: error,
        });
      }
    },
    hide: deps.hide,
    events: (signal) => deps.events.subscribe(signal),
  };
};
