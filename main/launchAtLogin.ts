// Whether the app starts with the session: the system's own list of login items, which the person can change there as well,
// so that nothing of it is kept here.
import { app } from "electron";
import type { DesktopState } from "../core/model/desktop.ts";

type LaunchAtLogin = DesktopState["launchAtLogin"];

/** What keeps the app from being a login item, or null. */
const whyNot = (): string | null => {
  if (process.platform !== "darwin")
    return "On this system, add agtmux to the desktop's own startup applications.";
  return app.isPackaged ? null : "Only the installed app can start at login.";
};

export const readLaunchAtLogin = (): LaunchAtLogin => {
  const problem = whyNot();
  if (problem !== null) return { isSupported: false, isOn: false, problem };
  const { openAtLogin, status } = app.getLoginItemSettings();
  return {
    isSupported: true,
    isOn: openAtLogin,
    problem: status === "requires-approval" ? "Allow agtmux in System Settings, General, Login Items." : null,
  };
};

/** Does nothing where it is not supported; `readLaunchAtLogin` says so. */
export const setLaunchAtLogin = (isOn: boolean): void => {
  if (whyNot() === null) app.setLoginItemSettings({ openAtLogin: isOn });
};
