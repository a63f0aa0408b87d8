// Notifications of the app put together: what the daemon tells is shown, and what a person chooses in it is done.
import { Notification } from "electron";
import type { ReachableService } from "../core/api/service.ts";
import type { Logger } from "../core/ports/logger.ts";
import { toNativeOptions } from "./nativeNotice.ts";
import { NoticeHands } from "./noticeHands.ts";
import { NoticePresenter } from "./noticePresenter.ts";

export interface AppNoticesDeps {
  readonly service: () => Promise<ReachableService>;
  readonly openPopover: () => void;
  readonly isPopoverOpen: () => boolean;
  readonly logger: Logger;
}

/** Call once the app is ready. */
export const createAppNotices = ({
  service,
  openPopover,
  isPopoverOpen,
  logger,
}: AppNoticesDeps): NoticePresenter => {
  const presenter: NoticePresenter = new NoticePresenter({
    create: (native) => new Notification(native),
    toOptions: (notice) => toNativeOptions(notice, process.platform),
    onChoice: (notice, choice) => void hands.perform(notice, choice),
    onFailed: (error) => logger.warn({ reason: error }, "a notification was not shown"),
    isPopoverOpen,
    setTimer: (delayMs, callback) => {
      const timer = setTimeout(callback, delayMs);
      return () => clearTimeout(timer);
    },
  });
  const hands = new NoticeHands({
    service,
    say: (notice, title, body) => presenter.say(notice, title, body),
    openPopover,
    onError: (error) => logger.warn({ error }, "what was chosen in a notification failed"),
  });
  return presenter;
};
