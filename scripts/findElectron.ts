// Where the Electron binary is, if its installation is complete; one that was interrupted does not count.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";

export interface ElectronPlace {
  /** The package: its installer puts `dist` and, when that is complete, `path.txt` into it. */
  readonly folder: string;
  /** A folder with the person's own binary, named by Electron's variable. */
  readonly overrideFolder: string | undefined;
  readonly platform: string;
}

const EXECUTABLES: Readonly<Record<string, string>> = {
  darwin: "Electron.app/Contents/MacOS/Electron",
  win32: "electron.exe",
};

const readOr = (path: string, otherwise: string): string =>
  existsSync(path) ? readFileSync(path, "utf8") : otherwise;

/** The version of the package in `folder`. */
export const electronVersion = (folder: string): string =>
  z.object({ version: z.string() }).parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")))
    .version;

/** The same checks that the package's own installer makes before it is done. */
const isComplete = (folder: string, executable: string): boolean => {
  const unpacked = readOr(join(folder, "dist", "version"), "")
    .trim()
    .replace(/^v/, "");
  return unpacked === electronVersion(folder) && readOr(join(folder, "path.txt"), "").trim() === executable;
};

/** The executable, or null. Never downloads one. */
export const findElectron = ({ folder, overrideFolder, platform }: ElectronPlace): string | null => {
  const executable = EXECUTABLES[platform] ?? "electron";
  if (overrideFolder !== undefined && overrideFolder !== "") {
    const path = join(overrideFolder, executable);
    return existsSync(path) ? path : null;
  }
  const path = join(folder, "dist", executable);
  return existsSync(path) && isComplete(folder, executable) ? path : null;
};
