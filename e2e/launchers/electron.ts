// The desktop app on real Electron: only where a binary is at hand. It alone proves context isolation, the custom scheme
// and native windows; everything else is proven on the stand-in as well.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { _electron, type ElectronApplication, type Page } from "playwright";

const ROOT = join(import.meta.dirname, "..", "..");
const EXECUTABLES: Partial<Record<NodeJS.Platform, string>> = {
  darwin: "Electron.app/Contents/MacOS/Electron",
  win32: "electron.exe",
};

/** Path of an Electron executable, or null. Never downloads one. */
export const findElectron = (): string | null => {
  const name = EXECUTABLES[process.platform] ?? "electron";
  const folders = [
    process.env["ELECTRON_OVERRIDE_DIST_PATH"],
    join(ROOT, "node_modules", "electron", "dist"),
  ];
  for (const folder of folders)
    if (folder !== undefined && existsSync(join(folder, name))) return join(folder, name);
  return null;
};

/** Starts the built app (`dist/main`); `page` is the popover's window, which exists from the start. */
export const launchElectron = async (options: {
  executablePath: string;
  home: string;
  env: Readonly<Record<string, string>>;
}): Promise<{ app: ElectronApplication; page: Page }> => {
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  const app = await _electron.launch({
    executablePath: options.executablePath,
    args: [ROOT],
    env: { ...Object.fromEntries(inherited), ...options.env, AGTMUX_HOME: options.home },
  });
  return { app, page: await app.firstWindow() };
};
