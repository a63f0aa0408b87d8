// The parts of one connection to a target that were built so far, and how they are taken down: without waiting for a remote
// side that does not answer, and completely, even when one part cannot be closed.
import type { Clock } from "../ports/clock.ts";

/** Parts that wait for answers of a shell have this long to end by themselves; then the shell is closed. */
const ORDERLY_MS = 2_000;

interface Closable {
  close(): Promise<void>;
}

export interface LinkParts {
  executor: Closable | null;
  shell: Closable | null;
  connected: Closable | null;
  events: Closable | null;
  /** Run first and at once, the last one added first. */
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
      // Both are told before the shell ends: a look that fails because of that must not count as a look.
      await Promise.all([end(parts.connected), end(parts.events)]);
      cancel();
      await end(parts.shell);
      await end(parts.executor);
    },
  };
  return parts;
};
