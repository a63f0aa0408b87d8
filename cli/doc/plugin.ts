// `agtmux doc plugin`: what editors need. Nothing is fetched: our extension for VS Code comes with agtmux (a clone makes it), and the
// editor installs it; the plugin for JetBrains' editors is another project's, from a zip that one has.
import { inflateRawSync } from "node:zlib";
import { AgtmuxError, isMissing } from "../../core/model/errors.ts";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, delimiter } from "node:path";
import type { CliContext } from "../command/context.ts";
import { cleanLine } from "../render/clean.ts";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";

// Zip: entries that are stored or deflated, without encryption, as plugins of editors have them. Nothing is written here.

export interface ZipEntry {
  /** With slashes; within the folder that it is unpacked into, and no folder itself. */
  readonly name: string;
  readonly bytes: Buffer;
}

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const MAX_COMMENT = 0xffff;
const MAX_ENTRIES = 20_000;
const MAX_BYTES = 512 * 1024 * 1024;
const KIND_MASK = 0o170000;
const LINK = 0o120000;

const invalid = (why: string): AgtmuxError =>
  new AgtmuxError("E_USAGE", `the zip cannot be used: ${why}`, { remedy: "Fetch it again." });

const findEnd = (zip: Buffer): number => {
  for (let at = zip.length - END_BYTES; at >= Math.max(0, zip.length - END_BYTES - MAX_COMMENT); at -= 1)
    if (zip.readUInt32LE(at) === END) return at;
  throw invalid("it isn't a zip");
};

const checkName = (name: string): void => {
  const parts = name.split("/");
  const isPlain = parts.every((part) => part !== "" && part !== "." && part !== "..");
  if (!isPlain || /[\p{Cc}\\:]/u.test(name)) throw invalid("it has a file outside of its folder");
};

interface Place {
  readonly at: number;
  readonly method: number;
  readonly packed: number;
  readonly size: number;
}

const unpack = (zip: Buffer, { at, method, packed, size }: Place): Buffer => {
  if (zip.readUInt32LE(at) !== LOCAL) throw invalid("it is damaged");
  const from = at + LOCAL_BYTES + zip.readUInt16LE(at + 26) + zip.readUInt16LE(at + 28);
  const bytes = zip.subarray(from, from + packed);
  if (method === 0 && packed === size) return bytes;
  if (method !== 8) throw invalid("its compression is unknown");
  const unpacked = inflateRawSync(bytes, { maxOutputLength: Math.max(1, size) });
  if (unpacked.length !== size) throw invalid("it is damaged");
  return unpacked;
};

const readEntries = (zip: Buffer): ZipEntry[] => {
  const end = findEnd(zip);
  const count = zip.readUInt16LE(end + 10);
  if (count > MAX_ENTRIES) throw invalid("it has too many files");
  const entries: ZipEntry[] = [];
  let [at, total] = [zip.readUInt32LE(end + 16), 0];
  for (let index = 0; index < count; index += 1) {
    if (zip.readUInt32LE(at) !== ENTRY) throw invalid("it is damaged");
    const lengths = [28, 30, 32].map((field) => zip.readUInt16LE(at + field));
    const name = zip.toString("utf8", at + ENTRY_BYTES, at + ENTRY_BYTES + (lengths[0] ?? 0));
    const size = zip.readUInt32LE(at + 24);
    total += size;
    if (total > MAX_BYTES) throw invalid("it is too large");
    if (((zip.readUInt32LE(at + 38) >>> 16) & KIND_MASK) === LINK) throw invalid("it has a link in it");
    if (!name.endsWith("/")) {
      checkName(name);
      const place = { method: zip.readUInt16LE(at + 10), packed: zip.readUInt32LE(at + 20), size };
      entries.push({ name, bytes: unpack(zip, { ...place, at: zip.readUInt32LE(at + 42) }) });
    }
    at += ENTRY_BYTES + lengths.reduce((sum, length) => sum + length, 0);
  }
  return entries;
};

/** @throws AgtmuxError E_USAGE for what is no such zip, or has files that belong elsewhere. */
export const unzip = (zip: Buffer): ZipEntry[] => {
  try {
    return readEntries(zip);
  } catch (error) {
    if (error instanceof AgtmuxError) throw error;
    // A number in it points outside of it, or what is packed cannot be unpacked.
    throw invalid("it is damaged");
  }
};

// JetBrains: the plugin of agent-doc, from a zip that a person has fetched, is unpacked where these editors look for plugins.
// agtmux fetches none itself: the newest release speaks to a library of agent-doc, and no longer by files.

const MAX_ZIP_BYTES = 256 * 1024 * 1024;
/** Folders of one editor in one version, as `IntelliJIdea2026.1`. */
const EDITOR = /^[A-Za-z]+\d{4}\.\d+$/;

export const JETBRAINS_HINT =
  "Fetch the zip of a release before 0.17.29 from github.com/btakita/agent-doc/releases, and run 'agtmux doc plugin install jetbrains --file <zip>'; later ones do not speak to agtmux. None was ever tried with it.";

/** Where editors that were started once look for plugins. */
export const findPluginFolders = async ({ env }: CliContext): Promise<string[]> => {
  const home = env["HOME"] ?? "/";
  const isMac = process.platform === "darwin";
  const base = isMac
    ? join(home, "Library", "Application Support", "JetBrains")
    : join(env["XDG_DATA_HOME"] || join(home, ".local", "share"), "JetBrains");
  try {
    const names = (await readdir(base)).filter((name) => EDITOR.test(name));
    return names.toSorted().map((name) => (isMac ? join(base, name, "plugins") : join(base, name)));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
};

const readZip = async (path: string): Promise<Buffer> => {
  try {
    if ((await stat(path)).size > MAX_ZIP_BYTES) throw new AgtmuxError("E_USAGE", `'${path}' is too large`);
    return await readFile(path);
  } catch (error) {
    if (error instanceof AgtmuxError) throw error;
    throw new AgtmuxError("E_USAGE", `'${path}' cannot be read`, { cause: error, remedy: "Name the zip." });
  }
};

/** Its one folder, which has its libraries. */
const pluginName = (entries: readonly ZipEntry[]): string => {
  const [name = "", ...others] = new Set(entries.map((entry) => entry.name.split("/")[0] ?? ""));
  const hasLibrary = entries.some(
    (entry) => entry.name.startsWith(`${name}/lib/`) && entry.name.endsWith(".jar"),
  );
  if (others.length === 0 && hasLibrary) return name;
  throw new AgtmuxError("E_USAGE", "the zip has no plugin for JetBrains editors", {
    remedy: JETBRAINS_HINT,
  });
};

/** The previous one stays until the new one is whole. */
const place = async (folder: string, name: string, entries: readonly ZipEntry[]): Promise<void> => {
  await mkdir(folder, { recursive: true });
  const made = await mkdtemp(join(folder, ".agtmux-"));
  try {
    for (const entry of entries) {
      const path = join(made, entry.name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, entry.bytes);
    }
    const before = join(made, ".before");
    await rename(join(folder, name), before).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
    await rename(join(made, name), join(folder, name));
  } finally {
    await rm(made, { recursive: true, force: true });
  }
};

export const installJetbrains = async (context: CliContext, file: string | undefined): Promise<void> => {
  if (file === undefined)
    throw new AgtmuxError("E_UNSUPPORTED", "agtmux doesn't download plugins for JetBrains editors", {
      remedy: JETBRAINS_HINT,
    });
  const entries = unzip(await readZip(file));
  const name = pluginName(entries);
  const folders = await findPluginFolders(context);
  if (folders.length === 0)
    throw new AgtmuxError("E_UNSUPPORTED", "no JetBrains editor has been started here", {
      remedy: "Start it once, or choose 'Install Plugin from Disk' in its settings.",
    });
  for (const folder of folders) {
    await place(folder, name, entries);
    context.print(`Put into ${cleanLine(join(folder, name))}.\n`);
  }
  context.print("Editors that are open need a restart.\n");
};

// VS Code, and the commands.

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

const BUILD_MS = 60_000;

/** What makes the extension in a clone; null in every other installation. */
const findBuilder = ({ root }: CliContext): string | null => {
  const path = join(root, "scripts", "packVsix.mjs");
  return existsSync(path) ? path : null;
};

/** In a package it is beside the command's own bundles. */
const packagedVsix = ({ root }: CliContext): string => join(root, "dist", "cli", "agtmux-documents.vsix");

/** In a clone it is always made again, in less than a second, from the sources that are there. */
const requireVsix = async (context: CliContext): Promise<string> => {
  const builder = findBuilder(context);
  if (builder !== null) return buildVsix(context, builder);
  const packaged = packagedVsix(context);
  if (existsSync(packaged)) return packaged;
  throw new AgtmuxError("E_UNSUPPORTED", "this installation has no extension for VS Code in it", {
    remedy: "Install agtmux again.",
  });
};

const buildVsix = async ({ root }: CliContext, builder: string): Promise<string> => {
  const vsix = join(root, "release", "agtmux-documents.vsix");
  const options = { cwd: root, timeout: BUILD_MS };
  const problem = await new Promise<string | null>((done) => {
    execFile(process.execPath, [builder, "--output", vsix], options, (error, _stdout, stderr) =>
      done(error === null ? null : stderr.trim().split("\n").at(-1) || error.message),
    );
  });
  if (problem === null) return vsix;
  throw new AgtmuxError(
    "E_UNSUPPORTED",
    `the extension for VS Code could not be made: ${cleanLine(problem).slice(0, 300)}`,
    { remedy: `Run 'npm ci' in ${root}, then this again; 'npm run vsix' there shows everything.` },
  );
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
        // The folder is what remains of an extension that the editor removed.
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
  const hasOne = findBuilder(context) !== null || existsSync(packagedVsix(context));
  const state = installed.length > 0 ? `installed, ${installed.join(", ")}` : "not installed";
  context.print(`vscode     ${cleanLine(state)}${hasOne ? "" : "; not in this installation"}\n`);
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
  const vsix = await requireVsix(context);
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
