// Which gjc is installed, from the package file beside it. User extensions were quarantined from 0.1.1 until about 0.17
// (its issue and fix, outside our recordings), so older ones would never load ours.
import { AgtmuxError } from "../../core/model/errors.ts";
import type { IntegrationRequest } from "../../core/ports/agentAdapter.ts";
import { parsePayload, textOf } from "../common/payload.ts";

const FIRST_WITH_EXTENSIONS = [0, 17] as const;
const MAX_BYTES = 256 * 1024;
const PACKAGES = ["@gajae-code/coding-agent", "gajae-code"];

const foldersOf = (homeDir: string): string[] => [
  `${homeDir}/.bun/install/global/node_modules`,
  `${homeDir}/.npm-global/lib/node_modules`,
  `${homeDir}/.local/lib/node_modules`,
  "/opt/homebrew/lib/node_modules",
  "/usr/local/lib/node_modules",
  "/usr/lib/node_modules",
];

/** Versions of all installed packages; a single compiled program leaves no such file. */
const installedVersions = async ({ files, homeDir }: IntegrationRequest): Promise<string[]> => {
  const paths = foldersOf(homeDir).flatMap((folder) =>
    PACKAGES.map((name) => `${folder}/${name}/package.json`),
  );
  // A folder that cannot be read tells no version; without any the install is refused.
  const texts = await Promise.all(paths.map((path) => files.readText(path, MAX_BYTES).catch(() => null)));
  return texts.flatMap((text) => (text === null ? [] : (textOf(parsePayload(text) ?? {}, "version") ?? [])));
};

const loadsExtensions = (version: string): boolean => {
  const [, major, minor] = /^(\d{1,6})\.(\d{1,6})\./.exec(version) ?? [];
  if (major === undefined || minor === undefined) return false;
  const [firstMajor, firstMinor] = FIRST_WITH_EXTENSIONS;
  return Number(major) > firstMajor || (Number(major) === firstMajor && Number(minor) >= firstMinor);
};

/** Why an extension would not load, as one sentence; null where every installed gjc is known to load it. */
export const extensionObstacle = async (request: IntegrationRequest): Promise<string | null> => {
  const versions = await installedVersions(request);
  if (versions.length === 0)
    return "The installed version of gjc could not be found, and gjc before 0.17 does not load extensions";
  const old = versions.find((version) => !loadsExtensions(version));
  return old === undefined
    ? null
    : `gjc ${old.slice(0, 40)} does not load extensions: 0.17 is the first that does`;
};

/** Fails with E_INTEGRATION_REFUSED where the extension would not be loaded. */
export const requireExtensions = async (request: IntegrationRequest): Promise<void> => {
  const obstacle = await extensionObstacle(request);
  if (obstacle !== null)
    throw new AgtmuxError("E_INTEGRATION_REFUSED", `${obstacle}.`, {
      remedy: "Nothing was changed; without an extension gjc is read from its session file.",
    });
};
