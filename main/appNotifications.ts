// Puts the app's notifications together: shows those of the daemon, and does what a person chooses in them.
import { dialog, Notification } from "electron";
import type { ReachableService } from "../core/api/calls.ts";
import type { Logger } from "../core/ports/logger.ts";
import { toNativeOptions } from "./nativeNotification.ts";
import { NotificationActions } from "./notificationActions.ts";
import { NotificationPresenter } from "./notificationPresenter.ts";
import { NotificationTurns } from "./notificationTurns.ts";
import type { PrefsFile } from "./prefs.ts";

export interface AppNotificationsDeps {
  readonly service: () => Promise<ReachableService>;
  readonly openPopover: () => void;
  readonly isPopoverOpen: () => boolean;
  readonly prefs: PrefsFile;
  readonly logger: Logger;
}

const EXPLANATION = {
  type: "info",
  message: "agtmux tells you when an agent needs you",
  detail:
    "macOS asks next whether it may show notifications. Allow them, and choose Alerts in System Settings, Notifications, so that one stays until you answer it. A build that is not signed by a developer may not show any.",
  buttons: ["Continue"],
} as const;

/** Only macOS asks the person, and only once, at the first notification. */
const explainOnce = ({ prefs, logger }: AppNotificationsDeps): (() => Promise<void>) | null =>
  process.platform !== "darwin" || prefs.read().areNoticesExplained
    ? null
    : async () => {
        try {
          await dialog.showMessageBox({ ...EXPLANATION, buttons: [...EXPLANATION.buttons] });
        } catch (error) {
          logger.warn({ error }, "what notifications are for was not said");
        }
      };

/** Call once the app is ready. */
export const createAppNotifications = (deps: AppNotificationsDeps): NotificationPresenter => {
  const { service, openPopover, isPopoverOpen, logger } = deps;
  const setTimer = (delayMs: number, callback: () => void): (() => void) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  };
  const explain = explainOnce(deps);
  // Removes notifications that an earlier run left because it did not end cleanly: nobody would handle their buttons.
  if (process.platform === "darwin" && explain === null) Notification.removeAll();
  const presenter: NotificationPresenter = new NotificationPresenter({
    create: (native) => new Notification(native),
    toOptions: (notice) => toNativeOptions(notice, process.platform),
    onChoice: (notice, choice) => void actions.perform(notice, choice),
    onFailed: (error) => logger.warn({ reason: error }, "a notification was not shown"),
    isPopoverOpen,
    setTimer,
    turns: new NotificationTurns({
      explain,
      onExplained: () => deps.prefs.write({ areNoticesExplained: true }),
      setTimer,
    }),
  });
  const actions = new NotificationActions({
    service,
    say: (notice, title, body) => presenter.say(notice, title, body),
    openPopover,
    onError: (error) => logger.warn({ error }, "what was chosen in a notification failed"),
  });
  return presenter;
};
