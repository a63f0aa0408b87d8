// Gives a one-time address to the person's browser, not as an argument: every user of the machine can read arguments, and one
// could use the address first. Instead a page that only the person can read leads there.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const WRITABLE_BY_OTHERS = 0o022;
/** A browser that was not running may need long to start. */
const KEPT_MS = 120_000;

/** True for a folder in which nobody else can replace a file. */
const isOwn = (folder: string): boolean => {
  const found = statSync(folder, { throwIfNoEntry: false });
  return (
    found?.isDirectory() === true &&
    found.uid === process.getuid?.() &&
    (found.mode & WRITABLE_BY_OTHERS) === 0
  );
};

const pageFor = (address: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${address}"><title>agtmux</title><a href="${address}">Open agtmux</a></html>\n`;

export interface OpenAddressOptions {
  /** The address has no quotes in it. */
  address: string;
  /**
   * The folder for the page. It belongs to the person and is not hidden, because sandboxed browsers (snaps) read neither hidden
   * folders nor the temporary one.
   */
  folder: string;
  /** The program that opens a file as the desktop does. */
  opener: string;
}

/**
 * The page is removed after two minutes, and when this process exits. False where there is no safe place for it; then nothing
 * was opened. Without an opener nothing happens either.
 */
export const openAddress = ({ address, folder, opener }: OpenAddressOptions): boolean => {
  if (!isOwn(folder)) return false;
  const path = join(folder, `agtmux-${randomBytes(8).toString("hex")}.html`);
  writeFileSync(path, pageFor(address), { mode: 0o600, flag: "wx" });
  const remove = (): void => rmSync(path, { force: true });
  process.once("exit", remove);
  setTimeout(remove, KEPT_MS).unref();
  const child = spawn(opener, [path], { stdio: "ignore", detached: true });
  child.on("error", remove);
  child.unref();
  return true;
};
