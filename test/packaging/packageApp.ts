// Packages the app around a stub of Electron with the project's own script, into a temporary folder.
import { execFile } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { writeLinuxStub, writeMacStub } from "./stubElectron.ts";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface Packaged {
  /** The folder that is installed: the app's own on Linux, `Contents` on macOS. */
  readonly folder: string;
  /** Below it, the folder with the archive and the command line. */
  readonly resources: string;
}

/** Paths of all files below a folder, sorted, with slashes. */
export const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .toSorted();

const SOURCES = ["adapters", "cli", "core", "features", "main", "preload", "renderer", "ui"];
const OUTPUTS = ["main/index.js", "preload/index.cjs", "renderer/index.html", "cli/agtmux.cjs"];

/** `npm test` has just built; a suite that runs by itself must not test an older program. */
export const isBuilt = (): boolean => {
  const outputs = OUTPUTS.map((file) => join(ROOT, "dist", file));
  if (!outputs.every((file) => existsSync(file))) return false;
  const oldest = Math.min(...outputs.map((file) => statSync(file).mtimeMs));
  return SOURCES.every((folder) =>
    listFiles(join(ROOT, folder))
      .filter((file) => /\.(ts|tsx|css|html)$/.test(file) && !file.includes(".test."))
      .every((file) => statSync(join(ROOT, folder, file)).mtimeMs <= oldest),
  );
};

const runScript = async (args: readonly string[]): Promise<void> => {
  await promisify(execFile)(
    process.execPath,
    [
      join(ROOT, "scripts", "package.mjs"),
      "--dir",
      "--no-sign",
      ...(isBuilt() ? ["--no-build"] : []),
      ...args,
    ],
    { cwd: ROOT, maxBuffer: 1 << 24 },
  );
};

/** `root`: a temporary folder. One at a time: what is packaged is made in one place. */
export const packageForLinux = async (root: string, arch: string): Promise<Packaged> => {
  const stub = join(root, "electron-linux");
  writeLinuxStub(stub);
  await runScript(["--linux", `--${arch}`, "--electron-dist", stub, "--output", join(root, "out")]);
  const folder = join(root, "out", arch === "x64" ? "linux-unpacked" : `linux-${arch}-unpacked`);
  return { folder, resources: join(folder, "resources") };
};

/** As `packageForLinux`. */
export const packageForMac = async (root: string, arch: string): Promise<Packaged> => {
  const stub = join(root, "electron-mac");
  writeMacStub(stub);
  await runScript(["--mac", `--${arch}`, "--electron-dist", stub, "--output", join(root, "out")]);
  const folder = join(root, "out", arch === "x64" ? "mac" : `mac-${arch}`, "agtmux.app", "Contents");
  return { folder, resources: join(folder, "Resources") };
};

/** In bytes. */
export const sizeOf = (folder: string): number =>
  listFiles(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
