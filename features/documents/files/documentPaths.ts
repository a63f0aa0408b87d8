// Where a document's own files lie: everything is in `.agent-doc/` of its project, under a name made from the document's path.
import { createHash } from "node:crypto";
import { lstat, realpath, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { AgtmuxError, isMissing } from "../../../core/model/errors.ts";

export interface ProjectPaths {
  readonly root: string;
  /** `.agent-doc` of the project; not necessarily there yet. */
  readonly folder: string;
  readonly lock: string;
}

export interface DocumentPaths extends ProjectPaths {
  /** Without symbolic links. */
  readonly file: string;
  readonly hash: string;
  readonly snapshot: string;
  readonly crdt: string;
  /** Which answers the snapshot has. */
  readonly answered: string;
  readonly pending: string;
  /** Where editors' plugins are handed responses; not there without one. */
  readonly patches: string;
  readonly components: string;
}

const FOLDER = ".agent-doc";
const LOCK = "agtmux.lock.db";

/** Another user's folder could bring commands along, and a link lead anywhere: neither is taken for the project's. */
const isOwnFolder = async (path: string): Promise<boolean> => {
  try {
    const found = await lstat(path);
    return found.isDirectory() && found.uid === process.getuid?.();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
};

/** Also as a link. */
export const isThere = async (path: string): Promise<boolean> => {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
};

const requireNoOther = async (path: string): Promise<void> => {
  if ((await isOwnFolder(path)) || !(await isThere(path))) return;
  throw new AgtmuxError(
    "E_DOCUMENT_INVALID",
    `${path} is another user's, a link, or no folder: it is not used`,
    {
      remedy: "Keep the document in a folder of your own, and run the command there.",
    },
  );
};

/**
 * The nearest folder from `from` upwards that has `.agent-doc`, else `cwd`.
 * @throws AgtmuxError E_DOCUMENT_INVALID where another user has made one in `cwd`.
 */
const findRoot = async (from: string, cwd: string): Promise<string> => {
  for (let folder = from; ; folder = dirname(folder)) {
    if (await isOwnFolder(join(folder, FOLDER))) return folder;
    if (dirname(folder) !== folder) continue;
    await requireNoOther(join(cwd, FOLDER));
    return cwd;
  }
};

/** The project of a folder. */
export const projectOf = async (from: string): Promise<ProjectPaths> => {
  const here = await realpath(from);
  const root = await findRoot(here, here);
  const folder = join(root, FOLDER);
  return { root, folder, lock: join(folder, LOCK) };
};

/** @throws AgtmuxError E_USAGE where there is no such file; E_DOCUMENT_INVALID as above. */
export const locateDocument = async (path: string, cwd: string): Promise<DocumentPaths> => {
  let file: string;
  try {
    file = await realpath(path);
  } catch (error) {
    throw new AgtmuxError("E_USAGE", `there is no file '${path}'`, {
      cause: error,
      remedy: "Name a Markdown file; 'agtmux doc init <file>' makes one.",
    });
  }
  if (!(await stat(file)).isFile())
    throw new AgtmuxError("E_USAGE", `'${path}' is not a file`, { remedy: "Name a Markdown file." });
  const root = await findRoot(dirname(file), await realpath(cwd));
  const folder = join(root, FOLDER);
  const hash = createHash("sha256").update(file).digest("hex");
  return {
    file,
    root,
    folder,
    hash,
    snapshot: join(folder, "snapshots", `${hash}.md`),
    crdt: join(folder, "crdt", `${hash}.yrs`),
    answered: join(folder, "answered", `${hash}.json`),
    pending: join(folder, "pending"),
    patches: join(folder, "patches"),
    lock: join(folder, LOCK),
    components: join(folder, "components.toml"),
  };
};

/** Without a project above it, a document's own files are in the folder that a command is typed in. */
export const isInProject = ({ file, root }: { file: string; root: string }): boolean =>
  file.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);

/** As it is shown to a person. */
export const shownPath = (paths: { file: string; root: string }): string =>
  isInProject(paths) ? relative(paths.root, paths.file) : paths.file;
