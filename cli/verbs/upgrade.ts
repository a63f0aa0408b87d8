// `agtmux upgrade`: which release is the newest, how this installation is upgraded, and, for one from an archive, doing it after a yes.
// It works without a daemon, because a broken one may be why somebody upgrades.
import { readFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { quoteForPerson } from "../../core/model/commandWords.ts";
import { checkConfig } from "../../core/model/config.ts";
import { AgtmuxError, isMissing } from "../../core/model/errors.ts";
import { parseManifest, type Manifest } from "../../core/model/manifest.ts";
import {
  compareVersions,
  fileOfRelease,
  findNewest,
  parseReleaseAddress,
  type ReleaseAddress,
} from "../../features/releases/releaseFeed.ts";
import { ask, leaveUndone } from "../command/ask.ts";
import type { CliContext } from "../command/context.ts";
import { cleanLine } from "../render/clean.ts";

// How it was installed.

type Installation =
  | { readonly kind: "clone" | "npm" | "app" | "cask" | "homebrew" | "mise" | "nix" | "unknown" }
  /** `system`: as the files of a release name it. */
  | { readonly kind: "archive"; readonly system: string };

/** By where it is and what is in it. A package manager that unpacks an archive upgrades it, too, so these are looked at first. */
export const installationOf = (
  root: string,
  { archive }: Pick<Manifest, "archive">,
  exists: (path: string) => boolean = existsSync,
): Installation => {
  if (exists(join(root, "package-lock.json")) && exists(join(root, "cli", "main.ts")))
    return { kind: "clone" };
  if (root.includes("/Cellar/agtmux/")) return { kind: "homebrew" };
  if (root.startsWith("/nix/store/")) return { kind: "nix" };
  if (/\/mise\/installs\//.test(root)) return { kind: "mise" };
  if (root.endsWith(".app/Contents/Resources/cli")) {
    const casks = ["/opt/homebrew/Caskroom/agtmux-app", "/usr/local/Caskroom/agtmux-app"];
    return { kind: casks.some(exists) ? "cask" : "app" };
  }
  if (root.endsWith("/resources/cli")) return { kind: "app" };
  if (archive !== null) return { kind: "archive", system: archive };
  return { kind: basename(dirname(root)) === "node_modules" ? "npm" : "unknown" };
};

/** What a person does to upgrade. `address` null: nobody knows where releases are; `version` null: nor which is the newest. */
const howTo = (
  installation: Installation,
  root: string,
  { address, version }: { address: ReleaseAddress | null; version: string | null },
): string => {
  const page = address === null ? "the page of its releases" : address.base;
  switch (installation.kind) {
    case "clone":
      return `It is a clone, in ${root}. Run there: git pull && npm ci`;
    case "homebrew":
      return "It was installed by Homebrew. Run: brew upgrade agtmux";
    case "cask":
      return "It is in the app that Homebrew installed. Run: brew upgrade --cask agtmux-app";
    case "nix":
      return "It was installed by nix. Run: nix profile upgrade agtmux";
    case "mise":
      return "It was installed by mise. Run: mise upgrade agtmux";
    case "app":
      return `It is in the desktop app. Get the newest app from ${page}, and put it in the place of this one.`;
    case "npm": {
      const file =
        address === null || version === null
          ? "agtmux-<version>.tgz"
          : fileOfRelease(address, version, `agtmux-${version}.tgz`);
      return `It was installed by npm. Run: npm install --global ${file}`;
    }
    case "archive":
      return `It was unpacked from an archive, in ${root}.`;
    case "unknown":
      return `It is in ${root}, and does not say how it came there. Get the newest from ${page}.`;
  }
};

// Where releases are: what the environment says, then the settings, then the installation.

const readSetting = async (path: string): Promise<string | null> => {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  let json: unknown = null;
  try {
    json = JSON.parse(text);
  } catch {
    // Told below, like every other mistake in it.
  }
  const { config } = checkConfig(json);
  if (config !== null) return config.releases.address;
  throw new AgtmuxError(
    "E_CONFIG_INVALID",
    `${path} has mistakes, and may name another address of releases`,
    {
      remedy: "Correct it ('agtmux doctor' says where), or name the address in AGTMUX_RELEASES.",
    },
  );
};

const readOwnManifest = async ({ root }: CliContext): Promise<Manifest> => {
  const manifest = parseManifest(await readFile(join(root, "package.json"), "utf8"));
  if (manifest !== null) return manifest;
  throw new AgtmuxError("E_UNSUPPORTED", `the installation in ${root} is incomplete`, {
    remedy: "Install it again.",
  });
};

/** Null: nobody has named one. @throws AgtmuxError E_USAGE for one that is none, E_CONFIG_INVALID where the settings are not readable. */
export const findAddress = async (context: CliContext): Promise<ReleaseAddress | null> => {
  const named = context.env["AGTMUX_RELEASES"] || (await readSetting(context.paths().config));
  const text = named ?? (await readOwnManifest(context)).releases;
  return text === null ? null : parseReleaseAddress(text);
};

// The verb.

const confirm = async (context: CliContext, question: string): Promise<boolean | null> => {
  if (!context.stdin.isTTY || !context.stdout.isTTY)
    throw new AgtmuxError("E_CONFIRMATION_REQUIRED", "nobody can be asked here", {
      remedy: "Repeat with --yes to upgrade.",
    });
  return ask(`${question} [y/N] `, context);
};

/** Resolves with the exit status. @throws AgtmuxError E_UNSUPPORTED where releases cannot be asked for or are not what they say. */
export const runUpgrade = async (
  context: CliContext,
  options: { check?: boolean; yes?: boolean },
): Promise<number> => {
  const { root, version: present } = context;
  const say = (text: string): void => context.print(`${cleanLine(text)}\n`);
  const manifest = await readOwnManifest(context);
  const installation = installationOf(root, manifest);
  const address = await findAddress(context);
  if (address === null) {
    say(`This is agtmux ${present}. ${howTo(installation, root, { address, version: null })}`);
    say(
      "It does not know where its releases are: AGTMUX_RELEASES, or the setting releases.address, says it.",
    );
    return 0;
  }
  const newest = await findNewest(address, context.signal).catch((error: unknown) => {
    // What a person can do is the same without knowing the newest.
    say(`This is agtmux ${present}. ${howTo(installation, root, { address, version: null })}`);
    throw error;
  });
  if (compareVersions(newest.version, present) <= 0) {
    const isSame = newest.version === present;
    say(`This is agtmux ${present}${isSame ? "," : `; ${newest.version} is`} the newest release.`);
    return 0;
  }
  say(`This is agtmux ${present}; ${newest.version} is the newest release.`);
  say(howTo(installation, root, { address, version: newest.version }));
  if (installation.kind !== "archive" || options.check === true) return 0;
  const { system } = installation;
  const sha256 = newest.archives.get(system);
  if (sha256 === undefined)
    throw new AgtmuxError("E_UNSUPPORTED", `agtmux ${newest.version} has no archive for ${system}`, {
      remedy: `See ${address.base}.`,
    });
  const { checkPlace, upgradeArchive } = await import("./archiveUpgrade.ts");
  const place = await checkPlace(root);
  if (options.yes !== true) {
    const answer = await confirm(context, `Fetch ${newest.version} and put it there?`);
    if (answer !== true) return leaveUndone(context, answer === false);
  }
  const name = `agtmux-${newest.version}-${system}`;
  const url = fileOfRelease(address, newest.version, `${name}.tar.gz`);
  const done = await upgradeArchive(context, place, { url, sha256, name, version: newest.version });
  say(`agtmux ${newest.version} is in ${done.root}.`);
  if (done.kept !== null)
    say(`${present} is kept beside it until the next upgrade: ${quoteForPerson(done.kept)}`);
  say(done.daemon);
  return 0;
};
