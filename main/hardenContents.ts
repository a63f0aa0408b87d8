// What no page of this app may do: leave its address, open windows, embed others, or ask for a device. Applied to every web
// contents that the app ever makes.
import { app, session, type WebContents } from "electron";

/** The only permission that a page may get is to copy text (the attach command). */
const isPermitted = (permission: string): boolean => permission === "clipboard-sanitized-write";

const hardenContents = (contents: WebContents): void => {
  contents.on("will-navigate", (event) => event.preventDefault());
  contents.on("will-redirect", (event) => event.preventDefault());
  contents.on("will-attach-webview", (event) => event.preventDefault());
  contents.setWindowOpenHandler(() => ({ action: "deny" }));
};

export const hardenAllContents = (): void => {
  app.on("web-contents-created", (_event, contents) => hardenContents(contents));
};

/** Once the app is ready. */
export const denyPermissions = (): void => {
  const { defaultSession } = session;
  defaultSession.setPermissionRequestHandler((_contents, permission, decide) =>
    decide(isPermitted(permission)),
  );
  defaultSession.setPermissionCheckHandler((_contents, permission) => isPermitted(permission));
  defaultSession.setDevicePermissionHandler(() => false);
};
