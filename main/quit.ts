// Ends the app within a bound: whatever hangs longer than that is left to the kernel, which frees the home's lock.
import { app } from "electron";
import { withinLimit } from "./withinLimit.ts";

/** Closing may take this long, in milliseconds. */
const QUIT_LIMIT_MS = 3_000;

/** Closes once, however often and by whomever the app is asked to quit, and exits with 0. */
export const quitBounded = (close: () => Promise<void>): void => {
  let isClosing = false;
  app.on("before-quit", (event) => {
    event.preventDefault();
    if (isClosing) return;
    isClosing = true;
    void withinLimit(close(), QUIT_LIMIT_MS).then(() => app.exit(0));
  });
};
