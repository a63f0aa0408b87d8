// The desktop app on real Electron: only where a binary is at hand. It alone proves context isolation, the custom scheme
// and native windows; everything else is proven on the stand-in as well. What it asks of the system is written down on the way, and
// everything that helps to see what went wrong is kept in test-results/electron.
import { execFileSync } from "node:child_process";
import { copyFileSync, createWriteStream, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { _electron, type ElectronApplication, type Page } from "playwright";
import { runtimePaths } from "../../core/rpc/paths.ts";
import { electronVersion } from "../../scripts/findElectron.ts";
import { prepareBundle } from "../../scripts/prepareBundle.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const RESULTS = join(ROOT, "test-results", "electron");
const EXECUTABLES: Partial<Record<NodeJS.Platform, string>> = {
  darwin: "Electron.app/Contents/MacOS/Electron",
  win32: "electron.exe",
};

/** Path of an Electron executable, or null. Never downloads one. */
export const findElectron = (): string | null => {
  const name = EXECUTABLES[process.platform] ?? "electron";
  const folders = [
    process.env["ELECTRON_OVERRIDE_DIST_PATH"],
    join(ROOT, "node_modules", "electron", "dist"),
  ];
  for (const folder of folders)
    if (folder !== undefined && existsSync(join(folder, name))) return join(folder, name);
  return null;
};

/** In a bundle of its own on macOS, as `npm start` runs it: Electron's own gets no notifications there. */
const ownBundle = (executablePath: string): Promise<string> =>
  process.platform === "darwin"
    ? prepareBundle({
        electronApp: join(executablePath, "..", "..", ".."),
        version: electronVersion(join(ROOT, "node_modules", "electron")),
        folder: join(ROOT, "dist", "development"),
      })
    : Promise.resolve(executablePath);

/** A notification that the app handed to the system, and what the system said of it. */
export interface SeenNotice {
  readonly title: string;
  readonly body: string;
  readonly hasReply: boolean;
  readonly buttons: readonly string[];
  /** `asked`: nothing was said yet. */
  readonly outcome: "asked" | "shown" | `failed: ${string}`;
}

/** What the app asked of the system since it was launched. */
export interface Seen {
  /** Beside the icon; null before the icon showed anything. */
  readonly trayTitle: string | null;
  readonly notices: readonly SeenNotice[];
  /** Message boxes, which are answered with their first button. */
  readonly messages: readonly string[];
  /** Words of each program that would have opened or raised a terminal by AppleScript, in place of which nothing ran. */
  readonly scripts: readonly (readonly string[])[];
  /** How often it gave the keyboard back to the program before. */
  readonly hides: number;
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Where the icon and the window are, in points of the screen. */
export interface Places {
  readonly tray: Box;
  readonly window: Box;
  readonly workArea: Box;
  readonly isVisible: boolean;
  readonly isFocused: boolean;
  /** Null where there is no Dock. */
  readonly isInDock: boolean | null;
}

/** Runs in the main process; the app's imports see what is put in place of Node's and Electron's functions. */
const watchSystem = ({ app, dialog, Notification, Tray }: typeof Electron.CrossProcessExports): void => {
  const kept: {
    tray: Electron.Tray | null;
    trayTitle: string | null;
    notices: { native: Electron.Notification; outcome: string }[];
    messages: string[];
    scripts: string[][];
    hides: number;
  } = { tray: null, trayTitle: null, notices: [], messages: [], scripts: [], hides: 0 };
  Reflect.set(globalThis, "agtmuxSeen", kept);
  /** Calls `before` with the object and the first argument, then what was there. */
  const listen = <T extends object>(
    type: { prototype: T },
    name: string,
    before: (self: T, value: unknown) => void,
  ) => {
    const real: unknown = Reflect.get(type.prototype, name);
    if (typeof real !== "function") throw new Error(`there is no ${name}`);
    Reflect.set(type.prototype, name, function call(this: T, ...args: unknown[]): unknown {
      before(this, args[0]);
      return Reflect.apply(real, this, args);
    });
  };
  listen(Tray, "setToolTip", (tray) => (kept.tray = tray));
  listen(Tray, "setTitle", (tray, title) => {
    kept.tray = tray;
    kept.trayTitle = String(title);
  });
  listen(Notification, "show", (native) => {
    const notice = { native, outcome: "asked" };
    kept.notices.push(notice);
    native.once("show", () => (notice.outcome = "shown"));
    native.once("failed", (_event, error) => (notice.outcome = `failed: ${error}`));
  });
  Reflect.set(dialog, "showMessageBox", (...args: unknown[]) => {
    const options: unknown = args.at(-1);
    kept.messages.push(JSON.stringify(options));
    return Promise.resolve({ response: 0, checkboxChecked: false });
  });
  if (process.platform === "darwin") {
    const hide = app.hide.bind(app);
    Reflect.set(app, "hide", () => {
      kept.hides += 1;
      hide();
    });
  }
  const children = process.getBuiltinModule("node:child_process");
  const { spawn } = children;
  Reflect.set(children, "spawn", (file: string, args: readonly string[], options: object) => {
    if (file !== "/usr/bin/osascript") return spawn(file, args, options);
    kept.scripts.push([file, ...args]);
    // As a script that found nothing to raise, or has opened its window.
    return spawn("/bin/sh", ["-c", "echo none"], options);
  });
  process.getBuiltinModule("node:module").syncBuiltinESMExports();
};

export interface RealElectron {
  readonly page: Page;
  seen(): Promise<Seen>;
  places(): Promise<Places>;
  /** As when a person starts the app once more. */
  open(): Promise<void>;
  /** As a click on the icon, once the icon showed something. */
  clickTray(): Promise<void>;
  /** As a press of a button of the newest notification whose body has the text. */
  press(body: string, button: number): Promise<void>;
  /** Keeps a picture of the page, and on macOS of the screen, with what was seen. */
  keep(name: string): Promise<void>;
  close(): Promise<void>;
}

/** A picture of the whole screen, or why there is none. */
const shootScreen = (file: string): void => {
  if (process.platform !== "darwin") return;
  try {
    execFileSync("/usr/sbin/screencapture", ["-x", file], { timeout: 10_000 });
  } catch (error) {
    writeFileSync(`${file}.txt`, `no picture of the screen: ${String(error)}\n`);
  }
};

const readPlaces = (app: ElectronApplication): Promise<Places> =>
  app.evaluate(({ app: electronApp, BrowserWindow, screen }) => {
    const kept = Reflect.get(globalThis, "agtmuxSeen") as { tray: Electron.Tray | null };
    const [window] = BrowserWindow.getAllWindows();
    if (window === undefined) throw new Error("the app has no window");
    if (kept.tray === null) throw new Error("the icon has shown nothing yet");
    return {
      tray: kept.tray.getBounds(),
      window: window.getBounds(),
      workArea: screen.getDisplayMatching(window.getBounds()).workArea,
      isVisible: window.isVisible(),
      isFocused: window.isFocused(),
      isInDock: electronApp.dock?.isVisible() ?? null,
    };
  });

const readSeen = (app: ElectronApplication): Promise<Seen> =>
  app.evaluate(() => {
    const kept = Reflect.get(globalThis, "agtmuxSeen") as {
      trayTitle: string | null;
      notices: { native: Electron.Notification; outcome: SeenNotice["outcome"] }[];
      messages: string[];
      scripts: string[][];
      hides: number;
    };
    return {
      trayTitle: kept.trayTitle,
      notices: kept.notices.map(({ native, outcome }) => ({
        title: native.title,
        body: native.body,
        hasReply: native.hasReply,
        buttons: native.actions.map(({ text = "" }) => text),
        outcome,
      })),
      messages: kept.messages,
      scripts: kept.scripts,
      hides: kept.hides,
    };
  });

/**
 * Starts the built app (`dist/main`); `page` is the popover's window, which exists from the start. `name`: of the test, for what
 * is kept of it.
 */
export const launchElectron = async (options: {
  executablePath: string;
  home: string;
  /** Electron's own data; also what makes it the only instance. */
  dataDir: string;
  name: string;
  env: Readonly<Record<string, string>>;
}): Promise<RealElectron> => {
  const folder = join(RESULTS, options.name.replaceAll(/[^\w]+/g, "-").slice(0, 80));
  mkdirSync(folder, { recursive: true });
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  const app = await _electron.launch({
    executablePath: await ownBundle(options.executablePath),
    args: [ROOT, `--user-data-dir=${options.dataDir}`],
    env: {
      ...Object.fromEntries(inherited),
      ...options.env,
      AGTMUX_HOME: options.home,
      ELECTRON_ENABLE_LOGGING: "1",
    },
  });
  const log = createWriteStream(join(folder, "main.log"));
  for (const stream of [app.process().stdout, app.process().stderr]) stream?.pipe(log, { end: false });
  await app.evaluate(watchSystem);
  const page = await app.firstWindow();
  page.on("console", (message) => log.write(`page ${message.type()}: ${message.text()}\n`));
  page.on("pageerror", (error) => log.write(`page error: ${error.message}\n`));
  return {
    page,
    seen: () => readSeen(app),
    places: () => readPlaces(app),
    open: async () => {
      await app.evaluate(({ app: electronApp }) => void electronApp.emit("second-instance"));
    },
    clickTray: async () => {
      await app.evaluate(() => {
        const { tray } = Reflect.get(globalThis, "agtmuxSeen") as { tray: Electron.Tray | null };
        if (tray === null) throw new Error("the icon has shown nothing yet");
        tray.emit("click", { altKey: false, shiftKey: false }, tray.getBounds());
      });
    },
    press: async (body, button) => {
      await app.evaluate(
        (_electron, [text, actionIndex]) => {
          const { notices } = Reflect.get(globalThis, "agtmuxSeen") as {
            notices: { native: Electron.Notification }[];
          };
          const found = notices.findLast(({ native }) => native.body.includes(text));
          if (found === undefined) throw new Error(`no notification has '${text}'`);
          found.native.emit("action", { actionIndex }, actionIndex);
        },
        [body, button] as const,
      );
    },
    keep: async (name) => {
      shootScreen(join(folder, `${name}-screen.png`));
      const state = await Promise.all([readSeen(app), readPlaces(app).catch(String)]).catch(String);
      writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(state, null, 2)}\n`);
      await page
        .screenshot({ path: join(folder, `${name}.png`), timeout: 5_000 })
        .catch((error: unknown) => log.write(`no picture of the page: ${String(error)}\n`));
    },
    close: async () => {
      await app.close();
      log.end();
      const { log: own } = runtimePaths(options.home);
      if (existsSync(own)) copyFileSync(own, join(folder, "agtmux.log"));
    },
  };
};
