// A failing store must not end anything that a timer or an event begins.
import { AgtmuxError } from "../model/errors.ts";
import type { Logger } from "../ports/logger.ts";
import { storeFailureOf } from "../ports/store.ts";

/** Runs such work. The part that could not store something tries again; nothing else stops. */
export const tolerateStoreFailure = (logger: Logger, work: () => void): void => {
  try {
    work();
  } catch (error) {
    if (storeFailureOf(error) === null && !(error instanceof AgtmuxError)) throw error;
    logger.warn({ error }, "a change could not be stored");
  }
};
