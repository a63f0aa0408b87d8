// When the events of a target happened, by our own clock: the target's may be hours off, so that only the age of a file
// counts. A measured age varies with the time that an answer takes, and may be in whole seconds.

export interface EventTimes {
  /** Epoch ms of an event that is `ageMs` old on arrival; never before that of an event that was asked for earlier. */
  timeOf(arrivedAt: number, ageMs: number): number;
}

/** One for each target, and longer than any connection to it: the order in which files came must survive a new one. */
export const createEventTimes = (): EventTimes => {
  let last = Number.NEGATIVE_INFINITY;
  return {
    timeOf: (arrivedAt, ageMs) => {
      last = Math.max(last, arrivedAt - ageMs);
      return Math.min(last, arrivedAt);
    },
  };
};
