// The bundle that a clone runs on macOS. Electron's own is signed only by the linker, without a property list in the signature,
// and such a bundle gets no notifications. So it is copied once, given its own property list, and signed ad hoc.
import { execFile } from "node:child_process";
import { constants, existsSync, readFileSync } from "node:fs";
import { cp, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { MAC_INFO } from "./macInfo.ts";

const run = promisify(execFile);

/** Different from the installed app's id, so that both have their own permissions and login items. */
const INFO: Readonly<Record<string, string | boolean>> = {
  ...MAC_INFO,
  CFBundleIdentifier: "dev.agtmux.development",
  CFBundleName: "agtmux",
  CFBundleDisplayName: "agtmux",
};

export interface PrepareBundleOptions {
  /** `Electron.app`, as it was downloaded. */
  readonly electronApp: string;
  /** Its version; when it changes, the bundle is prepared again. */
  readonly version: string;
  /** The folder that holds only the bundle. */
  readonly folder: string;
}

/**
 * The executable of the bundle, which is prepared if it is missing or was made from something else. Fails when a tool of macOS
 * fails; nothing incomplete is left then.
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
  // The frameworks in it are links within the bundle. Where the disk can share blocks, the copy takes no space.
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
