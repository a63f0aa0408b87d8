// Starts the real main process of the desktop app under plain Node on the Electron stand-in, with Chromium pages for its
// windows, and gives the test what a person has: the popover, the tray, its menu, notifications.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, type Page } from "playwright";
import type { FromApp, MenuEntry, PageAnswer, ToApp } from "../standIn/messages.ts";
import { launchChromium } from "./chromium.ts";
import { openWindowPage, type WindowPage } from "../standIn/windowPage.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const START_TIMEOUT_MS = 30_000;
/** Longer than the app's own limit for quitting. */
const QUIT_TIMEOUT_MS = 10_000;

export interface StandInOptions {
  /** Runtime home of agtmux. */
  readonly home: string;
  /** Added to this process's environment: `AGTMUX_TMUX_SOCKETS`, `PATH`. */
  readonly env: Readonly<Record<string, string>>;
  /** The caller's browser, which stays open; without it one is started and ended here. */
  readonly browser?: Browser;
  /** Folder of Electron's own data, shared by instances that should know each other; else a temporary one. */
  readonly dataDir?: string;
  /** The system that the app takes this machine for; else the real one. */
  readonly platform?: NodeJS.Platform;
  /** `dist/main/index.js` to run the bundle; else the sources. */
  readonly entry?: string;
}

export interface TrayState {
  /** File name of the image. */
  image: string;
  title: string;
  tooltip: string;
}

export interface ShownNotification {
  id: string;
  title: string;
  body: string;
  silent: boolean;
  buttons: readonly string[];
}

export interface StandIn {
  readonly page: Page;
  readonly pid: number;
  readonly dataDir: string;
  readonly tray: {
    click(): void;
    readonly state: TrayState;
  };
  readonly menu: { readonly entries: readonly MenuEntry[]; click(id: string): void };
  readonly notifications: {
    /** On the screen right now. */
    list(): readonly ShownNotification[];
    /** Everything ever shown, withdrawn ones included. */
    history(): readonly ShownNotification[];
    click(id: string): void;
    /** Presses the n-th button. */
    act(id: string, actionIndex: number): void;
    reply(id: string, text: string): void;
    /** How often the app removed notifications that an earlier run had left. */
    clearings(): number;
    /** Sets whether the system shows later notifications; with a problem it does not. */
    setProblem(problem: string | null): void;
  };
  readonly shortcuts: {
    /** The shortcuts that the app holds now. */
    list(): readonly string[];
    press(accelerator: string): void;
    /** Makes another program take the shortcut. */
    take(accelerator: string): void;
  };
  /** Message boxes, and the button of the one that is open. */
  readonly messages: { list(): readonly string[]; read(button?: number): void };
  /** What the app asked the system to open. */
  readonly opened: readonly string[];
  /** How often the popover was put in its place. */
  placements(): number;
  /** How often the app gave the focus back to the program that had it. */
  focusReturns(): number;
  /** Another program comes to the front. */
  blur(): void;
  /** The kinds of all that keeps the machine from falling asleep now. */
  sleepBlockers(): readonly string[];
  /** From now on the machine is on its battery, or on power. */
  setBattery(isOnBattery: boolean): void;
  power(event: Extract<ToApp, { kind: "power" }>["event"]): void;
  /** The displays change, and the tray goes to another place. */
  moveTray(trayX: number): void;
  /** The popover's renderer ends. */
  crash(reason: string): void;
  /** Whether the app lets its page do that. */
  may(what: Extract<ToApp, { kind: "may" }>["what"], value?: string): Promise<boolean>;
  readonly errorBoxes: readonly { title: string; content: string }[];
  /** Whether the popover is on the screen, as far as the app knows. */
  isVisible(): boolean;
  /** Drags the popover's edge. */
  resize(size: { width: number; height: number }): Promise<void>;
  /** Resolves once `isTrue`; looks again with every message of the app. Rejects when the app ends first or after the limit. */
  until(isTrue: () => boolean, what: string, timeoutMs?: number): Promise<void>;
  /** Resolves with the exit code when the app ends by itself; fails when it does not. */
  end(): Promise<number | null>;
  /** Quits as the system would and gives the exit code; fails when the app does not end in time. */
  quit(): Promise<number | null>;
  /** Ends whatever is left; idempotent. */
  close(): Promise<void>;
}

/** The app's process with its output, which is shown when something fails. */
const startProcess = (
  options: StandInOptions,
  dataDir: string,
): { child: ChildProcess; output: string[] } => {
  const register = join(ROOT, "e2e", "standIn", "register.mjs");
  const entry = options.entry ?? join(ROOT, "main", "index.ts");
  const child = spawn(process.execPath, ["--import", register, entry], {
    cwd: ROOT,
    env: {
      ...process.env,
      ...options.env,
      AGTMUX_HOME: options.home,
      AGTMUX_STAND_IN_DATA: dataDir,
      ...(options.platform === undefined ? {} : { AGTMUX_STAND_IN_PLATFORM: options.platform }),
    },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    serialization: "advanced",
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (data) => output.push(String(data)));
  return { child, output };
};

/** Starts another instance and gives its exit code: for one that is expected to leave at once. */
export const launchAndLeave = async (
  options: StandInOptions & { dataDir: string },
): Promise<number | null> => {
  const { child } = startProcess(options, options.dataDir);
  const [code] = await once(child, "exit");
  return code;
};

/** The desktop and the windows of one app, fed by its messages. */
class Desktop {
  readonly tray: TrayState = { image: "", title: "", tooltip: "" };
  menu: readonly MenuEntry[] = [];
  readonly notifications = new Map<string, ShownNotification>();
  readonly history: ShownNotification[] = [];
  readonly errorBoxes: { title: string; content: string }[] = [];
  readonly opened: string[] = [];
  readonly verdicts: boolean[] = [];
  shortcuts: readonly string[] = [];
  sleepBlockers: readonly string[] = [];
  placements = 0;
  focusReturns = 0;
  clearings = 0;
  readonly messages: string[] = [];
  readonly firstPage = Promise.withResolvers<Page>();
  isVisible = false;
  lastWindowId = 0;
  readonly listeners = new Set<() => void>();
  private readonly windows = new Map<number, Promise<WindowPage>>();
  private readonly requests = new Map<number, (answer: PageAnswer | null) => void>();
  private lastRequest = 0;
  private readonly context: BrowserContext;
  private readonly tell: (message: ToApp) => void;

  constructor(context: BrowserContext, tell: (message: ToApp) => void) {
    this.context = context;
    this.tell = tell;
  }

  handle(message: FromApp): void {
    switch (message.kind) {
      case "window_create":
        this.lastWindowId = message.windowId;
        this.windows.set(message.windowId, this.open(message));
        break;
      case "window_load":
        void this.load(message);
        break;
      case "window_visible":
        this.isVisible = message.isVisible;
        break;
      case "window_reload":
        void this.windows
          .get(message.windowId)
          ?.then(({ page }) => page.reload())
          // It crashed again meanwhile, and its window is gone.
          .catch(() => {});
        break;
      case "app_hide":
        this.focusReturns += 1;
        break;
      case "window_place":
        this.placements += 1;
        break;
      case "shortcuts":
        this.shortcuts = message.accelerators;
        break;
      case "sleep_blockers":
        this.sleepBlockers = message.types;
        break;
      case "opened":
        this.opened.push(message.path);
        break;
      case "verdict":
        this.verdicts.push(message.isAllowed);
        break;
      case "window_destroy":
        void this.windows.get(message.windowId)?.then(({ page }) => page.close());
        this.windows.delete(message.windowId);
        break;
      case "ipc":
        void this.windows
          .get(message.windowId)
          ?.then((window) => window.deliver(message.channel, message.args));
        break;
      case "page_answer":
        this.requests.get(message.requestId)?.(message.answer);
        this.requests.delete(message.requestId);
        break;
      case "tray":
        this.tray.image = message.image.slice(message.image.lastIndexOf("/") + 1);
        this.tray.title = message.title;
        this.tray.tooltip = message.tooltip;
        break;
      case "menu":
        this.menu = message.entries;
        break;
      case "notification_show": {
        const { kind: _kind, ...shown } = message;
        this.notifications.set(shown.id, shown);
        this.history.push(shown);
        break;
      }
      case "notifications_cleared":
        this.clearings += 1;
        break;
      case "message_box":
        this.messages.push(message.text);
        break;
      case "notification_close":
        this.notifications.delete(message.id);
        break;
      case "error_box":
        this.errorBoxes.push({ title: message.title, content: message.content });
        break;
    }
    for (const listener of this.listeners) listener();
  }

  private open({ windowId, preload, width, height }: Extract<FromApp, { kind: "window_create" }>) {
    return openWindowPage({
      windowId,
      context: this.context,
      preload,
      size: { width, height },
      tell: this.tell,
      ask: ({ url, isPageNavigation }) => {
        this.lastRequest += 1;
        const requestId = this.lastRequest;
        const { promise, resolve } = Promise.withResolvers<PageAnswer | null>();
        this.requests.set(requestId, resolve);
        this.tell({ kind: "page_request", requestId, windowId, url, isPageNavigation });
        return promise;
      },
    });
  }

  private async load({ windowId, loadId, url }: Extract<FromApp, { kind: "window_load" }>): Promise<void> {
    try {
      const window = await this.windows.get(windowId);
      const problem = window === undefined ? "the window is gone" : await window.load(url);
      this.tell({ kind: "window_loaded", loadId, problem });
      if (window === undefined || problem !== null) throw new Error(problem ?? "the window is gone");
      this.firstPage.resolve(window.page);
    } catch (error) {
      this.firstPage.reject(error);
    }
  }
}

/** Resolves when the popover's page is loaded. Needs the built preload and renderer (`node scripts/build.mjs`). */
export const launchStandIn = async (options: StandInOptions): Promise<StandIn> => {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "agtmux-data-"));
  const browser = options.browser ?? (await launchChromium());
  const context = await browser.newContext();
  const { child, output } = startProcess(options, dataDir);
  const exited = new Promise<number | null>((resolve) => void child.once("exit", resolve));
  const tell = (message: ToApp): void => {
    // The app may end while a message is on its way.
    if (child.connected) child.send(message, () => {});
  };
  const desktop = new Desktop(context, tell);
  // Both ends are built from one file, so messages are trusted.
  child.on("message", (message: FromApp) => desktop.handle(message));

  const close = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await exited;
    await context.close();
    if (options.browser === undefined) await browser.close();
    if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
  };
  const withProblem = (what: string): Error =>
    new Error([what, ...desktop.errorBoxes.map(({ content }) => content), ...output].join("\n"));
  const within = async <T>(work: Promise<T>, what: string, timeoutMs: number): Promise<T> => {
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(withProblem(`not within ${timeoutMs} ms: ${what}`)), timeoutMs);
    try {
      return await Promise.race([work, promise]);
    } finally {
      clearTimeout(timer);
    }
  };
  const ended = exited.then((code) => {
    throw withProblem(`the app ended (exit code ${code})`);
  });
  ended.catch(() => {});

  const until = async (isTrue: () => boolean, what: string, timeoutMs = START_TIMEOUT_MS): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (): void => {
      if (isTrue()) resolve();
    };
    desktop.listeners.add(look);
    look();
    try {
      await within(Promise.race([promise, ended]), what, timeoutMs);
    } finally {
      desktop.listeners.delete(look);
    }
  };

  try {
    const page = await within(
      Promise.race([desktop.firstPage.promise, ended]),
      "the popover loads",
      START_TIMEOUT_MS,
    );
    return {
      page,
      pid: child.pid ?? -1,
      dataDir,
      tray: { click: () => tell({ kind: "tray_click" }), state: desktop.tray },
      menu: {
        get entries() {
          return desktop.menu;
        },
        click: (id) => tell({ kind: "menu_click", id }),
      },
      notifications: {
        list: () => [...desktop.notifications.values()],
        history: () => desktop.history,
        click: (id) => tell({ kind: "notification_click", id }),
        act: (id, actionIndex) => tell({ kind: "notification_action", id, actionIndex }),
        reply: (id, reply) => tell({ kind: "notification_reply", id, reply }),
        clearings: () => desktop.clearings,
        setProblem: (problem) => tell({ kind: "notification_problem", problem }),
      },
      shortcuts: {
        list: () => desktop.shortcuts,
        press: (accelerator) => tell({ kind: "shortcut", accelerator }),
        take: (accelerator) => tell({ kind: "shortcut_taken", accelerator }),
      },
      messages: {
        list: () => desktop.messages,
        read: (button = 0) => tell({ kind: "message_read", button }),
      },
      opened: desktop.opened,
      placements: () => desktop.placements,
      focusReturns: () => desktop.focusReturns,
      blur: () => tell({ kind: "window_blur", windowId: desktop.lastWindowId }),
      sleepBlockers: () => desktop.sleepBlockers,
      setBattery: (isOnBattery) => tell({ kind: "battery", isOnBattery }),
      power: (event) => tell({ kind: "power", event }),
      moveTray: (trayX) => tell({ kind: "displays", trayX }),
      crash: (reason) => tell({ kind: "crash", windowId: desktop.lastWindowId, reason }),
      may: async (what, value = "") => {
        const count = desktop.verdicts.length;
        tell({ kind: "may", windowId: desktop.lastWindowId, what, value });
        await until(() => desktop.verdicts.length > count, "the app decides");
        return desktop.verdicts[count] === true;
      },
      errorBoxes: desktop.errorBoxes,
      isVisible: () => desktop.isVisible,
      resize: async (size) => {
        await page.setViewportSize(size);
        tell({ kind: "window_resize", windowId: desktop.lastWindowId, ...size });
      },
      until,
      end: () => within(exited, "the app ends", START_TIMEOUT_MS),
      quit: () => {
        tell({ kind: "quit" });
        return within(exited, "the app quits", QUIT_TIMEOUT_MS);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};
