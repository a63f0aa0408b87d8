// Stands in for what Electron shows outside of windows: tray, menus, notifications, shortcuts, error boxes. Everything is
// reported to the test, which can click it.
import { EventEmitter } from "node:events";
import { existsSync } from "node:fs";
import type * as Electron from "electron";
import { onTest, tellTest } from "./channel.ts";

const toId = (label: string): string => label.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

export class Menu {
  readonly items: readonly Electron.MenuItemConstructorOptions[];

  constructor(items: readonly Electron.MenuItemConstructorOptions[] = []) {
    this.items = items;
  }

  static buildFromTemplate(template: readonly Electron.MenuItemConstructorOptions[]): Menu {
    return new Menu(template);
  }

  static setApplicationMenu(): void {}
}

let shownMenu: Menu | null = null;
const showMenu = (menu: Menu | null): void => {
  shownMenu = menu;
  tellTest({
    kind: "menu",
    entries: (menu?.items ?? []).map(({ id, label = "", type = "normal", enabled = true }) => ({
      id: id ?? toId(label),
      label,
      type,
      enabled,
    })),
  });
};
onTest("menu_click", ({ id }) => {
  const item = shownMenu?.items.find((one) => (one.id ?? toId(one.label ?? "")) === id);
  // Electron would pass its own objects as arguments; no listener of the app reads them.
  if (item?.click !== undefined) Reflect.apply(item.click, item, []);
});

let trayBounds = { x: 900, y: 0, width: 24, height: 24 };

export class Tray
  extends EventEmitter
  implements Pick<Electron.Tray, "setTitle" | "setToolTip" | "getBounds">
{
  private image: string;
  private title = "";
  private tooltip = "";

  constructor(image: string) {
    super();
    this.image = "";
    this.setImage(image);
    onTest("tray_click", () => this.emit("click", {}, trayBounds));
  }

  /** Fails for an image that does not exist, as Electron does. */
  setImage(image: string): void {
    if (!existsSync(image)) throw new Error(`failed to load image from path '${image}'`);
    this.image = image;
    this.tell();
  }

  setTitle(title: string): void {
    this.title = title;
    this.tell();
  }

  setToolTip(tooltip: string): void {
    this.tooltip = tooltip;
    this.tell();
  }

  setContextMenu(menu: Menu | null): void {
    showMenu(menu);
  }

  popUpContextMenu(menu: Menu): void {
    showMenu(menu);
  }

  setIgnoreDoubleClickEvents(): void {}

  getBounds(): Electron.Rectangle {
    return trayBounds;
  }

  isDestroyed(): boolean {
    return false;
  }

  private tell(): void {
    tellTest({ kind: "tray", image: this.image, title: this.title, tooltip: this.tooltip });
  }
}

const openNotifications = new Map<string, Notification>();
let lastNotification = 0;
let notificationProblem: string | null = null;
/** Also for withdrawn ones: a click may be on its way at that moment. */
const everyNotification = new Map<string, Notification>();
/** The system removes the notification after any choice in it. */
const choose = (id: string, event: string, details: object): void => {
  if (openNotifications.delete(id)) tellTest({ kind: "notification_close", id });
  everyNotification.get(id)?.emit(event, details);
};
onTest("notification_click", ({ id }) => choose(id, "click", {}));
// macOS has buttons and replies; the app of another system asks for none, so these are for it to ignore.
onTest("notification_action", ({ id, actionIndex }) => choose(id, "action", { actionIndex }));
onTest("notification_reply", ({ id, reply }) => choose(id, "reply", { reply }));
onTest("notification_problem", ({ problem }) => (notificationProblem = problem));

export class Notification extends EventEmitter implements Pick<Electron.Notification, "show" | "close"> {
  private readonly options: Electron.NotificationConstructorOptions;
  private readonly ownId: string;

  constructor(options: Electron.NotificationConstructorOptions = {}) {
    super();
    this.options = options;
    lastNotification += 1;
    this.ownId = options.id ?? `notification-${lastNotification}`;
  }

  /** This call makes macOS ask the person, so the app must not make it here. */
  static isSupported(): boolean {
    throw new Error("the permission prompt comes without a word before it");
  }

  static removeAll(): void {
    tellTest({ kind: "notifications_cleared" });
  }

  show(): void {
    if (notificationProblem !== null) {
      this.emit("failed", {}, notificationProblem);
      return;
    }
    openNotifications.set(this.ownId, this);
    everyNotification.set(this.ownId, this);
    const { title = "", body = "", silent = false, actions = [] } = this.options;
    const buttons = actions.map(({ text = "" }) => text);
    tellTest({ kind: "notification_show", id: this.ownId, title, body, silent, buttons });
    this.emit("show", {});
  }

  close(): void {
    openNotifications.delete(this.ownId);
    tellTest({ kind: "notification_close", id: this.ownId });
    this.emit("close", {});
  }
}

let readMessage: (button: number) => void = () => {};
onTest("message_read", ({ button }) => readMessage(button));
export const dialog = {
  showErrorBox: (title: string, content: string) => tellTest({ kind: "error_box", title, content }),
  showMessageBox: async ({ message, detail = "" }: Electron.MessageBoxOptions) => {
    tellTest({ kind: "message_box", text: `${message}. ${detail}` });
    const response = await new Promise<number>((resolve) => (readMessage = resolve));
    return { response, checkboxChecked: false };
  },
};

const SCREEN = { x: 0, y: 0, width: 1280, height: 800 };
const DISPLAY = { bounds: SCREEN, workArea: { ...SCREEN, y: 24, height: 776 } };
class Screen extends EventEmitter {
  constructor() {
    super();
    onTest("displays", ({ trayX }) => {
      trayBounds = { ...trayBounds, x: trayX };
      this.emit("display-metrics-changed", {}, DISPLAY, ["bounds"]);
    });
  }
  getDisplayMatching = () => DISPLAY;
  getDisplayNearestPoint = () => DISPLAY;
  getPrimaryDisplay = () => DISPLAY;
  getCursorScreenPoint = () => ({ x: 0, y: 0 });
}
export const screen = new Screen();

const shortcuts = new Map<string, () => void>();
const takenShortcuts = new Set<string>();
onTest("shortcut", ({ accelerator }) => shortcuts.get(accelerator)?.());
onTest("shortcut_taken", ({ accelerator }) => takenShortcuts.add(accelerator));
const tellShortcuts = (): void => tellTest({ kind: "shortcuts", accelerators: [...shortcuts.keys()] });
export const globalShortcut = {
  register: (accelerator: string, callback: () => void) => {
    if (shortcuts.has(accelerator) || takenShortcuts.has(accelerator)) return false;
    shortcuts.set(accelerator, callback);
    tellShortcuts();
    return true;
  },
  unregister: (accelerator: string) => {
    shortcuts.delete(accelerator);
    tellShortcuts();
  },
  unregisterAll: () => shortcuts.clear(),
};

let isOnBattery = false;
class PowerMonitor extends EventEmitter {
  isOnBatteryPower = (): boolean => isOnBattery;
}
export const powerMonitor = new PowerMonitor();
onTest("power", ({ event }) => powerMonitor.emit(event));
onTest("battery", (told) => {
  isOnBattery = told.isOnBattery;
});

const blockers = new Map<number, string>();
const tellBlockers = (): void => tellTest({ kind: "sleep_blockers", types: [...blockers.values()] });
let lastBlocker = 0;
export const powerSaveBlocker = {
  start: (type: string): number => {
    lastBlocker += 1;
    blockers.set(lastBlocker, type);
    tellBlockers();
    return lastBlocker;
  },
  stop: (id: number): boolean => {
    const isKnown = blockers.delete(id);
    tellBlockers();
    return isKnown;
  },
  isStarted: (id: number): boolean => blockers.has(id),
};

export const shell = {
  openPath: (path: string) => {
    tellTest({ kind: "opened", path });
    return Promise.resolve("");
  },
  openExternal: (url: string) => {
    tellTest({ kind: "opened", path: url });
    return Promise.resolve();
  },
};
