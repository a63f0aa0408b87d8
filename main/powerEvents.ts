// The machine woke up or somebody is back: the daemon looks at everything at once. How often that is too often is its
// decision.
import { powerMonitor } from "electron";

/** Once the app is ready. */
export const onPowerEvent = (handle: () => void): void => {
  powerMonitor.on("resume", handle);
  powerMonitor.on("unlock-screen", handle);
};
