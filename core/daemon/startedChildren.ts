// Which long-lived children this home's daemon has, written down so that the next one ends what a killed one left behind.
// tmux (3.3a) keeps a control client for good whose owner died while something was still to be written to it.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { lookAtProcess, signalProcess } from "../actions/processHands.ts";
import type { Logger } from "../ports/logger.ts";
import type { LineProcess, TargetExecutor } from "../ports/targetExecutor.ts";

/** `start` is opaque and tells the process from another one that was given its pid. */
const childSchema = z.strictObject({ pid: z.int().positive(), start: z.string().max(100) });
type Child = z.infer<typeof childSchema>;
const MAX_BYTES = 64 * 1024;

/** Those that an earlier daemon wrote down; none where the file is missing or is not ours to read. */
const readChildren = (path: string, logger: Logger): Child[] => {
  try {
    return z.array(childSchema).parse(JSON.parse(readFileSync(path, "utf8").slice(0, MAX_BYTES)));
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!isMissing) logger.warn({ path, error }, "the list of started children cannot be read");
    return [];
  }
};

export interface StartedChildren {
  /** The executor, with what it starts written down as long as it lives. */
  readonly executor: TargetExecutor;
  /** Ends what an earlier daemon of this home left; to be called once, by the owner of the home. Never fails. */
  endLeftovers(): Promise<void>;
}

export const createStartedChildren = (options: {
  executor: TargetExecutor;
  path: string;
  logger: Logger;
}): StartedChildren => {
  const { executor, path, logger } = options;
  const leftovers = readChildren(path, logger);
  const own = new Map<number, Child>();
  const write = (): void => {
    try {
      writeFileSync(`${path}.new`, JSON.stringify([...leftovers, ...own.values()]), { mode: 0o600 });
      renameSync(`${path}.new`, path);
    } catch (error) {
      // Without the list nothing is wrong now; it is missing only after a kill.
      logger.warn({ path, error }, "the started children could not be written down");
    }
  };
  const note = async (pid: number, hasEnded: () => boolean): Promise<void> => {
    const seen = await lookAtProcess(executor, pid).catch((error: unknown) => {
      logger.warn({ pid, error }, "a started child could not be looked at, and is not written down");
      return null;
    });
    if (seen === null || hasEnded()) return;
    own.set(pid, { pid, start: seen.start });
    write();
  };
  const start = (argv: readonly string[]): LineProcess => {
    const child = executor.start(argv);
    const { pid } = child;
    if (pid === undefined) return child;
    let hasEnded = false;
    void note(pid, () => hasEnded);
    const onExit: LineProcess["onExit"] = (listener) =>
      child.onExit((reason) => {
        hasEnded = true;
        if (own.delete(pid)) write();
        listener(reason);
      });
    return { ...child, onExit };
  };
  return {
    executor: { ...executor, start },
    endLeftovers: async () => {
      for (const child of leftovers.splice(0)) {
        // One after the other: there are hardly ever any.
        // oxlint-disable-next-line no-await-in-loop -- as above
        const isEnded = await signalProcess(executor, child, "TERM").catch((error: unknown) => {
          logger.warn({ ...child, error }, "a child of an earlier daemon could not be ended");
          return false;
        });
        if (isEnded) logger.info({ ...child }, "ended a child that an earlier daemon left");
      }
      write();
    },
  };
};
