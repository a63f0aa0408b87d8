// Settings that the system holds: whether the app starts with the session (`createLaunchAtLogin`), the shortcut that opens the
// popover from anywhere (`createShortcut`), and whether the machine may fall asleep (`createSleepBlocker`).
import type { DesktopState } from "../core/model/desktop.ts";
import type { SleepBlocker } from "../core/ports/sleepBlocker.ts";

type LaunchAtLoginState = DesktopState["launchAtLogin"];

/** The part of Electron's `app` that is used here. */
interface LoginItems {
  readonly isPackaged: boolean;
  getLoginItemSettings(): { openAtLogin: boolean; status: string };
  setLoginItemSettings(settings: { openAtLogin: boolean }): void;
}

const NEEDS_APPROVAL = "Allow agtmux in System Settings, General, Login Items.";

/** macOS may ignore the change silently, above all for a build that is not notarised. */
const notKept = (isOn: boolean): string =>
  isOn
    ? "macOS did not keep it, as it may with a build that is not notarised. Add agtmux in System Settings, General, Login Items."
    : "macOS did not keep it. Remove agtmux in System Settings, General, Login Items.";

/** The person can also change the system's list of login items, so the app only remembers what it last asked for. */
export const createLaunchAtLogin = (items: LoginItems, platform: NodeJS.Platform) => {
  let wish: boolean | null = null;
  const whyNot = (): string | null => {
    if (platform !== "darwin") return "On this system, add agtmux to the desktop's own startup applications.";
    return items.isPackaged ? null : "Only the installed app can start at login.";
  };
  const read = (): LaunchAtLoginState => {
    const reason = whyNot();
    if (reason !== null) return { isSupported: false, isOn: false, problem: reason };
    const { openAtLogin: isOn, status } = items.getLoginItemSettings();
    const problem = status === "requires-approval" ? NEEDS_APPROVAL : null;
    if (problem !== null || wish === null || wish === isOn) return { isSupported: true, isOn, problem };
    return { isSupported: true, isOn, problem: notKept(wish) };
  };
  return {
    get state(): LaunchAtLoginState {
      return read();
    },
    /** Does nothing where it is not supported. The state says so, and also says when the system did not keep the change. */
    set: (isOn: boolean): void => {
      if (whyNot() !== null) return;
      wish = isOn;
      items.setLoginItemSettings({ openAtLogin: isOn });
    },
  };
};

export type LaunchAtLogin = ReturnType<typeof createLaunchAtLogin>;

/**
 * The part of Electron's `globalShortcut` that is used here. `register` throws for a text that is not a shortcut on this
 * system.
 */
interface ShortcutRegistry {
  register(accelerator: string, onPress: () => void): boolean;
  unregister(accelerator: string): void;
}

/** Registers the shortcut; its state says when another program holds it. `initial`: the stored choice, which stays stored then. */
export const createShortcut = (
  deps: {
    readonly registry: ShortcutRegistry;
    readonly onPress: () => void;
    /** Stores the person's choice. */
    readonly remember: (accelerator: string | null) => void;
  },
  initial: string | null,
) => {
  const { registry } = deps;
  let current: string | null = null;
  let problem: string | null = null;

  const tryRegister = (accelerator: string): boolean => {
    try {
      return registry.register(accelerator, deps.onPress);
    } catch {
      // Not a key of this system; for the person this is the same as a key that is taken.
      return false;
    }
  };
  const use = (accelerator: string | null): boolean => {
    problem = null;
    if (accelerator === current) return true;
    if (accelerator !== null && !tryRegister(accelerator)) {
      problem = `${accelerator} cannot be had: another program or the system uses it.`;
      return false;
    }
    if (current !== null) registry.unregister(current);
    current = accelerator;
    return true;
  };

  use(initial);
  return {
    /** `accelerator`: the one in force now; null: none. */
    get state(): { readonly accelerator: string | null; readonly problem: string | null } {
      return { accelerator: current, problem };
    },
    /** Replaces the present one. If the system refuses the new one, the present one stays and `problem` says why. */
    set: (accelerator: string | null): void => {
      if (use(accelerator)) deps.remember(accelerator);
    },
    close: (): void => {
      if (current !== null) registry.unregister(current);
      current = null;
    },
  };
};

export type Shortcut = ReturnType<typeof createShortcut>;

/** The part of Electron's `powerSaveBlocker` that is used here. What it holds ends with the app, however that ends. */
interface PowerSaveBlocker {
  start(type: "prevent-app-suspension"): number;
  stop(id: number): unknown;
}

/** Keeps the machine awake by Electron: the display still goes dark, and a closed lid sleeps. Call once the app is ready. */
export const createSleepBlocker = (
  blocker: PowerSaveBlocker,
  power: { isOnBatteryPower(): boolean },
): SleepBlocker => {
  const held = new Set<number>();
  const release = (id: number): void => {
    if (held.delete(id)) blocker.stop(id);
  };
  return {
    findProblem: () => Promise.resolve(null),
    hold: async () => {
      const id = blocker.start("prevent-app-suspension");
      held.add(id);
      return { release: () => release(id) };
    },
    isOnPower: () => Promise.resolve(!power.isOnBatteryPower()),
    close: async () => {
      for (const id of held) release(id);
    },
  };
};
