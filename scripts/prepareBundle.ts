// The bundle that a clone runs on macOS. Electron's own is signed by the linker only, with no property list bound to the
// signature: such a bundle gets no notifications. So it is copied once, told who it is, and signed ad hoc.
import { execFile } from "node:child_process";
import { constants, existsSync, readFileSync } from "node:fs";
import { cp, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { MAC_INFO } from "./macInfo.ts";

const run = promisify(execFile);

/** Not the installed app's: permissions and login items of the two are kept apart. */
const INFO: Readonly<Record<string, string | boolean>> = {
  ...MAC_INFO,
  CFBundleIdentifier: "dev.agtmux.development",
  CFBundleName: "agtmux",
  CFBundleDisplayName: "agtmux",
};

export interface PrepareBundleOptions {
  /** `Electron.app`, as it was downloaded. */
  readonly electronApp: string;
  /** Its version: another one is prepared anew. */
  readonly version: string;
  /** The folder that is the bundle's alone. */
  readonly folder: string;
}

/**
 * The executable of the bundle, prepared where it is missing or made of something else. Fails when a tool of macOS does; nothing
 * half-made is left then.
 */
export const prepareBundle = async (options: PrepareBundleOptions): Promise<string> => {
  const { electronApp, version, folder } = options;
  const app = join(folder, "agtmux.app");
  const executable = join(app, "Contents", "MacOS", "Electron");
  const stamp = join(folder, "made-of.json");
  const madeOf = JSON.stringify({ electronApp, version, info: INFO });
  if (existsSync(executable) && existsSync(stamp) && readFileSync(stamp, "utf8") === madeOf)
    return executable;

  const part = `${folder}.part`;
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true });
  const copy = join(part, "agtmux.app");
  // Its frameworks are links within it; where the disk can share blocks, the copy costs none.
  await cp(electronApp, copy, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
  const list = join(copy, "Contents", "Info.plist");
  for (const [key, value] of Object.entries(INFO)) {
    const typed = typeof value === "boolean" ? ["-bool", String(value)] : ["-string", value];
    await run("plutil", ["-replace", key, ...typed, list]);
  }
  await run("codesign", ["--force", "--deep", "--sign", "-", copy]);
  await writeFile(join(part, "made-of.json"), madeOf);
  await rm(folder, { recursive: true, force: true });
  await mkdir(dirname(folder), { recursive: true });
  await rename(part, folder);
  return executable;
};
