// When the events of a target happened, by our own clock. The target's clock may be hours off, so only the age of a file
// counts. A measured age varies with the time that an answer takes, and may be in whole seconds.

export interface EventTimes {
  /**
   * Epoch ms of an event that is `ageMs` old on arrival; never earlier than the time of an event that this was called for
   * before.
   */
  timeOf(arrivedAt: number, ageMs: number): number;
}

/** Each target has one, which outlives its connections: the order of files must survive a new connection. */
export const createEventTimes = (): EventTimes => {
  let last = Number.NEGATIVE_INFINITY;
  return {
    timeOf: (arrivedAt, ageMs) => {
      last = Math.max(last, arrivedAt - ageMs);
      return Math.min(last, arrivedAt);
    },
  };
};
