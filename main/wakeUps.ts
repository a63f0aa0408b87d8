// The machine woke up or somebody is back: the daemon looks at everything at once. How often that is too often is its
// decision.
import { powerMonitor } from "electron";

/** Once the app is ready. */
export const onWakeUp = (heed: () => void): void => {
  powerMonitor.on("resume", heed);
  powerMonitor.on("unlock-screen", heed);
};
