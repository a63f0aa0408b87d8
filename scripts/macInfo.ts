// What the property list of the macOS app says beyond Electron's own, in the packaged app and in the bundle that a clone
// makes for itself.
const READS = "Agents that run there keep files that agtmux reads to tell their state.";

export const MAC_INFO: Readonly<Record<string, string | boolean>> = {
  // A menu-bar app: no Dock icon, no menu.
  LSUIElement: true,
  // Otherwise macOS would delay its timers by eight seconds and more while nobody looks, and states would expire.
  NSAppSleepDisabled: true,
  // Notifications with actions stay until they are answered.
  NSUserNotificationAlertStyle: "alert",
  NSAppleEventsUsageDescription: "agtmux opens and focuses windows of your terminal to attach to a pane.",
  NSLocalNetworkUsageDescription: "agtmux watches agents on machines of your network over SSH.",
  NSDesktopFolderUsageDescription: READS,
  NSDocumentsFolderUsageDescription: READS,
  NSDownloadsFolderUsageDescription: READS,
  NSNetworkVolumesUsageDescription: READS,
  NSRemovableVolumesUsageDescription: READS,
};
