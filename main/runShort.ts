// Runs one short command of an argument vector, without a shell and without its output.
import { execFile } from "node:child_process";

const TIMEOUT_MS = 5_000;

/** Resolves with the exit status; null when it was ended by a signal or could not be started. */
export const runShort = ([file = "", ...args]: readonly string[]): Promise<number | null> =>
  new Promise((resolve) => {
    execFile(file, args, { timeout: TIMEOUT_MS }, (error) => {
      if (error === null) resolve(0);
      else resolve(typeof error.code === "number" ? error.code : null);
    });
  });
