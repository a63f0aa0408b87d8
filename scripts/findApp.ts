// Which executable `npm start` runs as the desktop app: an installed Electron, or one that is downloaded first (on macOS, or
// where the person asks for it). On macOS it runs in our own bundle. Without one the browser is used, and a line says why.
import { join } from "node:path";
import { electronVersion, findElectron } from "./findElectron.ts";
import { installElectron, type InstallElectronOptions } from "./installElectron.ts";
import { prepareBundle } from "./prepareBundle.ts";

const SILENCE_MS = 60_000;
const MEGABYTE = 1e6;

export interface FindAppOptions {
  /** The clone. */
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  /** The value of AGTMUX_UI; undefined: the app on macOS, elsewhere only where Electron is installed. */
  readonly wanted: "app" | "browser" | undefined;
  readonly isTerminal: boolean;
  readonly print: (text: string) => void;
}

/** On a terminal a single line that changes, else a line every ten megabytes. */
const showProgress = ({ isTerminal, print }: FindAppOptions): InstallElectronOptions["onProgress"] => {
  const step = isTerminal ? MEGABYTE : 10 * MEGABYTE;
  let shown = "0 MB";
  return (progress) => {
    const text =
      progress === "unpacking" ? "unpacking" : `${(Math.floor(progress.bytes / step) * step) / MEGABYTE} MB`;
    if (text === shown) return;
    shown = text;
    const end = isTerminal && progress !== "unpacking" ? "" : "\n";
    print(`${isTerminal ? "\r\u001B[K" : ""}Electron: ${text}…${end}`);
  };
};

/** The executable on macOS: in our own bundle, or in Electron's where ours cannot be made. */
const intoBundle = async (electron: string, { root, print }: FindAppOptions): Promise<string> => {
  try {
    return await prepareBundle({
      electronApp: join(electron, "..", "..", ".."),
      version: electronVersion(join(root, "node_modules", "electron")),
      folder: join(root, "dist", "development"),
    });
  } catch (error) {
    const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    print(`Without a bundle of its own the app shows no notifications (${line}).\n`);
    return electron;
  }
};

/** The executable, or null for the browser. */
export const findApp = async (options: FindAppOptions): Promise<string | null> => {
  const { root, env, wanted, print } = options;
  if (wanted === "browser") return null;
  // Electron's installer reads the same variable.
  const platform = env["ELECTRON_INSTALL_PLATFORM"] ?? process.platform;
  const folder = join(root, "node_modules", "electron");
  const overrideFolder = env["ELECTRON_OVERRIDE_DIST_PATH"];
  const find = async (): Promise<string | null> => {
    const found = findElectron({ folder, overrideFolder, platform });
    return found !== null && platform === "darwin" ? intoBundle(found, options) : found;
  };
  const found = await find();
  if (found !== null) return found;
  if (wanted === undefined && platform !== "darwin") {
    print(
      "No Electron binary is at hand, so the popover opens in a browser (AGTMUX_UI=app downloads one).\n",
    );
    return null;
  }
  if (overrideFolder) {
    print("There is no Electron in ELECTRON_OVERRIDE_DIST_PATH, so the popover opens in a browser.\n");
    return null;
  }
  print("Downloading Electron, once (more than 100 MB)…\n");
  const onProgress = showProgress(options);
  const now = (): number => performance.now();
  const reason = await installElectron({ folder, env, silenceMs: SILENCE_MS, now, onProgress });
  const downloaded = reason === null ? await find() : null;
  if (downloaded === null)
    print(
      `Electron could not be downloaded (${reason ?? "its installer left no binary"}), so the popover opens in a browser; the next 'npm start' tries again.\n`,
    );
  return downloaded;
};
