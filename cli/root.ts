// Where the installation lies and which version it is, from source (`cli/`) as well as bundled (`dist/cli/`).
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { errorCodeOf } from "../core/model/systemError.ts";

export interface Installation {
  /** The folder with package.json, without a final slash. */
  readonly root: string;
  readonly version: string;
}

/** The nearest folder above this file whose package.json is ours. */
export const findInstallation = (): Installation => {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    try {
      const manifest: { name?: unknown; version?: unknown } = JSON.parse(
        readFileSync(join(folder, "package.json"), "utf8"),
      );
      if (manifest.name === "agtmux" && typeof manifest.version === "string")
        return { root: folder, version: manifest.version };
    } catch (error) {
      if (errorCodeOf(error) !== "ENOENT") throw error;
    }
    if (folder === dirname(folder))
      throw new Error("the installation of agtmux is incomplete: no package.json");
  }
};
