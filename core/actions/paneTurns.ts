// One acting at a time per pane: the keys of two senders must never mix, nor one's Enter send the other's text.
import { paneKeyString, type PaneKey } from "../model/runtime.ts";

export interface PaneTurns {
  /** Runs `work` when everything that came before it for this pane is done. */
  take<T>(key: PaneKey, work: () => Promise<T>): Promise<T>;
}

export const createPaneTurns = (): PaneTurns => {
  const last = new Map<string, Promise<unknown>>();
  return {
    take: async (key, work) => {
      const name = paneKeyString(key);
      const before = last.get(name) ?? Promise.resolve();
      const mine = before.then(work);
      // Who comes next waits for the end, whatever it was.
      const ended = mine.catch(() => undefined);
      last.set(name, ended);
      try {
        return await mine;
      } finally {
        if (last.get(name) === ended) last.delete(name);
      }
    },
  };
};
