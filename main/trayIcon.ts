// Shows the shape of the most urgent state in the menu bar, and how many panes wait for a person. macOS tints the images (they
// are templates by their name). Systems without a title beside the icon show the number in the tooltip.
import { join } from "node:path";
import { app, Tray } from "electron";
import type { TrayPicture, Urgency } from "./trayState.ts";

export const iconPath = (iconsDir: string, urgency: Urgency): string =>
  join(iconsDir, `${urgency}Template.png`);

export interface TrayIcon {
  readonly tray: Tray;
  show(picture: TrayPicture): void;
}

/** Call once the app is ready. Only changed parts of the tray are updated. */
export const createTrayIcon = (iconsDir: string): TrayIcon => {
  const tray = new Tray(iconPath(iconsDir, "none"));
  let shown: TrayPicture = { urgency: "none", waiting: 0, tooltip: "" };
  return {
    tray,
    show: (picture) => {
      if (picture.urgency !== shown.urgency) tray.setImage(iconPath(iconsDir, picture.urgency));
      if (picture.waiting !== shown.waiting) {
        tray.setTitle(picture.waiting === 0 ? "" : `${picture.waiting}`);
        // An app without a dock icon has no badge on macOS; Linux launchers that support badges show it.
        if (process.platform === "linux") app.setBadgeCount(picture.waiting);
      }
      if (picture.tooltip !== shown.tooltip) tray.setToolTip(picture.tooltip);
      shown = picture;
    },
  };
};
