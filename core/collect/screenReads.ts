// When a runtime's screen is worth reading. Pure: the answer is a moment, the collector does the reading.
import { QUIET_RECHECK_MS, type Timing } from "../model/config.ts";
import type { WatchedRuntime } from "./sink.ts";

export interface LastRead {
  at: number;
  text: string;
  /** Of the pane, as it was listed last before the read. */
  title: string;
  /** Reads in a row, this one included, that showed the same. */
  sameReads: number;
}

/** An unconfirmed claim must be seen within half a second of its first frame, and so must what follows an action or a title. */
const CLOSE_INTERVAL_MS = 200;
/** An active screen that does not change is looked at again after this long, so that a frozen agent is noticed. */
const ACTIVE_RECHECK_MS = 2_000;

/**
 * A screen at rest is looked at again after 2, 4, 8 … seconds, up to a minute (spec 7.4): soon after a change it is read
 * often, and a screen that rests for long costs next to nothing.
 */
const restMs = ({ sameReads }: LastRead): number =>
  Math.min(ACTIVE_RECHECK_MS * 2 ** Math.min(sameReads, 10), QUIET_RECHECK_MS);

/** tmux tells a window's activity in whole seconds: a change within the second of the last read counts as unseen. */
const hasChangedSince = (runtime: WatchedRuntime, last: LastRead): boolean =>
  runtime.pane.windowActivity >= Math.floor(last.at / 1_000);

/** A title without the frame of its spinner, which goes on without any news. */
const stillTitle = (title: string): string => title.replaceAll(/[\u2800-\u28ff]/gu, "\u2800");

/** Agents write into the title when a turn begins or ends: what the screen shows now is something else. */
const hasOtherTitle = ({ pane }: WatchedRuntime, last: LastRead): boolean =>
  pane.title !== last.title && stillTitle(pane.title) !== stillTitle(last.title);

/** Epoch ms at which the screen should be read next. */
export const nextReadAt = (runtime: WatchedRuntime, last: LastRead | undefined, timing: Timing): number => {
  if (last === undefined) return 0;
  switch (runtime.attention) {
    case "close":
      return last.at + CLOSE_INTERVAL_MS;
    case "waiting":
      return last.at + timing.waiting_read_interval_ms;
    case "active":
    case "quiet": {
      if (hasOtherTitle(runtime, last)) return last.at + CLOSE_INTERVAL_MS;
      if (runtime.isUnsustained) return last.at + timing.contest_ms;
      // A working agent's screen moves all the time: that it rests now is news, and tmux tells of no rest.
      const mayRest = runtime.attention === "active" && last.sameReads === 0;
      if (mayRest || hasChangedSince(runtime, last)) return last.at + timing.screen_read_interval_ms;
      return last.at + (runtime.attention === "active" ? ACTIVE_RECHECK_MS : restMs(last));
    }
  }
};

/** Whether it may be read before that: of a screen that is watched closely, or must show the same twice, the time between two reads counts. */
export const mayBeEarly = ({ attention, isUnsustained }: WatchedRuntime): boolean =>
  (attention === "active" || attention === "quiet") && !isUnsustained;
