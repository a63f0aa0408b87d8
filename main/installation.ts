// Where the app's own files lie, from source (`main/`) as well as built (`dist/main/`, also inside an asar archive).
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { errorCodeOf } from "../core/model/systemError.ts";

export interface Installation {
  readonly version: string;
  /** Folder of the built popover. */
  readonly rendererDir: string;
  readonly preload: string;
  readonly iconsDir: string;
  /** Where the command line may be: in a clone, or beside the archive of a packaged app. */
  readonly commands: readonly string[];
  /** The event script as shipped. */
  readonly eventScript: string;
}

/** The nearest folder above this file whose package.json is ours. Throws where there is none. */
export const findInstallation = (): Installation => {
  for (let root = dirname(fileURLToPath(import.meta.url)); root !== dirname(root); root = dirname(root)) {
    try {
      const manifest: { name?: unknown; version?: unknown } = JSON.parse(
        readFileSync(join(root, "package.json"), "utf8"),
      );
      if (manifest.name !== "agtmux" || typeof manifest.version !== "string") continue;
      return {
        version: manifest.version,
        rendererDir: join(root, "dist", "renderer"),
        preload: join(root, "dist", "preload", "index.cjs"),
        iconsDir: join(root, "resources", "icons"),
        commands: [join(root, "bin", "agtmux"), join(dirname(root), "cli", "bin", "agtmux")],
        eventScript: join(root, "resources", "hooks", "agtmux-event"),
      };
    } catch (error) {
      if (errorCodeOf(error) !== "ENOENT") throw error;
    }
  }
  throw new Error("the installation of agtmux is incomplete: no package.json");
};
