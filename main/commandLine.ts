// Puts the app's own `agtmux` command where a shell finds it: one symbolic link in a folder of the person. An existing file is
// never replaced, and only that link (and ~/.local/bin, where it is missing) is made.
import {
  access,
  constants,
  lstat,
  mkdir,
  readFile,
  readlink,
  realpath,
  stat,
  symlink,
} from "node:fs/promises";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import type { CommandLineState } from "../core/model/desktop.ts";
import { AgtmuxError } from "../core/model/errors.ts";

interface CommandLinePlaces {
  readonly platform: NodeJS.Platform;
  /** HOME, PATH, SHELL and APPIMAGE. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDir: string;
  /** Where the command may be in this installation; the first path that exists is used. */
  readonly commands: readonly string[];
}

const NAME = "agtmux";
/** A package's script that starts our command is short; a longer file is not one. */
const MAX_SCRIPT_BYTES = 4_096;
const NOT_BROUGHT = "This build does not bring the command along.";

const isThere = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/** Whether running `path` runs `command`: a link to it, or a package's script that names it. */
const leadsTo = async (path: string, command: string): Promise<boolean> => {
  try {
    if ((await realpath(path)) === (await realpath(command))) return true;
    const found = await stat(path);
    return (
      found.isFile() &&
      found.size <= MAX_SCRIPT_BYTES &&
      (await readFile(path, "utf8")).includes(`exec ${command} `)
    );
  } catch {
    // A link that leads nowhere, or a file that may not be read: not ours.
    return false;
  }
};

/** Describes what is at `path`; null where there is nothing. */
const describe = async (path: string): Promise<string | null> => {
  try {
    if ((await lstat(path)).isSymbolicLink()) return `a link to ${await readlink(path)}`;
    return "another program";
  } catch (error) {
    const isAbsent =
      error instanceof Error && "code" in error && /^(ENOENT|ENOTDIR)$/.test(String(error.code));
    return isAbsent ? null : "something that may not be looked at";
  }
};

/** Why this installation has no permanent command; null where it has one. */
const whyNone = ({ env }: CommandLinePlaces, command: string | undefined): string | null => {
  if (env["APPIMAGE"] !== undefined)
    return "An AppImage is there only while it runs, so it brings no command. The Debian package does.";
  if (command === undefined) return NOT_BROUGHT;
  if (command.startsWith("/Volumes/") || command.includes("/AppTranslocation/"))
    return "Move agtmux to the Applications folder and start it there first: where it is now, it does not stay.";
  return null;
};

/** What to add to a shell's start file so that it searches `folder`. */
const pathLine = ({ env, homeDir }: CommandLinePlaces, folder: string): string => {
  const short = folder.startsWith(`${homeDir}/`) ? `$HOME${folder.slice(homeDir.length)}` : folder;
  const quoted = `"${short}"`;
  return basename(env["SHELL"] ?? "") === "fish"
    ? `fish_add_path ${quoted}`
    : `export PATH=${quoted.slice(0, -1)}:$PATH"`;
};

/** Folders that a shell searches. macOS gives an app fewer than a shell, which has these from the system and Homebrew. */
const pathFolders = ({ env, platform }: CommandLinePlaces): string[] => [
  ...(env["PATH"] ?? "").split(delimiter).filter(isAbsolute),
  ...(platform === "darwin" ? ["/opt/homebrew/bin", "/usr/local/bin"] : []),
];

/** The person's own folders first; only folders that a shell searches and that we may write to. */
const chooseFolder = async (places: CommandLinePlaces): Promise<string> => {
  const own = join(places.homeDir, ".local", "bin");
  const onPath = new Set(pathFolders(places));
  for (const folder of [own, join(places.homeDir, "bin"), "/usr/local/bin"]) {
    if (!onPath.has(folder)) continue;
    const isWritable = await access(folder, constants.W_OK).then(
      () => true,
      () => false,
    );
    if (isWritable) return folder;
  }
  return own;
};

const occupied = (path: string, what: string): AgtmuxError =>
  new AgtmuxError("E_UNSUPPORTED", `${path} is ${what}, so it was left alone`, {
    remedy: "Move it away, or link the command from another folder of your PATH.",
  });

export const createCommandLineService = (places: CommandLinePlaces) => {
  const findCommand = async (): Promise<string | undefined> => {
    for (const command of places.commands) if (await isThere(command)) return command;
    return undefined;
  };
  const look = async (): Promise<CommandLineState> => {
    const command = await findCommand();
    const reason = whyNone(places, command);
    if (reason !== null || command === undefined) return { kind: "none", reason: reason ?? NOT_BROUGHT };
    const chosen = join(await chooseFolder(places), NAME);
    const folders = pathFolders(places);
    const candidates = [...new Set([...folders.map((folder) => join(folder, NAME)), chosen])];
    const found: string[] = [];
    for (const path of candidates) if ((await describe(path)) !== null) found.push(path);
    const [first] = found;
    for (const path of found) {
      if (!(await leadsTo(path, command))) continue;
      const folder = dirname(path);
      return {
        kind: "installed",
        path,
        pathLine: folders.includes(folder) ? null : pathLine(places, folder),
        // A shell uses the first command that it finds.
        hiddenBy: first === path || first === undefined ? null : first,
      };
    }
    const what = await describe(chosen);
    if (what !== null) return { kind: "occupied", path: chosen, what };
    return { kind: "absent", path: chosen, command, other: first ?? null };
  };
  return {
    state: look,
    /** Makes the link and gives the new state. @throws AgtmuxError E_UNSUPPORTED, with nothing changed. */
    install: async (): Promise<CommandLineState> => {
      const state = await look();
      if (state.kind === "installed") return state;
      if (state.kind === "none")
        throw new AgtmuxError("E_UNSUPPORTED", "the command was not installed", { remedy: state.reason });
      if (state.kind === "occupied") throw occupied(state.path, state.what);
      try {
        await mkdir(dirname(state.path), { recursive: true });
        // Fails if something was put there meanwhile.
        await symlink(state.command, state.path);
      } catch (error) {
        const what = await describe(state.path);
        if (what !== null) throw occupied(state.path, what);
        const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
        throw new AgtmuxError("E_UNSUPPORTED", `${state.path} could not be made (${code})`, {
          remedy: `Link ${state.command} from a folder of your PATH yourself.`,
          cause: error,
        });
      }
      return look();
    },
  };
};

export type CommandLineService = ReturnType<typeof createCommandLineService>;
