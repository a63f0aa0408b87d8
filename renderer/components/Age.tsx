// How long ago something began, in its largest unit. Ticks with the shared clock, so only while the popover is visible.
import { createContext, useContext, useSyncExternalStore } from "react";
import { formatAge } from "../../core/model/words.ts";
import type { TickingClock } from "../state/tickingClock.ts";

/** The clock, and what to add to it to have the daemon's time (milliseconds). */
export const ClockContext = createContext<{ clock: TickingClock; offsetMs: number } | null>(null);

const useClock = () => {
  const context = useContext(ClockContext);
  if (context === null) throw new Error("an age is drawn outside of the clock's context");
  return context;
};

/** Epoch ms on the browser's clock, once a second while the popover is visible. */
export const useTick = (): number => {
  const { clock } = useClock();
  return useSyncExternalStore(clock.subscribe, clock.getNow);
};

const useDaemonNow = (): number => useTick() + useClock().offsetMs;

/** `since` is ISO 8601. */
export const Age = ({ since, suffix = "" }: { since: string; suffix?: string }) => {
  const now = useDaemonNow();
  const at = new Date(since);
  if (Number.isNaN(at.getTime())) return null;
  const age = formatAge(now - at.getTime());
  return (
    <time dateTime={since} title={at.toLocaleString()}>
      {age}
      {age === "now" ? "" : suffix}
    </time>
  );
};

/** Whole seconds until a moment of the browser's clock; ticks. */
export const Countdown = ({ until }: { until: number }) => {
  const seconds = Math.max(Math.ceil((until - useTick()) / 1_000), 0);
  return <>{seconds < 1 ? "now" : `in ${seconds} s`}</>;
};

/** Above this nobody counts seconds. */
const MINUTES_FROM_MS = 120_000;

/** Time until a moment of the daemon's clock (epoch ms); ticks, and says when it has passed. */
export const TimeLeft = ({ until }: { until: number }) => {
  const leftMs = until - useDaemonNow();
  if (leftMs <= 0) return <>any moment now</>;
  return <>{leftMs > MINUTES_FROM_MS ? `in ${formatAge(leftMs)}` : `in ${Math.ceil(leftMs / 1_000)} s`}</>;
};
