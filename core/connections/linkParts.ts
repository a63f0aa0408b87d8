// What one connection to a target consists of, as far as it was built, and how it is taken down: never delayed by a remote
// side that does not answer, and completely even when a part of it cannot be closed.
import type { Clock } from "../ports/clock.ts";

/** What waits for answers of a shell has this long to end by itself; then the shell is closed. */
const ORDERLY_MS = 2_000;

interface Closable {
  close(): Promise<void>;
}

export interface LinkParts {
  executor: Closable | null;
  shell: Closable | null;
  connected: Closable | null;
  events: Closable | null;
  /** Done first, at once, the last one first. */
  onClose(step: () => void): void;
  /** Never rejects. */
  close(): Promise<void>;
}

export const createLinkParts = (
  clock: Pick<Clock, "setTimer">,
  onProblem: (error: unknown) => void,
): LinkParts => {
  const steps: (() => void)[] = [];
  const end = async (part: Closable | null): Promise<void> => {
    try {
      await part?.close();
    } catch (error) {
      onProblem(error);
    }
  };
  const parts: LinkParts = {
    executor: null,
    shell: null,
    connected: null,
    events: null,
    onClose: (step) => {
      steps.push(step);
    },
    close: async () => {
      for (const step of steps.splice(0).toReversed()) step();
      const cancel = clock.setTimer(ORDERLY_MS, () => void end(parts.shell));
      // Both are told at this moment: a look that fails because the shell ends must not count as a look.
      await Promise.all([end(parts.connected), end(parts.events)]);
      cancel();
      await end(parts.shell);
      await end(parts.executor);
    },
  };
  return parts;
};
