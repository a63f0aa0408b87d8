// Finds the installed terminal programs in the places where the system keeps programs, without running anything.
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { TerminalId } from "../../core/model/desktop.ts";
import { TERMINAL_KINDS, type TerminalFinder, type TerminalKind } from "./terminalKinds.ts";

export interface TerminalPlaces {
  readonly platform: NodeJS.Platform;
  /** PATH and HOME. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folders of application bundles; the system's and the person's on macOS. */
  readonly bundleFolders: readonly string[];
}

/** Where macOS keeps applications. */
export const bundleFolders = (home: string): readonly string[] => [
  "/Applications",
  join(home, "Applications"),
  "/Applications/Nix Apps",
  join(home, "Applications", "Home Manager Apps"),
  "/System/Applications/Utilities",
  "/Applications/Utilities",
];

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
};
const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

const createFinder = ({ env, bundleFolders: folders }: TerminalPlaces): TerminalFinder => ({
  bundle: (name) => folders.map((folder) => join(folder, `${name}.app`)).find(isFolder) ?? null,
  program: (name) =>
    (env["PATH"] ?? "")
      .split(delimiter)
      .filter(isAbsolute)
      .map((folder) => join(folder, name))
      .find(isExecutable) ?? null,
});

export interface FoundTerminal {
  readonly id: TerminalId;
  readonly name: string;
  readonly path: string;
  readonly kind: TerminalKind;
}

/** The installed terminals, in the order in which they are chosen. */
export const findTerminals = (places: TerminalPlaces): FoundTerminal[] => {
  const finder = createFinder(places);
  return TERMINAL_KINDS.filter(({ platforms }) => platforms.includes(places.platform)).flatMap((kind) => {
    const path = kind.find(finder);
    return path === null ? [] : [{ id: kind.id, name: kind.name, path, kind }];
  });
};
