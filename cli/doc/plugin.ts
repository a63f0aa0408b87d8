// `agtmux doc plugin` and `upgrade`: what editors need, and newer versions. Nothing is fetched: our extension for VS Code comes with
// agtmux, and the editor installs it itself; the plugin for JetBrains' editors is another project's, from a file that one has.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { AgtmuxError } from "../../core/model/errors.ts";
import { isMissing } from "../../core/model/systemError.ts";
import type { CliContext } from "../context.ts";
import { cleanLine } from "../render/clean.ts";
import { findPluginFolders, installJetbrains, JETBRAINS_HINT } from "./jetbrains.ts";

const EDITORS = ["vscode", "jetbrains"] as const;
type Editor = (typeof EDITORS)[number];

/** Programs of VS Code and of what is made from it, with their folders of extensions. */
const PROGRAMS = ["code", "codium", "cursor", "code-insiders"];
const FOLDERS = [".vscode", ".vscode-oss", ".cursor", ".vscode-insiders", ".vscode-server"];
const MAC_PROGRAM = "/Applications/Visual Studio Code.app/Contents/Resources/app/bin/code";
const INSTALL_MS = 60_000;

const editorOf = (typed: string): Editor => {
  const found = EDITORS.find((editor) => editor === typed);
  if (found !== undefined) return found;
  throw new AgtmuxError("E_USAGE", `there is no plugin for '${cleanLine(typed)}'`, {
    remedy: `Editors: ${EDITORS.join(", ")}.`,
  });
};

/** In a package beside the command's own bundles, in a checkout where `npm run vsix` has made it. */
const findVsix = ({ root }: CliContext): string | null => {
  const places = [join(root, "dist", "cli"), join(root, "release")];
  return places.map((place) => join(place, "agtmux-documents.vsix")).find((path) => existsSync(path)) ?? null;
};

const requireVsix = (context: CliContext): string => {
  const path = findVsix(context);
  if (path !== null) return path;
  throw new AgtmuxError("E_UNSUPPORTED", "this installation has no extension for VS Code in it", {
    remedy: "In a checkout, 'npm run vsix' makes it.",
  });
};

const findProgram = ({ env }: CliContext): string | null => {
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder.startsWith("/"));
  const paths = PROGRAMS.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...paths, MAC_PROGRAM].find((path) => existsSync(path)) ?? null;
};

const versionIn = (manifest: string): string => {
  const found: unknown = JSON.parse(manifest);
  const version = typeof found === "object" && found !== null && "version" in found ? found.version : null;
  return typeof version === "string" ? version : "of an unknown version";
};

/** Each place where our extension is, with its version. */
const findInstalled = async ({ env }: CliContext): Promise<string[]> => {
  const found: string[] = [];
  for (const folder of FOLDERS) {
    const extensions = join(env["HOME"] ?? "/", folder, "extensions");
    for (const name of await listFolder(extensions)) {
      if (!name.startsWith("agtmux.agtmux-documents-")) continue;
      try {
        const text = await readFile(join(extensions, name, "package.json"), "utf8");
        found.push(`${versionIn(text)} in ~/${folder}`);
      } catch {
        // An editor has left the folder of an extension that it removed.
      }
    }
  }
  return found;
};

const listFolder = async (path: string): Promise<string[]> => {
  try {
    return await readdir(path);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
};

export const runPluginList = async (context: CliContext): Promise<void> => {
  const installed = await findInstalled(context);
  const bundled = findVsix(context);
  const state = installed.length > 0 ? `installed, ${installed.join(", ")}` : "not installed";
  context.print(`vscode     ${cleanLine(state)}${bundled === null ? "; not in this installation" : ""}\n`);
  const editors = await findPluginFolders(context);
  context.print(
    `jetbrains  from a file; editors found: ${editors.length === 0 ? "none" : editors.length}. ${JETBRAINS_HINT}\n`,
  );
};

/** Installs, or puts the newer one in its place: the editor does both alike. */
export const runPluginInstall = async (
  context: CliContext,
  typed: string,
  options: { file?: string },
): Promise<void> => {
  if (editorOf(typed) === "jetbrains") return installJetbrains(context, options.file);
  if (options.file !== undefined)
    throw new AgtmuxError("E_USAGE", "the extension for VS Code comes with agtmux", {
      remedy: "Leave --file out.",
    });
  const vsix = requireVsix(context);
  const program = findProgram(context);
  if (program === null)
    throw new AgtmuxError("E_UNSUPPORTED", "no VS Code was found in PATH", {
      remedy: `Choose 'Install from VSIX' in its extensions: ${vsix}`,
    });
  const problem = await new Promise<string | null>((done) => {
    const options = { env: context.env as NodeJS.ProcessEnv, timeout: INSTALL_MS };
    execFile(program, ["--install-extension", vsix, "--force"], options, (error, _stdout, stderr) =>
      done(error === null ? null : stderr.trim().split("\n").at(-1) || error.message),
    );
  });
  if (problem !== null)
    throw new AgtmuxError(
      "E_UNSUPPORTED",
      `${program} did not install it: ${cleanLine(problem).slice(0, 300)}`,
      {
        remedy: `Choose 'Install from VSIX' in its extensions: ${vsix}`,
      },
    );
  context.print(`Installed by ${cleanLine(program)}. Windows that are open need 'Reload Window'.\n`);
};

export const runUpgrade = async (): Promise<never> => {
  throw new AgtmuxError("E_UNSUPPORTED", "agtmux does not upgrade itself: it asks no server for versions", {
    remedy: "Upgrade it the way it was installed: Homebrew, npm, the package, or 'git pull' in a checkout.",
  });
};
