// The plugin of agent-doc for JetBrains' editors, from a zip that a person has fetched: it is unpacked where these editors look for
// plugins. agtmux fetches none itself: the newest release speaks to a library of agent-doc, and no longer by files.
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AgtmuxError } from "../../core/model/errors.ts";
import { isMissing } from "../../core/model/systemError.ts";
import type { CliContext } from "../context.ts";
import { cleanLine } from "../render/clean.ts";
import { unzip, type ZipEntry } from "./unzip.ts";

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
  throw new AgtmuxError("E_USAGE", "the zip has no plugin for JetBrains' editors in it", {
    remedy: JETBRAINS_HINT,
  });
};

/** The one of before is there until the new one is whole. */
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
    throw new AgtmuxError("E_UNSUPPORTED", "agtmux fetches no plugins for JetBrains' editors", {
      remedy: JETBRAINS_HINT,
    });
  const entries = unzip(await readZip(file));
  const name = pluginName(entries);
  const folders = await findPluginFolders(context);
  if (folders.length === 0)
    throw new AgtmuxError("E_UNSUPPORTED", "no editor of JetBrains was ever started here", {
      remedy: "Start it once, or choose 'Install Plugin from Disk' in its settings.",
    });
  for (const folder of folders) {
    await place(folder, name, entries);
    context.print(`Put into ${cleanLine(join(folder, name))}.\n`);
  }
  context.print("Editors that are open need a restart.\n");
};
