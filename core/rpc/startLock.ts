// One starter at a time: of many first commands, one spawns the daemon and the others wait for it. This only saves processes.
// The lock of `ownership.ts` decides who becomes the daemon, so a lost or stale file does no harm.
import { closeSync, openSync, readFileSync, statSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { errorCodeOf } from "../model/systemError.ts";

/** A start that takes longer (in milliseconds) counts as dead. */
const STALE_AFTER_MS = 15_000;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCodeOf(error) === "EPERM";
  }
};

const isStale = (path: string): boolean => {
  try {
    const age = Date.now() - statSync(path).mtimeMs;
    if (age > STALE_AFTER_MS) return true;
    const pid = Number(readFileSync(path, "utf8"));
    // A lock that was just created and not yet written counts as alive.
    return Number.isInteger(pid) && pid > 0 && !isAlive(pid);
  } catch {
    // The file disappeared meanwhile: it is not stale, and the next attempt will see.
    return false;
  }
};

const removeQuietly = (path: string): void => {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errorCodeOf(error) !== "ENOENT") throw error;
  }
};

/** Takes the right to start the daemon of `home`; null while another command has it. The returned function gives it back. */
export const tryStartLock = (home: string): (() => void) | null => {
  const path = join(home, "starting");
  if (isStale(path)) removeQuietly(path);
  try {
    const file = openSync(path, "wx", 0o600);
    writeSync(file, String(process.pid));
    closeSync(file);
  } catch (error) {
    if (errorCodeOf(error) === "EEXIST") return null;
    throw error;
  }
  return () => removeQuietly(path);
};
