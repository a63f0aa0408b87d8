// The small menu of a right click on the tray.
import { app, Menu } from "electron";
import type { DesktopViewName } from "../core/model/desktop.ts";

/** `open` brings the popover up with that view. */
export const createContextMenu = (open: (view: DesktopViewName) => void): Menu =>
  Menu.buildFromTemplate([
    { id: "open", label: "Open agtmux", click: () => open("list") },
    { type: "separator" },
    { id: "settings", label: "Settings…", click: () => open("settings") },
    { id: "integrations", label: "Integrations…", click: () => open("integrations") },
    { type: "separator" },
    { id: "quit", label: "Quit agtmux", click: () => app.quit() },
  ]);
