// Whether the app starts with the session. The system keeps the list of login items, which the person can also change there, so
// the app only remembers whether its last change took effect.
import type { DesktopState } from "../core/model/desktop.ts";

type LaunchAtLoginState = DesktopState["launchAtLogin"];

/** The part of Electron's `app` that is used here. */
export interface LoginItems {
  readonly isPackaged: boolean;
  getLoginItemSettings(): { openAtLogin: boolean; status: string };
  setLoginItemSettings(settings: { openAtLogin: boolean }): void;
}

export interface LaunchAtLogin {
  readonly state: LaunchAtLoginState;
  /** Does nothing where it is not supported. The state says so, and also says when the system did not keep the change. */
  set(isOn: boolean): void;
}

const NEEDS_APPROVAL = "Allow agtmux in System Settings, General, Login Items.";

/** macOS may ignore the change silently, above all for a build that is not notarised. */
const notKept = (isOn: boolean): string =>
  isOn
    ? "macOS did not keep it, as it may with a build that is not notarised. Add agtmux in System Settings, General, Login Items."
    : "macOS did not keep it. Remove agtmux in System Settings, General, Login Items.";

export const createLaunchAtLogin = (items: LoginItems, platform: NodeJS.Platform): LaunchAtLogin => {
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
    get state() {
      return read();
    },
    set: (isOn) => {
      if (whyNot() !== null) return;
      wish = isOn;
      items.setLoginItemSettings({ openAtLogin: isOn });
    },
  };
};
