// Texts that tick: ages, times left and countdowns. They follow the shared clock, so they tick only while the popover is visible.
import { useMemo } from "react";
import { formatAge } from "../../core/model/words.ts";
import { timeLeft } from "../../ui/text/requestText.ts";
import { usePopover } from "../state/popover.ts";
import { useStore } from "../state/store.ts";

/** Epoch ms on the browser's clock, once a second while the popover is visible. */
export const useTick = (): number => {
  const { clock } = usePopover();
  return useStore(clock);
};

/** A text that depends on the daemon's time (epoch ms). It is drawn again only when the text changes. */
export const useTimeText = (textAt: (now: number) => string): string => {
  const { clock, feed } = usePopover();
  const offsetMs = useStore(feed, ({ clockOffsetMs }) => clockOffsetMs);
  return useStore(clock, (now) => textAt(now + offsetMs));
};

/** `since` is ISO 8601. */
export const Age = ({ since, suffix = "" }: { since: string; suffix?: string }) => {
  const at = Date.parse(since);
  const age = useTimeText((now) => formatAge(now - at));
  const title = useMemo(() => new Date(at).toLocaleString(), [at]);
  if (Number.isNaN(at)) return null;
  return (
    <time dateTime={since} title={title}>
      {age}
      {age === "now" ? "" : suffix}
    </time>
  );
};

/** Whole seconds until a moment of the browser's clock; ticks. */
export const Countdown = ({ until }: { until: number }) => {
  const { clock } = usePopover();
  const seconds = useStore(clock, (now) => Math.max(Math.ceil((until - now) / 1_000), 0));
  return <>{seconds < 1 ? "now" : `in ${seconds}\u00a0s`}</>;
};

/** A text that names ages, as `textAt` says it at a moment of the daemon's clock (epoch ms). */
export const TimeText = ({ textAt }: { textAt: (now: number) => string }) => <>{useTimeText(textAt)}</>;

/** Time until a moment of the daemon's clock (epoch ms); ticks, and says when it has passed. */
export const TimeLeft = ({ until }: { until: number }) => {
  return <TimeText textAt={(now) => timeLeft(until - now)} />;
};
